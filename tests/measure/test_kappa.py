"""Kappa, AC1, agreement and per-category measures against hand-worked values and other implementations."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from compendio.measure.kappa import (
    cohen_kappa,
    gwet_ac1,
    kappa_by_choice,
    observed_agreement,
    per_category,
    prevalence,
)
from compendio.measure.values import as_set

FROZEN = json.loads(Path(__file__).with_name("frozen_agreement.json").read_text(encoding="utf-8"))

# Ten documents, worked out by hand.
#   reference  a a a a b b b c c -        nine with a value (a 4, b 3, c 2)
#   coder      a a b - b b a c - a        hits: 1, 2, 5, 6, 8 -> 5; uses among the nine: a 3, b 3, c 1
REFERENCE = ["a", "a", "a", "a", "b", "b", "b", "c", "c", None]
CODER = ["a", "a", "b", None, "b", "b", "a", "c", None, "a"]
ABC = ["a", "b", "c"]


def test_kappa_by_hand_missing_disagrees() -> None:
    # p_o = 5/9; p_e = (4*3 + 3*3 + 2*1)/81 = 23/81; kappa = (45 - 23)/(81 - 23) = 22/58
    kappa = cohen_kappa(REFERENCE, CODER, ABC)
    assert kappa.value == pytest.approx(22 / 58, abs=1e-15)
    assert (kappa.n, kappa.reason) == (9, None)
    assert float(kappa) == kappa.value


def test_kappa_by_hand_answered() -> None:
    # Without documents 4 and 9: n = 7, reference a 3, b 3, c 1; p_e = (3*3 + 3*3 + 1*1)/49 = 19/49;
    # kappa = (5*7 - 19)/(49 - 19) = 16/30
    kappa = cohen_kappa(REFERENCE, CODER, ABC, answered_only=True)
    assert kappa.value == pytest.approx(16 / 30, abs=1e-15)
    assert kappa.n == 7


def test_ac1_by_hand() -> None:
    # Answered: pi = (6, 6, 2)/14; sum pi(1-pi) = (48 + 48 + 24)/196 = 120/196; p_e = 60/196 = 15/49;
    # p_o = 5/7 = 35/49; AC1 = 20/34
    assert gwet_ac1(REFERENCE, CODER, ABC, answered_only=True).value == pytest.approx(20 / 34, abs=1e-15)
    # With the missing ones, each document's values count as shares: a (1+1+.5+1+.5) = 4 of 9,
    # b (.5+1+1+.5) = 3, c 2; sum pi(1-pi) = (4*5 + 3*6 + 2*7)/81 = 52/81; p_e = 26/81; p_o = 45/81;
    # AC1 = 19/55
    ac1 = gwet_ac1(REFERENCE, CODER, ABC)
    assert ac1.value == pytest.approx(19 / 55, abs=1e-15)
    assert ac1.n == 9


def test_published_table_of_three_categories() -> None:
    # 100 patients by two abstractors (Gwet 2014; the R package irrCAC prints these values).
    table = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
    first = np.repeat(np.repeat(["e", "u", "n"], 3), table.ravel())
    second = np.repeat(np.tile(["e", "u", "n"], 3), table.ravel())
    categories = ["e", "u", "n"]
    assert cohen_kappa(first, second, categories).value == pytest.approx(0.7964094, abs=5e-8)
    assert gwet_ac1(first, second, categories).value == pytest.approx(0.8493305, abs=5e-8)
    assert observed_agreement(first, second).value == pytest.approx(0.89)


def test_the_codebook_decides_the_number_of_categories() -> None:
    longer = [*ABC, "never used"]
    assert cohen_kappa(REFERENCE, CODER, longer) == cohen_kappa(REFERENCE, CODER, ABC)
    # AC1 does depend on it: p_e = (120/196)/3 = 10/49 instead of 15/49, AC1 = (35 - 10)/(49 - 10)
    assert gwet_ac1(REFERENCE, CODER, longer, answered_only=True).value == pytest.approx(25 / 39)


def _random(seed: int, missing: float) -> tuple[pd.Series, pd.Series, list[str]]:
    rng = np.random.default_rng(seed)
    categories = [f"c{k}" for k in range(int(rng.integers(2, 9)))]
    n = int(rng.integers(5, 300))
    reference = rng.choice(categories, n)
    coder = np.where(rng.random(n) < rng.random(), reference, rng.choice(categories, n))
    holes = [rng.random(n) < missing, rng.random(n) < missing]
    return (
        pd.Series(reference, dtype=object).mask(holes[0]),
        pd.Series(coder, dtype=object).mask(holes[1]),
        categories,
    )


@pytest.mark.parametrize("seed", range(20))
def test_kappa_against_sklearn_and_statsmodels(seed: int) -> None:
    reference, coder, categories = _random(seed, missing=0.1)
    both = reference.notna() & coder.notna()
    a, b = reference[both].tolist(), coder[both].tolist()
    answered = cohen_kappa(reference, coder, categories, answered_only=True)
    assert answered.value == pytest.approx(cohen_kappa_score(a, b, labels=categories), abs=1e-12)
    table = pd.crosstab(pd.Categorical(a, categories), pd.Categorical(b, categories), dropna=False)
    assert answered.value == pytest.approx(cohens_kappa(table, return_results=False), abs=1e-12)
    # A missing coder's value, as an answer of its own that the reference never gives, is the main kappa.
    known = reference.notna()
    filled = coder[known].fillna("?").tolist()
    main = cohen_kappa_score(reference[known].tolist(), filled, labels=[*categories, "?"])
    assert cohen_kappa(reference, coder, categories).value == pytest.approx(main, abs=1e-12)


@pytest.mark.parametrize("case", FROZEN["nominal"])
def test_ac1_against_irrcac(case: dict) -> None:
    first, second = case["codings"]["c0"], case["codings"]["c1"]
    ac1 = gwet_ac1(first, second, FROZEN["categories"], answered_only=True)
    assert ac1.value == pytest.approx(case["ac1_answered_irrcac"], abs=5.1e-6)  # it prints five decimals
    if case["complete"]:
        assert gwet_ac1(first, second, FROZEN["categories"]) == ac1


def test_kappa_falls_and_ac1_stays_where_one_category_dominates() -> None:
    # 95 x (a, a), 5 disagreements: p_o = .95 and kappa about zero.
    reference = ["a"] * 97 + ["b"] * 3
    coder = ["a"] * 95 + ["b"] * 2 + ["a"] * 3
    assert cohen_kappa(reference, coder, ["a", "b"]).value < 0
    assert gwet_ac1(reference, coder, ["a", "b"]).value > 0.9


def test_per_category_by_hand() -> None:
    table = per_category(REFERENCE, CODER, [*ABC, "d"]).set_index("categoria")
    assert table.loc["a", ["n_referencia", "n_codificador", "acertos"]].tolist() == [4, 3, 2]
    assert table.loc["a", ["precisao", "revocacao", "f1"]].tolist() == pytest.approx([2 / 3, 2 / 4, 4 / 7])
    assert table.loc["b", ["precisao", "revocacao", "f1"]].tolist() == pytest.approx([2 / 3, 2 / 3, 4 / 6])
    assert table.loc["c", ["precisao", "revocacao", "f1"]].tolist() == pytest.approx([1, 1 / 2, 2 / 3])
    assert table.loc["d", ["precisao", "revocacao", "f1"]].isna().all()
    assert table.loc["d", "motivo"] == "a referência e o codificador não usam a categoria"
    assert table.loc["a", "motivo"] is None


@pytest.mark.parametrize("seed", range(5))
def test_per_category_against_sklearn(seed: int) -> None:
    reference, coder, categories = _random(seed, missing=0.0)
    ours = per_category(reference, coder, categories)
    theirs = precision_recall_fscore_support(
        reference.tolist(), coder.tolist(), labels=categories, zero_division=np.nan
    )
    for column, expected in zip(["precisao", "revocacao", "f1", "n_referencia"], theirs, strict=True):
        np.testing.assert_allclose(ours[column].to_numpy(float), expected, atol=1e-12)


def test_observed_agreement() -> None:
    assert observed_agreement(REFERENCE, CODER).value == pytest.approx(5 / 9)
    assert observed_agreement(REFERENCE, CODER, answered_only=True).value == pytest.approx(5 / 7)


def test_free_text_agrees_by_normal_form() -> None:
    reference = ["1990 a 2010", "Brasil", None, "Chile"]
    coder = ["1990–2010.", "brasil", "Peru", None]
    assert observed_agreement(reference, coder).value == 0

    def normal(text: str) -> str:
        return text.lower().rstrip(".").replace(" a ", "–")

    agreement = observed_agreement(reference, coder, form=normal)
    assert (agreement.value, agreement.n) == (pytest.approx(2 / 3), 3)


def test_sets_agree_by_equality() -> None:
    agreement = observed_agreement(['["a", "b"]', "[]", ["c"]], [{"b", "a"}, [], ["c", "a"]], form=as_set)
    assert agreement.value == pytest.approx(2 / 3)


def test_kappa_by_choice_is_kappa_of_each_yes_and_no() -> None:
    reference = [["a"], ["a", "b"], [], ["b"], None]
    coder = [["a"], ["a"], [], None, ["a"]]
    table = kappa_by_choice(reference, coder, ABC).set_index("categoria")
    # "a": yes yes no no against yes yes no -: 3 hits of 4; p_e = (2*2 + 2*1)/16; (12 - 6)/(16 - 6)
    assert table.loc["a", ["n", "n_referencia", "n_codificador"]].tolist() == [4, 2, 2]
    assert table.loc["a", "kappa"] == pytest.approx(6 / 10)
    # "b": no yes no yes against no no no -: 2 hits of 4; p_e = (2*0 + 2*3)/16; (8 - 6)/(16 - 6)
    assert table.loc["b", "kappa"] == pytest.approx(2 / 10)
    assert table.loc["b", "concordancia"] == pytest.approx(1 / 2)
    # "c": no no no no against no no no -: p_e = 4*3/16; (12 - 12)/(16 - 12) = 0
    assert table.loc["c", "kappa"] == 0


def test_prevalence() -> None:
    table = prevalence(["a", "a", "b", None], ABC)
    assert table["categoria"].tolist() == ABC
    assert table["n"].tolist() == [2, 1, 0]
    assert table["total"].tolist() == [3, 3, 3]
    assert table["proporcao"].tolist() == pytest.approx([2 / 3, 1 / 3, 0])
    for row in table.itertuples():
        expected = proportion_confint(row.n, row.total, method="wilson")
        assert (row.ic_inf, row.ic_sup) == pytest.approx(expected, abs=1e-12)
    assert math.isnan(prevalence([None], ABC)["proporcao"][0])
