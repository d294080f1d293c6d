"""Folding: whole runs at once give what one character after the other gives."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from compendio.folding import ALIKE, fold, next_unit

# All that meets in a fold: letters that fold to two, marks, hyphens, line ends, blanks that are dropped.
CHARACTERS = (
    "abA1_éßŉµİﬁ½한\u1100\u1161\u0301\u0308-\u2010\u2011–—“’…\u00ad\u200b\ufeff  \n\r\t\u00a0\u2003\u2028"
)


@given(st.text(CHARACTERS, max_size=30))
@example("a  b")  # two spaces, and nothing else that is special
@example("fim-  \nde")
@example("e \u0301-\u0301")  # marks on what is no letter
@settings(max_examples=1000, deadline=None)
def test_runs_fold_as_their_characters_do(texto: str) -> None:
    folded, folds, begins = fold(texto)
    slow, here = "", 0
    starts, units = [], []
    while here < len(texto):
        piece, end = next_unit(texto, here, slow)
        starts.append((len(slow), here))
        if (len(piece), end - here) != (1, 1):
            units.append((len(slow), here))
        slow, here = slow + piece, end
    for other, mark in ALIKE:
        slow = slow.replace(other, mark)
    assert folded == slow
    pieces = list(zip(folds, begins, strict=True))
    assert pieces.pop() == (len(folded), len(texto))
    # No piece begins inside a unit, and every unit is a piece of its own.
    assert set(units) <= set(pieces) <= set(starts)
