"""Nothing to measure, one of everything, and other ends of the range."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from compendio.measure.agreement import (
    cohen_kappa,
    gwet_ac1,
    kappa_by_choice,
    membership,
    observed_agreement,
    per_category,
    prevalence,
)

AB = ["a", "b"]


@pytest.mark.parametrize("measure", [cohen_kappa, gwet_ac1])
@pytest.mark.parametrize(("reference", "coder"), [([], []), ([None], ["a"])])
def test_no_document(measure, reference: list, coder: list) -> None:
    estimate = measure(reference, coder, AB)
    assert math.isnan(estimate.value) and estimate.n == 0
    assert estimate.reason == "nenhum documento com valor na referência"


@pytest.mark.parametrize("measure", [cohen_kappa, gwet_ac1])
def test_no_pair(measure) -> None:
    estimate = measure(["a", None], [None, "a"], AB, answered_only=True)
    assert math.isnan(estimate.value) and estimate.n == 0
    assert estimate.reason == "nenhum documento com valor nos dois"


def test_no_agreement_to_measure_in_free_text() -> None:
    assert observed_agreement([None], ["a"]).reason == "nenhum documento com valor na referência"
    assert math.isnan(observed_agreement([], []).value)


def test_one_shared_category_is_undefined_not_perfect() -> None:
    kappa = cohen_kappa(["a"] * 5, ["a"] * 5, AB)
    assert math.isnan(kappa.value) and kappa.n == 5 and "esperada é 1" in str(kappa.reason)
    assert gwet_ac1(["a"] * 5, ["a"] * 5, AB).value == 1  # defined, which is why it stands beside kappa
    assert cohen_kappa(["a"] * 5, ["b"] * 5, AB).value == 0  # p_o = p_e = 0


def test_one_category_in_the_codebook() -> None:
    ac1 = gwet_ac1(["a", "a"], ["a", None], ["a"])
    assert math.isnan(ac1.value) and "uma só categoria" in str(ac1.reason)


def test_missing_coder_is_no_category() -> None:
    # Were "missing" a category, two coders who both leave a document out would agree on it.
    assert cohen_kappa(["a", "b", None], ["a", "b", None], AB).n == 2
    # Were the document left out, this would be kappa 1.
    assert cohen_kappa(["a", "b", "b"], ["a", "b", None], AB).value == pytest.approx((3 * 2 - 3) / (9 - 3))


def test_a_coder_who_answers_nothing() -> None:
    assert cohen_kappa(AB, [None, None], AB).value == 0
    assert per_category(AB, [None, None], AB)["revocacao"].tolist() == [0, 0]
    assert per_category(AB, [None, None], AB)["precisao"].isna().all()
    assert "o codificador não usa" in per_category(AB, [None, None], AB)["motivo"][0]


def test_perfect_and_worst() -> None:
    assert cohen_kappa(AB, AB, AB).value == 1
    assert gwet_ac1(AB, AB, AB).value == 1
    assert cohen_kappa(AB, AB[::-1], AB).value == -1


def test_lengths_must_match() -> None:
    for measure in (cohen_kappa, gwet_ac1, per_category):
        with pytest.raises(ValueError, match="tamanhos diferentes"):
            measure(["a"], ["a", "b"], AB)
    with pytest.raises(ValueError, match="tamanhos diferentes"):
        observed_agreement(["a"], ["a", "b"])


def test_position_counts_not_index() -> None:
    one = pd.Series(["a", "b", "b"], index=[0, 1, 2])
    other = pd.Series(["a", "b", "b"], index=[2, 1, 0])
    assert cohen_kappa(one, other, AB).value == 1


def test_text_nan_is_a_text() -> None:
    assert cohen_kappa(["nan", "a"], ["nan", "a"], ["nan", "a"]).n == 2


def test_counts_of_a_million_stay_exact() -> None:
    reference = pd.Series(["a"] * 999_999 + ["b"])
    kappa = cohen_kappa(reference, reference, AB)
    assert (kappa.value, kappa.n) == (1, 1_000_000)


def test_choices_where_nobody_chose() -> None:
    table = kappa_by_choice([[], None], [[], ["a"]], AB)
    assert table["n"].tolist() == [1, 1]
    assert table["kappa"].isna().all() and table["motivo"].str.contains("uma só categoria").all()
    assert membership([], AB).shape == (0, 2)


def test_prevalence_of_nothing() -> None:
    table = prevalence([], AB)
    assert table["total"].tolist() == [0, 0]
    assert table[["proporcao", "ic_inf", "ic_sup"]].isna().all(axis=None)
