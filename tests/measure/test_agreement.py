"""The one import: what it loads, and the published figures of a real data set."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

import compendio.measure.agreement as agreement

OWN_MODULES = {"agreement", "alpha", "bootstrap", "inference", "kappa", "patterns", "resample", "values"}


def test_imports_nothing_else_of_the_package() -> None:
    folder = Path(agreement.__file__).parent
    for name in OWN_MODULES:
        for node in ast.walk(ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name}.py: relative import"
                modules = [node.module or ""]
            for module in modules:
                if module.split(".")[0] == "compendio":
                    assert module.removeprefix("compendio.measure.") in OWN_MODULES, f"{name}.py: {module}"


def test_everything_named_is_there() -> None:
    assert all(hasattr(agreement, name) for name in agreement.__all__)


@pytest.fixture
def laws(dados: Path) -> pd.DataFrame:
    codes = {str(code) for code in range(1, 24)} - {"11", "22"}
    table = pd.read_csv(dados / "leis-br" / "policy_PT.csv", dtype=str)
    columns = ["gold", "qwen2.5_14b", "qwen2.5_32b", "gemma2_27b"]
    return table[columns].where(table[columns].isin(codes))  # outside the codebook: a failure, missing


@pytest.mark.dados
def test_laws_kappas_by_denominator(laws: pd.DataFrame) -> None:
    """Official codes of 368 laws: three models, and their strict majority read in three ways."""
    categories = [str(code) for code in range(1, 24) if code not in (11, 22)]
    gold, members = laws["gold"], laws.columns[1:]
    kappas = [round(agreement.cohen_kappa(gold, laws[m], categories).value, 3) for m in members]
    assert kappas == [0.498, 0.481, 0.492]

    def majority(row: pd.Series) -> str | None:
        votes = Counter(row.dropna())
        return next((value for value, count in votes.items() if count > len(members) / 2), None)

    jury = laws[members].apply(majority, axis=1)
    assert int(jury.isna().sum()) == 27
    main = agreement.cohen_kappa(gold, jury, categories)
    decided = agreement.cohen_kappa(gold, jury, categories, answered_only=True)
    fallback = agreement.cohen_kappa(gold, jury.fillna(laws["qwen2.5_14b"]), categories)
    assert (round(main.value, 3), main.n) == (0.500, 368)
    assert (round(decided.value, 3), decided.n) == (0.544, 341)
    assert (round(fallback.value, 3), fallback.n) == (0.520, 368)
