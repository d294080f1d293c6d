"""Which interval a share has."""

from __future__ import annotations

import numpy as np
import pandas as pd
from pytest import approx

from compendio.measure.agreement import wilson_interval
from compendio.measure.pooled import REAMOSTRA, WILSON, shares

# Three documents of two decisions each.
DOCUMENTS = ["a", "a", "b", "b", "c", "c"]
ALL = np.ones(6, dtype=bool)
FIRST = np.array([1, 0, 1, 0, 1, 0], dtype=bool)


def test_one_decision_a_document_has_wilsons_interval() -> None:
    hits = np.array([1, 1, 1, 1, 0, 0], dtype=bool)
    row = shares(DOCUMENTS, [(hits, FIRST)], 100, 0).iloc[0]
    assert (row["k"], row["n"], row["valor"], row["intervalo"]) == (2, 3, approx(2 / 3), WILSON)
    assert (row["ic_inf"], row["ic_sup"]) == wilson_interval(2, 3)


def test_several_decisions_a_document_resample_documents() -> None:
    # The decisions of a document agree with each other: the resamples only hold 0, 2, 4 or 6 hits.
    hits = np.array([1, 1, 1, 1, 0, 0], dtype=bool)
    row = shares(DOCUMENTS, [(hits, ALL)], 2000, 0).iloc[0]
    assert (row["valor"], row["intervalo"]) == (approx(2 / 3), REAMOSTRA)
    # P(no hit) = (1/3)³ = 1/27 > 2.5%: the lower end is 0.
    assert (row["ic_inf"], row["ic_sup"]) == (0.0, 1.0)


def test_all_or_nothing_claims_no_certainty() -> None:
    rows = shares(DOCUMENTS, [(ALL, ALL), (~ALL, ALL)], 100, 0)
    assert rows["valor"].tolist() == [1.0, 0.0] and rows["intervalo"].tolist() == [WILSON, WILSON]
    # Over the three documents, not the six decisions.
    assert (rows["ic_inf"][0], rows["ic_sup"][0]) == wilson_interval(3, 3)
    assert (rows["ic_inf"][1], rows["ic_sup"][1]) == wilson_interval(0, 3)


def test_an_empty_denominator_is_undefined() -> None:
    row = shares(DOCUMENTS, [(ALL, ~ALL)], 100, 0).iloc[0]
    assert row["n"] == 0 and pd.isna(row["valor"]) and pd.isna(row["ic_inf"])


def test_the_numerator_counts_inside_the_denominator_only() -> None:
    assert shares(DOCUMENTS, [(ALL, FIRST)], 100, 0)["k"].tolist() == [3]
