"""Percentile bootstrap of kappa for many coders on one shared resample of documents.

One draw serves every coder, so that differences between coders have intervals, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from compendio.measure.kappa import NO_DOCUMENT, NO_PAIR, kappa_of_codes
from compendio.measure.patterns import joint_patterns
from compendio.measure.resample import (
    Floats,
    check,
    count_dtype,
    pattern_counts,
    percentile_intervals,
    resampled_counts,
)
from compendio.measure.values import MISSING, Codes, category_list, encode, same_length, texts


@dataclass(frozen=True)
class KappaBootstrap:
    """Kappas with intervals, of all coders on the same resamples.

    Attributes
    ----------
    coders
        A row a coder: `codificador`, `n` (documents with a value in the reference), `kappa`, `ic_inf`,
        `ic_sup`, `indefinidas` (share of replicates without a kappa, left out of the interval),
        `motivo` (why kappa is NaN), `kappa_respondidos` and `n_respondidos` (over the documents that
        both answered), `motivo_respondidos`.
    replications, level, seed
        As given.
    """

    coders: pd.DataFrame
    replications: int
    level: float
    seed: int
    _compare: Callable[[], pd.DataFrame] = field(repr=False, compare=False)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """A row a pair: `primeiro`, `segundo`, `n` (documents that both coders and the reference answered),
        `diferenca` (kappa of the first minus kappa of the second, over these), `ic_inf`, `ic_sup`,
        `indefinidas`, `motivo`.

        Those that the call named were made with it. Where it named none, all pairs are made when this is
        first read, on the same resamples: for many coders that is most of the work.
        """
        return self._compare()


class _Sums:
    """What kappas are made of, for any weights of the units, by one matrix product.

    For K categories and m coders: how often the reference uses each category; how often each coder does;
    each coder's hits; and, where values are missing, how often the reference uses each category where
    that coder has no value.
    """

    def __init__(self, reference: Codes, coders: NDArray[np.intp], size: int, dtype: Any) -> None:
        self.size, self.count = size, len(coders)
        columns = [reference == k for k in range(size)]
        columns += [coder == k for coder in coders for k in range(size)]
        columns += [coder == reference for coder in coders]
        if (coders == MISSING).any():
            columns += [(reference == k) & (coder == MISSING) for coder in coders for k in range(size)]
        self.table = np.array(columns, dtype=dtype).T.copy()  # (units, K + mK + m [+ mK])

    def columns(self, coders: Sequence[int]) -> NDArray[np.intp]:
        """Which columns of the table are about the reference and these coders, in the table's own order."""
        own = np.asarray(coders, dtype=np.intp)[:, None] * self.size + np.arange(self.size)
        hits = self.size * (1 + self.count)
        parts = [np.arange(self.size), self.size + own.ravel(), hits + np.asarray(coders, dtype=np.intp)]
        if self.table.shape[1] > hits + self.count:
            parts.append(hits + self.count + own.ravel())
        return np.concatenate(parts)

    def __call__(
        self,
        weights: NDArray[Any],
        units: NDArray[Any] | slice = slice(None),
        columns: NDArray[np.intp] | slice = slice(None),
    ) -> Floats:
        """(rows, units) weights -> (columns, rows) sums over the given units."""
        return (weights[:, units] @ self.table[units][:, columns]).T.astype(np.float64, order="C")

    def kappas(self, sums: Floats, count: int, answered_only: bool = False) -> Floats:
        """(count, rows) kappas of the coders that the sums are about, NaN where undefined."""
        split, end = self.size * (1 + count), self.size * (1 + count) + count
        of_reference = sums[None, : self.size]
        of_coders = sums[self.size : split].reshape(count, self.size, -1)
        hits = sums[split:end]
        if answered_only:
            of_reference = of_reference - sums[end:].reshape(of_coders.shape)
        n = of_reference.sum(axis=1)
        chance = (of_reference * of_coders).sum(axis=1)
        below = n * n - chance  # whole numbers: exactly 0 where kappa is undefined
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(below > 0, (n * hits - chance) / below, np.nan)


@cache
def _libraries() -> ThreadpoolController:
    """The numerical libraries of this process; finding them takes a millisecond, once."""
    return ThreadpoolController()


def _pairs(names: list[str], pairs: Sequence[tuple[str, str]] | None) -> list[tuple[int, int]]:
    if pairs is None:
        return list(combinations(range(len(names)), 2))
    unknown = sorted({name for pair in pairs for name in pair} - set(names))
    if unknown:
        raise ValueError(
            f"a diferença pede codificadores que não foram dados: {', '.join(unknown)}; há {', '.join(names)}"
        )
    return [(names.index(first), names.index(second)) for first, second in pairs]


def kappa_bootstrap(
    reference: Any,
    coders: Mapping[str, Any],
    categories: Sequence[str],
    B: int = 10_000,
    *,
    seed: int = 0,
    level: float = 0.95,
    pairs: Sequence[tuple[str, str]] | None = None,
) -> KappaBootstrap:
    """Cohen's kappa of every coder with the reference, with percentile intervals on shared resamples.

    Kappa is the one of `cohen_kappa`: over the documents where the reference has a value, a coder
    without one there disagrees. Differences between two coders are over the documents that both
    answered, on the same resamples.

    Parameters
    ----------
    reference
        (n,) texts, missing as None, NaN or pd.NA; documents where it is missing are left out.
    coders
        Name -> (n,) texts, in the same order of documents.
    categories
        The codebook's list.
    B, seed, level
        Number of resamples, seed of the draws, level of the intervals.
    pairs
        The differences wanted, by name (first minus second). By default all pairs, made only when
        `differences` is read; an empty list asks for none.

    Returns
    -------
    KappaBootstrap. The draws depend on n, B and seed; where the documents fall into few patterns of
    values (n more than twelve times their number) patterns are drawn, which is the same distribution.

    Raises
    ------
    ValueError
        Values outside the categories, columns of different lengths, no coder, unknown names in `pairs`.
    """
    check(B, level)
    if not coders:
        raise ValueError("nenhum codificador foi dado; passe ao menos um")
    names, size = list(coders), len(category_list(categories))
    truth = encode(reference, categories)
    columns = [encode(values, categories) for values in coders.values()]
    same_length(truth, *columns)
    wanted = _pairs(names, pairs)
    known = truth != MISSING
    truth, table = truth[known], np.stack(columns)[:, known]
    at_once = [] if pairs is None else wanted
    replicates, apart = _replicates(truth, table, size, at_once, B, seed)

    def compare() -> pd.DataFrame:
        found = apart if pairs is not None else _replicates(truth, table, size, wanted, B, seed)[1]
        return _difference_rows(names, wanted, truth, table, size, percentile_intervals(found, level))

    return KappaBootstrap(
        coders=_coder_rows(names, truth, table, size, percentile_intervals(replicates, level)),
        replications=B,
        level=level,
        seed=seed,
        _compare=compare,
    )


def _replicates(
    truth: Codes, table: NDArray[np.intp], size: int, wanted: list[tuple[int, int]], B: int, seed: int
) -> tuple[Floats, Floats]:
    """(m, B) kappas and (pairs, B) differences; documents without reference are already left out."""
    n = len(truth)
    kappas, apart = np.full((len(table), B), np.nan), np.full((len(wanted), B), np.nan)
    if n == 0:
        return kappas, apart
    patterns = joint_patterns(truth, table, size)
    if patterns is None:
        draws = resampled_counts(n, B, seed, reuse=True)
    else:
        representatives, multiplicity = patterns
        truth, table = truth[representatives], table[:, representatives]
        draws = pattern_counts(multiplicity, B, seed)
    sums = _Sums(truth, table, size, count_dtype(n))
    missing = [np.flatnonzero(codes == MISSING) for codes in table]
    rivals = _rivals(wanted)
    incomplete = any(len(missing[coder]) for coder in rivals)

    start = 0
    # One thread: products this small take longer to share among cores than to make.
    with _libraries().limit(limits=1, user_api="blas"):
        for weights in draws:
            where = slice(start, start + len(weights))
            start = where.stop
            whole = sums(weights)
            kappas[:, where] = sums.kappas(whole, len(table))
            if incomplete:
                # Entry j: its rivals over the documents that j answered, which is the whole less a few or none.
                everywhere = dict(enumerate(sums.kappas(whole, len(table), answered_only=True)))
                where_answered = dict.fromkeys(rivals, everywhere)
                for j, others in rivals.items():
                    if not len(missing[j]):
                        continue
                    columns = sums.columns(others)
                    answered = whole[columns] - sums(weights, missing[j], columns)
                    own = sums.kappas(answered, len(others), answered_only=True)
                    where_answered[j] = dict(zip(others, own, strict=True))
                for position, (i, j) in enumerate(wanted):
                    apart[position, where] = where_answered[j][i] - where_answered[i][j]
    if not incomplete:
        for position, (i, j) in enumerate(wanted):
            apart[position] = kappas[i] - kappas[j]
    return kappas, apart


def _rivals(wanted: list[tuple[int, int]]) -> dict[int, list[int]]:
    """Coder → those it is compared with."""
    rivals: dict[int, set[int]] = {}
    for i, j in wanted:
        rivals.setdefault(i, set()).add(j)
        rivals.setdefault(j, set()).add(i)
    return {coder: sorted(others) for coder, others in rivals.items()}


def _coder_rows(
    names: list[str],
    truth: Codes,
    table: NDArray[np.intp],
    size: int,
    intervals: tuple[Floats, Floats, Floats],
) -> pd.DataFrame:
    main = [kappa_of_codes(truth, codes, size) for codes in table]
    complete = (table != MISSING).all(axis=1)
    answered = [
        kappa if whole else kappa_of_codes(truth, codes, size, answered_only=True)
        for kappa, whole, codes in zip(main, complete, table, strict=True)
    ]
    low, high, undefined = intervals
    return pd.DataFrame(
        {
            "codificador": names,
            "n": [kappa.n for kappa in main],
            "kappa": [kappa.value for kappa in main],
            "ic_inf": low,
            "ic_sup": high,
            "indefinidas": undefined if len(truth) else np.nan,
            "motivo": texts([kappa.reason for kappa in main]),
            "kappa_respondidos": [kappa.value for kappa in answered],
            "n_respondidos": [kappa.n for kappa in answered],
            "motivo_respondidos": texts([kappa.reason for kappa in answered]),
        }
    )


def _difference_rows(
    names: list[str],
    wanted: list[tuple[int, int]],
    truth: Codes,
    table: NDArray[np.intp],
    size: int,
    intervals: tuple[Floats, Floats, Floats],
) -> pd.DataFrame:
    first, second = [], []
    for i, j in wanted:
        both = (table[i] != MISSING) & (table[j] != MISSING)
        first.append(kappa_of_codes(truth[both], table[i, both], size))
        second.append(kappa_of_codes(truth[both], table[j, both], size))
    low, high, undefined = intervals
    n = np.array([kappa.n for kappa in first], dtype=np.int64)
    none = NO_PAIR if len(truth) else NO_DOCUMENT
    reasons = [(one.reason or two.reason) if one.n else none for one, two in zip(first, second, strict=True)]
    return pd.DataFrame(
        {
            "primeiro": [names[i] for i, _ in wanted],
            "segundo": [names[j] for _, j in wanted],
            "n": n,
            "diferenca": [one.value - two.value for one, two in zip(first, second, strict=True)],
            "ic_inf": low,
            "ic_sup": high,
            "indefinidas": np.where(n > 0, undefined, np.nan),
            "motivo": texts(reasons),
        }
    )
