"""Writes the simulated panel of this folder: grades of six invented judges whose truth is known.

Run from the root of the project: `python data/painel/simular.py`. The same seed writes the same bytes.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

SEMENTE = 20_260_928
ITENS = 80
DIMENSOES = ["argumentacao", "coerencia", "evidencia", "redacao"]
# Judge → (family, standard deviation of its own error, its constant bias in grades).
JUIZES = {
    "alfa-1": ("alfa", 0.5, 0.0),
    "alfa-2": ("alfa", 0.6, 0.1),
    "beta-1": ("beta", 0.5, -0.1),
    "beta-2": ("beta", 0.7, 0.0),
    "gama-1": ("gama", 0.6, 0.0),
    "delta-1": ("delta", 0.5, 0.8),  # flatters
}
DESVIO_FAMILIA = 0.4  # shared by the judges of one family
DESVIO_COMUM = 0.3  # shared by all judges
PARCELA_ZERO = 0.15  # gama-1: share of items in which it gives the lowest grade to everything
FALHAS = ["-1", "9", "sem nota", ""]  # cells that no judge can have meant: each four times


def main() -> None:
    folder = Path(__file__).parent
    rng = np.random.default_rng(SEMENTE)
    truth = rng.uniform(1.3, 4.7, size=(ITENS, len(DIMENSOES)))
    shape = truth.shape
    common = DESVIO_COMUM * rng.standard_normal(shape)
    families = {family for family, _, _ in JUIZES.values()}
    shared = {family: DESVIO_FAMILIA * rng.standard_normal(shape) for family in sorted(families)}
    broken = rng.random(ITENS) < PARCELA_ZERO
    first: dict[str, np.ndarray] = {}
    second: dict[str, np.ndarray] = {}
    for judge, (family, deviation, bias) in JUIZES.items():
        steady = truth + bias + common + shared[family] + 0.8 * deviation * rng.standard_normal(shape)
        for ratings in (first, second):  # the rest of its own error is drawn anew at each rating
            ratings[judge] = np.clip(np.round(steady + 0.6 * deviation * rng.standard_normal(shape)), 1, 5)
            if judge == "gama-1":
                ratings[judge][broken] = 1
    names, dims = list(JUIZES), range(len(DIMENSOES))
    cells = {(i, judge, k): f"{first[judge][i, k]:g}" for i in range(ITENS) for judge in names for k in dims}
    for n, i in enumerate(rng.choice(ITENS, size=4 * len(FALHAS), replace=False)):
        where = (int(i), names[rng.integers(len(names))], int(rng.integers(len(DIMENSOES))))
        cells[where] = FALHAS[n % len(FALHAS)]
    items = [f"texto-{i + 1:02d}" for i in range(ITENS)]
    write(
        folder / "notas.csv",
        ["item", "juiz", "dimensao", "nota"],
        [[items[i], judge, DIMENSOES[k], cell] for (i, judge, k), cell in cells.items()],
    )
    write(
        folder / "repeticao.csv",
        ["item", "juiz", "dimensao", "nota"],
        [[items[i], judge, DIMENSOES[k], f"{second[judge][i, k]:g}"] for i, judge, k in cells],
    )
    write(
        folder / "referencia.csv",
        ["item", "dimensao", "nota"],
        [[items[i], d, f"{truth[i, k]:.3f}"] for i in range(ITENS) for k, d in enumerate(DIMENSOES)],
    )


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
