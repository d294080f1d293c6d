"""The votes that stand after the deliberation: second votes where there are any, else the first."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from compendio.codebook import Codebook
from compendio.jury.decide import PAR, effective_votes, round_votes, to_deliberate


def standing_votes(
    votos: pd.DataFrame, codebook: Codebook, membros: Sequence[str], juri_r1: pd.DataFrame
) -> pd.DataFrame:
    """Contract rows of the members, one a decision and member, as the jury's last decision counted them."""
    first = round_votes(votos, membros, 1)
    revised = effective_votes(first, round_votes(votos, membros, 2), to_deliberate(juri_r1, codebook))
    if revised.empty:
        return first
    asked = pd.MultiIndex.from_frame(revised[PAR])
    kept = first[~pd.MultiIndex.from_frame(first[PAR]).isin(asked)]
    return pd.concat([kept, revised], ignore_index=True)
