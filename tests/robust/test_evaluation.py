"""Errors against a reference, correlation of errors, repeated ratings: by hand on small panels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from compendio.robust import evaluation, output
from compendio.robust.scores import Panel, build_panel


def panel(
    grades: np.ndarray, truth: np.ndarray, families: dict[str, str] | None = None, **options: object
) -> Panel:
    """A panel of judges j0, j1… from (items, judges, dimensions) and (items, dimensions)."""
    items, judges, dims = grades.shape
    rows = [
        (f"t{i}", f"j{j}", f"d{k}", grades[i, j, k])
        for i in range(items)
        for j in range(judges)
        for k in range(dims)
    ]
    reference = [(f"t{i}", f"d{k}", truth[i, k]) for i in range(items) for k in range(dims)]
    return build_panel(
        pd.DataFrame(rows, columns=["item", "juiz", "dimensao", "nota"]),
        referencia=pd.DataFrame(reference, columns=["item", "dimensao", "nota"]),
        familias=families,
        **options,  # type: ignore[arg-type]
    )


def test_errors_by_hand() -> None:
    # One dimension, truth 3 and 3. Item 0: 3, 3, 6 → mean 4, medians 3. Item 1: 2, 3, 4 → all 3.
    # Mean: (1 + 0) / 2; medians: 0. Judges: j0 (0 + 1) / 2, j1 0, j2 (3 + 1) / 2; the best is j1.
    p = panel(np.array([[[3.0], [3], [6]], [[2], [3], [4]]]), np.array([[3.0], [3]]))
    table = evaluation.error_table(p, semente=1).set_index("agregador")
    assert table["erro_medio"].to_dict() == {
        "media": 0.5, "media_aparada": 0.5, "mediana_coordenada": 0, "mediana_geometrica": 0, "melhor_juiz": 0,
    }  # fmt: skip
    assert table.loc["melhor_juiz", "juiz"] == "j1"
    assert table.loc["media", "reqm"] == pytest.approx(np.sqrt(0.5))
    assert (table["itens"] == 2).all()


def test_interval_of_the_error_covers_the_mean_of_many_items() -> None:
    rng = np.random.default_rng(0)
    truth = rng.uniform(1, 5, (300, 2))
    p = panel(truth[:, None, :] + rng.normal(size=(300, 5, 2)), truth)
    row = evaluation.error_table(p, semente=1).set_index("agregador").loc["media"]
    # E|N(0, 1/5)| = sqrt(2 / (5 pi)) = 0.357.
    assert row["ic_baixo"] < 0.357 < row["ic_alto"] and row["ic_alto"] - row["ic_baixo"] < 0.06


def test_correlation_of_errors_ignores_each_judges_bias() -> None:
    rng = np.random.default_rng(0)
    truth, shared = rng.uniform(1, 5, (3000, 1)), rng.normal(size=(3000, 1))
    own = rng.normal(size=(3000, 4, 1))
    # j0 and j1 share half of their variance (correlation 0.5) and have opposite biases; j2, j3 are alone.
    errors = np.concatenate(
        [(shared[:, None] + own[:, :2]) / np.sqrt(2) + [[1.0], [-1.0]], own[:, 2:]], axis=1
    )
    p = panel(truth[:, None, :] + errors, truth, {"j0": "f", "j1": "f", "j2": "g"})
    pairs = evaluation.error_correlation(p).set_index(["juiz_a", "juiz_b"])
    assert pairs.loc[("j0", "j1"), "correlacao"] == pytest.approx(0.5, abs=0.05)
    assert pairs.loc[("j0", "j2"), "correlacao"] == pytest.approx(0, abs=0.05)
    assert pairs["relacao"].to_dict() == {
        ("j0", "j1"): "mesma família", ("j0", "j2"): "famílias diferentes", ("j0", "j3"): "sem família",
        ("j1", "j2"): "famílias diferentes", ("j1", "j3"): "sem família", ("j2", "j3"): "sem família",
    }  # fmt: skip
    measures = evaluation.independence_table(p)
    shown = output.printed(measures, casas=2).data.set_index("medida")["valor"]
    assert (
        shown["juízes"] == "4" and len(shown["N efetivo pela fórmula"]) == 4
    )  # 3,19: only judges are counted
    table = measures.set_index("medida")["valor"]
    # Mean correlation 0.5 / 6; 4 / (1 + 3 * 0.0833) = 3.2; equal variances, so the formula is exact.
    assert table["N efetivo pela fórmula"] == pytest.approx(3.2, abs=0.2)
    assert table["N efetivo pela variância"] == pytest.approx(3.2, abs=0.2)


def test_a_judge_without_spread_has_no_correlation() -> None:
    p = panel(np.array([[[1.0], [1]], [[2], [3]], [[3], [2]]]), np.array([[1.0], [2], [3]]))
    assert np.isnan(evaluation.error_correlation(p)["correlacao"].iloc[0])  # j0 never errs


def test_repetition_by_hand() -> None:
    # j0 repeats 2 instead of 5 in one of two items: the mean of three moves by 1 there, 0.5 on average.
    first = np.array([[[5.0], [3], [4]], [[1], [1], [1]]])
    again = first.copy()
    again[0, 0, 0] = 2
    truth = np.zeros((2, 1))
    table = evaluation.repetition_table(panel(first, truth), panel(again, truth)).set_index("juiz")
    assert table.loc["j0", "media"] == pytest.approx(0.5) and table.loc["j0", "iguais"] == 0.5
    assert table.loc["j0", "mediana_coordenada"] == pytest.approx(0.5)  # 4 → 3 in one of two
    assert table.loc["j1", "media"] == 0 and table.loc["todos", "media"] == pytest.approx(0.5)


def test_injection_leaves_zero_failures_as_they_are_and_never_reaches_half() -> None:
    rng = np.random.default_rng(0)
    truth = rng.uniform(1, 5, (40, 2))
    p = panel(
        np.clip(truth[:, None, :] + rng.normal(size=(40, 4, 2)) / 2, 1, 5), truth, escalas=[(1, 5), (1, 5)]
    )
    table = evaluation.injected_table(p, semente=1)
    assert set(table["numero"]) == {0, 1}  # two of four would be half
    clean = evaluation.error_table(p, semente=1).set_index("agregador")["erro_medio"]
    for name, group in table[table["numero"] == 0].groupby("agregador"):
        assert group["erro_medio"].to_numpy() == pytest.approx(np.full(5, clean[name]))
    far = table[(table["regime"] == "cauchy") & (table["numero"] == 1)].set_index("agregador")["erro_medio"]
    assert far["media"] > 5 > far["mediana_geometrica"]


def test_panel_table_is_long_and_complete() -> None:
    grades = np.arange(12.0).reshape(2, 3, 2)
    table = evaluation.panel_table(panel(grades, np.zeros((2, 2))))
    assert table[["item", "dimensao"]].to_numpy().tolist() == [
        ["t0", "d0"],
        ["t0", "d1"],
        ["t1", "d0"],
        ["t1", "d1"],
    ]
    assert table["media"].tolist() == [2, 3, 8, 9] and (table["juizes"] == 3).all()
