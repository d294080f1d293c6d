"""The numbers a notebook stands for: written as it ends, merged for the article, each with where it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from compendio.erros import ErroDeEstudo

CAMPOS = ["id", "valor", "impresso", "notebook", "celula"]
_SHOWN = 5  # repeated ids said one by one


def save_results(numbers: Iterable[Mapping[str, Any]], pasta: Path, notebook: str) -> Path:
    """Write `<pasta>/<notebook>.json`: a list of `id, valor, impresso, notebook, celula`, ids once each.

    Raises ErroDeEstudo where the notebook claims one id twice.
    """
    entries = [{field: {**number, "notebook": notebook}[field] for field in CAMPOS} for number in numbers]
    _check_unique(entries)
    pasta.mkdir(parents=True, exist_ok=True)
    path = pasta / f"{notebook}.json"
    path.write_text(json.dumps(entries, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def merge_results(relatorios: Path) -> Path:
    """Merge `resultados/*.json` of a study into `resultados.json`, sorted by id.

    Raises ErroDeEstudo where nothing is there yet, and where one id is claimed twice.
    """
    files = sorted((relatorios / "resultados").glob("*.json"))
    if not files:
        raise ErroDeEstudo(
            f"{relatorios / 'resultados'} não tem resultados; rode antes os notebooks do estudo."
        )
    entries = [entry for path in files for entry in json.loads(path.read_text(encoding="utf-8"))]
    _check_unique(entries)
    target = relatorios / "resultados.json"
    part = target.with_suffix(".part")
    text = json.dumps(sorted(entries, key=lambda entry: entry["id"]), ensure_ascii=False, indent=1)
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(target)
    return target


def _check_unique(entries: Iterable[Mapping[str, Any]]) -> None:
    claims: dict[str, list[str]] = {}
    for entry in entries:
        claims.setdefault(entry["id"], []).append(entry["notebook"])
    problems = [
        f"O número «{ident}» está mais de uma vez nos resultados ({', '.join(dict.fromkeys(notebooks))}): dê outro "
        "id a um deles, ou apague de resultados/ o arquivo de um notebook que já não existe."
        for ident, notebooks in sorted(claims.items())
        if len(notebooks) > 1
    ]
    if problems:
        rest = len(problems) - _SHOWN
        more = [f"Há mais {rest} números repetidos como esses."] if rest > 0 else []
        raise ErroDeEstudo(problems[:_SHOWN] + more)
