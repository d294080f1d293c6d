"""Share of a category in a whole corpus: by the machine's codes, by hand, and by both together.

All three are about one finite corpus of N documents. Of m of them the machine says "this category" (1) or not
(0); of n of these a person says so, too, and each of the n was drawn with a known probability. What a person
says is what counts; the machine errs.

    naive       mean of the machine's codes; its interval knows the draw of documents, not the machine's errors
    by hand     mean of the hand codes; right, and wide where n is small
    corrected   mean by hand + weight * (machine's mean over the m - machine's mean over the n)

The third is prediction-powered inference for a mean (Angelopoulos et al. 2023, Science 382, 669), with the
weight that makes it tightest (PPI++, Angelopoulos, Duchi and Zrnic 2023): a machine that says nothing about the
hand codes gets weight 0, and the share by hand comes out. For a yes or no the best weight makes it the estimator
of double sampling with misclassified data (Tenenbein 1970), which stays between 0 and 1. This module imports
nothing of the package but what measures and values share, so anyone may use it.

With w = 1/probability, W = sum of w over the n, and e = hand - weight * machine, the variance is

    (1/m - 1/N) p (1 - p)  +  sum (1 - probability) w² (e - mean of e)² / W²

The first part is the draw of the m from the corpus, the second that of the n from the m (Poisson's form, with
Hájek's mean; of a simple random sample it is (1/n - 1/m) times the variance of e, and where strata have
probabilities of their own it errs on the side of caution). Both vanish where everything was coded; as N grows
the whole becomes the variance of PPI++.

Every interval is Wilson's (1927) with an effective number of documents, p (1 - p) / variance (Korn and Graubard
1998), for which the variance is taken from the table of hand by machine with half a document added to each of its
four cells (Agresti and Min 2005). Without the halves, a sample in which the machine happens not to err would
give an interval of no width. Coverage by simulation: tests/measure/test_ppi_coverage.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from compendio.measure.inference import check_level

Floats = NDArray[np.float64]

SEM_MAQUINA = "a máquina não codificou nenhum documento"
SEM_REFERENCIA = "a referência não codificou nenhum documento"
SEM_PAR = "nenhum documento foi codificado pela referência e pela máquina"
UM_PAR = "um só documento foi codificado pela referência e pela máquina"
SEM_OUTROS = "a máquina não codificou nenhum documento além dos da referência"


@dataclass(frozen=True)
class Share:
    """A share with its interval; NaN with the reason (Portuguese) where it is undefined.

    Attributes
    ----------
    value, low, high
        The share and the ends of its interval.
    n
        Documents it rests on: coded by the machine (naive), by hand, or by both (corrected).
    effective
        Documents coded by hand, in a corpus without end, whose share would have an interval as wide; infinite
        where nothing was left to chance.
    se
        Standard error, without the added halves.
    weight
        Weight of the machine's codes in the corrected share, from 0 to 1.
    reason
        Why it is undefined.
    """

    value: float
    low: float
    high: float
    n: int
    effective: float = math.nan
    se: float = math.nan
    weight: float = math.nan
    reason: str | None = None


def naive_share(machine: Any, corpus: int, level: float = 0.95) -> Share:
    """Mean of the machine's codes. The interval covers the draw of documents only, never the machine's errors.

    Parameters
    ----------
    machine
        (m,) 1 or 0; NaN where the machine gave no value, which leaves the document out.
    corpus
        N, documents of the whole corpus.
    """
    codes = _codes(machine, "machine")
    return _mean(codes, np.full(len(codes), _rate(len(codes), corpus)), SEM_MAQUINA, level)


def hand_share(hand: Any, corpus: int, probability: Any = None, level: float = 0.95) -> Share:
    """Mean of the hand codes, each document weighted by how likely it was to be drawn (Hájek).

    Parameters
    ----------
    hand
        (n,) 1 or 0; NaN where there is none.
    corpus
        N, documents of the whole corpus.
    probability
        (n,) probability with which each document entered the sample; without it, n/N (a simple random sample).
    """
    there = _there(hand, "hand")
    codes = np.asarray(hand, dtype=float)[there]
    return _mean(codes, _probabilities(probability, there, corpus), SEM_REFERENCIA, level)


def corrected_share(
    machine: Any,
    hand: Any,
    corpus: int,
    probability: Any = None,
    level: float = 0.95,
    weight: float | None = None,
) -> Share:
    """The machine's share, corrected by what the hand codes show of its errors. See the head of this module.

    Parameters
    ----------
    machine
        (m,) 1 or 0 for each document that the machine was asked about; where it failed, 0: it did not say the
        category, which is an error like any other if a person does.
    hand
        (m,) 1 or 0; NaN where the document was not coded by hand.
    corpus
        N, documents of the whole corpus, of which the m are a simple random sample or all.
    probability
        (m,) probability with which each of the m was drawn to be coded by hand, read where `hand` is not NaN;
        without it, n/m (a simple random sample of the m).
    weight
        A weight of one's own; without it the tightest, 0 at least.

    Returns
    -------
    Share; undefined where fewer than two documents were coded by both, and where the hand coded all of the m.
    """
    there = _there(hand, "hand")
    every = np.asarray(machine, dtype=float)
    if every.shape != there.shape or not np.isin(every, (0, 1)).all():
        raise ValueError("machine e hand devem ter o mesmo tamanho, e machine só 0 e 1, um por documento")
    m, n = len(every), int(there.sum())
    _rate(m, corpus)
    if n < 2 or n == m:
        return _undefined(n, SEM_PAR if n == 0 else SEM_OUTROS if n == m else UM_PAR)
    y, f = np.asarray(hand, dtype=float)[there], every[there]
    p = _probabilities(probability, there, m)
    counts, spread = _table(y, f, 1 / p), _table(y, f, (1 - p) / p**2)
    if not spread.any():
        return _undefined(n, SEM_OUTROS)
    found, share, variance = _tightest(counts, spread, weight)
    # Only a weight of one's own, or very unlike probabilities, can lead out of 0 to 1.
    value = min(1.0, max(0.0, share + found * (float(every.mean()) - _means(counts)[1])))
    scale, between = float(spread.sum() / counts.sum() ** 2), 1 / m - 1 / corpus
    _, halved, wider = _tightest(counts + _half(counts, n), spread + _half(spread, n), weight)
    spare = halved * (1 - halved)
    effective = spare / (between * spare + scale * wider)
    low, high = _wilson(value, effective, level)
    se = math.sqrt(n / (n - 1) * (between * share * (1 - share) + scale * variance))
    return Share(value, low, high, n, effective, se, found)


def _mean(codes: Floats, probability: Floats, missing: str, level: float) -> Share:
    """Hájek's mean; Wilson's interval with the effective number of documents that the draw leaves."""
    n = len(codes)
    if n == 0:
        return _undefined(0, missing)
    w = probability[0] / probability  # exactly 1 where all are alike, so that k of n is k/n
    value = float((w * codes).sum() / w.sum())
    scale = float(((1 - probability) * w**2).sum() / w.sum() ** 2)
    effective = math.inf if scale == 0 else 1 / scale
    squares = (1 - probability) * w**2 * (codes - value) ** 2
    se = math.sqrt(n / (n - 1) * float(squares.sum())) / float(w.sum()) if n > 1 else math.nan
    low, high = _wilson(value, effective, level)
    return Share(value, low, high, n, effective, se)


def _table(y: Floats, f: Floats, of: Floats) -> Floats:
    """(2, 2) sums over the documents by hand (rows) and machine (columns)."""
    cells = (2 * y + f).astype(int)
    return np.bincount(cells, weights=of, minlength=4).reshape(2, 2).astype(float)


def _half(table: Floats, n: int) -> float:
    """Half of what a document adds to a table, on average."""
    return float(table.sum()) / (2 * n)


def _means(table: Floats) -> tuple[float, float]:
    """Share of yes by hand and by the machine."""
    return float(table[1].sum() / table.sum()), float(table[:, 1].sum() / table.sum())


def _tightest(counts: Floats, spread: Floats, weight: float | None) -> tuple[float, float, float]:
    """Weight (the tightest where none is given), share by hand, and variance of hand - weight * machine.

    `counts` says where the means are, `spread` how much each cell adds to the variance.
    """
    share, said = _means(counts)
    y, f = np.array([[-share], [1 - share]]), np.array([[-said, 1 - said]])
    part = spread / spread.sum()
    if weight is None:
        own = float((part * f**2).sum())
        weight = max(0.0, float((part * y * f).sum()) / own) if own > 0 else 0.0
    return weight, share, float((part * (y - weight * f) ** 2).sum())


def _wilson(value: float, effective: float, level: float) -> tuple[float, float]:
    """Wilson's interval of a share that rests on `effective` documents, a number that need not be whole."""
    check_level(level)
    if math.isinf(effective):
        return value, value
    z2 = float(ndtri(0.5 + level / 2)) ** 2
    middle = (value * effective + z2 / 2) / (effective + z2)
    half = math.sqrt(z2 * (value * (1 - value) * effective + z2 / 4)) / (effective + z2)
    return max(0.0, middle - half), min(1.0, middle + half)


def _undefined(n: int, reason: str) -> Share:
    return Share(math.nan, math.nan, math.nan, n, reason=reason)


def _codes(values: Any, name: str) -> Floats:
    there = _there(values, name)
    return np.asarray(values, dtype=float)[there]


def _there(values: Any, name: str) -> NDArray[np.bool_]:
    """Where there is a code; ValueError where one is neither 0 nor 1."""
    codes = np.asarray(values, dtype=float)
    there = ~np.isnan(codes)
    if codes.ndim != 1 or not np.isin(codes[there], (0, 1)).all():
        raise ValueError(f"{name}: os códigos devem formar uma lista de 0, 1 ou NaN, um por documento")
    return there


def _rate(n: int, corpus: int) -> float:
    if n > corpus:
        raise ValueError(f"há {n} documentos codificados e só {corpus} no corpus; confira corpus")
    return n / corpus if corpus else 1.0


def _probabilities(probability: Any, there: NDArray[np.bool_], size: int) -> Floats:
    n = int(there.sum())
    if probability is None:
        return np.full(n, _rate(n, size))
    given = np.asarray(probability, dtype=float)
    if given.shape != there.shape or not ((given[there] > 0) & (given[there] <= 1)).all():
        raise ValueError("as probabilidades devem ser uma por documento, maiores que 0 e até 1")
    return given[there]
