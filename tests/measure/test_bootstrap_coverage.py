"""How often the 95% interval holds the true kappa, by simulation from a known population."""

from __future__ import annotations

import numpy as np
import pytest

from compendio.measure.bootstrap import kappa_bootstrap

SAMPLES = 1_500  # standard error of a coverage of 95%: 0.6 points


@pytest.mark.lento
@pytest.mark.parametrize("hit_rate", [0.6, 0.85])
def test_coverage_at_200_documents(hit_rate: float) -> None:
    categories = ["a", "b", "c", "d"]
    truth = np.array([0.45, 0.3, 0.15, 0.1])
    # The coder repeats the reference with probability `hit_rate`, else draws from the same shares.
    joint = hit_rate * np.diag(truth) + (1 - hit_rate) * np.outer(truth, truth)
    expected = joint.sum(axis=1) @ joint.sum(axis=0)
    kappa = (np.trace(joint) - expected) / (1 - expected)
    rng = np.random.default_rng(20_240_501)
    names = np.array(categories)
    inside = 0
    for seed in range(SAMPLES):
        cells = rng.choice(16, 200, p=joint.ravel())
        coder = {"x": names[cells % 4]}
        row = kappa_bootstrap(names[cells // 4], coder, categories, B=1_000, seed=seed, pairs=[]).coders.iloc[
            0
        ]
        inside += row["ic_inf"] <= kappa <= row["ic_sup"]
    assert 0.93 <= inside / SAMPLES <= 0.97
