"""Krippendorff's alpha against published values, other implementations, and values worked out by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pandas as pd
import pytest

from compendio.measure.alpha import krippendorff_alpha, masi_alpha, masi_distance

FROZEN = json.loads(Path(__file__).with_name("frozen_agreement.json").read_text(encoding="utf-8"))

# Krippendorff's own example: twelve units, four observers.
EXAMPLE = [
    [*list("123321412"), None, None, None],
    [*list("1233224125"), None, None],
    [None, *list("33323422513")],
    [*list("1233244125"), "1", None],
]


def test_published_example() -> None:
    # alpha = 0.743 (Krippendorff 2011, nominal data, any number of observers, missing data); unit 12
    # has one value only.
    alpha = krippendorff_alpha(EXAMPLE)
    assert alpha.value == pytest.approx(0.743, abs=5e-4)
    assert alpha.n == 11


def test_by_hand() -> None:
    # Units (a,a) (a,b) (b,b) (b,-): 3 units count, values a 3, b 3. Observed: one unit disagrees, 2 ordered
    # pairs / (2-1) = 2. Expected: 36 - 18 = 18. alpha = 1 - (6-1)*2/18 = 4/9
    alpha = krippendorff_alpha([["a", "a", "b", "b"], ["a", "b", "b", None]])
    assert (alpha.value, alpha.n) == (pytest.approx(4 / 9), 3)


def test_three_coders_by_hand() -> None:
    # Units (a,a,b) (b,b,b): 6 values, a 2, b 4. Observed: 4 ordered unlike pairs / (3-1) = 2.
    # Expected: 36 - (4 + 16) = 16. alpha = 1 - 5*2/16 = 3/8
    assert krippendorff_alpha({"x": ["a", "b"], "y": ["a", "b"], "z": ["b", "b"]}).value == pytest.approx(
        3 / 8
    )


@pytest.mark.parametrize("case", FROZEN["nominal"])
def test_against_libraries(case: dict) -> None:
    alpha = krippendorff_alpha(pd.DataFrame(case["codings"])).value
    assert alpha == pytest.approx(case["alpha_krippendorff"], abs=1e-12)
    assert alpha == pytest.approx(case["alpha_irrcac"], abs=5.1e-6)  # it prints five decimals


@pytest.mark.parametrize("case", FROZEN["sets"])
def test_masi_against_nltk(case: dict) -> None:
    assert masi_alpha(case["codings"]).value == pytest.approx(case["masi_alpha_nltk"], abs=1e-12)


def test_masi_distance_by_hand() -> None:
    assert masi_distance({"a"}, {"a"}) == 0
    assert masi_distance({"a"}, {"a", "b"}) == pytest.approx(1 - 1 / 2 * 2 / 3)
    assert masi_distance({"a", "b"}, {"b", "c"}) == pytest.approx(1 - 1 / 3 * 1 / 3)
    assert masi_distance({"a"}, {"b"}) == 1
    assert masi_distance(set(), {"b"}) == 1
    assert masi_distance([], []) == 0


def test_masi_alpha_by_hand() -> None:
    # Units ({a},{a}) ({a},{a,b}): d = 2/3. Values: {a} 3, {a,b} 1. Observed 2 * 2/3 = 4/3.
    # Expected: 2 * 3 * 1 * 2/3 = 4. alpha = 1 - 3 * (4/3)/4 = 0
    assert masi_alpha([[["a"], ["a"]], [["a"], ["a", "b"]]]).value == pytest.approx(0)


def test_masi_alpha_is_nominal_alpha_where_sets_are_single() -> None:
    first, second = ["a", "b", "a", None, "c"], ["a", "b", "b", "c", "c"]
    sets = [[None if v is None else [v] for v in column] for column in (first, second)]
    assert masi_alpha(sets).value == pytest.approx(krippendorff_alpha([first, second]).value, abs=1e-15)


def test_undefined_has_a_reason() -> None:
    for codings in ([["a", None], [None, "a"]], [["a"]], [], [[], []]):
        alpha = krippendorff_alpha(codings)
        assert math.isnan(alpha.value) and alpha.n == 0 and "dois codificadores" in str(alpha.reason)
    alpha = krippendorff_alpha([["a", "a", "b"], ["a", "a", None]])  # the only "b" is in no pair
    assert math.isnan(alpha.value) and alpha.n == 2 and "iguais" in str(alpha.reason)


def test_order_of_coders_does_not_matter() -> None:
    assert krippendorff_alpha(EXAMPLE).value == pytest.approx(
        krippendorff_alpha(EXAMPLE[::-1]).value, abs=1e-14
    )
