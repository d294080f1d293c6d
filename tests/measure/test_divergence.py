"""Divergences of six documents, every expected value worked out by hand."""

from __future__ import annotations

import pandas as pd
import pytest
from jury_builders import categorical, codebook, multiple, text, vote, votes
from pytest import approx

from compendio.measure import divergence as d
from compendio.measure.codebook_targets import new_sample, target_kappas
from compendio.measure.inference import mcnemar_exact

BOOK = codebook(
    cor=categorical("a", "b", "c", exempt=["c"]), fontes=multiple("x", "y"), ano=text("não informado")
)
#      d1 d2 d3 d4 d5 d6 d7
REF = ["a", "a", "a", "b", "b", "c", None]
OWN = ["a", "c", "c", "b", None, "a", "b"]


def rows(fonte: str, values: list[str | None], variavel: str = "cor") -> pd.DataFrame:
    return votes(
        *(vote(fonte, v, documento=f"d{k}", variavel=variavel) for k, v in enumerate(values, start=1))
    )


@pytest.fixture
def reference() -> pd.DataFrame:
    return rows("ref", REF)


@pytest.fixture
def coder() -> pd.DataFrame:
    return rows("m1", OWN)


def test_a_divergence_has_both_values_quotes_and_definitions(
    coder: pd.DataFrame, reference: pd.DataFrame
) -> None:
    table = d.divergences(coder, reference, BOOK)
    # d1 and d4 agree; d7 has no reference value, so nothing can differ from it.
    assert table["documento"].tolist() == ["d2", "d3", "d5", "d6"]
    assert table["valor"].tolist()[:2] == ["c", "c"] and pd.isna(table["valor"].iloc[2])
    assert table["referencia"].tolist() == ["a", "a", "b", "c"]
    assert table["definicao"].iloc[0] == "c: d" and pd.isna(table["definicao"].iloc[2])
    assert table["dispensa"].tolist() == [True, True, False, False]
    assert (table["evidencia_referencia"] == "um trecho").all()


def test_pairs_with_their_counterfactual_kappas(coder: pd.DataFrame, reference: pd.DataFrame) -> None:
    table = d.category_pairs(coder, reference, BOOK, "cor")
    assert table[["referencia", "valor", "n"]].to_numpy().tolist() == [
        ["a", "c", 2],
        ["b", d.SEM_VALOR, 1],
        ["c", "a", 1],
    ]
    assert table["parcela"].tolist() == [approx(1 / 2), approx(1 / 4), approx(1 / 4)]
    # Over d1 to d6: ref a 3, b 2, c 1; own a 2, b 1, c 2, one without: hits 2; p_e = (6 + 2 + 2)/36.
    # kappa = (2·6 - 10)/(36 - 10) = 2/26.
    assert table["kappa"].tolist() == [approx(2 / 26)] * 3
    # Without a × c, d1 d4 d5 d6: ref a, b, b, c; own a, b, -, a: hits 2; p_e = (1·2 + 2·1)/16: (8 - 4)/(16 - 4).
    assert table["kappa_sem_o_par"].iloc[0] == approx(4 / 12)
    # a and c as one: ref a 4, b 2; own a 4, b 1: hits d1 d2 d3 d4 d6 = 5; (30 - 18)/(36 - 18).
    assert table["kappa_fundidas"].iloc[0] == approx(12 / 18)
    assert pd.isna(table["kappa_fundidas"].iloc[1])  # no second category to merge


def test_categories_of_the_reference_with_the_kappa_without_them(
    coder: pd.DataFrame, reference: pd.DataFrame
) -> None:
    table = d.reference_categories(coder, reference, BOOK, "cor")
    assert table[["referencia", "n"]].to_numpy().tolist() == [["a", 2], ["b", 1], ["c", 1]]
    # Without a: d4 d5 d6: ref b, b, c; own b, -, a: hits 1; p_e = 2/9: (3 - 2)/(9 - 2).
    assert table["kappa_sem"].iloc[0] == approx(1 / 7)
    only = rows("ref", ["a", "a"])
    assert pd.isna(d.reference_categories(rows("m", ["a", "b"]), only, BOOK, "cor")["kappa_sem"].iloc[0])


def test_use_of_categories(coder: pd.DataFrame, reference: pd.DataFrame) -> None:
    use = d.category_use(coder, reference, BOOK, "cor").set_index("categoria")
    counts = use[["n_referencia", "n_codificador", "so_referencia", "so_codificador"]]
    assert counts.loc["a"].tolist() == [3, 2, 2, 1]
    assert counts.loc["c"].tolist() == [1, 2, 1, 2]
    assert use.loc["c", "p"] == mcnemar_exact(1, 2) and (use["uso"] == "").all()
    # Six times only the reference: p = 2/64 < 0.05; the other way round, overused.
    away = d.category_use(rows("m", ["b"] * 6), rows("ref", ["a"] * 6), BOOK, "cor").set_index("categoria")
    assert away["uso"].to_dict() == {"a": "evitada", "b": "usada demais", "c": ""}
    assert away.loc["a", "p"] == approx(2 / 64)


def test_use_in_several_choices_counts_wherever_a_category_is_among_them() -> None:
    ref = rows("ref", ['["x", "y"]', '["x"]', "[]"], "fontes")
    own = rows("m", ['["x"]', '["y"]', None], "fontes")
    use = d.category_use(own, ref, BOOK, "fontes").set_index("categoria")
    assert use.loc["x", ["n_referencia", "n_codificador", "so_referencia"]].tolist() == [2, 1, 1]
    assert use.loc["y", ["n_referencia", "n_codificador", "so_referencia", "so_codificador"]].tolist() == [
        1,
        1,
        1,
        1,
    ]


def test_sets_and_free_text_compare_as_the_contract_says() -> None:
    ref = rows("ref", ["1990 a 2010", "2001", "2002"], "ano")
    own = rows("m", ["1990–2010", "não informado", "2002."], "ano")
    assert d.divergences(own, ref, BOOK)["documento"].tolist() == ["d2"]
    assert d.divergences(own, ref, BOOK)["dispensa"].tolist() == [True]


def test_cheap_answers(coder: pd.DataFrame, reference: pd.DataFrame) -> None:
    table = d.divergences(coder, reference, BOOK)
    assert d.cheap_answers(table, BOOK).to_numpy().tolist() == [["cor", "c", 2, approx(0.5)]]
    assert d.cheap_answers(table.iloc[:0], BOOK).empty


def test_no_divergence_no_pair() -> None:
    same = rows("ref", ["a", "b"])
    assert d.divergences(same, same, BOOK).empty
    assert d.category_pairs(same, same, BOOK, "cor").empty


def test_targets_settle_half_of_the_pair_and_all_of_it(coder: pd.DataFrame, reference: pd.DataFrame) -> None:
    pairs = d.category_pairs(coder, reference, BOOK, "cor").assign(variavel="cor")
    (row,) = target_kappas(coder, reference, BOOK, pairs).to_dict("records")
    assert (row["referencia"], row["valor"], row["n"]) == ("a", "c", 2)
    assert row["kappa"] == approx(2 / 26)
    # One of two settled: own a 3, b 1, c 1, hits 3; p_e = (9 + 2 + 1)/36: (18 - 12)/(36 - 12).
    assert row["meta_inf"] == approx(6 / 24)
    # Both: own a 4, b 1, c 0, hits 4; p_e = (12 + 2)/36: (24 - 14)/(36 - 14).
    assert row["meta_sup"] == approx(10 / 22)


def test_half_of_one_divergence_is_that_one(coder: pd.DataFrame, reference: pd.DataFrame) -> None:
    pairs = d.category_pairs(coder, reference, BOOK, "cor").assign(variavel="cor")
    (row,) = target_kappas(coder, reference, BOOK, pairs[pairs["n"] == 1].head(1)).to_dict("records")
    assert row["n"] == 1 and row["meta_inf"] == row["meta_sup"] > row["kappa"]


def test_a_new_sample_shares_no_document_with_the_old_one() -> None:
    ids = [f"t{k}" for k in range(20)]
    old = ids[:8]
    new = new_sample(ids, old, 5, semente=3)
    assert len(new) == 5 and not set(new) & set(old)
    assert new == sorted(new, key=ids.index) == new_sample(ids, old, 5, semente=3)
    assert new_sample(ids, old, 5, semente=4) != new
    assert len(new_sample(ids, old, 50, semente=3)) == 12
    assert new_sample(ids, ids, 5, semente=3) == []
