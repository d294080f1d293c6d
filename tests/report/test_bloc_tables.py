"""What notebook 6 shows first, and its sentences."""

from __future__ import annotations

import pandas as pd
import pytest

from compendio.measure.blocs import Blocs
from compendio.report.bloc_tables import first_shown

FAMILIAS = {"A": "p", "B": "p", "C": "q"}


def blocs_of(variables: dict[str, list[tuple[str, bool]]]) -> Blocs:
    """Variable → its decisions: one letter a vote of A, B, C, and whether anybody was asked again."""
    rows = [(f"d{k}", name, *one) for name, decisions in variables.items() for k, one in enumerate(decisions)]
    index = pd.MultiIndex.from_tuples([row[:2] for row in rows], names=["documento", "variavel"])
    votes = pd.DataFrame([list(row[2]) for row in rows], index, list(FAMILIAS), dtype="str")
    asked = pd.Series([row[3] for row in rows], index=index)
    return Blocs(FAMILIAS, votes, votes, pd.Series(None, index=index, dtype="str"), asked)


@pytest.mark.parametrize(
    ("variables", "shown"),
    [
        # Free text divides the members most and comes last, but it is never deliberated.
        (
            {"cor": [("xxx", False), ("xyy", True)], "ano": [("xyz", False), ("xyz", False)]},
            "cor",
        ),
        ({"cor": [("xyy", True)], "tom": [("xyy", True), ("xyy", True)]}, "tom"),
        # As many deliberated decisions: the one that divides more (an unanimous one may lack evidence).
        ({"cor": [("xxx", True)], "tom": [("xyy", True)]}, "tom"),
        ({"cor": [("xxx", False)], "tom": [("xyy", False)]}, "tom"),
        ({"cor": [("xyy", False)], "tom": [("xyy", False)]}, "cor"),
    ],
)
def test_the_variable_shown_first(variables: dict[str, list[tuple[str, bool]]], shown: str) -> None:
    assert first_shown(blocs_of(variables)) == shown
