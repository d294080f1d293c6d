"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

RAIZ = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def dados() -> Path:
    """Folder of the public data sets (COMPENDIO_DADOS, by default ../shared/data), or a skip that says why."""
    pasta = Path(os.environ.get("COMPENDIO_DADOS", RAIZ.parent / "shared" / "data"))
    if not pasta.is_dir():
        pytest.skip(f"os dados públicos não estão em {pasta}; aponte COMPENDIO_DADOS para a pasta deles")
    return pasta
