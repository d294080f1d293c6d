"""From a corpus to decisions and back from the recording, with the scripted jury of `scripted_jury.py`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from scripted_jury import MEMBROS, MODELOS, answer, write_jury
from servidor_ollama import Resposta, ServidorOllama
from small_study import CODEBOOK, VOTOS, votes, write_study

from compendio.contract import COLUNAS, COLUNAS_DECISAO, read_classification, write_classification
from compendio.erros import ErroDeEstudo
from compendio.jury.supervisor import report_answers, write_requests
from compendio.pipeline import classify, decisions, deliberate, read_calls, read_votes
from compendio.recording import export_replies
from compendio.session import COLUNAS_CHAMADA, Session
from compendio.study import Study, load_study

REPETICAO = "repeticoes: {documentos: 2, semente: 1}\n"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ServidorOllama]:
    with ServidorOllama(answer, modelos=MODELOS) as running:
        monkeypatch.setenv("OLLAMA_HOST", running.url)
        yield running


@pytest.fixture
def raiz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:1")  # nobody there, unless `server` comes after
    return tmp_path


def run(study: Study, modelo: str = "ollama", limite: int | None = None) -> dict[str, pd.DataFrame]:
    """Both stages and the decisions, written as notebooks 1 and 2 write them."""
    classify(study, modelo, limite=limite, progress=False)
    deliberate(study, modelo, progress=False)
    decided = decisions(study, read_votes(study))
    for fonte, table in decided.items():
        write_classification(table, study.relatorios / "classificacoes", fonte)
    return decided


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def states(table: pd.DataFrame) -> dict[tuple[str, str], tuple[str, str | None, bool]]:
    return {
        (row.documento, row.variavel): (row.estado, row.valor, bool(row.recuo)) for row in table.itertuples()
    }


def test_from_corpus_to_decisions(raiz: Path, server: ServidorOllama) -> None:
    study = load_study(write_jury(raiz))
    decided = run(study)
    # Worked out by hand from the table in scripted_jury.py; N = 3, so two votes are a majority.
    assert states(decided["juri-r1"]) == {
        ("d1", "abordagem"): ("unanime", "qualitativa", False),
        ("d1", "fontes"): ("unanime", '["falas"]', False),
        ("d1", "periodo"): ("unanime", "1998", False),
        ("d2", "abordagem"): ("sem_maioria", "quantitativa", True),  # three values; alfa is the main model
        ("d2", "fontes"): ("maioria", "[]", False),  # falas: one yes, two no
        ("d2", "periodo"): ("maioria", "1991", False),
        ("d3", "abordagem"): ("sem_maioria", "quantitativa", True),
        ("d3", "fontes"): ("maioria", '["leis"]', False),  # gama failed, and counts in N
        ("d3", "periodo"): ("sem_maioria", "1985", True),
    }
    assert states(decided["juri"]) == {
        **states(decided["juri-r1"]),
        ("d2", "abordagem"): ("deliberada", "quantitativa", False),  # beta moved to alfa
        ("d2", "fontes"): ("deliberada", "[]", False),
        ("d3", "abordagem"): ("deliberada", "qualitativa", False),  # alfa moved to beta
        ("d3", "fontes"): ("deliberada", '["leis"]', False),
    }
    juri = decided["juri"].set_index(["documento", "variavel"])
    assert juri.index[juri["mudou"]].tolist() == [("d3", "abordagem")]
    # beta's quote was never in the text, so alfa's second one carries the decision.
    assert juri.loc[("d3", "abordagem"), "evidencia"] == "Lemos a lei"
    assert juri.loc[("d3", "abordagem"), ["inicio", "fim"]].tolist() == [0, len("Lemos a lei")]


def test_what_is_asked_and_what_is_written(raiz: Path, server: ServidorOllama) -> None:
    study = load_study(write_jury(raiz, REPETICAO))
    run(study)
    # Round 1: 3 members, 3 documents and 2 of them again; round 2: d2 and d3, but gama failed in d3.
    assert [sum(len(b["messages"]) == size for b in server.asked) for size in (2, 4)] == [15, 5]
    assert len(server.unloaded) == 3  # each repetition starts with an empty cache
    assert [b["model"] for b in server.asked if len(b["messages"]) == 4] == ["alfa"] * 2 + ["beta"] * 2 + [
        "gama"
    ]
    folder = study.relatorios / "classificacoes"
    expected = {*MEMBROS, *(f"{m}.rodada-2" for m in MEMBROS), "juri-r1", "juri"}
    assert {p.name.removesuffix(".parquet") for p in folder.iterdir()} == expected
    for path in folder.iterdir():
        columns = COLUNAS_DECISAO if path.stem.startswith("juri") else COLUNAS
        assert list(read_classification(path).columns) == columns
    calls = read_calls(study)
    assert list(calls.columns) == COLUNAS_CHAMADA and len(calls) == 20
    failed = calls.loc[calls["falha"] == "json_invalido", ["fonte", "documento"]]
    assert set(failed.itertuples(index=False, name=None)) == {("gama", "d3")}
    assert (calls["segundos"] == 1.5).all()


def test_a_second_run_asks_nothing_and_writes_the_same_bytes(raiz: Path, server: ServidorOllama) -> None:
    study = load_study(write_jury(raiz, REPETICAO))
    run(study)
    before, asked = bytes_of(study.relatorios), len(server.asked)
    run(study)
    assert (bytes_of(study.relatorios), len(server.asked)) == (before, asked)


def test_round_two_begins_with_round_one_byte_for_byte(raiz: Path, server: ServidorOllama) -> None:
    run(load_study(write_jury(raiz)))
    first = [b for b in server.asked if len(b["messages"]) == 2]
    again = [b for b in server.asked if len(b["messages"]) == 4]
    assert again
    for body in again:
        (same,) = [b for b in first if (b["model"], b["messages"]) == (body["model"], body["messages"][:2])]
        # The member's own answer, as the server gave it.
        own = answer(same, 0).content
        assert body["messages"][2] == {"role": "assistant", "content": own}
        assert not any(name in body["messages"][3]["content"] for name in MEMBROS)


def test_replay_gives_the_same_bytes_with_no_server(
    tmp_path: Path, raiz: Path, server: ServidorOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = load_study(write_jury(raiz, REPETICAO))
    run(study)
    assert export_replies(study) == 20
    asked = len(server.asked)
    elsewhere = tmp_path / "Área de Trabalho"
    shutil.copytree(study.pasta, elsewhere / "data" / "juri")
    monkeypatch.setenv("COMPENDIO_RAIZ", str(elsewhere))
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:1")
    replayed = load_study("juri")
    run(replayed, "respostas")
    assert bytes_of(replayed.relatorios) == bytes_of(study.relatorios)
    assert len(server.asked) == asked and not replayed.banco.exists()
    # And the recording can be made again from itself.
    before = (replayed.pasta / "respostas.jsonl").read_bytes()
    assert export_replies(replayed, "respostas") == 20
    assert (replayed.pasta / "respostas.jsonl").read_bytes() == before


def test_one_call_a_variable(raiz: Path, server: ServidorOllama) -> None:
    decided = run(load_study(write_jury(raiz, "chamadas: por_variavel\n")))
    # 3 members, 3 documents, 3 variables; of round 2 (d2, d3; abordagem, fontes), gama has only d2.
    assert [sum(len(b["messages"]) == size for b in server.asked) for size in (2, 4)] == [27, 10]
    together = run(load_study(write_jury(raiz)))
    for fonte, table in decided.items():
        pd.testing.assert_frame_equal(table, together[fonte])


def test_limit_takes_the_first_documents_and_their_repetition(raiz: Path, server: ServidorOllama) -> None:
    study = load_study(write_jury(raiz, "repeticoes: {documentos: 1, semente: 1}\n"))
    seen = set()
    for limite in (1, 2, 3):
        votos, _ = classify(study, "ollama", limite=limite, progress=False)
        now = set(votos["documento"])
        assert len(now) == limite and seen <= now
        assert set(votos.loc[votos["repeticao"] == 1, "documento"]) <= now
        seen = now
    # The repetition is of one document, the same however far the run goes: 9 + 3 questions in all.
    assert len(server.asked) == 12
    # A recording of the whole study serves any limit.
    deliberate(study, "ollama", progress=False)
    export_replies(study)
    for limite in (1, 2):
        run(study, "respostas", limite=limite)


def test_a_try_leaves_a_mark_until_the_whole_study_is_run(raiz: Path, server: ServidorOllama) -> None:
    study = load_study(write_jury(raiz))
    mark = study.relatorios / "rodada-1.incompleta"
    run(study)
    assert not mark.exists()
    export_replies(study)
    run(study, limite=2)
    assert "limite=2" in mark.read_text(encoding="utf-8")
    with pytest.raises(ErroDeEstudo, match="prova com limite"):
        export_replies(study)  # it would replace the whole recording
    run(study)
    assert not mark.exists()


def test_what_was_not_heard_leaves_a_mark_until_it_is(raiz: Path, server: ServidorOllama) -> None:
    study = load_study(write_jury(raiz))
    mark = study.relatorios / "rodada-1.incompleta"
    server.roteiro = lambda body, number: Resposta(status=500)
    classify(study, "ollama", progress=False)
    assert "não ouvidos" in mark.read_text(encoding="utf-8")
    server.roteiro = answer
    classify(study, "ollama", progress=False)
    assert not mark.exists()


def test_results_of_another_codebook_are_told(raiz: Path, server: ServidorOllama) -> None:
    study = load_study(write_jury(raiz))
    run(study)
    book = study.pasta / "codebook.yaml"
    text = book.read_text(encoding="utf-8")
    for old, new in (("  fontes:", "  usos:"), ("qualitativa:", "qualitativo:")):
        assert old in text
        book.write_text(text.replace(old, new), encoding="utf-8")
        changed = load_study(study.pasta)
        for ask in (read_votes, write_requests, report_answers):
            with pytest.raises(ErroDeEstudo, match=r"outro codebook .*rode de novo make analise ESTUDO=juri"):
                ask(changed)


def test_a_prompt_that_cannot_fit_is_told_before_anything_is_asked(
    raiz: Path, server: ServidorOllama
) -> None:
    study = load_study(write_jury(raiz, "opcoes: {num_ctx: 64}\n"))
    with pytest.raises(
        ErroDeEstudo, match=r"não cabe em num_ctx 64; em estudo.yaml, ponha opcoes.num_ctx: \d+"
    ):
        classify(study, "ollama", progress=False)
    assert server.asked == []


def test_a_model_that_cannot_think_is_told_before_anything_is_asked(
    raiz: Path, server: ServidorOllama
) -> None:
    study = load_study(write_jury(raiz, "pensar: true\n"))
    with pytest.raises(ErroDeEstudo, match="não sabe pensar"):
        classify(study, "ollama", progress=False)
    assert server.asked == []


@pytest.mark.parametrize("limite", [0, -1, True, "5", 2.5])
def test_limit_must_be_a_count(raiz: Path, limite: object) -> None:
    study = load_study(write_jury(raiz))
    with pytest.raises(ErroDeEstudo, match="limite"):
        classify(study, "respostas", limite=limite)  # type: ignore[arg-type]


def test_a_failure_of_round_one_is_never_asked_by_the_deliberation(
    raiz: Path, server: ServidorOllama
) -> None:
    study = load_study(write_jury(raiz))
    classify(study, "ollama", progress=False)
    server.asked.clear()
    deliberate(study, "ollama", repetir_falhas=True, progress=False)
    assert all(len(body["messages"]) == 4 for body in server.asked)
    server.asked.clear()
    classify(study, "ollama", repetir_falhas=True, progress=False)
    assert [(b["model"], b["options"]["seed"]) for b in server.asked] == [("gama", 2)]


def test_the_main_model_may_code_the_whole_corpus(raiz: Path, server: ServidorOllama) -> None:
    study = load_study(write_jury(raiz, "amostra: {n: 2, semente: 1}\nprincipal_corpus_inteiro: true\n"))
    decided = run(study)
    votos = read_votes(study, rodada=1)
    assert votos.groupby("fonte")["documento"].nunique().to_dict() == {"alfa": 3, "beta": 2, "gama": 2}
    assert set(decided["juri"]["documento"]) == set(study.sample_ids())
    assert set(read_votes(study, rodada=2)["documento"]) <= set(study.sample_ids())
    asked = len(server.asked)
    assert export_replies(study) == asked


def test_missing_replies_are_counted(raiz: Path, server: ServidorOllama) -> None:
    folder = write_jury(raiz)
    study = load_study(folder)
    with pytest.raises(ErroDeEstudo, match=r"respostas\.jsonl não existe.*MODELO=ollama"):
        classify(study, "respostas")
    with pytest.raises(ErroDeEstudo, match="1-classificacao"):
        export_replies(study)
    classify(study, "ollama", progress=False)
    with pytest.raises(ErroDeEstudo, match="Faltam 2 de 5 respostas de «alfa»"):
        export_replies(study)  # the deliberation is not there yet
    run(study)
    export_replies(study)
    recording = folder / "respostas.jsonl"
    lines = recording.read_text(encoding="utf-8").splitlines(keepends=True)
    assert json.loads(lines[0])["membro"] == "alfa"
    recording.write_text("".join(lines[1:]), encoding="utf-8")
    with pytest.raises(ErroDeEstudo, match="Faltam 1 de 3 respostas gravadas do membro «alfa»"):
        classify(study, "respostas", progress=False)
    recording.write_text("".join(lines), encoding="utf-8")
    (folder / "codebook.yaml").write_text(CODEBOOK.replace("interpreta", "lê"), encoding="utf-8")
    with pytest.raises(ErroDeEstudo, match="Faltam 3 de 3"):
        classify(load_study(folder), "respostas", progress=False)
    with pytest.raises(ErroDeEstudo, match="Rode de novo o notebook 1-classificacao"):
        deliberate(load_study(folder), "ollama", progress=False)


def test_another_version_of_a_model_is_told_and_asked_anew(
    raiz: Path, server: ServidorOllama, capsys: pytest.CaptureFixture[str]
) -> None:
    study = load_study(write_jury(raiz))
    run(study)
    server.modelos["beta"] = "c" * 64
    server.asked.clear()
    Session(study, "ollama").close()
    assert "beta: o servidor tem agora outra versão do modelo (cccccccccccc)" in capsys.readouterr().out
    run(study)
    assert {b["model"] for b in server.asked if len(b["messages"]) == 2} == {"beta"}
    export_replies(study)  # holds one version of each, so it can be replayed
    run(study, "respostas")


def test_a_study_that_does_not_deliberate(raiz: Path, server: ServidorOllama) -> None:
    study = load_study(write_jury(raiz))
    run(study)
    quiet = load_study(write_jury(raiz, "deliberacao: false\n"))
    decided = run(quiet)  # the second votes of the earlier run are gone
    assert len(read_votes(quiet, rodada=2)) == 0
    same = ["documento", "variavel", "valor", "estado", "recuo"]
    pd.testing.assert_frame_equal(decided["juri"][same], decided["juri-r1"][same])
    assert export_replies(quiet) == 9


def test_unknown_source_of_replies(raiz: Path) -> None:
    with pytest.raises(ErroDeEstudo, match="use «ollama» ou «respostas»"):
        classify(load_study(write_jury(raiz)), "gpt")


A = {"d1": ("qualitativa", "falas", "1998"), "d2": ("quantitativa", "", "1991")}
B = {"d1": ("qualitativa", "falas|leis", "1998"), "d2": ("qualitativa", "", "1990")}
C = {"d1": ("qualitativa", "falas|leis", "1998"), "d2": ("nao_informada", "", "1991")}


def _votes_study(raiz: Path, **more: str) -> Study:
    files: dict[str, str | bytes | None] = {
        "estudo.yaml": (
            "titulo: Votos\nmembros:\n  - {nome: alfa, familia: um}\n  - {nome: beta, familia: dois}\n"
            "  - {nome: gama, familia: tres}\n" + more.get("estudo", VOTOS)
        ),
        "corpus.csv": None,
        "votos/alfa.csv": votes(A) + more.get("alfa", ""),
        "votos/beta.csv": votes(B) + more.get("beta", ""),
        "votos/gama.csv": votes(C) + more.get("gama", ""),
    }
    return load_study(write_study(raiz / "data" / "votos", files))


def test_a_study_of_votes_goes_the_same_way_asking_nothing(raiz: Path) -> None:
    study = _votes_study(raiz)
    decided = run(study, "ollama")  # no server is there
    assert states(decided["juri"]) == {
        ("d1", "abordagem"): ("unanime", "qualitativa", False),
        ("d1", "fontes"): ("maioria", '["falas", "leis"]', False),
        ("d1", "periodo"): ("unanime", "1998", False),
        ("d2", "abordagem"): ("sem_maioria", "quantitativa", True),
        ("d2", "fontes"): ("unanime", "[]", False),
        ("d2", "periodo"): ("maioria", "1991", False),
    }
    before = bytes_of(study.relatorios)
    run(study, "respostas")
    assert bytes_of(study.relatorios) == before
    assert not study.banco.exists()
    assert list(read_calls(study).columns) == COLUNAS_CHAMADA and len(read_calls(study)) == 18


def test_a_study_of_votes_that_deliberated(raiz: Path) -> None:
    second = "d2,abordagem,2,quantitativa\nd1,fontes,2,falas|leis\n"
    same = "d2,abordagem,2,{}\nd1,fontes,2,falas|leis\n"
    study = _votes_study(
        raiz,
        estudo="deliberacao: true\nevidencia: dispensada\n",
        alfa=same.format("quantitativa"),
        beta=second,
        gama=same.format("nao_informada"),
    )
    decided = run(study)
    assert states(decided["juri"])["d2", "abordagem"] == ("deliberada", "quantitativa", False)
    assert states(decided["juri"])["d1", "fontes"] == ("deliberada", '["falas", "leis"]', False)
    # A limit holds in the deliberation, too.
    run(study, limite=1)
    assert read_votes(study)["documento"].nunique() == 1


def test_stages_out_of_order_say_which_comes_first(raiz: Path) -> None:
    study = load_study(write_jury(raiz))
    for stage in (read_votes, read_calls):
        with pytest.raises(ErroDeEstudo, match="rode antes o notebook 1-classificacao"):
            stage(study)
    with pytest.raises(ErroDeEstudo, match="rode antes o notebook 1-classificacao"):
        deliberate(study, "respostas")
