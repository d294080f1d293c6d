"""Who votes with whom: patterns of votes, agreement and correlation of errors, within and between families.

Works for any members and families. A *bloc* here is observed, not supposed: members of one family that
vote alike against another. Whether families vote as blocs at all is a question for `family_test`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from compendio.measure.votes_matrix import family_codes

Floats = NDArray[np.float64]
IGUAIS, DIFERENTES = "todos iguais", "todos diferentes"


def pattern_labels(matrix: pd.DataFrame) -> pd.Series:
    """How each decision splits the members: `todos iguais`, `todos diferentes`, else `a + b | c`.

    Members that vote alike stand together, larger groups first, then in the members' order; those
    without a vote stand last as `sem voto: …`.
    """
    members = list(matrix.columns)
    codes = (
        np.column_stack([pd.factorize(row)[0] for row in _rows(matrix)]) if len(matrix) else np.empty((0, 0))
    )
    patterns = [tuple(column) for column in codes.T] if len(matrix) else []
    known = {pattern: _label(pattern, members) for pattern in set(patterns)}
    return pd.Series([known[p] for p in patterns], index=matrix.index, dtype="str", name="padrao")


def _rows(matrix: pd.DataFrame) -> list[NDArray[np.object_]]:
    return list(matrix.astype(object).where(matrix.notna(), None).to_numpy())


def _label(pattern: Sequence[int], members: Sequence[str]) -> str:
    groups: dict[int, list[str]] = {}
    for code, member in zip(pattern, members, strict=True):
        groups.setdefault(int(code), []).append(member)
    silent = groups.pop(-1, [])
    if not silent and len(groups) == 1:
        return IGUAIS
    if not silent and len(groups) == len(members):
        return DIFERENTES
    parts = [" + ".join(g) for g in sorted(groups.values(), key=lambda g: (-len(g), members.index(g[0])))]
    return " | ".join([*parts, *([f"sem voto: {', '.join(silent)}"] if silent else [])])


def pattern_table(matrix: pd.DataFrame, truth: pd.Series) -> pd.DataFrame:
    """Patterns per variable, with who is right in each.

    Returns
    -------
    DataFrame
        `variavel, padrao, n, com_referencia`, then one column a member: in how many of the decisions with
        a reference value it is right; `ninguem`: in how many nobody is. Most frequent first.
    """
    known = truth.notna()
    right = matrix.eq(truth, axis=0).fillna(False) & known.to_numpy()[:, None]
    table = right.astype(int)
    table["ninguem"] = (known & ~right.any(axis=1)).astype(int)
    table.insert(0, "com_referencia", known.astype(int))
    table.insert(0, "n", 1)
    table = table.assign(padrao=pattern_labels(matrix)).reset_index()
    grouped = table.drop(columns="documento").groupby(["variavel", "padrao"], sort=True).sum().reset_index()
    return grouped.sort_values(["variavel", "n"], ascending=[True, False], kind="stable", ignore_index=True)


def outvoted(matrix: pd.DataFrame, truth: pd.Series, familias: Mapping[str, str]) -> pd.DataFrame:
    """One family outvotes another: its members alone hold a strict majority for a value that a member of
    the other family does not share, having voted for something else.

    Returns
    -------
    DataFrame
        `variavel, familia, contra, n, com_referencia, contra_com_a_referencia, familia_com_a_referencia`.
        `n`: decisions in which all votes of the majority come from `familia` and somebody of `contra`
        voted otherwise; `contra_com_a_referencia`: the reference agrees with a member of `contra`.
    """
    members = list(matrix.columns)
    families = sorted({familias[m] for m in members})
    rows = []
    for family in families:
        own = [m for m in members if familias[m] == family]
        bloc, alone = _majority_of(matrix, own)
        for other in families:
            if other == family:
                continue
            theirs = matrix[[m for m in members if familias[m] == other]]
            against = alone & theirs.notna().any(axis=1) & ~theirs.eq(bloc, axis=0).fillna(False).any(axis=1)
            for variavel, which in against[against].groupby(level="variavel").groups.items():
                value, ref = bloc.loc[which], truth.loc[which]
                known = ref.notna()
                agrees = theirs.loc[which].eq(ref, axis=0).fillna(False).any(axis=1) & known
                rows.append(
                    {
                        "variavel": variavel,
                        "familia": family,
                        "contra": other,
                        "n": len(which),
                        "com_referencia": int(known.sum()),
                        "contra_com_a_referencia": int(agrees.sum()),
                        "familia_com_a_referencia": int((value.eq(ref).fillna(False) & known).sum()),
                    }
                )
    columns = ["variavel", "familia", "contra", "n", "com_referencia"]
    columns += ["contra_com_a_referencia", "familia_com_a_referencia"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values(["variavel", "familia", "contra"], kind="stable", ignore_index=True)


def _majority_of(matrix: pd.DataFrame, own: Sequence[str]) -> tuple[pd.Series, pd.Series]:
    """The value that the `own` members alone carry by a strict majority of all members, and where they do."""
    need = matrix.shape[1] / 2
    value = pd.Series(pd.NA, index=matrix.index, dtype="str")
    for member in own:
        votes = matrix[list(own)].eq(matrix[member], axis=0).fillna(False).sum(axis=1)
        value = value.where(~(votes > need), matrix[member])
    others = matrix.drop(columns=list(own)).eq(value, axis=0).fillna(False).any(axis=1)
    return value, value.notna() & ~others


def pair_table(matrix: pd.DataFrame, truth: pd.Series, familias: Mapping[str, str]) -> pd.DataFrame:
    """Every pair of members: how often they agree, and whether they err together.

    Returns
    -------
    DataFrame
        `a, b, relacao` (`mesma família`, `famílias diferentes`), `n` (decisions both answered),
        `concordancia` (share of those in which they agree), `correlacao_erros` (phi of being wrong, over
        decisions with a reference value, a missing vote being wrong; NaN where a member is always or never
        wrong).
    """
    members = list(matrix.columns)
    codes = np.column_stack([_codes(matrix[m], matrix) for m in members])
    wrong = error_matrix(matrix, truth)
    phi = correlation(wrong)
    rows = []
    for i, a in enumerate(members):
        for j in range(i + 1, len(members)):
            both = (codes[:, i] >= 0) & (codes[:, j] >= 0)
            same = familias[a] == familias[members[j]]
            n = int(both.sum())
            rows.append(
                {
                    "a": a,
                    "b": members[j],
                    "relacao": "mesma família" if same else "famílias diferentes",
                    "n": n,
                    "concordancia": float((codes[both, i] == codes[both, j]).mean()) if n else float("nan"),
                    "correlacao_erros": float(phi[i, j]),
                }
            )
    return pd.DataFrame(rows)


def _codes(column: pd.Series, matrix: pd.DataFrame) -> NDArray[np.intp]:
    values = pd.Index(pd.unique(matrix.to_numpy(dtype=object).ravel())).dropna()
    return values.get_indexer(column.astype(object))


def error_matrix(matrix: pd.DataFrame, truth: pd.Series) -> Floats:
    """(decisions with a reference value, members): 1.0 where wrong or missing, 0.0 where right."""
    known = truth.notna().to_numpy()
    right = matrix.eq(truth, axis=0).fillna(False).to_numpy(dtype=bool)[known]
    return 1.0 - right.astype(float)


def correlation(wrong: Floats) -> Floats:
    """Pearson correlation of the columns; NaN for a column that does not vary."""
    centred = wrong - wrong.mean(axis=0) if len(wrong) else wrong
    length = np.sqrt((centred**2).sum(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = np.where(length > 0, centred / length, np.nan)
    phi = unit.T @ unit
    np.fill_diagonal(phi, np.where(length > 0, 1.0, np.nan))
    return np.clip(phi, -1, 1)


def effective_jurors(wrong: Floats) -> tuple[float, float]:
    """(γ̄, N/(1+(N−1)γ̄)): mean correlation of errors over pairs, and the effective number of jurors.

    Pairs with an undefined correlation are left out of the mean. The number is NaN where no pair is
    defined, or where γ̄ ≤ −1/(N−1), the least that N equally correlated jurors can have.
    """
    n = wrong.shape[1]
    phi = correlation(wrong)[np.triu_indices(n, 1)]
    defined = phi[~np.isnan(phi)]
    if not len(defined):
        return float("nan"), float("nan")
    mean = float(defined.mean())
    below = 1 + (n - 1) * mean
    return mean, float(n / below) if below > 0 else float("nan")


@dataclass(frozen=True)
class FamilyTest:
    """Mean error correlation within and between families, and how rarely chance alone separates them so."""

    dentro: float
    entre: float
    pares_dentro: int
    pares_entre: int
    p: float
    permutacoes: int

    @property
    def diferenca(self) -> float:
        """`dentro` − `entre`."""
        return self.dentro - self.entre


def family_test(
    wrong: Floats,
    membros: Sequence[str],
    familias: Mapping[str, str],
    permutacoes: int = 9_999,
    semente: int = 2026,
) -> FamilyTest:
    """Do families err together more than members of different families? A permutation test.

    Family labels are shuffled among the members (family sizes kept); `p` is one-sided, (1 + number of
    shuffles with a difference at least as large) / (1 + shuffles). NaN where there is no pair of one kind.
    """
    phi = correlation(wrong)
    upper = np.triu_indices(len(membros), 1)
    values = phi[upper]
    ok = ~np.isnan(values)
    codes = family_codes(membros, familias)

    def means(labels: NDArray[np.intp]) -> tuple[float, float, int]:
        same = (labels[upper[0]] == labels[upper[1]])[ok]
        inside = int(same.sum())
        if inside in (0, len(same)):
            return float("nan"), float("nan"), inside
        return float(values[ok][same].mean()), float(values[ok][~same].mean()), inside

    within, between, count = means(codes)
    observed = within - between
    p = float("nan")
    if not np.isnan(observed):
        rng = np.random.default_rng(semente)
        shuffled = [means(rng.permutation(codes)) for _ in range(permutacoes)]
        reached = sum((a - b) >= observed - 1e-12 for a, b, _ in shuffled)
        p = (1 + reached) / (1 + permutacoes)
    return FamilyTest(within, between, count, int(ok.sum()) - count, p, permutacoes)


def conformity(first: pd.DataFrame, after: pd.DataFrame, truth: pd.Series) -> pd.DataFrame:
    """Votes moved in the deliberation, per member: to the value most others held, and whether it was right.

    Returns
    -------
    DataFrame
        `membro, mudou, para_a_maioria, maioria_certa, maioria_errada, outra_direcao`. The majority is the
        strict majority of the *other* members' first votes; `maioria_certa` and `maioria_errada` count
        only decisions with a reference value.
    """
    rows = []
    for member in first.columns:
        moved = first[member].notna() & after[member].notna() & first[member].ne(after[member]).fillna(False)
        others = first.drop(columns=member)
        majority = pd.Series(pd.NA, index=first.index, dtype="str")
        for other in others.columns:
            votes = others.eq(others[other], axis=0).fillna(False).sum(axis=1)
            majority = majority.where(~(votes > others.shape[1] / 2), others[other])
        joined = moved & after[member].eq(majority).fillna(False)
        right = majority.eq(truth).fillna(False)
        rows.append(
            {
                "membro": member,
                "mudou": int(moved.sum()),
                "para_a_maioria": int(joined.sum()),
                "maioria_certa": int((joined & right).sum()),
                "maioria_errada": int((joined & ~right & truth.notna()).sum()),
                "outra_direcao": int((moved & ~joined).sum()),
            }
        )
    return pd.DataFrame(rows)
