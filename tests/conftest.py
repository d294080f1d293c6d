"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

RAIZ = Path(__file__).resolve().parents[1]

# The same examples everywhere and each time: a run that passed passes again. To look for new ones:
# pytest --hypothesis-profile=default --hypothesis-seed=random
settings.register_profile("sempre_iguais", derandomize=True, deadline=None)
settings.load_profile("sempre_iguais")


@pytest.fixture(scope="session")
def dados() -> Path:
    """Folder of the public data sets (COMPENDIO_DADOS, by default ../shared/data), or a skip that says why."""
    pasta = Path(os.environ.get("COMPENDIO_DADOS", RAIZ.parent / "shared" / "data"))
    if not pasta.is_dir():
        pytest.skip(f"os dados públicos não estão em {pasta}; aponte COMPENDIO_DADOS para a pasta deles")
    return pasta
