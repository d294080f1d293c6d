"""Kappas on shared resamples: against a plain loop over the same draws, in every path."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

import compendio.measure.bootstrap as module
from compendio.measure.bootstrap import kappa_bootstrap
from compendio.measure.kappa import cohen_kappa
from compendio.measure.patterns import joint_patterns
from compendio.measure.resample import percentile_intervals, resampled_counts
from compendio.measure.values import encode

CATEGORIES = ["a", "b", "c", "d"]  # "d" is never used


def codings(seed: int, n: int, coders: int, missing: float) -> tuple[pd.Series, dict[str, pd.Series]]:
    rng = np.random.default_rng(seed)
    reference = pd.Series(rng.choice(CATEGORIES[:3], n, p=[0.6, 0.3, 0.1]), dtype=object)
    members = {}
    for coder in range(coders):
        values = np.where(rng.random(n) < 0.7, reference, rng.choice(CATEGORIES[:3], n))
        members[f"m{coder}"] = pd.Series(values, dtype=object).mask(rng.random(n) < missing)
    return reference, members


def sklearn_kappa(reference: pd.Series, coder: pd.Series) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where kappa is undefined
        return cohen_kappa_score(reference.tolist(), coder.fillna("?").tolist(), labels=[*CATEGORIES, "?"])


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_against_a_loop_over_the_same_draws(missing: float) -> None:
    reference, members = codings(seed=1, n=40, coders=3, missing=missing)
    B, seed = 60, 9
    result = kappa_bootstrap(reference, members, CATEGORIES, B=B, seed=seed)
    assert joint_patterns(*_codes(reference, members), len(CATEGORIES)) is None  # documents are drawn
    draws = np.concatenate(list(resampled_counts(40, B, seed))).astype(int)
    kappas: dict[str, list[float]] = {name: [] for name in members}
    differences: dict[tuple[str, str], list[float]] = {("m0", "m1"): [], ("m0", "m2"): [], ("m1", "m2"): []}
    for counts in draws:
        picked = np.repeat(np.arange(40), counts)
        for name, values in members.items():
            kappas[name].append(sklearn_kappa(reference[picked], values[picked]))
        for first, second in differences:
            both = (members[first].notna() & members[second].notna()).to_numpy()
            there = picked[both[picked]]
            one, two = (sklearn_kappa(reference[there], members[m][there]) for m in (first, second))
            differences[first, second].append(one - two)
    for row in result.coders.itertuples():
        expected = np.quantile(kappas[row.codificador], [0.025, 0.975])
        assert (row.ic_inf, row.ic_sup) == pytest.approx(expected, abs=1e-12)
        assert row.kappa == cohen_kappa(reference, members[row.codificador], CATEGORIES).value
        answered = cohen_kappa(reference, members[row.codificador], CATEGORIES, answered_only=True)
        assert (row.kappa_respondidos, row.n_respondidos) == (answered.value, answered.n)
    assert [(row.primeiro, row.segundo) for row in result.differences.itertuples()] == list(differences)
    for row in result.differences.itertuples():
        expected = np.quantile(differences[row.primeiro, row.segundo], [0.025, 0.975])
        assert (row.ic_inf, row.ic_sup) == pytest.approx(expected, abs=1e-12)
        both = members[row.primeiro].notna() & members[row.segundo].notna()
        one, two = (sklearn_kappa(reference[both], members[m][both]) for m in (row.primeiro, row.segundo))
        assert row.n == both.sum()
        assert row.diferenca == pytest.approx(one - two, abs=1e-12)


def _codes(reference: pd.Series, members: dict[str, pd.Series]) -> tuple[np.ndarray, np.ndarray]:
    table = np.stack([encode(values, CATEGORIES) for values in members.values()])
    return encode(reference, CATEGORIES), table


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_patterns_and_documents_give_the_same_intervals(
    missing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference, members = codings(seed=2, n=3_000, coders=2, missing=missing)
    assert joint_patterns(*_codes(reference, members), len(CATEGORIES)) is not None
    pairs = [("m0", "m1")]
    by_pattern = kappa_bootstrap(reference, members, CATEGORIES, B=8_000, seed=1, pairs=pairs)
    monkeypatch.setattr(module, "joint_patterns", lambda *_: None)
    by_document = kappa_bootstrap(reference, members, CATEGORIES, B=8_000, seed=1, pairs=pairs)
    for name in ("coders", "differences"):
        one, two = getattr(by_pattern, name), getattr(by_document, name)
        assert (one["ic_inf"] != two["ic_inf"]).all()  # other draws
        width = (one["ic_sup"] - one["ic_inf"]).to_numpy()
        for end in ("ic_inf", "ic_sup"):
            assert (np.abs(one[end] - two[end]) < 0.05 * width).all()
    pd.testing.assert_series_equal(by_pattern.coders["kappa"], by_document.coders["kappa"])


def test_a_kappa_does_not_depend_on_who_else_is_there() -> None:
    reference, members = codings(seed=3, n=100, coders=4, missing=0.1)
    # Few documents for the patterns either way, so the same documents are drawn.
    alone = kappa_bootstrap(reference, {"m2": members["m2"]}, CATEGORIES, B=300, seed=5)
    together = kappa_bootstrap(reference, members, CATEGORIES, B=300, seed=5)
    assert alone.coders.loc[0].equals(together.coders.loc[2])


def test_two_equal_coders_never_differ() -> None:
    reference, members = codings(seed=4, n=80, coders=1, missing=0.1)
    result = kappa_bootstrap(reference, {"x": members["m0"], "y": members["m0"]}, CATEGORIES, B=200)
    row = result.differences.iloc[0]
    assert (row["diferenca"], row["ic_inf"], row["ic_sup"]) == (0, 0, 0)


def test_shared_resamples_narrow_the_difference_of_similar_coders() -> None:
    reference, members = codings(seed=5, n=200, coders=1, missing=0.0)
    second = members["m0"].copy()
    second[:4] = reference[:4]
    row = kappa_bootstrap(reference, {"x": members["m0"], "y": second}, CATEGORIES, B=2_000).differences.iloc[
        0
    ]
    one = kappa_bootstrap(reference, {"x": members["m0"]}, CATEGORIES, B=2_000).coders.iloc[0]
    assert row["ic_sup"] - row["ic_inf"] < 0.5 * (one["ic_sup"] - one["ic_inf"])


def test_pairs_on_request() -> None:
    reference, members = codings(seed=6, n=50, coders=3, missing=0.1)
    every = kappa_bootstrap(reference, members, CATEGORIES, B=100).differences
    some = kappa_bootstrap(reference, members, CATEGORIES, B=100, pairs=[("m2", "m0")]).differences
    mirrored = every.loc[1]  # m0 minus m2
    assert some.loc[0, ["primeiro", "segundo"]].tolist() == ["m2", "m0"]
    assert some.loc[0, "diferenca"] == -mirrored["diferenca"]
    assert some.loc[0, "ic_inf"] == pytest.approx(-mirrored["ic_sup"], abs=1e-12)
    assert kappa_bootstrap(reference, members, CATEGORIES, B=100, pairs=[]).differences.empty
    with pytest.raises(ValueError, match="m9"):
        kappa_bootstrap(reference, members, CATEGORIES, B=100, pairs=[("m0", "m9")])


def test_nobody_pays_for_pairs_that_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    reference, members = codings(seed=6, n=50, coders=3, missing=0.1)
    asked: list[int] = []
    replicates = module._replicates

    def counted(*given: object) -> tuple[np.ndarray, np.ndarray]:
        asked.append(len(given[3]))  # type: ignore[arg-type]
        return replicates(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_replicates", counted)
    result = kappa_bootstrap(reference, members, CATEGORIES, B=100)
    assert asked == [0]
    assert len(result.differences) == len(result.differences) == 3
    assert asked == [0, 3]  # made once, when first read
    assert len(kappa_bootstrap(reference, members, CATEGORIES, B=100, pairs=[("m0", "m1")]).differences) == 1
    assert asked == [0, 3, 1]  # named pairs cost no second pass


def test_a_pair_named_and_the_same_pair_of_all_have_the_same_interval() -> None:
    reference, members = codings(seed=8, n=60, coders=5, missing=0.1)
    members |= codings(seed=8, n=60, coders=1, missing=0.0)[1]  # m0 answered everything, the others not
    every = kappa_bootstrap(reference, members, CATEGORIES, B=300, seed=2)
    named = [("m0", "m3"), ("m2", "m4"), ("m1", "m0")]
    some = kappa_bootstrap(reference, members, CATEGORIES, B=300, seed=2, pairs=named)
    assert some.coders.equals(every.coders)
    rows = every.differences.set_index(["primeiro", "segundo"])
    for row in some.differences.itertuples():
        turned = (row.segundo, row.primeiro) in rows.index
        same = rows.loc[(row.segundo, row.primeiro) if turned else (row.primeiro, row.segundo)]
        sign = -1 if turned else 1
        ends = sorted((sign * same["ic_inf"], sign * same["ic_sup"]))
        assert (row.diferenca, row.ic_inf, row.ic_sup) == pytest.approx(
            (sign * same["diferenca"], *ends), abs=1e-12
        )


def test_documents_without_reference_change_nothing() -> None:
    reference, members = codings(seed=7, n=60, coders=2, missing=0.1)
    holes = reference.mask(np.arange(60) % 5 == 0)
    kept = holes.notna()
    with_holes = kappa_bootstrap(holes, members, CATEGORIES, B=100)
    without = kappa_bootstrap(holes[kept], {k: v[kept] for k, v in members.items()}, CATEGORIES, B=100)
    pd.testing.assert_frame_equal(with_holes.coders, without.coders)
    pd.testing.assert_frame_equal(with_holes.differences, without.differences)


def test_undefined_replicates_are_counted_and_left_out() -> None:
    # Reference and coder leave "a" in one document of four, so (3/4)^4 of the resamples hold only "a".
    reference = ["a", "a", "a", "b"]
    row = kappa_bootstrap(reference, {"x": reference}, CATEGORIES, B=20_000, seed=2).coders.iloc[0]
    assert row["kappa"] == 1
    assert row["indefinidas"] == pytest.approx(0.75**4 + 0.25**4, abs=0.01)  # all "a", or all "b"
    assert (row["ic_inf"], row["ic_sup"]) == (1, 1)


def test_undefined_kappa_has_a_reason() -> None:
    result = kappa_bootstrap(["a", "a"], {"x": ["a", "a"], "y": ["a", None]}, CATEGORIES, B=50)
    x, y = result.coders.iloc[0], result.coders.iloc[1]
    assert math.isnan(x["kappa"]) and "uma só categoria" in x["motivo"]
    assert math.isnan(x["ic_inf"]) and x["indefinidas"] == 1
    assert y["kappa"] == 0 and y["motivo"] is None  # p_o = 1/2 = p_e
    assert math.isnan(y["kappa_respondidos"]) and "uma só categoria" in y["motivo_respondidos"]
    difference = result.differences.iloc[0]
    assert math.isnan(difference["diferenca"]) and "uma só categoria" in difference["motivo"]


def test_no_reference_at_all() -> None:
    result = kappa_bootstrap([None, None], {"x": ["a", "b"], "y": ["a", None]}, CATEGORIES, B=50)
    assert result.coders["n"].tolist() == [0, 0]
    assert (
        result.coders[["kappa", "ic_inf", "ic_sup", "indefinidas", "kappa_respondidos"]].isna().all(axis=None)
    )
    assert result.coders["motivo"].str.contains("referência").all()
    assert result.differences["motivo"].str.contains("referência").all()


def test_coders_who_never_answered_the_same_document() -> None:
    result = kappa_bootstrap(["a", "b"], {"x": ["a", None], "y": [None, "b"]}, CATEGORIES, B=50)
    row = result.differences.iloc[0]
    assert row["n"] == 0 and math.isnan(row["diferenca"]) and math.isnan(row["indefinidas"])
    assert "valor nos dois" in row["motivo"]


def test_a_coder_who_never_answered() -> None:
    row = kappa_bootstrap(["a", "b"], {"x": [None, None]}, CATEGORIES, B=50).coders.iloc[0]
    assert (row["kappa"], row["ic_inf"], row["ic_sup"], row["indefinidas"]) == (0, 0, 0, 0)
    assert math.isnan(row["kappa_respondidos"]) and row["n_respondidos"] == 0


def test_refusals() -> None:
    with pytest.raises(ValueError, match="nenhum codificador"):
        kappa_bootstrap(["a"], {}, CATEGORIES)
    with pytest.raises(ValueError, match="tamanhos diferentes"):
        kappa_bootstrap(["a", "b"], {"x": ["a"]}, CATEGORIES)
    with pytest.raises(ValueError, match="réplicas"):
        kappa_bootstrap(["a"], {"x": ["a"]}, CATEGORIES, B=0)
    with pytest.raises(ValueError, match="nível"):
        kappa_bootstrap(["a"], {"x": ["a"]}, CATEGORIES, level=1)
    with pytest.raises(ValueError, match="'z'"):
        kappa_bootstrap(["a"], {"x": ["z"]}, CATEGORIES)


def test_many_coders_are_renumbered_not_overflowed() -> None:
    # 5^41 patterns are more than 64 bits hold.
    reference, members = codings(seed=8, n=30, coders=1, missing=0.0)
    forty = {f"m{k}": members["m0"] for k in range(40)}
    big = {name: pd.concat([values] * 40, ignore_index=True) for name, values in forty.items()}
    many = pd.concat([reference] * 40, ignore_index=True)
    representatives, multiplicity = joint_patterns(*_codes(many, big), len(CATEGORIES)) or (None, None)
    expected = pd.crosstab(many, big["m0"]).to_numpy()
    assert multiplicity is not None and representatives is not None
    assert sorted(multiplicity.tolist()) == sorted(expected[expected > 0].tolist())
    for document, count in zip(representatives, multiplicity, strict=True):
        assert ((many == many[document]) & (big["m0"] == big["m0"][document])).sum() == count


def test_level() -> None:
    reference, members = codings(seed=9, n=100, coders=1, missing=0.0)
    wide, narrow = (
        kappa_bootstrap(reference, members, CATEGORIES, B=500, level=v).coders.iloc[0] for v in (0.99, 0.5)
    )
    assert wide["ic_inf"] < narrow["ic_inf"] < narrow["ic_sup"] < wide["ic_sup"]


def test_intervals_are_the_percentiles_of_the_replicates() -> None:
    reference, members = codings(seed=10, n=50, coders=1, missing=0.0)
    truth, table = _codes(reference, members)
    replicates, _ = module._replicates(truth, table, len(CATEGORIES), [], 400, 3)
    low, high, _ = percentile_intervals(replicates)
    row = kappa_bootstrap(reference, members, CATEGORIES, B=400, seed=3).coders.iloc[0]
    assert (row["ic_inf"], row["ic_sup"]) == (low[0], high[0])
    assert np.quantile(replicates[0], 0.025) == low[0]
