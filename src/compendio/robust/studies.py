"""The simulated studies behind the table of claims: which settings are run, one function a question.

Sizes are small on purpose (20 replicates of 60 panels a setting): the whole set takes seconds, and every
figure carries its Monte Carlo interval. Grades are on 0 to 4; honest errors have standard deviation 0.5.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from compendio.robust.aggregate import geometric_median
from compendio.robust.corruption import REGIMES
from compendio.robust.experiment import Setting, effective_judges_simulated, run, simulate, vary

BASE = Setting(consultas=60, replicas=20)
# Failures as a pure shift far beyond any grade: what a bound must survive.
FAR = 1e5


def contamination(semente: int) -> pd.DataFrame:
    """RMSE against the share of failing judges, exactly 0 to 5 of 10, in every regime."""
    return run(vary(BASE, regime=REGIMES, numero=range(6)), semente)


def shift(semente: int) -> pd.DataFrame:
    """RMSE against the distance of 3 failing judges of 10 (`cauchy`, spread a tenth of the scale)."""
    return run(
        vary(BASE, regime=["cauchy"], numero=[3], dispersao=[0.1], deslocamento=[1, 10, 100, 1000]), semente
    )


def size(semente: int) -> pd.DataFrame:
    """RMSE against panel size when each judge fails by itself (`zeros`) with probability 0.3."""
    return run(vary(BASE, regime=["zeros"], taxa=[0.3], juizes=[3, 5, 9, 15, 31]), semente)


def premium(semente: int) -> pd.DataFrame:
    """RMSE with no failure at all, by panel size and number of dimensions."""
    return run(vary(BASE, juizes=[3, 5, 9, 15], dimensoes=[1, 2, 3, 5, 8]), semente)


def noise(semente: int) -> pd.DataFrame:
    """RMSE when 3 judges of 10 are unbiased and noisy: total noise 0.5 (as the others) to 4 grades."""
    return run(vary(BASE, regime=["ruido"], numero=[3], desvio=[0.125, 0.25, 0.5, 1.0]), semente)


def breakdown(semente: int) -> pd.DataFrame:
    """RMSE with 0 to N judges of 5, 6 and 7 shifted by 10**5 scales; independent and correlated juries."""
    settings = []
    for judges in (5, 6, 7):
        settings += vary(
            BASE, regime=["cauchy"], dispersao=[0.0], deslocamento=[FAR], juizes=[judges],
            numero=range(judges // 2 + 2), correlacao=[0.0, 0.5],
        )  # fmt: skip
    return run(settings, semente)


def trimming(semente: int) -> pd.DataFrame:
    """RMSE of the trimmed mean by beta, with 3 judges of 10 far away and with none."""
    return run(
        vary(
            BASE,
            regime=["cauchy"],
            dispersao=[0.0],
            deslocamento=[10],
            numero=[0, 3],
            beta=[0.1, 0.2, 0.3, 0.4],
        ),
        semente,
    )


def joint(semente: int) -> pd.DataFrame:
    """RMSE under `bimodal` failures (plausible by axis, odd as a vector), 30% of the panel, by its size."""
    settings = [s for n in (10, 20) for s in vary(BASE, regime=["bimodal"], juizes=[n], numero=[3 * n // 10])]
    return run([t for s in settings for t in vary(s, dimensoes=[2, 5])], semente)


def effective(semente: int) -> pd.DataFrame:
    """N_eff: the formula beside the simulation, for juries of correlated errors."""
    return effective_judges_simulated(vary(BASE, juizes=[3, 7, 13], correlacao=[0.0, 0.2, 0.5, 0.8]), semente)


def weiszfeld_steps(semente: int) -> pd.DataFrame:
    """How far Weiszfeld's iteration stands from the exact median after so many steps, in grades.

    Columns `juizes, notas, passos, mediana, maior` (distance over the panels), `longe` (share of panels
    farther than 0.000001) and `residuo_exato` (largest certificate of the exact solver).
    """
    rows = []
    for judges in (3, 10):
        _, honest, _, _ = simulate(vary(BASE, juizes=[judges])[0], semente)
        for kind, grades in (("contínuas", honest), ("inteiras", np.round(honest))):
            exact = geometric_median(grades, certificate=True)
            for steps in (10, 100, 1000):
                reached = geometric_median(grades, method="weiszfeld", steps=steps).valor
                away = np.linalg.norm(reached - exact.valor, axis=1)
                residual = np.max(np.asarray(exact.residuo))
                rows.append(
                    [judges, kind, steps, np.median(away), away.max(), (away > 1e-6).mean(), residual]
                )
    return pd.DataFrame(
        rows, columns=["juizes", "notas", "passos", "mediana", "maior", "longe", "residuo_exato"]
    )


def bound(semente: int) -> pd.DataFrame:
    """Error of the geometric median over the radius of the honest, against Minsker's constant.

    If a share 1 - a of the vectors lies within r of the truth, the geometric median lies within C r of it,
    C = (1 - a) / sqrt(1 - 2a) (Minsker, 2015, lemma 2.1). Columns `falham, juizes, constante, maior_razao`,
    `panels`: r is the radius of the judges that did not fail, and the failing ones are 10**5 scales away.
    """
    rows = []
    for number in range(5):
        setting = vary(BASE, regime=["cauchy"], dispersao=[0.0], deslocamento=[FAR], numero=[number])[0]
        truth, honest, grades, failing = simulate(setting, semente)
        distance = np.linalg.norm(honest - truth[:, None, :], axis=2)
        radius = np.where(failing, 0.0, distance).max(axis=1)
        error = np.linalg.norm(geometric_median(grades).valor - truth, axis=1)
        share = number / setting.juizes
        constant = (1 - share) / np.sqrt(1 - 2 * share)
        rows.append([number, setting.juizes, constant, (error / radius).max(), len(error)])
    return pd.DataFrame(rows, columns=["falham", "juizes", "constante", "maior_razao", "paineis"])


STUDIES = {
    "contaminacao": contamination,
    "deslocamento": shift,
    "tamanho": size,
    "premio": premium,
    "ruido": noise,
    "ruptura": breakdown,
    "aparada": trimming,
    "conjunta": joint,
    "n_efetivo": effective,
    "weiszfeld": weiszfeld_steps,
    "limite": bound,
}


def run_all(semente: int) -> dict[str, pd.DataFrame]:
    """Every study, by name: what `claims.claims_table` reads."""
    return {name: study(semente) for name, study in STUDIES.items()}
