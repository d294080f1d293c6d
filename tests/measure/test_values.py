"""Reading values: what is equal, what is missing, what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from compendio.measure.values import as_set, clean, encode, encode_together, membership

CATEGORIES = ["ação", "não", "sim"]


def test_nfc_and_strip() -> None:
    decomposed = "ac\u0327a\u0303o"  # the same word, letters and marks apart
    assert decomposed != "ação"
    assert encode([" ação\n", decomposed, "não"], CATEGORIES).tolist() == [0, 0, 1]
    assert encode(["ação"], [" " + decomposed]).tolist() == [0]  # the list is cleaned, too


def test_case_counts() -> None:
    with pytest.raises(ValueError, match="'Sim' \\(posição 1\\)"):
        encode(["sim", "Sim"], CATEGORIES)


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT, "", "  \t"])
def test_missing_in_all_its_forms(missing: object) -> None:
    assert encode(["sim", missing, "não"], CATEGORIES).tolist() == [2, -1, 1]
    assert encode(pd.Series(["sim", missing], dtype=object), CATEGORIES).tolist() == [2, -1]


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        pd.Series,
        lambda v: pd.Series(v, index=[7, 7, 7], dtype="str"),
        lambda v: pd.Series(v, dtype="category"),
        lambda v: pd.Series(v, dtype="string"),
        lambda v: np.array(v, dtype=object),
        lambda v: pd.array(v, dtype="str"),
    ],
)
def test_any_column_of_text(make: object) -> None:
    assert encode(make(["não", None, "sim"]), CATEGORIES).tolist() == [1, -1, 2]  # type: ignore[operator]


def test_numpy_text() -> None:
    assert encode(np.array(["não", "sim", ""]), CATEGORIES).tolist() == [1, 2, -1]


def test_no_documents() -> None:
    assert encode([], CATEGORIES).tolist() == []
    assert encode(pd.Series([], dtype="str"), CATEGORIES).tolist() == []


def test_all_missing() -> None:
    assert encode([None, None], CATEGORIES).tolist() == [-1, -1]


@pytest.mark.parametrize("number", [1, 1.0, True])
def test_numbers_are_refused_not_turned_into_text(number: object) -> None:
    with pytest.raises(ValueError, match=r"posição 1.*não texto"):
        encode(["1", number], ["1", "2"])


def test_nan_that_numpy_made_into_text_is_no_category() -> None:
    broken = np.array(["sim", np.nan])  # numpy writes the text "nan"
    with pytest.raises(ValueError, match="'nan'"):
        encode(broken, CATEGORIES)


@pytest.mark.parametrize("categories", [[], ["a", " a"], ["a", ""], "ab"])
def test_bad_lists_of_categories(categories: object) -> None:
    with pytest.raises(ValueError):
        encode(["a"], categories)  # type: ignore[arg-type]


def test_sets_from_every_form() -> None:
    values = ['["b", "a"]', {"a", "b"}, ["a", "b", "a"], ("b", "a"), frozenset("ab"), "[]", [], None]
    (codes,), forms = encode_together([values], as_set)
    assert codes.tolist() == [0, 0, 0, 0, 0, 1, 1, -1]
    assert forms == [frozenset({"a", "b"}), frozenset()]


@pytest.mark.parametrize("text", ["a|b", "a", '{"a": 1}', "3", "[1, 2]", "[[]]"])
def test_what_is_no_list_of_texts_is_refused(text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        as_set(text)


def test_form_is_applied_after_cleaning() -> None:
    (left, right), _ = encode_together(
        [[" Brasil. ", "1990"], ["brasil", "1991"]], lambda t: t.lower().strip(".")
    )
    assert (left == right).tolist() == [True, False]


def test_columns_of_different_lengths() -> None:
    with pytest.raises(ValueError, match="tamanhos diferentes"):
        encode_together([["a"], ["a", "b"]])


def test_membership() -> None:
    frame = membership(['["sim", "ação"]', "[]", None], CATEGORIES)
    assert frame.columns.tolist() == CATEGORIES
    assert frame.values.tolist() == [["sim", "nao", "sim"], ["nao"] * 3, [None] * 3]


def test_membership_outside_the_codebook() -> None:
    with pytest.raises(ValueError, match=r"talvez.*posição 1"):
        membership([["sim"], ["sim", "talvez"]], CATEGORIES)


def test_clean() -> None:
    assert clean("\u00a0e\u0301 ") == "é"
