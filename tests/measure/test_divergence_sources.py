"""The study's own codings, compared on the sample: the pilot's published divergences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from conftest import RAIZ
from validation_study import ESTUDO, hand_study

from compendio.contract import write_classification
from compendio.erros import ErroDeEstudo
from compendio.measure.codebook_targets import target_kappas
from compendio.measure.divergence import divergences
from compendio.measure.divergence_sources import Sources, read_sources
from compendio.pipeline import classify, decisions, deliberate, read_votes
from compendio.report.divergence_report import (
    circular_note,
    divergence_numbers,
    readable,
    reading_page,
    shown,
)
from compendio.report.style import num
from compendio.study import Study, load_study


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    root = tmp_path_factory.mktemp("raiz")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPENDIO_RAIZ", str(root))
        found = load_study(RAIZ / "data" / "piloto")
        assert found.relatorios.is_relative_to(root)  # kept from here on
        classify(found, "respostas", progress=False)
        with pytest.raises(ErroDeEstudo, match="2-juri"):
            read_sources(found)
        deliberate(found, "respostas", progress=False)
        juri = decisions(found, read_votes(found))["juri"]
        write_classification(juri, found.relatorios / "classificacoes", "juri")
    return found


@pytest.fixture(scope="module")
def sources(study: Study) -> Sources:
    return read_sources(study)


def test_the_reference_and_the_two_coders(sources: Sources) -> None:
    assert sources.reference is not None and sources.reference.codificador == "claude-opus"
    assert sources.nomes == {"principal": "qwen3.5:9b", "juri": "juri"}
    assert [len(rows) for rows in sources.coders.values()] == [1200, 1200]
    assert sources.deliberou


def test_the_published_divergences(study: Study, sources: Sources) -> None:
    printed = {}
    for who, name in sources.nomes.items():
        assert sources.truth is not None
        table = divergences(sources.coders[who], sources.truth, study.codebook)
        numbers = divergence_numbers(
            name, table, sources.pairs(who), sources.by_reference(who), study.codebook, "c"
        )
        printed |= {number["id"]: number["impresso"] for number in numbers}
    main = "qwen3.5:9b"
    assert printed[f"divergencias.tecnica_principal.{main}.total"] == "111"
    assert printed[f"divergencias.tecnica_principal.{main}.par.bibliografia.nao_informado.n"] == "44"
    assert printed[f"divergencias.subarea.{main}.total"] == "64"
    assert printed[f"divergencias.subarea.{main}.referencia.outra.n"] == "38"
    assert printed[f"divergencias.subarea.{main}.referencia.outra.kappa_sem"] == "0,79"
    assert printed["divergencias.tecnica_principal.juri.total"] == "67"
    assert printed["divergencias.subarea.juri.total"] == "53"


def test_divergences_by_reference_sum_to_all(study: Study, sources: Sources) -> None:
    assert sources.truth is not None
    table = divergences(sources.coders["principal"], sources.truth, study.codebook)
    by_reference = sources.by_reference("principal").groupby("variavel")["n"].sum()
    for name, n in by_reference.items():
        assert n == (table["variavel"] == name).sum()
    assert list(sources.use("principal")["variavel"].unique()) == [
        v.nome for v in study.codebook.variaveis.values() if v.tipo == "categorica"
    ]


def test_what_a_reader_sees(study: Study, sources: Sources, tmp_path: Path) -> None:
    assert sources.truth is not None
    table = divergences(sources.coders["principal"], sources.truth, study.codebook)
    page = reading_page(table, study.codebook, "Divergências <x>", study.aviso, tmp_path / "p.html")
    text = page.read_text(encoding="utf-8")
    assert "Divergências &lt;x&gt;" in text and "Reconstrução" in text
    assert "referência bibliografia × nao_informado: 44" in text
    assert text.count("<tr><td>") == len(table)
    html = shown(sources.pairs("principal"), study.aviso).to_html()
    assert "kappa sem o par" in html and "0,51" in html and "Reconstrução" in html


def test_target_kappas_are_shown_with_their_decimals(sources: Sources, study: Study) -> None:
    targets = target_kappas(
        sources.coders["principal"], sources.truth, study.codebook, sources.pairs("principal")
    )
    html = shown(targets, study.aviso).to_html()
    assert "kappa com o par resolvido" in html and num(targets["meta_inf"].iloc[0]) in html


@pytest.mark.parametrize("deliberacao", ["true", "false"])
def test_a_study_says_whether_it_deliberated(
    deliberacao: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    settings = f"{ESTUDO}deliberacao: {deliberacao}\n"
    found = hand_study(tmp_path / "data" / "meu", {"estudo.yaml": settings})
    classify(found, "respostas", progress=False)
    deliberate(found, "respostas", progress=False)
    juri = decisions(found, read_votes(found))["juri"]
    write_classification(juri, found.relatorios / "classificacoes", "juri")
    assert read_sources(found).deliberou is (deliberacao == "true")


def test_without_a_categorical_variable_the_tables_have_their_columns_and_no_row(sources: Sources) -> None:
    assert sources.truth is not None
    texts = sources.truth[sources.truth["variavel"] == "periodo_analisado"]
    only = replace(sources, truth=texts)
    assert not texts.empty
    for table in (only.pairs("principal"), only.by_reference("juri"), only.use("principal")):
        assert table.empty and {"variavel", "categoria" if "uso" in table else "referencia"} <= set(table)
    assert only.by_reference("juri").groupby("variavel")["n"].sum().empty


def test_who_is_circular_with_the_reference_is_said_with_what_that_means(sources: Sources) -> None:
    assert sources.circular == {"principal": False, "juri": False}
    assert circular_note(sources, "principal", "juri") == ""
    marked = replace(sources, circular={"principal": False, "juri": True})
    assert circular_note(marked, "principal") == ""
    note = circular_note(marked, "principal", "juri")
    assert note.startswith("Circular (juri): ") and "da mesma família" in note
    table = pd.DataFrame({"variavel": ["abordagem"], "principal": [3]})
    assert "Circular (juri)" in shown(table, "Aviso.", note).to_html()


def test_several_choices_are_read_without_json() -> None:
    assert readable('["jornais", "leis"]') == "jornais, leis" and readable("[]") == "(nenhuma)"
    assert readable('{"jornais": "no jornal", "leis": null}') == "jornais: no jornal"
    assert readable("[sic] solto") == "[sic] solto" and readable(None) == ""
    levels = pd.DataFrame({"nivel_evidencia": ["nao_encontrada", '{"leis": "nao_encontrada"}', None]})
    assert shown(levels).data["nível"].tolist() == ["não encontrada", "leis: não encontrada", ""]
