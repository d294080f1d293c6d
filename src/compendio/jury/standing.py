"""The votes that stand after the deliberation: second votes where there are any, else the first."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from compendio.jury.decide import PAR, effective_votes, has_vote, round_votes


def standing_votes(
    votos: pd.DataFrame, membros: Sequence[str], pairs: pd.DataFrame, *, deliberacao: bool
) -> pd.DataFrame:
    """The votes of the members for the decisions `pairs` (`documento, variavel`), as `juri` counted them.

    Contract rows of repetition 0, members in their order; failures are left out. `pairs`: decisions that
    round 1 did not settle, none of them free text. `deliberacao`: whether the study's second votes count.
    """
    first = round_votes(votos, membros, 1)
    second = round_votes(votos, membros, 2)
    revised = effective_votes(first, second if deliberacao else second.iloc[:0], pairs)
    wanted = pd.MultiIndex.from_frame(pairs[PAR])
    again = pd.MultiIndex.from_frame(revised[PAR])
    mine = pd.MultiIndex.from_frame(first[PAR])
    rows = pd.concat([first[mine.isin(wanted) & ~mine.isin(again)], revised], ignore_index=True)
    order = {name: k for k, name in enumerate(membros)}
    rows = rows[has_vote(rows).to_numpy(dtype=bool)]
    return rows.sort_values([*PAR, "fonte"], key=lambda c: c.map(order) if c.name == "fonte" else c)
