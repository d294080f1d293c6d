"""How the prevalence reaches a reader."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd
import pytest
from validation_study import ESTUDO, hand_coders, hand_study

from compendio.measure import validation as v
from compendio.measure.prevalence import REHEARSAL
from compendio.report import prevalence_tables as tables
from compendio.report.results import save_results


@pytest.fixture(scope="module")
def coders(tmp_path_factory: pytest.TempPathFactory) -> v.Coders:
    estudo = ESTUDO + "corpus_inteiro: 60\n"
    return hand_coders(hand_study(tmp_path_factory.mktemp("estudo"), {"estudo.yaml": estudo}))


def test_three_shares_side_by_side(coders: v.Coders, tmp_path: Path) -> None:
    table = v.prevalence_table(v.who_coded(coders))
    page = tables.publish_prevalence(table, tmp_path, "validacao-prevalencia", "Aviso. Mais.")
    shown = page.data
    assert list(shown) == [
        "variável",
        "categoria",
        "ingênua [IC 95%]",
        "referência [IC 95%]",
        "corrigida [IC 95%]",
        "n de cada uma",
        "equivale a",
    ]
    # cor: a, by the jury, in three of six; by the reference in two of five.
    assert shown.loc[0, ["variável", "categoria", "n de cada uma"]].tolist() == ["cor", "a", "6 · 5 · 5"]
    assert shown.loc[0, "ingênua [IC 95%]"].startswith("50,0% [")
    assert shown.loc[0, "referência [IC 95%]"].startswith("40,0% [")
    x = shown[shown["categoria"] == "x"].iloc[0]
    assert (x["corrigida [IC 95%]"], x["equivale a"]) == ("—", "—")
    assert page.caption == "Aviso."
    on_disk = pd.read_csv(tmp_path / "validacao-prevalencia.csv")
    assert len(on_disk) == 3 * len(shown) and "motivo" in on_disk


def test_circular_is_marked_and_explained(coders: v.Coders, tmp_path: Path) -> None:
    who = v.who_coded(coders)
    who = dataclasses.replace(who, circular=True, variaveis=who.variaveis[1:])
    page = tables.publish_prevalence(v.prevalence_table(who), tmp_path, "x")
    assert set(page.data["circular"]) == {"circular"} and "mesma família" in page.caption
    assert "equivale a" not in page.data  # nothing of `fontes` can be corrected


def test_only_defined_shares_are_numbers(coders: v.Coders, tmp_path: Path) -> None:
    numbers = tables.prevalence_numbers(v.prevalence_table(v.who_coded(coders)), "c")
    by = {entry["id"]: entry for entry in numbers}
    assert len(by) == len(numbers)
    assert by["prevalencia_corpus.cor.a.referencia"]["impresso"] == "40,0%"
    assert by["prevalencia_corpus.cor.a.ingenua.n"]["valor"] == 6
    assert "prevalencia_corpus.cor.a.corrigida" in by
    assert "prevalencia_corpus.fontes.x.corrigida" not in by
    assert save_results(numbers, tmp_path, "4-validacao").exists()


def test_a_study_of_free_text_has_no_shares(coders: v.Coders, tmp_path: Path) -> None:
    who = dataclasses.replace(v.who_coded(coders), variaveis=[])
    table = v.prevalence_table(who)
    assert tables.publish_prevalence(table, tmp_path, "x").data.empty
    assert tables.prevalence_sentences(coders.study, who, table) == [
        "O estudo não tem variável com categorias: não há proporção a estimar."
    ]
    assert tables.prevalence_numbers(table, "c") == [] and v.rehearsal_table(who, 1).empty


def test_a_study_with_texts_is_told_how_to_get_the_corrected_share(coders: v.Coders) -> None:
    full = v.who_coded(coders)
    table = v.prevalence_table(full)
    with_texts = coders.study.model_copy(update={"textos": True})
    assert "principal_corpus_inteiro: true" in " ".join(tables.prevalence_sentences(with_texts, full, table))


def test_the_rehearsal_in_words(tmp_path: Path) -> None:
    rows = [("ingenua", 21, 200, 0.021, 0, 0), ("referencia", 21, 200, 0.015, 0.95, 0.06)]
    table = pd.DataFrame([*rows, ("corrigida", 21, 200, 0.0104, 0.942, 0.05)], columns=REHEARSAL)
    shown = tables.publish_rehearsal(table, tmp_path, "validacao-prevalencia-ensaio").data
    assert shown["proporção"].tolist() == ["ingênua", "referência", "corrigida"]
    assert shown.iloc[2].tolist() == ["corrigida", "1,0", "94%", "5,0"]
    ids = {entry["id"]: entry["impresso"] for entry in tables.rehearsal_numbers(table, "c")}
    assert ids["prevalencia_ensaio.corrigida.distancia"] == "1,0"
    assert ids["prevalencia_ensaio.ingenua.contem"] == "0%"
