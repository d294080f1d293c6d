"""The numbers a notebook stands for: written as it ends, merged for the article, each with where it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from compendio.erros import ErroDeEstudo

CAMPOS = ["id", "valor", "impresso", "notebook", "celula"]


def save_results(numbers: Iterable[Mapping[str, Any]], pasta: Path, notebook: str) -> Path:
    """Write `<pasta>/<notebook>.json`: a list of `id, valor, impresso, notebook, celula`, ids once each."""
    entries = [{field: {**number, "notebook": notebook}[field] for field in CAMPOS} for number in numbers]
    _check_unique([entry["id"] for entry in entries], notebook)
    pasta.mkdir(parents=True, exist_ok=True)
    path = pasta / f"{notebook}.json"
    path.write_text(json.dumps(entries, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def merge_results(relatorios: Path) -> Path:
    """Merge `resultados/*.json` of a study into `resultados.json`, sorted by id.

    Raises ErroDeEstudo where nothing is there yet; ValueError where two notebooks claim one id.
    """
    files = sorted((relatorios / "resultados").glob("*.json"))
    if not files:
        raise ErroDeEstudo(
            f"{relatorios / 'resultados'} não tem resultados; rode antes os notebooks do estudo."
        )
    entries = [entry for path in files for entry in json.loads(path.read_text(encoding="utf-8"))]
    _check_unique([entry["id"] for entry in entries], relatorios.name)
    target = relatorios / "resultados.json"
    part = target.with_suffix(".part")
    text = json.dumps(sorted(entries, key=lambda entry: entry["id"]), ensure_ascii=False, indent=1)
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(target)
    return target


def _check_unique(ids: list[str], where: str) -> None:
    repeated = sorted({name for name in ids if ids.count(name) > 1})
    if repeated:
        raise ValueError(f"{where}: repeated ids of results: {', '.join(repeated)}")
