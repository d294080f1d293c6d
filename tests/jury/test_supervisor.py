"""Supervisor and audit by files, on a study of three texts whose votes are fixed here.

                 alfa                            beta                               gama
d1 abordagem     qualitativa, found              quantitativa, not found            (failed)        → sem_maioria
d2 abordagem     qualitativa, not found          qualitativa, not found             same            → sem_evidencia
d3 abordagem     qualitativa, found              qualitativa, found                 qualitativa     → unanime
d1–d3 fontes     ["leis"], found, by all                                                            → unanime
d1–d3 periodo    1998, found, by all                                                                → unanime
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from small_study import ESTUDO, write_study

from compendio.contract import read_classification, write_classification
from compendio.erros import ErroDeEstudo
from compendio.jury import supervisor
from compendio.jury.audit import audit_requests, audit_sample, audit_table
from compendio.jury.batches import NENHUM, Request
from compendio.pipeline import decisions, read_votes
from compendio.study import Study, load_study

QUOTE = {"d1": "Ouvimos vinte feirantes", "d2": "Medimos a renda", "d3": "Lemos a lei"}


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Study]:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    write_study(
        tmp_path / "data" / "meu",
        {
            "estudo.yaml": ESTUDO
            + "deliberacao: false\nsupervisor: {familia: humana}\nauditoria: {n: 4, semente: 7}\n"
        },
    )
    study = load_study("meu")
    for member in study.membros:
        write_classification(_votes(member.nome), study.relatorios / "classificacoes", member.nome)
    for fonte, table in decisions(study, read_votes(study)).items():
        write_classification(table, study.relatorios / "classificacoes", fonte)
    yield study


def _votes(membro: str) -> pd.DataFrame:
    rows = []
    for documento, quote in QUOTE.items():
        valor, evidencia, nivel = "qualitativa", quote, "exata"
        if documento == "d1" and membro == "beta":
            valor, evidencia, nivel = "quantitativa", "isto não está", "nao_encontrada"
        if documento == "d2":
            evidencia, nivel = "isto não está", "nao_encontrada"
        failed = documento == "d1" and membro == "gama"
        rows.append(_row(documento, "abordagem", None if failed else valor, evidencia, nivel))
        rows.append(
            _row(documento, "fontes", '["leis"]', json.dumps({"leis": quote}), json.dumps({"leis": "exata"}))
        )
        rows.append(_row(documento, "periodo", "1998", quote, "exata"))
    return pd.DataFrame(rows)


def _row(documento: str, variavel: str, valor: str | None, evidencia: str, nivel: str) -> dict[str, Any]:
    row: dict[str, Any] = {"documento": documento, "variavel": variavel, "rodada": 1, "repeticao": 0}
    if valor is None:
        return {**row, "falha": "json_invalido"}
    return {**row, "valor": valor, "evidencia": evidencia, "nivel_evidencia": nivel, "inicio": 0, "fim": 3}


def _requests(study: Study) -> dict[str, Request]:
    juri = supervisor.read_jury(study)
    return {r["documento"]: r for r in supervisor.supervisor_requests(study, juri)}


def _answer(study: Study, *lines: object) -> None:
    folder = study.pasta / "supervisor"
    folder.mkdir(exist_ok=True)
    text = "\n".join(x if isinstance(x, str) else json.dumps(x, ensure_ascii=False) for x in lines)
    (folder / "respostas.jsonl").write_text(text, encoding="utf-8")


def _good(request: Request, escolha: object = 1, evidencia: str | None = None) -> dict[str, object]:
    quote = QUOTE[request["documento"]] if evidencia is None else evidencia
    return {"id": request["id"], "escolha": escolha, "evidencia": quote, "justificativa": "porque sim"}


def test_only_what_is_undecided_goes_out_with_candidates_in_codebook_order(study: Study) -> None:
    requests = _requests(study)
    assert list(requests) == ["d1", "d2"]
    assert requests["d1"]["candidatos"] == [
        {"numero": 1, "valor": "qualitativa", "evidencias": ["Ouvimos vinte feirantes"]},
        {
            "numero": 2,
            "valor": "quantitativa",
            "evidencias": ["isto não está (trecho não encontrado no texto)"],
        },
    ]
    assert requests["d2"]["candidatos"] == [
        {
            "numero": 1,
            "valor": "qualitativa",
            "evidencias": ["isto não está (trecho não encontrado no texto)"],
        }
    ]


def test_batches_name_no_model_and_warn_first(study: Study) -> None:
    supervisor.write_requests(study)
    folders = sorted((study.relatorios / "supervisor").iterdir())
    assert [f.name for f in folders] == ["auditoria-01", "lote-01"]
    for folder in folders:
        instructions = (folder / "INSTRUCOES.md").read_text(encoding="utf-8")
        assert instructions.index("manda os textos para fora") < instructions.index("pedidos.jsonl")
        text = instructions + (folder / "pedidos.jsonl").read_text(encoding="utf-8")
        assert not any(name in text for name in ("alfa", "beta", "gama"))


def test_ids_survive_a_rerun_and_change_with_the_question(study: Study) -> None:
    before = _requests(study)
    assert _requests(study)["d1"]["id"] == before["d1"]["id"]
    table = _votes("beta")
    table.loc[0, "evidencia"] = "outro trecho"
    write_classification(table, study.relatorios / "classificacoes", "beta")
    after = _requests(study)
    assert after["d1"]["id"] != before["d1"]["id"]
    assert after["d2"]["id"] == before["d2"]["id"]


def test_choice_and_none_adequate(study: Study) -> None:
    juri, requests = supervisor.read_jury(study), _requests(study)
    _answer(study, _good(requests["d1"], 2), _good(requests["d2"], NENHUM, ""))
    table, answers, _ = supervisor.supervise(study, juri)
    assert not answers.problemas
    assert table is not None
    by = table[table["variavel"] == "abordagem"].set_index("documento")
    # d1: the second candidate, with the supervisor's own quote; d2: the main model's vote, as a fallback.
    assert by.loc["d1", ["valor", "estado", "evidencia", "nivel_evidencia"]].tolist() == [
        "quantitativa", "supervisor", "Ouvimos vinte feirantes", "exata",
    ]  # fmt: skip
    assert not by.loc["d1", "recuo"]
    assert by.loc["d2", ["valor", "estado"]].tolist() == ["qualitativa", "nenhum_adequado"]
    assert by.loc["d2", "recuo"]
    assert by.loc["d3", "estado"] == "unanime"
    written = read_classification(study.relatorios / "classificacoes" / "juri-supervisor.parquet")
    pd.testing.assert_frame_equal(written, table)
    decided = juri["estado"] == "unanime"
    pd.testing.assert_series_equal(table.loc[decided, "valor"], juri.loc[decided, "valor"])


def test_nothing_is_written_while_answers_are_missing(study: Study) -> None:
    _answer(study, _good(_requests(study)["d1"]))
    table, answers, requests = supervisor.supervise(study, supervisor.read_jury(study))
    assert table is None
    assert len(answers.missing(requests)) == 1
    assert not (study.relatorios / "classificacoes" / "juri-supervisor.parquet").exists()
    supervisor.write_requests(study)  # the answered one does not go out again
    lines = (
        (study.relatorios / "supervisor" / "lote-01" / "pedidos.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    assert [json.loads(line)["documento"] for line in lines] == ["d2"]


def test_family_is_needed_once_there_are_answers(study: Study) -> None:
    silent = study.model_copy(update={"supervisor": study.supervisor.model_copy(update={"familia": None})})
    assert "faltam 2" in supervisor.report_answers(silent)
    _answer(study, _good(_requests(study)["d1"]))
    with pytest.raises(ErroDeEstudo, match=r"supervisor\.familia"):
        supervisor.report_answers(silent)


def test_audit_is_blind_seeded_and_rated(study: Study) -> None:
    juri = supervisor.read_jury(study)
    sample = audit_sample(study, juri)
    assert len(sample) == 4
    assert (
        sample["probabilidade"].tolist() == [4 / 7] * 4
    )  # 7 unanimous: one abordagem, three fontes, three periodo
    pd.testing.assert_frame_equal(audit_sample(study, juri.sample(frac=1, random_state=1)), sample)
    everything = study.model_copy(update={"auditoria": study.auditoria.model_copy(update={"n": 50})})
    sample = audit_sample(everything, juri)
    assert sample["probabilidade"].tolist() == [1.0] * 7
    requests = audit_requests(everything, sample)
    by_kind = {r["variavel"]: r for r in requests}
    values = [c["valor"] for c in by_kind["abordagem"]["candidatos"]]
    assert sorted(values) == ["nao_informada", "qualitativa", "quantitativa"]
    assert "resposta" not in by_kind["abordagem"]
    assert [c["valor"] for c in by_kind["periodo"]["candidatos"]] == ["confirma", "rejeita"]
    lines = []
    for request in requests:
        options = [c["valor"] for c in request["candidatos"]]
        chosen = "quantitativa" if request["variavel"] == "abordagem" else options[0]
        lines.append(_good(request, options.index(chosen) + 1))
    _answer(everything, *lines)
    answers = supervisor.load_answers(everything, {r["id"]: r for r in requests})
    table = audit_table(sample, requests, answers)
    # The auditor confirms the six others and reads d3's abordagem otherwise.
    assert int((~table["confirmada"].astype(bool)).sum()) == 1
    assert table.loc[~table["confirmada"].astype(bool), "opiniao"].tolist() == ["quantitativa"]
