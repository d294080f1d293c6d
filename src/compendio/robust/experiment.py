"""Monte Carlo: the error of each aggregator in panels with a known truth.

Every setting is simulated from the same seed, so that two settings of one shape share their honest grades and
differ by what is varied alone. Each replicate is an independent set of queries with its own RMSE; what is
reported is the median over replicates with the distribution-free interval of a median (order statistics),
because under Cauchy failures the RMSE of the mean has no expectation for a normal interval to be about.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields, replace

import numpy as np
import pandas as pd
from scipy.stats import binom

from compendio.robust.aggregate import Floats, all_aggregates, mean
from compendio.robust.corruption import Failure, corrupt, honest_panel, who_fails
from compendio.robust.geometric_median import Bools


@dataclass(frozen=True)
class Setting:
    """One cell of the experiment.

    Attributes
    ----------
    regime, taxa, numero
        How judges fail (`Failure.regime`), and with which probability, or exactly how many in each query
        (`numero`, which wins over `taxa`).
    juizes, dimensoes, sigma, correlacao
        Panel size, dimensions, standard deviation of honest errors (grades), their correlation.
    deslocamento, dispersao, desvio
        Parameters of the failure, in widths of the scale (`Failure`).
    beta
        Share that the trimmed mean leaves out at each end.
    consultas, replicas
        Queries in a replicate; replicates.
    """

    regime: str = "zeros"
    taxa: float = 0.0
    numero: int | None = None
    juizes: int = 10
    dimensoes: int = 5
    sigma: float = 0.5
    correlacao: float = 0.0
    deslocamento: float = 10.0
    dispersao: float = 1.0
    desvio: float = 0.5
    beta: float = 0.25
    consultas: int = 100
    replicas: int = 20


SCALE = (0.0, 4.0)


def simulate(setting: Setting, semente: int) -> tuple[Floats, Floats, Floats, Bools]:
    """All replicates in one: truth (queries, dimensions), honest and delivered grades (queries, judges,
    dimensions), and who failed (queries, judges)."""
    rng = np.random.default_rng(semente)
    total = setting.consultas * setting.replicas
    truth, honest = honest_panel(
        total, setting.juizes, setting.dimensoes, rng,
        sigma=setting.sigma, correlation=setting.correlacao, scale=SCALE,
    )  # fmt: skip
    failing = who_fails(total, setting.juizes, rng, rate=setting.taxa, number=setting.numero)
    failure = Failure(setting.regime, setting.deslocamento, setting.dispersao, setting.desvio)
    return truth, honest, corrupt(honest, failing, failure, rng, scale=SCALE, truth=truth), failing


def run(settings: Iterable[Setting], semente: int) -> pd.DataFrame:
    """RMSE by replicate, long: the fields of `Setting`, then `agregador`, `replica`, `rmse` (grades)."""
    keys: list[tuple[object, ...]] = []
    errors: list[Floats] = []
    for setting in settings:
        truth, _, grades, _ = simulate(setting, semente)
        for name, result in all_aggregates(grades, beta=setting.beta).items():
            squares = np.square(result.valor - truth).mean(axis=1)
            errors.append(np.sqrt(squares.reshape(setting.replicas, setting.consultas).mean(axis=1)))
            keys.append((*astuple(setting), name))
    lengths = [len(rmse) for rmse in errors]
    columns = [*(f.name for f in fields(Setting)), "agregador"]
    table = {
        name: np.repeat(np.array(values), lengths)
        for name, values in zip(columns, zip(*keys, strict=True), strict=True)
    }
    table["replica"] = np.concatenate([np.arange(n) for n in lengths])
    return pd.DataFrame(table | {"rmse": np.concatenate(errors)})


def vary(base: Setting, **values: Iterable[object]) -> list[Setting]:
    """`base` with every combination of the given values: `vary(base, taxa=[0, .1], juizes=[3, 7])`."""
    settings = [base]
    for field, options in values.items():
        settings = [replace(s, **{field: option}) for option in options for s in settings]  # type: ignore[arg-type]
    return settings


def median_interval(values: Floats, confidence: float = 0.95) -> tuple[float, float, float]:
    """Median and its distribution-free interval: the order statistics that a Binomial(n, 1/2) count leaves.

    The coverage is at least `confidence` for n >= 6 (with fewer, the interval is the whole range).
    """
    ordered = np.sort(values)
    low = max(int(binom.ppf((1 - confidence) / 2, ordered.size, 0.5)), 1)
    return float(np.median(ordered)), float(ordered[low - 1]), float(ordered[-low])


def summarise(runs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """`by`, `agregador`, `rmse` (median over replicates), `ic_baixo`, `ic_alto` (95%), `replicas`."""
    rows = []
    for key, group in runs.groupby([*by, "agregador"], sort=False):
        centre, low, high = median_interval(group["rmse"].to_numpy())
        rows.append([*key, centre, low, high, len(group)])
    return pd.DataFrame(rows, columns=[*by, "agregador", "rmse", "ic_baixo", "ic_alto", "replicas"])


def compare(runs: pd.DataFrame, by: list[str], first: str, second: str) -> pd.DataFrame:
    """RMSE of `first` over that of `second` in the same replicates: `by`, `razao`, `ic_baixo`, `ic_alto`."""
    wide = runs.pivot_table(index=[*by, "replica"], columns="agregador", values="rmse")
    ratio = (wide[first] / wide[second]).rename("razao").reset_index()
    rows = []
    for key, group in ratio.groupby(by, sort=False):
        rows.append([*key, *median_interval(group["razao"].to_numpy())])
    return pd.DataFrame(rows, columns=[*by, "razao", "ic_baixo", "ic_alto"])


def effective_judges(judges: int, correlation: float) -> float:
    """N_eff = N / (1 + (N - 1) gamma): how many independent judges the mean of N correlated ones is worth."""
    return judges / (1.0 + (judges - 1) * correlation)


def effective_judges_simulated(settings: Iterable[Setting], semente: int) -> pd.DataFrame:
    """N_eff of the formula beside sigma^2 / (mean squared error of the mean), by setting with no failures.

    Columns `juizes, correlacao, formula, simulado, ic_baixo, ic_alto`.
    """
    rows = []
    for setting in settings:
        truth, honest, _, _ = simulate(replace(setting, taxa=0.0, numero=None), semente)
        squares = np.square(mean(honest).valor - truth).mean(axis=1)
        error = squares.reshape(setting.replicas, setting.consultas).mean(axis=1)
        worth = median_interval(setting.sigma**2 / error)
        rows.append(
            [setting.juizes, setting.correlacao, effective_judges(setting.juizes, setting.correlacao), *worth]
        )
    return pd.DataFrame(rows, columns=["juizes", "correlacao", "formula", "simulado", "ic_baixo", "ic_alto"])
