"""Agreement with a reference and between coders: the whole of it in one import.

Imports nothing of the package outside the modules beside it named here, so that anyone may use it on
any codings: columns of texts, aligned by position, with None, NaN or pd.NA where there is no value.

    values      how values are read and compared; several choices as yes/no variables
    inference   McNemar's exact test, Holm, Wilson
    kappa       Cohen's kappa, Gwet's AC1, observed agreement, per category, prevalence
    alpha       Krippendorff's alpha, nominal and over sets (MASI)
    patterns    documents with the same values, counted together
    resample    resamples of documents, percentile intervals, ratios pooled over decisions
    bootstrap   kappas of many coders on one shared resample

Everything undefined is NaN and says why; nothing is replaced by 0 or 1.
"""

from __future__ import annotations

from compendio.measure.alpha import krippendorff_alpha, masi_alpha, masi_distance
from compendio.measure.bootstrap import KappaBootstrap, kappa_bootstrap
from compendio.measure.inference import Discordant, holm, mcnemar_counts, mcnemar_exact, wilson_interval
from compendio.measure.kappa import (
    Estimate,
    cohen_kappa,
    gwet_ac1,
    kappa_by_choice,
    observed_agreement,
    per_category,
    prevalence,
)
from compendio.measure.resample import percentile_intervals, ratio_bootstrap, resampled_counts
from compendio.measure.values import as_set, membership

__all__ = [
    "Discordant",
    "Estimate",
    "KappaBootstrap",
    "as_set",
    "cohen_kappa",
    "gwet_ac1",
    "holm",
    "kappa_bootstrap",
    "kappa_by_choice",
    "krippendorff_alpha",
    "masi_alpha",
    "masi_distance",
    "mcnemar_counts",
    "mcnemar_exact",
    "membership",
    "observed_agreement",
    "per_category",
    "percentile_intervals",
    "prevalence",
    "ratio_bootstrap",
    "resampled_counts",
    "wilson_interval",
]
