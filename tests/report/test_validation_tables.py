"""How the validation's tables and figures reach a reader."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from validation_study import ESTUDO, hand_coders, hand_study

from compendio.measure import validation as v
from compendio.report import validation_figures as figures
from compendio.report.validation_tables import kappa_grid, leaders, publish, shown


@pytest.fixture(scope="module")
def coders(tmp_path_factory: pytest.TempPathFactory) -> v.Coders:
    return hand_coders(hand_study(tmp_path_factory.mktemp("estudo")), supervisor=True)


def test_one_column_an_interval_decimal_comma_and_the_circular_mark(coders: v.Coders) -> None:
    table = shown(v.kappa_tables(coders).kappas)
    assert list(table)[:6] == ["variável", "codificador", "circular", "n", "kappa", "IC 95%"]
    assert table["circular"].tolist() == ["", "", "", "", "", "circular"]
    assert table.loc[4, "kappa"] == "0,38" and table.loc[4, "IC 95%"].startswith("[")
    assert "motivo" not in table and "indefinidas" not in table


def test_no_circular_column_where_nothing_is_and_a_reason_where_something_is_undefined() -> None:
    table = pd.DataFrame(
        {
            "codificador": ["a", "b"],
            "circular": pd.array([False, False], dtype="boolean"),
            "kappa": [0.5, float("nan")],
            "ic_inf": [0.4, float("nan")],
            "ic_sup": [0.6, float("nan")],
            "motivo": [None, "sem documentos"],
        }
    )
    text = shown(table)
    assert list(text) == ["codificador", "kappa", "IC 95%", "motivo"]
    assert text.loc[1].tolist() == ["b", "—", "—", "sem documentos"]
    unknown = shown(table.assign(circular=pd.array([pd.NA, False], dtype="boolean")))
    assert unknown["circular"].tolist() == ["família não declarada", ""]


def test_replicates_without_a_kappa_are_told_where_there_are_any() -> None:
    table = pd.DataFrame({"kappa": [0.5, 0.4], "indefinidas": [0.0, 0.0002]})
    assert shown(table)["réplicas sem kappa"].tolist() == ["0,0%", "< 0,1%"]
    assert list(shown(table.head(1))) == ["kappa"]


def test_the_interval_of_equal_sets_is_one_of_shares(coders: v.Coders) -> None:
    table = shown(v.set_table(coders))
    assert "alfa (MASI)" in table and table["IC 95%"].str.endswith("%]").all()


def test_a_tie_is_told() -> None:
    assert leaders(pd.Series({"m1": 0.5, "m2": 0.7})) == "m2"
    assert leaders(pd.Series({"m1": 0.7, "m2": 0.7, "m3": 0.7, "m4": 0.1})) == "empatam m1, m2 e m3"
    assert leaders(pd.Series({"m1": float("nan")})) == "—"


def test_decisions_moved_with_a_jury_of_the_reference_s_family_are_circular(tmp_path: Path) -> None:
    own = ESTUDO.replace("leitora: z", "leitora: p")
    assert own != ESTUDO
    moved = v.decision_moves(hand_coders(hand_study(tmp_path, {"estudo.yaml": own})))
    assert set(shown(moved)["circular"]) == {"circular"} and "unanimes_categoricas" not in shown(moved)
    assert (moved["decisoes"] == moved["unanimes"] + moved["deliberadas"] + moved["nao_deliberadas"]).all()


def test_shares_as_percentages_and_states_in_words(coders: v.Coders) -> None:
    table = shown(v.agreement_by_kind(coders))
    assert table.loc[0, ["estado", "parte", "concordância"]].tolist() == ["unânime", "61%", "70%"]
    assert table.loc[0, "IC 95%"].endswith("%]")
    reliance = shown(v.selective_reliance(coders))
    assert reliance.loc[3, ["aceitar até", "parte", "IC 95% da parte"]].tolist() == [
        "sem maioria",
        "100%",
        "—",
    ]


def test_the_grid_marks_circular_kappas(coders: v.Coders) -> None:
    kappas = v.kappa_tables(coders).kappas
    grid = kappa_grid(kappas).data
    assert grid.loc[0, "juri"] == "0,38" and grid.loc[0, "juri-supervisor"] == "0,69°"
    assert "°: a referência" in kappa_grid(kappas, "Aviso.").to_html()
    assert "mesma família" not in kappa_grid(kappas[kappas["codificador"] != "juri-supervisor"]).to_html()


def test_figures_carry_the_first_sentence_of_the_notice(coders: v.Coders) -> None:
    kappas = v.kappa_tables(coders).kappas
    notice = "Textos fictícios. O resto não cabe."
    for fig in (
        figures.kappa_figure(kappas, notice),
        figures.reliance_figure(v.agreement_by_kind(coders), v.selective_reliance(coders), notice),
    ):
        assert fig.get_supxlabel() == "Textos fictícios."
        plt.close(fig)


def test_the_figure_says_what_a_hollow_marker_is_where_there_is_one(coders: v.Coders) -> None:
    kappas = v.kappa_tables(coders).kappas
    for table, said in ((kappas, True), (kappas[kappas["codificador"] != "juri-supervisor"], False)):
        fig = figures.kappa_figure(table)
        assert ("marca vazia" in fig.axes[0].get_xlabel()) is said
        plt.close(fig)


def test_a_crowd_of_coders_is_cut_and_said(coders: v.Coders) -> None:
    kappas = v.kappa_tables(coders).kappas
    more = pd.concat([kappas, *(kappas.iloc[:1].assign(codificador=f"outro {i}") for i in range(4))])
    fig = figures.kappa_figure(more)
    titles = [fig.axes[0].get_title(loc=place) for place in ("left", "center")]
    assert any("primeiros membros e júris" in title for title in titles)
    assert len(fig.axes[0].collections) == 12  # six intervals, six rows of markers
    assert fig.get_supxlabel() == ""
    plt.close(fig)


def test_a_published_table_is_saved_whole_and_says_what_circular_means(
    coders: v.Coders, tmp_path: Path
) -> None:
    table = v.kappa_tables(coders).kappas
    page = publish(table, tmp_path / "tabelas", "kappas", "Textos fictícios. E mais.").to_html()
    assert "Textos fictícios." in page and "mesma família" in page and "E mais" not in page
    saved = pd.read_csv(tmp_path / "tabelas" / "kappas.csv")
    assert list(saved) == list(table) and saved["kappa"].tolist() == pytest.approx(table["kappa"].tolist())
    plain = publish(v.vote_moves(coders), tmp_path, "votos").to_html()
    assert "mesma família" not in plain
