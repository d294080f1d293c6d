"""Where the project stands: the folder that holds data/, reports/ and the store of replies."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from compendio.erros import ErroDeEstudo


def raiz() -> Path:
    """The root of the project.

    `COMPENDIO_RAIZ`, else the closest folder from the working directory upwards that holds our
    pyproject.toml, else the folder this package was installed from in editable mode. Raises
    ErroDeEstudo where none of the three is there.
    """
    named = os.environ.get("COMPENDIO_RAIZ")
    if named:
        folder = Path(named).expanduser().resolve()
        if not folder.is_dir():
            raise ErroDeEstudo(
                f"COMPENDIO_RAIZ aponta para {folder}, que não é uma pasta; corrija a variável."
            )
        return folder
    here, package = Path.cwd().resolve(), Path(__file__).resolve()
    for folder in [here, *here.parents, *package.parents]:
        if _is_ours(folder / "pyproject.toml"):
            return folder
    raise ErroDeEstudo(
        f"Não achei a pasta do projeto a partir de {here}; abra o terminal nela ou diga onde fica em "
        "COMPENDIO_RAIZ."
    )


def _is_ours(pyproject: Path) -> bool:
    try:
        project = tomllib.loads(pyproject.read_text(encoding="utf-8")).get("project", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False
    return bool(project.get("name") == "compendio")
