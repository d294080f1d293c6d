"""One grade per query from a panel of judges: mean (PoLL), coordinate median, trimmed mean, geometric median.

Scores are arrays (queries, judges, dimensions). NaN marks a grade that is not there. A judge with any
missing dimension in a query is left out of that query by every aggregator, so that all of them see the
same panel. Queries are worked through in chunks: memory beyond input and output does not grow with them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from compendio.erros import ErroDeEstudo
from compendio.robust.geometric_median import Floats, counting, exact, subgradient_norm, weiszfeld

Scales = Sequence[tuple[float, float]]
Method = Literal["exact", "weiszfeld"]

NO_JUDGE = "nenhum juiz com nota válida em todas as dimensões"
# Values per chunk, so that it and its temporaries stay in the cache: the closed form for three judges is
# quick per value and suffers first; the iteration for more needs many queries per step to hide the loop.
CHUNK_VALUES = {"small": 16_384, "large": 65_536}
# Squares of scores must not overflow.
LARGEST = 1e100


class AvisoDePainel(UserWarning):
    """A panel gives a number, but not the protection that its name promises."""


@dataclass(frozen=True)
class Aggregated:
    """The panel's grades.

    Attributes
    ----------
    valor
        (queries, dimensions); NaN where no judge counts.
    juizes
        (queries,) how many judges counted.
    motivo
        (queries,) why there is no value; None where there is one.
    residuo
        (queries,) optimality certificate of the geometric median (see `subgradient_norm`), if asked for.
    """

    valor: Floats
    juizes: NDArray[np.int64]
    motivo: NDArray[np.object_]
    residuo: Floats | None = None


def mean(scores: ArrayLike) -> Aggregated:
    """Arithmetic mean of the judges, the aggregator of PoLL (Verga et al., 2024)."""
    return _aggregate(scores, lambda x: x.mean(axis=0))


def coordinate_median(scores: ArrayLike) -> Aggregated:
    """Ordinary median of each dimension by itself; an even panel gives the mean of the middle two."""
    return _aggregate(scores, lambda x: _middle(x, (x.shape[0] - 1) // 2))


def trimmed_mean(scores: ArrayLike, beta: float = 0.25) -> Aggregated:
    """Mean of each dimension after leaving out the floor(beta N) lowest and as many highest grades.

    `beta` is a share of the judges at each end, in [0, 0.5). With N < 1/beta nobody is left out and the
    result is the mean: three judges need beta >= 1/3.
    """
    if not 0 <= beta < 0.5:
        raise ErroDeEstudo(
            f"beta da média aparada é {beta}; use um número de 0 até menos de 0,5 (fração em cada ponta)."
        )
    # 1e-9: 0.29 * 100 is 28.999999999999996 in floating point.
    return _aggregate(scores, lambda x: _middle(x, int(beta * x.shape[0] + 1e-9)))


def geometric_median(
    scores: ArrayLike,
    method: Method = "exact",
    *,
    scales: Scales | None = None,
    rescale: bool = False,
    certificate: bool = False,
    eta: float = 1e-6,
    steps: int = 100,
    tolerance: float = 0.0,
) -> Aggregated:
    """The vector with the smallest sum of Euclidean distances to the judges' vectors (RoPoLL).

    With one dimension it is the ordinary median. Where it is not unique it is the midpoint of the
    minimising segment; so two judges give their mean, and a warning, since two cannot outvote one.

    Parameters
    ----------
    scores
        (queries, judges, dimensions).
    method
        "exact": closed form for three judges, vertex test and safeguarded Newton for more.
        "weiszfeld": RoPoLL's algorithm as described, for fidelity: from the mean, at most `steps` steps
        with weights 1/max(distance, `eta`), stopping when no query moves by more than `tolerance`.
        RoPoLL's summary gives no eta, steps or tolerance: the defaults are ours.
    scales
        (lowest, highest) grade of each dimension. Distances mix the dimensions, so different scales
        are an error unless `rescale` maps each to 0..1 and the result back.
    certificate
        Also return the norm of the minimum subgradient at each result (in the rescaled space, if any).

    Raises
    ------
    ErroDeEstudo
        Different scales without `rescale`, an unknown method, or scores of a wrong shape or size.
    """
    x = _checked(scores)
    if method not in ("exact", "weiszfeld"):
        raise ErroDeEstudo(
            f'método "{method}" desconhecido na mediana geométrica; use "exact" ou "weiszfeld".'
        )
    low, width = _common_scale(scales, rescale, x.shape[2])

    def solve(block: Floats) -> Floats:
        unit = (block - low[:, None]) / width[:, None] if rescale else block
        z = exact(unit) if method == "exact" else weiszfeld(unit, eta, steps, tolerance)
        return z * width[:, None] + low[:, None] if rescale else z

    result = _aggregate(x, solve)
    pairs = int((result.juizes == 2).sum())
    if pairs:
        warnings.warn(
            f"{pairs} consulta(s) com só dois juízes: a mediana geométrica é a média dos dois, "
            "e dois juízes não protegem de um que falha.",
            AvisoDePainel,
            stacklevel=2,
        )
    if not certificate:
        return result
    residual = np.empty(x.shape[0])
    for part in _chunks(x.shape):
        block, value = x[part], result.valor[part]
        residual[part] = subgradient_norm((block - low) / width, (value - low) / width)
    return replace(result, residuo=residual)


def _middle(x: Floats, cut: int) -> Floats:
    """Mean of the order statistics of each dimension from `cut` to `N - cut`, over axis 0."""
    return np.sort(x, axis=0)[cut : x.shape[0] - cut].mean(axis=0)


def _aggregate(scores: ArrayLike, function: Callable[[Floats], Floats]) -> Aggregated:
    """Apply `function`, (judges, dimensions, queries) → (dimensions, queries), to panels of equal size."""
    x = _checked(scores)
    value = np.full((x.shape[0], x.shape[2]), np.nan)
    judges = np.zeros(x.shape[0], dtype=np.int64)
    for part in _chunks(x.shape):
        block = x[part]
        if _all_grades(block):  # the mask and its grouping are not needed
            value[part] = function(np.ascontiguousarray(block.transpose(1, 2, 0))).T
            judges[part] = block.shape[1]
            continue
        if np.nanmax(np.abs(block), initial=0.0) > LARGEST:
            raise ErroDeEstudo(
                f"há nota infinita ou maior que {LARGEST:.0e}; troque por célula vazia a que não é nota."
            )
        valid = counting(block)
        sizes = valid.sum(axis=1)
        judges[part] = sizes
        first = np.argsort(~valid, axis=1, kind="stable")
        for n in np.unique(sizes[sizes > 0]):
            rows = np.flatnonzero(sizes == n)
            panel = np.take_along_axis(block[rows], first[rows, :n, None], axis=1)
            value[part][rows] = function(np.ascontiguousarray(panel.transpose(1, 2, 0))).T
    reason = np.full(x.shape[0], None, dtype=object)
    reason[judges == 0] = NO_JUDGE
    return Aggregated(value, judges, reason)


def _chunks(shape: tuple[int, ...]) -> list[slice]:
    values = CHUNK_VALUES["small" if shape[1] <= 3 else "large"]
    size = max(64, values // (shape[1] * shape[2]))
    return [slice(i, i + size) for i in range(0, shape[0], size)]


def _all_grades(block: Floats) -> bool:
    """True where nothing is NaN, infinite or huge: min and max are NaN if anything is."""
    return bool(block.min(initial=0.0) >= -LARGEST and block.max(initial=0.0) <= LARGEST)


def _checked(scores: ArrayLike) -> Floats:
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 3 or x.shape[1] == 0 or x.shape[2] == 0:
        raise ErroDeEstudo(
            f"as notas têm forma {x.shape}; o painel precisa de três eixos: consultas, juízes (1 ou mais) e "
            "dimensões (1 ou mais)."
        )
    return x


def _common_scale(scales: Scales | None, rescale: bool, dimensions: int) -> tuple[Floats, Floats]:
    """(lowest, width) of each dimension to rescale by: (0, 1) where the dimensions are mixed as they are."""
    as_they_are = np.zeros(dimensions), np.ones(dimensions)
    if scales is None:
        if rescale:
            raise ErroDeEstudo("para reescalar as notas diga a escala (menor e maior nota) de cada dimensão.")
        return as_they_are
    limits = np.asarray(scales, dtype=np.float64)
    if limits.shape != (dimensions, 2) or not (limits[:, 0] < limits[:, 1]).all():
        raise ErroDeEstudo(
            f"são {dimensions} dimensões e as escalas dadas são {list(scales)}; dê para cada dimensão o par "
            "(menor nota, maior nota)."
        )
    if rescale:
        return limits[:, 0], limits[:, 1] - limits[:, 0]
    if (limits != limits[0]).any():
        raise ErroDeEstudo(
            "as dimensões têm escalas diferentes e a distância entre notas as misturaria; peça para "
            "reescalar (cada escala vira 0 a 1 e o resultado volta à sua) ou agregue cada dimensão por si."
        )
    return as_they_are


# What tables and figures call them, in the order in which they are shown.
NAMES: dict[str, str] = {
    "media": "média",
    "media_aparada": "média aparada",
    "mediana_coordenada": "mediana por coordenada",
    "mediana_geometrica": "mediana geométrica",
}


def all_aggregates(
    scores: ArrayLike, *, beta: float = 0.25, scales: Scales | None = None, rescale: bool = False
) -> dict[str, Aggregated]:
    """Every aggregator over the same panel, by key of `NAMES`. Only the geometric median looks at scales."""
    return {
        "media": mean(scores),
        "media_aparada": trimmed_mean(scores, beta),
        "mediana_coordenada": coordinate_median(scores),
        "mediana_geometrica": geometric_median(scores, scales=scales, rescale=rescale),
    }
