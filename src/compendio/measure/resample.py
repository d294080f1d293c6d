"""Resamples of documents, percentile intervals, and ratios pooled over decisions.

What is drawn again is always the document, never the decision (Efron and Tibshirani 1993).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from compendio.measure.inference import check_level
from compendio.measure.values import texts

Floats = NDArray[np.float64]

# Counts at a time: memory does not grow with the replications, and all that is made of the draws stays in
# the processor's cache. The stream of draws depends on it: with another value every interval changes.
PIECE = 2**16
EXACT_FLOAT32 = 2**24  # float32 holds every whole number up to here, so its sums of counts are exact
NO_RATIO = "nenhuma decisão no denominador"


def check(replications: int, level: float) -> None:
    """ValueError where there is nothing to draw, or no level to report."""
    if replications < 1:
        raise ValueError(f"o número de réplicas deve ser 1 ou mais, e não {replications}")
    check_level(level)


def count_dtype(n: int) -> Any:
    """The smaller float that still holds counts of n documents exactly."""
    return np.float32 if n < EXACT_FLOAT32 else np.float64


def resampled_counts(n: int, replications: int, seed: int, *, reuse: bool = False) -> Iterator[NDArray[Any]]:
    """How often each of n documents is drawn, replicate by replicate.

    Yields (rows, n) arrays of counts (float32, or float64 from 2**24 documents), `replications` rows in
    all, in pieces of constant memory. Anything that is a sum over documents is `counts @ per_document`.
    The same n, replications and seed give the same draws. With `reuse` every array is the same piece of
    memory, to be read before the next one is asked for (new memory costs as much as the draws).
    """
    if n == 0:
        return
    rng = np.random.default_rng(seed)
    rows = min(max(1, PIECE // n), replications)
    counts = np.empty((rows, n), dtype=count_dtype(n))
    drawn = _one_entry_a_draw(rows, n)
    for start in range(0, replications, rows):
        size = min(rows, replications - start)
        if size < rows:
            drawn = _one_entry_a_draw(size, n)
        drawn.indices[:] = rng.integers(0, n, (size, n), dtype=np.uint16 if n <= PIECE else np.uint32).ravel()
        drawn.toarray(out=counts[:size])  # adds up the entries of each document: this is the counting
        yield counts[:size] if reuse else counts[:size].copy()


def _one_entry_a_draw(rows: int, n: int) -> csr_array:
    """A sparse (rows, n) matrix with n entries of 1 a row, whose columns are still to be written."""
    ones, columns = np.ones(rows * n, dtype=count_dtype(n)), np.zeros(rows * n, dtype=np.int32)
    return csr_array((ones, columns, n * np.arange(rows + 1, dtype=np.int32)), shape=(rows, n))


def pattern_counts(multiplicity: NDArray[np.int64], replications: int, seed: int) -> Iterator[NDArray[Any]]:
    """The same over groups of equal documents: one multinomial draw a replicate, whatever n is."""
    rng = np.random.default_rng(seed)
    n = int(multiplicity.sum())
    rows = max(1, PIECE // len(multiplicity))
    for start in range(0, replications, rows):
        size = min(rows, replications - start)
        yield rng.multinomial(n, multiplicity / n, size=size).astype(count_dtype(n))


def percentile_intervals(replicates: Floats, level: float = 0.95) -> tuple[Floats, Floats, Floats]:
    """Percentile intervals of (m, B) replicates.

    Returns (m,) lower ends, upper ends, and shares of undefined replicates. NaN replicates are left
    out; where all are NaN, so are the ends.
    """
    if not len(replicates):
        return np.empty(0), np.empty(0), np.empty(0)
    undefined = np.isnan(replicates)
    ends = np.array([0.5 - level / 2, 0.5 + level / 2])
    result = np.full((len(replicates), 2), np.nan)
    whole = ~undefined.any(axis=1)
    result[whole] = np.quantile(replicates[whole], ends, axis=1, overwrite_input=True).T
    for row in np.flatnonzero(~whole & ~undefined.all(axis=1)):
        result[row] = np.quantile(replicates[row][~undefined[row]], ends)
    return result[:, 0], result[:, 1], undefined.mean(axis=1)


def ratio_bootstrap(
    numerator: ArrayLike,
    denominator: ArrayLike,
    documents: ArrayLike,
    B: int = 10_000,
    *,
    seed: int = 0,
    level: float = 0.95,
) -> pd.DataFrame:
    """Ratios of sums over decisions, with percentile intervals that resample documents.

    The decisions of one document (its variables, its coders) are not independent; drawing whole
    documents keeps them together. Useful cases: pooled agreement (numerator: hit or not, denominator: 1);
    agreement by kind of decision (a column a kind: denominator 1 where the decision is of that kind);
    difference between two coders (numerator: hit of the first minus hit of the second).

    Parameters
    ----------
    numerator, denominator
        (decisions,) or (decisions, g) numbers, none missing; each column is a ratio, all on the same
        resamples.
    documents
        (decisions,) the document of each decision. The documents drawn from are all that occur here,
        those whose denominator is 0 included.

    Returns
    -------
    One row a column: `valor`, `ic_inf`, `ic_sup`, `indefinidas` (share of replicates whose denominator
    is 0, left out), `denominador` (the sum), `documentos` (how many have a denominator), `motivo`.
    """
    check(B, level)
    above, below = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    if above.ndim == 1:
        above = above[:, None]
    if below.ndim == 1:
        below = below[:, None]
    above, below = np.broadcast_arrays(above, below)
    if np.isnan(above).any() or np.isnan(below).any() or (below < 0).any():
        raise ValueError("numerador e denominador não podem ter ausentes, nem o denominador ser negativo")
    codes, uniques = pd.factorize(pd.Series(documents))
    if len(codes) != len(above) or (codes < 0).any():
        raise ValueError("cada decisão precisa do seu documento; confira a coluna de documentos")
    total = np.zeros((len(uniques), 2 * above.shape[1]))
    np.add.at(total, codes, np.hstack([above, below]))
    g, values, start = above.shape[1], np.full((above.shape[1], B), np.nan), 0
    with np.errstate(invalid="ignore", divide="ignore"):
        for counts in resampled_counts(len(uniques), B, seed, reuse=True):
            sums = (counts.astype(np.float64) @ total).T
            ratios = np.where(sums[g:] > 0, sums[:g] / sums[g:], np.nan)
            values[:, start : start + len(counts)] = ratios
            start += len(counts)
    low, high, undefined = percentile_intervals(values, level)
    whole = total.sum(axis=0)
    defined = whole[g:] > 0
    value = np.full(g, np.nan)
    np.divide(whole[:g], whole[g:], out=value, where=defined)
    return pd.DataFrame(
        {
            "valor": value,
            "ic_inf": low,
            "ic_sup": high,
            "indefinidas": np.where(defined, undefined, np.nan),
            "denominador": whole[g:],
            "documentos": (total[:, g:] > 0).sum(axis=0),
            "motivo": texts([None if there else NO_RATIO for there in defined]),
        }
    )
