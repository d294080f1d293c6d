"""Do members err together? Agreement and correlation of errors by pair, within and between families.

A jury gains from errors that do not coincide (Condorcet). Members that err together
count as fewer: with mean correlation of errors γ̄, N of them are worth N / (1 + (N − 1)γ̄) independent ones
(Kish's design effect, applied to jurors).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from compendio.measure.blocs import Blocs, right_votes
from compendio.measure.coders import TODAS

Floats = NDArray[np.float64]
DENTRO, ENTRE = "mesma família", "famílias diferentes"
#: Permutations drawn at once: memory stays flat however many are asked for.
_CHUNK = 500


def pair_table(matrix: pd.DataFrame, truth: pd.Series, familias: Mapping[str, str]) -> pd.DataFrame:
    """Every pair of members: how often they agree, and whether they err together.

    Returns
    -------
    DataFrame
        `a, b, relacao` (`mesma família`, `famílias diferentes`); `n`, the decisions both answered, and
        `concordancia`, the share of those in which they agree; `correlacao_erros`, the phi coefficient of
        being wrong over decisions with a reference value, a missing vote being wrong (NaN where a member is
        always or never wrong); `erros_juntos`, the decisions that both answered wrongly, and
        `mesmo_erro`, the share of those in which they gave the same wrong value. NaN where there is nothing
        to divide by.
    """
    members = list(matrix.columns)
    codes = pd.factorize(matrix.to_numpy(dtype=object).ravel())[0].reshape(matrix.shape)
    phi = correlation(error_matrix(matrix, truth))
    wrong = truth.notna().to_numpy()[:, None] & (codes >= 0) & ~right_votes(matrix, truth).to_numpy()
    rows = []
    for i, a in enumerate(members):
        for j in range(i + 1, len(members)):
            b = members[j]
            both = (codes[:, i] >= 0) & (codes[:, j] >= 0)
            equal = both & (codes[:, i] == codes[:, j])
            together = wrong[:, i] & wrong[:, j]
            rows.append(
                {
                    "a": a,
                    "b": b,
                    "relacao": DENTRO if familias[a] == familias[b] else ENTRE,
                    "n": int(both.sum()),
                    "concordancia": _share(equal, both),
                    "correlacao_erros": float(phi[i, j]),
                    "erros_juntos": int(together.sum()),
                    "mesmo_erro": _share(equal & together, together),
                }
            )
    return pd.DataFrame(rows)


def _share(part: NDArray[np.bool_], whole: NDArray[np.bool_]) -> float:
    return float(part.sum() / whole.sum()) if whole.any() else math.nan


def error_matrix(matrix: pd.DataFrame, truth: pd.Series) -> Floats:
    """(decisions with a reference value, members): 1.0 where wrong or missing, 0.0 where right."""
    right = right_votes(matrix, truth).to_numpy(dtype=bool)
    return 1.0 - right[truth.notna().to_numpy()].astype(float)


def correlation(wrong: Floats) -> Floats:
    """(N, N) Pearson correlation of the columns; NaN for a column that does not vary."""
    n = wrong.shape[1]
    varies = np.ptp(wrong, axis=0) > 0 if len(wrong) else np.zeros(n, dtype=bool)
    phi = np.full((n, n), np.nan)
    if varies.any():
        phi[np.ix_(varies, varies)] = np.atleast_2d(np.corrcoef(wrong[:, varies], rowvar=False))
    return np.clip(phi, -1, 1)


def effective_jurors(wrong: Floats) -> tuple[float, float]:
    """(γ̄, N / (1 + (N − 1)γ̄)): mean correlation of errors over pairs, and the effective number of jurors.

    Pairs with an undefined correlation are left out of the mean. Both are NaN where no pair is defined, and
    the number where γ̄ ≤ −1/(N − 1), the least that N equally correlated jurors can have. It is above N
    where errors avoid each other.
    """
    n = wrong.shape[1]
    phi = correlation(wrong)[np.triu_indices(n, 1)]
    defined = phi[~np.isnan(phi)]
    if not len(defined):
        return math.nan, math.nan
    mean = float(defined.mean())
    below = 1 + (n - 1) * mean
    return mean, n / below if below > 1e-12 else math.nan


@dataclass(frozen=True)
class FamilyTest:
    """Means within and between families, and how rarely chance alone separates them so.

    `esperada`: the mean difference over the shuffles, about zero unless they keep to strata; then it is what the
    strata alone bring about.
    `menor_p`: the smallest p that these families allow, 1 over the number of ways of dividing the members into
    families of these sizes. Above 0.05 the test has no power at the usual level, whatever the votes.
    """

    dentro: float
    entre: float
    pares_dentro: int
    pares_entre: int
    esperada: float
    p: float
    permutacoes: int
    menor_p: float

    @property
    def diferenca(self) -> float:
        """`dentro` − `entre`."""
        return self.dentro - self.entre

    @property
    def tem_poder(self) -> bool:
        """Whether p can get to 0.05 at all."""
        return self.menor_p <= 0.05


def family_test(
    pairs: pd.DataFrame,
    familias: Mapping[str, str],
    column: str = "correlacao_erros",
    permutacoes: int = 9_999,
    semente: int = 2026,
    estratos: Mapping[str, Hashable] | None = None,
) -> FamilyTest:
    """Are pairs of one family more alike than pairs of two? A permutation test.

    Family labels are shuffled among the members (family sizes kept). `p` is one-sided: (1 + shuffles with a
    difference at least as large) / (1 + shuffles). NaN where there is no pair of one kind. A family of one
    member has pairs of two families only.

    Parameters
    ----------
    pairs
        What `pair_table` gives; pairs whose `column` is NaN are left out.
    estratos
        Member → stratum: labels move only among members of one stratum (a stratified permutation test), so that
        what the strata alone bring about is in every shuffle.
    """
    used = pairs[pairs[column].notna()]
    members = list(familias)
    place = {name: k for k, name in enumerate(members)}
    i, j = (used[end].map(place).to_numpy(dtype=np.intp) for end in ("a", "b"))
    values = used[column].to_numpy(dtype=float)
    codes = pd.factorize(np.array([familias[name] for name in members], dtype=object))[0]
    strata = pd.factorize(np.array([(estratos or {}).get(name) for name in members]), use_na_sentinel=False)[
        0
    ]

    same = codes[i] == codes[j]
    inside = int(same.sum())
    smallest = 1 / _divisions(codes, strata)
    if inside in (0, len(values)):
        within, between = (float(values[kind].mean()) if kind.any() else math.nan for kind in (same, ~same))
        return FamilyTest(within, between, inside, len(values) - inside, math.nan, math.nan, 0, smallest)
    within, between = float(values[same].mean()), float(values[~same].mean())
    rng = np.random.default_rng(semente)
    places = [np.flatnonzero(strata == stratum) for stratum in range(strata.max() + 1)]
    reached, gaps, comparable = 0, 0.0, 0
    for start in range(0, permutacoes, _CHUNK):
        labels = np.tile(codes, (min(_CHUNK, permutacoes - start), 1))
        for place_of in places:
            labels[:, place_of] = rng.permuted(labels[:, place_of], axis=1)
        mixed = labels[:, i] == labels[:, j]
        count, total = mixed.sum(axis=1), mixed @ values
        ok = (count > 0) & (count < len(values))  # where pairs are left out, a shuffle may lack one kind
        gap = total[ok] / count[ok] - (values.sum() - total[ok]) / (len(values) - count[ok])
        reached += int((gap >= within - between - 1e-12).sum()) + int((~ok).sum())
        gaps, comparable = gaps + float(gap.sum()), comparable + int(ok.sum())
    p, expected = (1 + reached) / (1 + permutacoes), gaps / comparable if comparable else math.nan
    return FamilyTest(within, between, inside, len(values) - inside, expected, p, permutacoes, smallest)


def _divisions(codes: NDArray[np.intp], strata: NDArray[np.intp]) -> int:
    """In how many ways shuffles inside the strata divide the members into (unnamed) families."""
    sizes = pd.crosstab(codes, strata).to_numpy()  # families × strata
    ways = 1
    for column in sizes.T:
        ways *= math.factorial(int(column.sum()))
        for size in column:
            ways //= math.factorial(int(size))
    # Families with the same sizes in every stratum can swap names: that is the same division.
    for alike in Counter(map(tuple, sizes.tolist())).values():
        ways //= math.factorial(alike)
    return ways


def juror_table(blocs: Blocs) -> pd.DataFrame:
    """What the members are worth at round 1, per variable and over all (`todas`).

    Returns
    -------
    DataFrame
        `variavel, membros, com_referencia, correlacao_media, n_efetivo`: γ̄ and N / (1 + (N − 1)γ̄).
    """
    rows = []
    for variavel in [*blocs.variaveis, TODAS]:
        part = blocs.of(variavel)
        mean, number = effective_jurors(error_matrix(part.first, part.truth))
        known = int(part.truth.notna().sum())
        rows.append((variavel, len(blocs.membros), known, mean, number))
    return pd.DataFrame(
        rows, columns=["variavel", "membros", "com_referencia", "correlacao_media", "n_efetivo"]
    )
