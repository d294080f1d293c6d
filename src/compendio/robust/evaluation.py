"""A panel of real (or simulated) scores against its reference: errors, their correlation, repeated ratings.

Errors are score minus reference. Intervals resample items, since the grades of one item go together. A
reference of people is itself an estimate: these are distances from it, not from a truth.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from compendio.erros import ErroDeEstudo
from compendio.robust.aggregate import NAMES, Floats, all_aggregates
from compendio.robust.corruption import REGIMES, Failure, corrupt, who_fails
from compendio.robust.experiment import effective_judges
from compendio.robust.geometric_median import counting
from compendio.robust.scores import Panel

BEST = "melhor_juiz"
LABELS = NAMES | {BEST: "melhor juiz (sabido depois)"}


def whole_judges(scores: Floats) -> Floats:
    """Scores (items, judges, dimensions): a judge with any missing dimension of an item has none of it."""
    return np.where(counting(scores)[:, :, None], scores, np.nan)


def aggregates_of(panel: Panel, scores: Floats | None = None, *, beta: float = 0.25) -> dict[str, Floats]:
    """Every aggregator's grades (items, dimensions).

    Raises ErroDeEstudo where the dimensions have different scales and the panel does not say `reescalar`.
    """
    results = all_aggregates(
        panel.notas if scores is None else scores,
        beta=beta,
        scales=panel.escalas,
        rescale=panel.reescalar,
    )
    return {name: result.valor for name, result in results.items()}


def error_table(panel: Panel, *, semente: int, beta: float = 0.25, replicas: int = 1000) -> pd.DataFrame:
    """Error of every aggregator and of the best judge against the reference, as the scores are.

    Columns `agregador`, `erro_medio` (mean absolute error over items and dimensions, in grades), `ic_baixo`,
    `ic_alto` (95%, bootstrap of items), `reqm` (root mean squared error), `itens` (with a value). The best
    judge is the one with the smallest error, known only afterwards; its name is in `juiz`.
    """
    truth = _reference(panel)
    rows = []
    rng = np.random.default_rng(semente)
    draws = rng.integers(0, len(panel.itens), size=(replicas, len(panel.itens)))
    values = aggregates_of(panel, beta=beta)
    judges = whole_judges(panel.notas)
    by_judge = np.nanmean(np.abs(judges - truth[:, None, :]), axis=(0, 2))
    best = int(np.nanargmin(by_judge))
    values[BEST] = judges[:, best]
    for name, value in values.items():
        error = np.abs(value - truth)
        total, cells = np.nansum(error, axis=1), np.isfinite(error).sum(axis=1)
        low, high = np.quantile(total[draws].sum(axis=1) / cells[draws].sum(axis=1), [0.025, 0.975])
        rows.append(
            {
                "agregador": name,
                "erro_medio": total.sum() / cells.sum(),
                "ic_baixo": low,
                "ic_alto": high,
                "reqm": np.sqrt(np.nanmean(np.square(value - truth))),
                "itens": int((cells > 0).sum()),
                "juiz": panel.juizes[best] if name == BEST else "",
            }
        )
    return pd.DataFrame(rows)


def injected_table(
    panel: Panel, *, semente: int, numeros: tuple[int, ...] | None = None, beta: float = 0.25
) -> pd.DataFrame:
    """Mean absolute error when `numero` judges, drawn anew in each item, fail on purpose.

    `numeros`: how many; by default 0, 1 and 2 as far as that is fewer than half of the judges.
    Columns `regime, numero, agregador, erro_medio`. Failures are injected into the scores as treated; a grade
    that is missing stays missing. Needs scales.
    """
    truth = _reference(panel)
    if panel.escalas is None:
        raise ErroDeEstudo("para injetar falhas diga a escala (menor e maior nota) de cada dimensão.")
    low, high = np.array(panel.escalas).T
    if numeros is None:
        numeros = tuple(n for n in (0, 1, 2) if 2 * n < len(panel.juizes))
    rows = []
    for regime in REGIMES:
        for number in numeros:
            rng = np.random.default_rng(semente)
            failing = who_fails(len(panel.itens), len(panel.juizes), rng, number=number)
            scores = corrupt(panel.notas, failing, Failure(regime), rng, scale=(low, high), truth=truth)
            for name, value in aggregates_of(panel, scores, beta=beta).items():
                error = float(np.nanmean(np.abs(value - truth)))
                rows.append({"regime": regime, "numero": number, "agregador": name, "erro_medio": error})
    return pd.DataFrame(rows)


def error_correlation(panel: Panel) -> pd.DataFrame:
    """Correlation of the errors of each pair of judges: `juiz_a, juiz_b, relacao, correlacao, n`.

    Pearson's, over the items x dimensions that both graded, after taking out each judge's mean error in each
    dimension (its bias, which is no noise). `relacao`: `mesma família`, `famílias diferentes` or
    `sem família`.
    """
    error = whole_judges(panel.notas) - _reference(panel)[:, None, :]
    error = error - np.nanmean(error, axis=0, keepdims=True)
    rows = []
    for a in range(len(panel.juizes)):
        for b in range(a + 1, len(panel.juizes)):
            x, y = error[:, a].ravel(), error[:, b].ravel()
            both = np.isfinite(x) & np.isfinite(y)
            names = panel.juizes[a], panel.juizes[b]
            families = [panel.familias.get(name) for name in names]
            relation = "sem família" if None in families else "famílias diferentes"
            relation = "mesma família" if families[0] is not None and families[0] == families[1] else relation
            spread = both.sum() > 2 and np.std(x[both]) > 0 and np.std(y[both]) > 0
            value = np.corrcoef(x[both], y[both])[0, 1] if spread else np.nan
            rows.append([*names, relation, value, int(both.sum())])
    return pd.DataFrame(rows, columns=["juiz_a", "juiz_b", "relacao", "correlacao", "n"])


def independence_table(panel: Panel) -> pd.DataFrame:
    """Mean correlation of errors by relation, and what the panel is worth: `medida, valor`.

    `N efetivo` is N / (1 + (N - 1) mean correlation); `N efetivo pela variância` is the judges' mean error
    variance over that of their mean, on items that all graded, with no formula.
    """
    pairs = error_correlation(panel)
    n = len(panel.juizes)
    rows: list[tuple[str, float]] = [("juízes", float(n))]
    for relation, group in pairs.groupby("relacao", sort=False):
        rows.append((f"correlação média dos erros, {relation}", float(group["correlacao"].mean())))
    overall = float(pairs["correlacao"].mean())
    rows.append(("correlação média dos erros, todos os pares", overall))
    rows.append(("N efetivo pela fórmula", effective_judges(n, overall)))
    error = panel.notas - _reference(panel)[:, None, :]
    error = error[np.isfinite(error).all(axis=(1, 2))]
    variance = error.var(axis=0).mean() if len(error) > 1 else np.nan
    of_mean = error.mean(axis=1).var(axis=0).mean() if len(error) > 1 else np.nan
    rows.append(("N efetivo pela variância", float(variance / of_mean)))
    return pd.DataFrame(rows, columns=["medida", "valor"])


def repetition_table(panel: Panel, second: Panel, *, beta: float = 0.25) -> pd.DataFrame:
    """How much the panel moves when judges' grades are replaced by their second rating of the same items.

    One row a judge (that judge alone repeated) and one for all together: `juiz`, `iguais` (share of the cells
    rated twice that are equal), then, by aggregator, the mean absolute change of the panel's grade (grades).
    """
    rows = []
    first_values = aggregates_of(panel, beta=beta)
    both = np.isfinite(panel.notas) & np.isfinite(second.notas)
    for j, judge in [*enumerate(panel.juizes), (None, "todos")]:
        chosen = both & (np.arange(len(panel.juizes)) == j)[None, :, None] if j is not None else both
        repeated = np.where(chosen, second.notas, panel.notas)
        row: dict[str, object] = {
            "juiz": judge,
            "iguais": float((second.notas == panel.notas)[chosen].mean()) if chosen.any() else np.nan,
        }
        for name, value in aggregates_of(panel, repeated, beta=beta).items():
            row[name] = float(np.nanmean(np.abs(value - first_values[name])))
        rows.append(row)
    return pd.DataFrame(rows)


def panel_table(panel: Panel, *, beta: float = 0.25) -> pd.DataFrame:
    """The panel's grades, long: `item, dimensao, juizes` (that counted), then one column an aggregator.

    The rows whose mean and geometric median are farthest apart are where a judge pulls the mean.
    """
    values = aggregates_of(panel, beta=beta)
    table = pd.DataFrame(
        {
            "item": np.repeat(panel.itens, len(panel.dimensoes)),
            "dimensao": np.tile(panel.dimensoes, len(panel.itens)),
            "juizes": np.repeat(counting(panel.notas).sum(axis=1), len(panel.dimensoes)),
        }
    )
    return table.assign(**{name: value.ravel() for name, value in values.items()})


def _reference(panel: Panel) -> Floats:
    if panel.referencia is None:
        raise ErroDeEstudo(
            f"{panel.titulo or 'o painel'} não tem referência; ponha referencia.csv (item, dimensao, nota) "
            "ao lado da tabela de notas para medir erros."
        )
    return panel.referencia
