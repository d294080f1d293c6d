"""The colophon: what made this article, as far as it can be known from inside."""

from __future__ import annotations

import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd
import pypandoc

from compendio.projeto import raiz
from compendio.study import Study

PACOTES = ("compendio", "numpy", "pandas", "scipy", "matplotlib", "pydantic", "papermill", "jinja2", "typst")
#: As many characters of a model's digest as tell models apart.
DIGEST = 12


def colophon_lines(study: Study) -> list[str]:
    """Sentences (Markdown, Portuguese): commit, versions, digests of the models behind the codings."""
    packages = ", ".join(f"{name} {_version(name)}" for name in PACOTES)
    return [
        _commit(raiz()),
        f"Python {platform.python_version()}; {packages}; pandoc {pypandoc.get_pandoc_version()}.",
        _digests(study),
    ]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(versão desconhecida)"


def _commit(folder: Path) -> str:
    if shutil.which("git") is None:
        return "Revisão do projeto: desconhecida (não há git nesta máquina)."
    head = _git(folder, "rev-parse", "HEAD")
    if not head:
        return "Revisão do projeto: desconhecida (a pasta não está num repositório git)."
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return f"Revisão do projeto: `{head[:DIGEST]}`{', com mudanças ainda não gravadas' if changed else ''}."


def _git(folder: Path, *arguments: str) -> str:
    run = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    return run.stdout.strip() if run.returncode == 0 else ""


def _digests(study: Study) -> str:
    found: dict[str, set[str]] = {}
    for name in ("chamadas", "chamadas-deliberacao"):
        path = study.relatorios / f"{name}.parquet"
        if path.exists():
            calls = pd.read_parquet(path, columns=["fonte", "digest"]).dropna()
            for fonte, digest in calls[calls["digest"] != ""].itertuples(index=False, name=None):
                found.setdefault(str(fonte), set()).add(str(digest).removeprefix("sha256:")[:DIGEST])
    if not found:
        return (
            "Modelos: "
            + ", ".join(f"`{m.nome}`" for m in study.membros)
            + "; as codificações deste estudo não trazem o digest dos pesos que as fizeram."
        )
    named = (f"`{m.nome}` ({', '.join(sorted(found.get(m.nome, {'sem digest'})))})" for m in study.membros)
    return f"Modelos, com o digest dos pesos: {', '.join(named)}."
