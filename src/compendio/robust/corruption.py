"""Simulated panels with a known truth, and the ways in which a judge fails.

RoPoLL's summary names the regimes and does not define them. What follows is this project's reading, with
every parameter written down:

- who fails: Huber's model, each judge in each query by itself with probability `rate`; or, for questions of
  breakdown, an exact number of judges drawn anew in each query;
- `zeros`: every dimension becomes the lowest grade of the scale (0 on 0 to 4). A literal 0 on a scale of
  1 to 5 would be out of scale, and a mask would find it;
- `invertido`: the honest grade mirrored on the scale, lowest + highest - grade;
- `bimodal`: each dimension by itself becomes the lowest or the highest grade with probability 1/2, so that
  each is plausible and the vector is not;
- `cauchy`: honest grade + shift + spread * standard Cauchy, by itself in each dimension: no mean exists;
- `ruido` (control, Noisy-GT): truth + normal noise, no bias.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from compendio.erros import ErroDeEstudo
from compendio.robust.aggregate import Floats
from compendio.robust.geometric_median import Bools

REGIMES: dict[str, str] = {
    "zeros": "Zeros (a menor nota da escala)",
    "invertido": "Invertido (nota espelhada na escala)",
    "bimodal": "Bimodal aleatório (extremos sorteados por dimensão)",
    "cauchy": "Cauchy distante (deslocado, cauda pesada)",
    "ruido": "Ruído sem viés (controle)",
}
#: The same names without what the brackets explain.
SHORT: dict[str, str] = {key: name.split(" (")[0] for key, name in REGIMES.items()}


@dataclass(frozen=True)
class Failure:
    """A regime and its parameters.

    Attributes
    ----------
    regime
        A key of `REGIMES`.
    deslocamento
        `cauchy`: what is added to every dimension, in widths of its scale (10 on 0 to 4: 40 grades).
    dispersao
        `cauchy`: scale of the Cauchy noise, in widths (half of its absolute values are below it).
    desvio
        `ruido`: standard deviation of the noise, in widths.
    """

    regime: str
    deslocamento: float = 10.0
    dispersao: float = 1.0
    desvio: float = 0.5

    def __post_init__(self) -> None:
        if self.regime not in REGIMES:
            raise ErroDeEstudo(
                f'regime de falha "{self.regime}" desconhecido; use um destes: {", ".join(REGIMES)}.'
            )


def honest_panel(
    queries: int,
    judges: int,
    dimensions: int,
    rng: np.random.Generator,
    *,
    sigma: float = 0.5,
    correlation: float = 0.0,
    scale: tuple[float, float] = (0.0, 4.0),
) -> tuple[Floats, Floats]:
    """Truth (queries, dimensions) and honest grades (queries, judges, dimensions).

    The truth is uniform on the scale. An honest judge errs by a normal (hence sub-Gaussian) amount of
    standard deviation `sigma`, by itself in each dimension; the errors of any two judges have correlation
    `correlation`, in [0, 1]: a shared part and an own part. Grades are not rounded, nor cut at the ends of
    the scale.
    """
    truth = rng.uniform(*scale, size=(queries, dimensions))
    own = rng.standard_normal((queries, judges, dimensions))
    shared = rng.standard_normal((queries, 1, dimensions))
    error = np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * own
    return truth, truth[:, None, :] + sigma * error


def who_fails(
    queries: int,
    judges: int,
    rng: np.random.Generator,
    *,
    rate: float | None = None,
    number: int | None = None,
) -> Bools:
    """(queries, judges) mask: each by itself with probability `rate`, or exactly `number` in each query."""
    draws = rng.random((queries, judges))
    if number is not None:
        failing: Bools = draws.argsort(axis=1).argsort(axis=1) < number
        return failing
    if rate is None or not 0 <= rate <= 1:
        raise ErroDeEstudo(f"a taxa de contaminação é {rate}; use um número de 0 a 1.")
    return draws < rate


def corrupt(
    scores: Floats,
    failing: Bools,
    failure: Failure,
    rng: np.random.Generator,
    *,
    scale: tuple[float, float] | tuple[Floats, Floats] = (0.0, 4.0),
    truth: Floats | None = None,
) -> Floats:
    """A copy of `scores` (queries, judges, dimensions) in which the `failing` judges fail as `failure` says.

    `scale` is (lowest, highest) of all dimensions, or two arrays (dimensions,). NaN stays NaN: a judge that
    gave no grade does not give a false one.
    `truth` (queries, dimensions) is needed by `ruido` only.
    """
    low, high = np.asarray(scale[0]), np.asarray(scale[1])
    width = high - low
    shape = scores.shape
    match failure.regime:
        case "zeros":
            wrong = np.broadcast_to(low, shape)
        case "invertido":
            wrong = low + high - scores
        case "bimodal":
            wrong = np.where(rng.random(shape) < 0.5, low, high)
        case "cauchy":
            wrong = scores + width * (failure.deslocamento + failure.dispersao * rng.standard_cauchy(shape))
        case _:
            if truth is None:
                raise ErroDeEstudo(
                    "o regime «ruido» precisa da nota verdadeira (ou da referência) de cada consulta."
                )
            wrong = truth[:, None, :] + width * failure.desvio * rng.standard_normal(shape)
    return np.where(failing[:, :, None] & np.isfinite(scores), wrong, scores)
