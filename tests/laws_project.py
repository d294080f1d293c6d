"""A project folder that holds what the repository has of the studies of laws, without their data."""

from __future__ import annotations

import shutil
from pathlib import Path

from conftest import RAIZ

COMMITTED = {
    "leis-br": ["estudo.yaml", "codebook.yaml", "topicos.csv", "modelos.csv"],
    "leis-vivo": ["estudo.yaml", "codebook.yaml"],
}


def laws_project(folder: Path) -> Path:
    """Copy the committed files of both studies under `folder`/data; gives `folder`."""
    for study, names in COMMITTED.items():
        there = folder / "data" / study
        there.mkdir(parents=True)
        for name in names:
            shutil.copy(RAIZ / "data" / study / name, there / name)
    return folder
