"""Requests out, answers in, and the source `juri-supervisor`, on the votes of `supervised_study.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from small_study import VOTOS, votes, write_study
from supervised_study import FONTES_QUOTE, KEYS, LOST, QUOTE, good, jury_study, member_votes, save_answers

from compendio.contract import read_classification, write_classification
from compendio.erros import ErroDeEstudo
from compendio.jury import supervision_tables, supervisor
from compendio.jury.answers import answers_for
from compendio.jury.batches import NENHUM, Request
from compendio.pipeline import classify, decisions, deliberate, read_votes
from compendio.study import Study, load_study


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    return jury_study(tmp_path)


def asked(study: Study) -> dict[tuple[str, str], Request]:
    requests = supervisor.load_supervision(study).pedidos["supervisor"]
    return {(r.documento, r.variavel): r for r in requests}


def answer_all(study: Study, **changes: Any) -> None:
    """Good answers to the three requests; `d1_abordagem=…` puts another answer in place of one."""
    requests = asked(study)
    lines = {
        "d1_abordagem": good(requests["d1", "abordagem"], 2),
        "d1_fontes": good(requests["d1", "fontes"], 1, "vinte feirantes"),
        "d2_abordagem": good(requests["d2", "abordagem"], NENHUM, ""),
    }
    save_answers(study, *{**lines, **changes}.values())


def source(study: Study) -> pd.DataFrame | None:
    return supervisor.write_source(study, supervisor.load_supervision(study))


def batches(study: Study) -> dict[str, list[tuple[str, str]]]:
    """Folder → the decisions its requests are about."""
    found = {}
    for path in sorted((study.relatorios / "supervisor").glob("*/pedidos.jsonl")):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        found[path.parent.name] = [(line["documento"], line["variavel"]) for line in lines]
    return found


def test_only_undecided_categories_go_out_with_candidates_in_codebook_order(study: Study) -> None:
    requests = asked(study)
    # Not d2 fontes (nobody gave a value) and not d2 periodo (free text).
    assert list(requests) == [("d1", "abordagem"), ("d1", "fontes"), ("d2", "abordagem")]
    found, lost = ({"trecho": q, "encontrada": q != LOST} for q in (QUOTE["d1"], LOST))
    assert list(requests["d1", "abordagem"].candidatos) == [
        {"numero": 1, "valor": "qualitativa", "evidencias": [found]},
        {"numero": 2, "valor": "quantitativa", "evidencias": [lost]},
    ]
    # Three members gave one value and one quote: neither is said three times.
    assert list(requests["d2", "abordagem"].candidatos) == [
        {"numero": 1, "valor": "qualitativa", "evidencias": [lost]}
    ]
    falas = {"categoria": "falas", "trecho": FONTES_QUOTE["falas"], "encontrada": True}
    midia = {"categoria": "midia", "trecho": LOST, "encontrada": False}
    # Several choices: whole sets.
    assert list(requests["d1", "fontes"].candidatos) == [
        {"numero": 1, "valor": ["falas"], "evidencias": [falas]},
        {"numero": 2, "valor": ["falas", "midia"], "evidencias": [falas, midia]},
    ]


def test_a_request_is_what_the_protocol_says(study: Study) -> None:
    supervisor.write_requests(study)
    path = study.relatorios / "supervisor" / "lote-01" / "pedidos.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        assert list(line) == [
            "id", "documento", "variavel", "pergunta", "definicoes", "texto", "candidatos",
        ]  # fmt: skip
    assert lines[0]["texto"] == "Ouvimos vinte feirantes em 1998, e lemos jornais da época."
    assert "- qualitativa: interpreta" in lines[0]["definicoes"]


def test_batches_name_no_model_and_warn_first(study: Study) -> None:
    said = supervisor.write_requests(study)
    assert "Lote: 3 pedidos a responder; já respondidos: 0." in said
    folders = sorted((study.relatorios / "supervisor").iterdir())
    assert [f.name for f in folders] == ["auditoria-01", "lote-01"]
    for folder in folders:
        assert sorted(p.name for p in folder.iterdir()) == ["INSTRUCOES.md", "pedidos.jsonl"]
        text = (folder / "INSTRUCOES.md").read_text(encoding="utf-8")
        assert text.index("manda os textos para fora") < text.index("pedidos.jsonl")
        assert "Só dispensam evidência (deixe-a vazia): abordagem: nao_informada" in text
        assert "data/meu/supervisor" in text and str(study.pasta) not in text
        text += (folder / "pedidos.jsonl").read_text(encoding="utf-8")
        assert not any(name in text for name in ("alfa", "beta", "gama"))
    assert "manda os textos para fora" in said
    # Of a study without texts none can leave the machine.
    without = supervisor.write_requests(study.model_copy(update={"textos": False}))
    assert "para fora" not in without and "sem texto" in without


def test_ids_survive_a_rerun_and_change_with_the_question(study: Study) -> None:
    before = {key: request.id for key, request in asked(study).items()}
    assert {key: request.id for key, request in asked(study).items()} == before
    table = member_votes("beta")
    where = (table["documento"] == "d1") & (table["variavel"] == "abordagem")
    table.loc[where, "evidencia"] = "outro trecho perdido"
    write_classification(table, study.relatorios / "classificacoes", "beta")
    after = {key: request.id for key, request in asked(study).items()}
    assert [key for key in before if before[key] != after[key]] == [("d1", "abordagem")]


def test_choices_replace_what_was_undecided_and_nothing_else(study: Study) -> None:
    answer_all(study, d1_fontes=good(
        asked(study)["d1", "fontes"], 2, {"falas": "vinte feirantes", "midia": "lemos JORNAIS"}
    ))  # fmt: skip
    juri, table = supervisor.read_jury(study), source(study)
    assert table is not None
    rows = table.set_index(["documento", "variavel"])
    chosen = rows.loc[("d1", "abordagem")]
    assert chosen[["valor", "estado", "evidencia", "nivel_evidencia", "justificativa"]].tolist() == [
        "quantitativa", "supervisor", "Ouvimos vinte feirantes", "exata", "É o que diz.",
    ]  # fmt: skip
    assert chosen[["inicio", "fim", "recuo", "por_isencao"]].tolist() == [0, 23, False, False]
    several = rows.loc[("d1", "fontes")]
    assert several["valor"] == '["falas", "midia"]' and several["estado"] == "supervisor"
    assert json.loads(several["evidencia"]) == {"falas": "vinte feirantes", "midia": "lemos JORNAIS"}
    assert json.loads(several["nivel_evidencia"]) == {"falas": "exata", "midia": "normalizada"}
    # None adequate: the fallback stays, and says so.
    none = rows.loc[("d2", "abordagem")]
    assert none[["valor", "estado", "recuo"]].tolist() == ["qualitativa", "nenhum_adequado", True]
    changed = [("d1", "abordagem"), ("d1", "fontes"), ("d2", "abordagem")]
    others = ~pd.MultiIndex.from_frame(table[["documento", "variavel"]]).isin(changed)
    pd.testing.assert_frame_equal(table[others].drop(columns="fonte"), juri[others].drop(columns="fonte"))
    assert rows.loc[("d2", "periodo"), "estado"] == rows.loc[("d2", "fontes"), "estado"] == "sem_maioria"
    written = read_classification(study.relatorios / "classificacoes" / "juri-supervisor.parquet")
    pd.testing.assert_frame_equal(written, table)
    assert set(table["fonte"]) == {"juri-supervisor"}


def test_none_adequate_leaves_nothing_where_the_study_falls_back_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    study = jury_study(tmp_path, KEYS + "sem_maioria: ausente\n")
    answer_all(study)
    table = source(study)
    assert table is not None
    row = table.set_index(["documento", "variavel"]).loc[("d2", "abordagem")]
    assert pd.isna(row["valor"]) and row["estado"] == "nenhum_adequado" and not row["recuo"]


def test_an_exempt_choice_needs_no_quote_and_is_counted(study: Study) -> None:
    table = member_votes("beta")
    where = (table["documento"] == "d1") & (table["variavel"] == "abordagem")
    table.loc[where, "valor"] = "nao_informada"
    write_classification(table, study.relatorios / "classificacoes", "beta")
    answer_all(study, d1_abordagem=good(asked(study)["d1", "abordagem"], 2, ""))
    final = source(study)
    assert final is not None
    row = final.set_index(["documento", "variavel"]).loc[("d1", "abordagem")]
    assert row[["valor", "nivel_evidencia", "por_isencao"]].tolist() == ["nao_informada", "dispensada", True]
    exempt = supervision_tables.exemption_table(final, list(study.codebook.variaveis))
    # abordagem: d3 by votes, d1 by the supervisor, d2 none; fontes: d1, d3; periodo: d1, d3.
    assert exempt.set_index("variavel")[["decisoes", "decididas", "por_isencao"]].T.to_dict("list") == {
        "abordagem": [3, 2, 1], "fontes": [3, 2, 0], "periodo": [3, 2, 0], "todas": [9, 6, 1],
    }  # fmt: skip
    assert exempt["parte"].tolist() == [1 / 2, 0, 0, 1 / 6]


def test_nothing_is_written_while_answers_are_missing(study: Study) -> None:
    answer_all(study)
    assert source(study) is not None
    save_answers(study, good(asked(study)["d1", "abordagem"], 1))
    assert len(supervisor.load_supervision(study).missing("supervisor")) == 2
    assert source(study) is None
    # What an earlier run wrote is not taken for the result of this one.
    assert not (study.relatorios / "classificacoes" / "juri-supervisor.parquet").exists()
    assert "Supervisor: 3 pedidos; respondidos: 1; faltam 2." in supervisor.report_answers(study)


def test_answered_requests_are_not_written_again_and_bad_ones_come_in_a_new_batch(study: Study) -> None:
    supervisor.write_requests(study)
    every = [("d1", "abordagem"), ("d1", "fontes"), ("d2", "abordagem")]
    assert batches(study)["lote-01"] == every
    before = batches(study)
    supervisor.write_requests(study)
    assert batches(study) == before
    answer_all(study, d1_fontes=good(asked(study)["d1", "fontes"], 1, "palavras que ninguém escreveu"))
    (study.relatorios / "supervisor" / "lote-01" / "rascunho.txt").write_text("meu")
    said = supervisor.write_requests(study)
    assert "Lote: 1 pedido a responder; já respondidos: 2." in said
    assert "respostas.jsonl, linha 2: a evidência «palavras que ninguém escreveu» não está no texto" in said
    numbered = {name: pairs for name, pairs in batches(study).items() if name.startswith("lote")}
    assert numbered == {"lote-02": [("d1", "fontes")]}
    # A file of the reader's own is not ours to delete.
    assert [p.name for p in (study.relatorios / "supervisor" / "lote-01").iterdir()] == ["rascunho.txt"]
    answer_all(study)
    supervisor.write_requests(study)
    assert [name for name in batches(study) if name.startswith("lote")] == []


def test_batches_have_the_size_that_the_study_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    study = jury_study(tmp_path, "deliberacao: false\nsupervisor: {familia: x, tamanho_lote: 2}\n")
    supervisor.write_requests(study)
    assert {name: len(pairs) for name, pairs in batches(study).items()} == {
        "lote-01": 2, "lote-02": 1, "auditoria-01": 2, "auditoria-02": 2,
    }  # fmt: skip
    # A batch that is still open stays as it is; only what is open of the other one moves.
    requests = asked(study)
    save_answers(study, good(requests["d1", "abordagem"], 1))
    supervisor.write_requests(study)
    lots = {name: pairs for name, pairs in batches(study).items() if name.startswith("lote")}
    assert lots == {"lote-02": [("d2", "abordagem")], "lote-03": [("d1", "fontes")]}


def test_the_family_is_needed_once_the_supervisor_has_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    study = jury_study(tmp_path, "deliberacao: false\n")
    audit = supervisor.load_supervision(study).pedidos["auditoria"]
    save_answers(study, good(audit[0], NENHUM, ""))
    assert "faltam 3" in supervisor.report_answers(study)
    save_answers(study, good(asked(study)["d1", "abordagem"], 1))
    for call in (supervisor.report_answers, supervisor.write_requests, supervisor.load_supervision):
        with pytest.raises(ErroDeEstudo, match=r"supervisor\.familia"):
            call(study)


def test_without_a_jury_one_sentence_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    write_study(tmp_path / "data" / "meu")
    with pytest.raises(ErroDeEstudo, match="rode antes o notebook 2-juri"):
        supervisor.report_answers(load_study("meu"))


def test_candidates_are_the_votes_that_stand_after_the_deliberation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    study = jury_study(tmp_path, "supervisor: {familia: humana}\n")
    second = member_votes("gama").assign(rodada=2)
    mine = (second["documento"] == "d2") & (second["variavel"] == "abordagem")
    changed = second[mine].assign(valor="quantitativa", evidencia=LOST)
    folder = study.relatorios / "classificacoes"
    write_classification(changed, folder, "gama", ".rodada-2")
    write_classification(decisions(study, read_votes(study))["juri"], folder, "juri")
    values = [c["valor"] for c in asked(study)["d2", "abordagem"].candidatos]
    assert values == ["qualitativa", "quantitativa"]
    # A study that does not deliberate leaves second votes out.
    quiet = study.model_copy(update={"deliberacao": False})
    assert [c["valor"] for c in asked(quiet)["d2", "abordagem"].candidatos] == ["qualitativa"]


def test_what_was_sent_and_what_came_of_it_in_tables(study: Study) -> None:
    answer_all(study)
    variables = list(study.codebook.variaveis)
    supervision = supervisor.load_supervision(study)
    sent = supervision_tables.sent_table(supervision.juri, supervision.pedidos["supervisor"], variables)
    columns = ["decisoes", "indecisas", "sem_voto", "enviadas"]
    assert sent.set_index("variavel")[columns].T.to_dict("list") == {
        "abordagem": [3, 2, 0, 2], "fontes": [3, 2, 1, 1], "periodo": [3, 1, 0, 0], "todas": [9, 5, 1, 3],
    }  # fmt: skip
    final = supervisor.supervise(study, supervision)
    assert final is not None
    effect = supervision_tables.effect_table(supervision.juri, final, variables)
    # d1 abordagem: quantitativa for the fallback qualitativa; d1 fontes: falas, as the fallback; d2: none.
    assert effect.to_dict("list") == {
        "variavel": ["abordagem", "fontes", "todas"], "enviadas": [2, 1, 3], "iguais": [0, 1, 1],
        "outras": [1, 0, 1], "nenhum_adequado": [1, 0, 1],
    }  # fmt: skip


def test_a_study_of_votes_asks_with_empty_texts_and_checks_no_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    given = {"d1": ("qualitativa", "falas", "1"), "d2": ("qualitativa", "falas", "1")}
    others = {"d1": ("quantitativa", "falas", "1"), "d2": ("qualitativa", "falas", "1")}
    files: dict[str, str | bytes | None] = {
        "estudo.yaml": "titulo: V\nmembros:\n  - {nome: alfa, familia: um}\n  - {nome: beta, familia: dois}\n"
        + "supervisor: {familia: humana}\n"
        + VOTOS,
        "corpus.csv": None,
        "votos/alfa.csv": votes(given),
        "votos/beta.csv": votes(others),
    }
    study = load_study(write_study(tmp_path / "data" / "votos", files))
    classify(study, "respostas", progress=False)
    deliberate(study, "respostas", progress=False)
    for fonte, table in decisions(study, read_votes(study)).items():
        write_classification(table, study.relatorios / "classificacoes", fonte)
    (request,) = supervisor.load_supervision(study).pedidos["supervisor"]
    assert request.texto == ""
    assert [c["evidencias"] for c in request.candidatos] == [[], []]
    supervisor.write_requests(study)
    text = (study.relatorios / "supervisor" / "lote-01" / "INSTRUCOES.md").read_text(encoding="utf-8")
    assert "a evidência não é conferida" in text
    save_answers(study, *answers_for([request], {("d1", "abordagem"): "quantitativa"}, "Já se sabia."))
    assert "a evidência das respostas não foi conferida" in supervisor.report_answers(study)
    final = source(study)
    assert final is not None
    row = final.set_index(["documento", "variavel"]).loc[("d1", "abordagem")]
    assert row[["valor", "estado", "por_isencao"]].tolist() == ["quantitativa", "supervisor", True]


def test_known_choices_become_answers(study: Study) -> None:
    requests = asked(study)
    choices = {
        ("d1", "abordagem"): "quantitativa",
        ("d1", "fontes"): '["falas", "midia"]',
        ("d2", "abordagem"): NENHUM,
    }
    lines = [json.loads(line) for line in answers_for(requests.values(), choices, "j")]
    assert [line["escolha"] for line in lines] == [2, 2, NENHUM]
    assert [line["id"] for line in lines] == [request.id for request in requests.values()]
    with pytest.raises(ValueError, match="not in"):
        answers_for(requests.values(), {**choices, ("d1", "abordagem"): "nao_informada"}, "j")
