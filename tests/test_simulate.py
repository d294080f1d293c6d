"""A simulated jury has the accuracies it was given, and the vote recovers the truth as probability says."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from jury_builders import categorical, codebook

from compendio.jury.decide import decide
from compendio.jury.vote import votar
from compendio.simulate import SimulatedJury, SimulatedMember, simulate_jury

CATEGORIES = ["azul", "verde", "outra", "nenhuma"]
BOOK = codebook(simulada=categorical(*CATEGORIES))
N = 20_000


def trio(acuracia: float = 0.7, familias: str = "abc", **more: float) -> list[SimulatedMember]:
    return [SimulatedMember(f"m{k}", familia, acuracia, **more) for k, familia in enumerate(familias)]


def share_right(jury: SimulatedJury, decisions: pd.DataFrame) -> float:
    """Share of all documents whose decided value is the truth."""
    return float((decisions["valor"].to_numpy() == jury.verdade["valor"].to_numpy()).mean())


def close(share: float, expected: float, n: int = N) -> bool:
    """Within four standard errors: for one seed in sixteen thousand it would not be."""
    return abs(share - expected) <= 4 * math.sqrt(expected * (1 - expected) / n)


def right(jury: SimulatedJury) -> pd.DataFrame:
    """(documents, members) whether each vote is the truth."""
    table = jury.votos.pivot(index="documento", columns="fonte", values="valor")
    return table.eq(jury.verdade.set_index("documento")["valor"], axis=0)


def test_same_seed_same_tables() -> None:
    one, two = (simulate_jury(50, CATEGORIES, trio(), semente=5) for _ in range(2))
    other = simulate_jury(50, CATEGORIES, trio(), semente=6)
    pd.testing.assert_frame_equal(one.votos, two.votos)
    assert not one.votos["valor"].equals(other.votos["valor"])


def test_members_are_as_accurate_as_said() -> None:
    members = [
        SimulatedMember("bom", "a", 0.9),
        SimulatedMember("fraco", "a", 0.4),
        SimulatedMember("médio", "b", 0.6),
    ]
    # Erring together or not, each one's own accuracy stays.
    for rho in (0.0, 0.5, 1.0):
        shares = right(simulate_jury(N, CATEGORIES, members, correlacao=rho, semente=1)).mean()
        assert all(close(shares[member.nome], member.acuracia) for member in members)


def test_families_err_together() -> None:
    jury = simulate_jury(N, CATEGORIES, trio(familias="aab"), correlacao=0.5, semente=2)
    correlation = np.corrcoef(right(jury).to_numpy(dtype=float).T)
    # The correlation's standard error is under 1/sqrt(N) = 0.007.
    assert correlation[0, 1] == pytest.approx(0.5, abs=0.03)
    assert correlation[0, 2] == pytest.approx(0.0, abs=0.03)


def test_majority_of_independent_members() -> None:
    # P(2 or 3 of 3 are right) = 3·0.7²·0.3 + 0.7³ = 0.784; unanimously right: 0.343.
    jury = simulate_jury(N, CATEGORIES, trio(), semente=3)
    decisions = votar(jury.votos, BOOK, ["m0", "m1", "m2"])
    assert close(share_right(jury, decisions), 0.784)
    assert close(
        share_right(jury, decisions[decisions["estado"] == "unanime"].reindex(decisions.index)), 0.343
    )


def test_two_of_one_family_outvote_the_third() -> None:
    # The two always agree, so the jury is as good as one member, not better.
    jury = simulate_jury(N, CATEGORIES, trio(familias="aab"), correlacao=1.0, semente=4)
    decisions = votar(jury.votos, BOOK, ["m0", "m1", "m2"])
    assert close(share_right(jury, decisions), 0.7)
    assert (decisions["estado"] != "sem_maioria").all()


def test_evidence_gate() -> None:
    # Always right, evidence found half of the time: decided unless all three have none, 1 - 0.5³ = 0.875.
    jury = simulate_jury(N, CATEGORIES, trio(1.0, encontrada=0.5), semente=5)
    decisions = votar(jury.votos, BOOK, ["m0", "m1", "m2"])
    assert close(float((decisions["estado"] == "unanime").mean()), 0.875)
    assert set(decisions["estado"]) == {"unanime", "sem_evidencia"}


def test_failures_stay_in_the_denominator() -> None:
    # Always right, heard 8 times of 10: a majority of three needs 2 or 3 heard,
    # 3·0.8²·0.2 + 0.8³ = 0.896; all three: 0.512.
    jury = simulate_jury(N, CATEGORIES, trio(1.0, falha=0.2), semente=6)
    decisions = votar(jury.votos, BOOK, ["m0", "m1", "m2"])
    assert close(float(decisions["valor"].notna().mean()), 0.896)
    assert close(float((decisions["estado"] == "unanime").mean()), 0.512)


def test_fallback_adds_the_main_model_where_nothing_was_decided() -> None:
    # Two categories of three members always give a majority; with four, errors differ: P(no majority)
    # and the main model being right then = 0.7·P(both others wrong, on different categories) =
    # 0.7·0.3²·(2/3) = 0.042, added to 0.784.
    jury = simulate_jury(N, CATEGORIES, trio(), semente=7)
    juri = decide(jury.votos, BOOK, ["m0", "m1", "m2"], "m0")["juri-r1"]
    assert close(share_right(jury, juri), 0.784 + 0.042)


def test_prevalence() -> None:
    jury = simulate_jury(N, CATEGORIES, trio(), semente=8, prevalencia=[0.7, 0.1, 0.2, 0.0])
    shares = jury.verdade["valor"].value_counts(normalize=True)
    assert close(shares["azul"], 0.7) and close(shares["verde"], 0.1) and "nenhuma" not in shares


def test_no_documents() -> None:
    jury = simulate_jury(0, CATEGORIES, trio(), semente=1)
    assert len(jury.votos) == 0 and len(jury.verdade) == 0


@pytest.mark.parametrize(
    ("categories", "members", "rho"),
    [
        (["só uma"], trio(), 0.0),
        (["a", "a"], trio(), 0.0),
        (CATEGORIES, [], 0.0),
        (CATEGORIES, [trio()[0], trio()[0]], 0.0),
        (CATEGORIES, trio(1.2), 0.0),
        (CATEGORIES, trio(), -0.1),
    ],
)
def test_what_is_refused(categories: list[str], members: list[SimulatedMember], rho: float) -> None:
    with pytest.raises(ValueError):
        simulate_jury(5, categories, members, correlacao=rho, semente=1)
