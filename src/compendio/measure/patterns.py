"""Documents with the same values for reference and coders, counted together."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from compendio.measure.values import Codes

DOCUMENTS_PER_PATTERN = (
    12  # about where drawing how often each pattern comes is faster than drawing documents
)
DENSE = 2**20  # keys up to here are counted in a plain array, larger ones are renumbered first


def joint_patterns(
    reference: Codes, coders: NDArray[np.intp], size: int
) -> tuple[NDArray[np.intp], NDArray[np.int64]] | None:
    """Patterns of (reference, coders), where they are few.

    Parameters
    ----------
    reference
        (n,) codes from 0 to size - 1, n > 0.
    coders
        (m, n) codes from -1 (missing) to size - 1.

    Returns
    -------
    A document of each pattern (its position) and how many documents have the pattern; None where the
    documents are not more than twelve times the patterns.
    """
    n = len(reference)
    key, span = reference, size
    for codes in coders:
        key = key * (size + 1) + (codes + 1)
        span *= size + 1
        if span > DENSE:
            key, uniques = pd.factorize(key)
            span = len(uniques)
            if n <= DOCUMENTS_PER_PATTERN * span:
                return None
    counts = np.bincount(key, minlength=span)
    present = np.flatnonzero(counts)
    if n <= DOCUMENTS_PER_PATTERN * len(present):
        return None
    last = np.empty(span, dtype=np.intp)
    last[key] = np.arange(n)
    return last[present], counts[present].astype(np.int64)
