"""Who votes with whom: patterns of votes, families that outvote others, and members that give in.

Works for any members and families. A *bloc* here is observed, not supposed: members of one family that
vote alike against others. Whether families err together at all is a question for `error_correlation`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from compendio.jury.decide import effective_votes, round_votes, to_deliberate
from compendio.measure.coders import TODAS, Coders, same
from compendio.measure.votes_matrix import votes_matrix

IGUAIS, DIFERENTES = "todos iguais", "todos diferentes"
#: With more members than this, patterns are too many to name; `support_table` takes their place.
POUCOS = 5


@dataclass(frozen=True)
class Blocs:
    """The members' votes before and after the deliberation, on the same decisions.

    Attributes
    ----------
    familias
        Member → family, members in the study's order.
    first, after
        (decisions, members) votes of round 1, and those that stand after the deliberation (second votes
        where there are any); index `documento, variavel`, cells comparable by equality.
    truth
        (decisions,) the reference's values; missing where it has none.
    asked
        (decisions,) whether anybody was asked again.
    """

    familias: dict[str, str]
    first: pd.DataFrame
    after: pd.DataFrame
    truth: pd.Series
    asked: pd.Series

    @property
    def membros(self) -> list[str]:
        """Members, in the study's order."""
        return list(self.familias)

    @property
    def variaveis(self) -> list[str]:
        """The variables decided, in codebook order."""
        return variables_of(self.first)

    def of(self, variavel: str) -> Blocs:
        """The decisions about one variable; all for `TODAS`."""
        return self if variavel == TODAS else self._where(self.first.index.get_level_values(1) == variavel)

    def deliberated(self) -> Blocs:
        """The decisions about which somebody was asked again."""
        return self._where(self.asked.to_numpy(dtype=bool))

    def _where(self, rows: np.ndarray) -> Blocs:
        return replace(
            self,
            first=self.first[rows],
            after=self.after[rows],
            truth=self.truth[rows],
            asked=self.asked[rows],
        )


def gather_blocs(coders: Coders) -> Blocs:
    """The members' votes of a study, from what the validation reads."""
    members, codebook = coders.membros, coders.study.codebook
    first = coders.values[members]
    rows, second = round_votes(coders.votos, members, 1), round_votes(coders.votos, members, 2)
    pairs = to_deliberate(coders.decisions["juri-r1"].reset_index(), codebook)
    standing = effective_votes(rows, second, pairs)
    again = votes_matrix(standing, codebook, members) if len(standing) else first.iloc[:0]
    asked = pd.Series(first.index.isin(again.index), index=first.index)
    after = first.copy()
    after.loc[asked] = again.reindex(first.index)[asked.to_numpy()]
    familias = {member.nome: member.familia for member in coders.study.membros}
    return Blocs(familias, first, after, coders.truth, asked)


def variables_of(matrix: pd.DataFrame) -> list[str]:
    """The variables of a matrix of votes, in the order in which they come."""
    return list(dict.fromkeys(matrix.index.get_level_values("variavel")))


def right_votes(matrix: pd.DataFrame, truth: pd.Series) -> pd.DataFrame:
    """(decisions, members) whether each vote is the reference's value."""
    columns = {member: same(matrix[member], truth) for member in matrix}
    return pd.DataFrame(columns, index=matrix.index, dtype=bool)


def groups(row: Sequence[object]) -> tuple[tuple[int, ...], ...]:
    """Places of those that vote alike: larger groups first, then in order; missing votes left out."""
    found: dict[object, list[int]] = {}
    for place, value in enumerate(row):
        if not pd.isna(value):
            found.setdefault(value, []).append(place)
    return tuple(tuple(g) for g in sorted(found.values(), key=lambda g: (-len(g), g[0])))


def _groups_of(matrix: pd.DataFrame) -> list[tuple[tuple[int, ...], ...]]:
    return [groups(row) for row in matrix.itertuples(index=False, name=None)]


def _label(split: tuple[tuple[int, ...], ...], members: Sequence[str]) -> str:
    voting = {place for group in split for place in group}
    silent = [name for place, name in enumerate(members) if place not in voting]
    if not silent and len(split) == 1:
        return IGUAIS
    if not silent and len(split) == len(members):
        return DIFERENTES
    parts = [" + ".join(members[place] for place in group) for group in split]
    return " | ".join([*parts, *([f"sem voto: {', '.join(silent)}"] if silent else [])])


def pattern_labels(matrix: pd.DataFrame) -> pd.Series:
    """How each decision splits the members: `todos iguais`, `todos diferentes`, else `a + b | c`.

    Members that vote alike stand together, larger groups first, then in the members' order; those
    without a vote stand last, as `sem voto: …`.
    """
    members = list(matrix.columns)
    labels = [_label(split, members) for split in _groups_of(matrix)]
    return pd.Series(labels, index=matrix.index, dtype="str", name="padrao")


def pattern_table(matrix: pd.DataFrame, truth: pd.Series, familias: Mapping[str, str]) -> pd.DataFrame:
    """Patterns per variable, with who is right in each.

    Returns
    -------
    DataFrame
        `variavel, padrao, bloco, n, com_referencia`, then one column a member: in how many of the decisions
        with a reference value it is right; `ninguem`: in how many nobody is. `bloco`: families of which
        two members or more, and nobody else, vote alike against somebody. Variables in their order, the
        most frequent pattern first.
    """
    members = list(matrix.columns)
    splits = _groups_of(matrix)
    right, known = right_votes(matrix, truth), truth.notna().to_numpy()
    table = pd.DataFrame(
        {
            "variavel": matrix.index.get_level_values("variavel"),
            "padrao": [_label(split, members) for split in splits],
            "bloco": [_families_alone(split, members, familias) for split in splits],
            "n": 1,
            "com_referencia": known,
        }
    )
    table = pd.concat([table, right.reset_index(drop=True)], axis=1)
    table["ninguem"] = known & ~right.any(axis=1).to_numpy()
    counted = table.groupby(["variavel", "padrao", "bloco"], sort=False).sum().astype(int).reset_index()
    place = {name: k for k, name in enumerate(variables_of(matrix))}
    order = np.lexsort([counted["padrao"], -counted["n"], counted["variavel"].map(place)])
    return counted.iloc[order].reset_index(drop=True)


def _families_alone(
    split: tuple[tuple[int, ...], ...], members: Sequence[str], familias: Mapping[str, str]
) -> str:
    if len(split) < 2:
        return ""
    alone = [{familias[members[place]] for place in group} for group in split if len(group) > 1]
    return ", ".join(next(iter(families)) for families in alone if len(families) == 1)


#: How much of the jury the largest group holds, from most to least.
APOIOS = ("todos", "três quartos ou mais", "mais da metade", "metade ou menos")


def support_table(matrix: pd.DataFrame, truth: pd.Series) -> pd.DataFrame:
    """For juries of many: how large the largest group of equal votes is, and whether it is right.

    Returns
    -------
    DataFrame
        `variavel, apoio, n, com_referencia, certas`; `apoio` one of `APOIOS` (shares of all members, failures
        included). Two largest groups of one size count as not right.
    """
    total = matrix.shape[1]
    rows = []
    for (variavel, row), ref in zip(
        zip(matrix.index.get_level_values("variavel"), matrix.to_numpy(dtype=object), strict=True),
        truth,
        strict=True,
    ):
        split = groups(row)
        size = len(split[0]) if split else 0
        tied = len(split) > 1 and len(split[1]) == size
        limits = [size == total, 4 * size >= 3 * total, 2 * size > total, True]
        known = not pd.isna(ref)
        certa = known and size > 0 and not tied and row[split[0][0]] == ref
        rows.append((variavel, APOIOS[limits.index(True)], 1, int(known), int(certa)))
    table = pd.DataFrame(rows, columns=["variavel", "apoio", "n", "com_referencia", "certas"])
    wanted = pd.MultiIndex.from_product([variables_of(matrix), APOIOS], names=["variavel", "apoio"])
    return table.groupby(["variavel", "apoio"]).sum().reindex(wanted, fill_value=0).reset_index()


def outvoted(matrix: pd.DataFrame, truth: pd.Series, familias: Mapping[str, str]) -> pd.DataFrame:
    """One family outvotes another: its members alone hold a strict majority of the jury for a value, and the
    other family voted, each for something else.

    Returns
    -------
    DataFrame
        `variavel, familia, contra, n, com_referencia, contra_com_a_referencia, familia_com_a_referencia`: a
        row for every variable, every family with more than half of the members (no other can do it alone)
        and every other family. `contra_com_a_referencia`: the reference agrees with a member of `contra`.
    """
    members = list(matrix.columns)
    families = list(dict.fromkeys(familias[m] for m in members))
    right = right_votes(matrix, truth)
    parts = []
    for family in families:
        own = [m for m in members if familias[m] == family]
        if 2 * len(own) <= len(members):
            continue
        bloc = _strict_majority(matrix[own], len(members))
        alone = bloc.notna() & ~_says(matrix.drop(columns=own), bloc)
        for other in [name for name in families if name != family]:
            theirs = [m for m in members if familias[m] == other]
            against = alone & matrix[theirs].notna().any(axis=1)
            frame = pd.DataFrame(
                {
                    "n": against,
                    "com_referencia": against & truth.notna(),
                    "contra_com_a_referencia": against & right[theirs].any(axis=1),
                    "familia_com_a_referencia": against & same(bloc, truth),
                }
            )
            counted = frame.groupby(level="variavel", sort=False).sum().astype(int).reset_index()
            counted.insert(1, "familia", family)
            counted.insert(2, "contra", other)
            parts.append(counted)
    columns = ["variavel", "familia", "contra", "n", "com_referencia"]
    columns += ["contra_com_a_referencia", "familia_com_a_referencia"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def _strict_majority(votes: pd.DataFrame, total: int) -> pd.Series:
    """(decisions,) the value given by more than half of `total`, counted in these columns; else missing."""
    values = []
    for row in votes.to_numpy(dtype=object):
        split = groups(row)
        values.append(row[split[0][0]] if split and 2 * len(split[0]) > total else None)
    return pd.Series(values, index=votes.index, dtype="str")


def _says(votes: pd.DataFrame, value: pd.Series) -> pd.Series:
    """(decisions,) whether any of these columns gives the value."""
    return right_votes(votes, value).any(axis=1)


def conformity(first: pd.DataFrame, after: pd.DataFrame, truth: pd.Series) -> pd.DataFrame:
    """Votes moved in the deliberation, per member: to the value most others held, and whether it was right.

    Returns
    -------
    DataFrame
        `membro, contra_a_maioria, mudou, para_a_maioria, maioria_certa, maioria_errada, outra_direcao`. The
        majority is the strict majority of the *other* members' first votes; `contra_a_maioria`: the first
        vote was against one. `maioria_certa` and `maioria_errada` count, of `para_a_maioria`, only
        decisions with a reference value.
    """
    rows = []
    for member in first.columns:
        others = first.drop(columns=member)
        majority = _strict_majority(others, others.shape[1])
        voted = (first[member].notna() & after[member].notna()).to_numpy()
        moved = voted & ~same(first[member], after[member])
        joined = moved & same(after[member], majority)
        right = joined & same(majority, truth)
        against = (first[member].notna() & majority.notna()).to_numpy() & ~same(first[member], majority)
        rows.append(
            {
                "membro": member,
                "contra_a_maioria": int(against.sum()),
                "mudou": int(moved.sum()),
                "para_a_maioria": int(joined.sum()),
                "maioria_certa": int(right.sum()),
                "maioria_errada": int((joined & ~right & truth.notna().to_numpy()).sum()),
                "outra_direcao": int((moved & ~joined).sum()),
            }
        )
    return pd.DataFrame(rows)


def pattern_flow(blocs: Blocs) -> pd.DataFrame:
    """From which pattern to which each decision went: `antes, depois, n`, largest first."""
    table = pd.DataFrame(
        {"antes": pattern_labels(blocs.first).array, "depois": pattern_labels(blocs.after).array, "n": 1}
    )
    counted = table.groupby(["antes", "depois"]).sum().reset_index()
    return counted.sort_values("n", ascending=False, kind="stable", ignore_index=True)
