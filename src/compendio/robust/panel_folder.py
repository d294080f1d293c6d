"""The folder of a panel study: `notas.csv`, and beside it, as far as there are, its metadata and reference.

notas.csv        item, juiz, dimensao, nota
painel.yaml      titulo, simulado, escala (one pair, or a pair a dimension), familias (judge: family)
referencia.csv   item, dimensao, nota: people's mean, or the truth of a simulation
repeticao.csv    like notas.csv: a second, independent rating by the same judges
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compendio.erros import ErroDeEstudo
from compendio.robust.scores import Panel, Scale, build_panel, parse_scale, read_scores
from compendio.suggestion import did_you_mean
from compendio.yaml_file import YamlFile, read_yaml

CHAVES = ["titulo", "simulado", "escala", "familias"]


@dataclass(frozen=True)
class PanelStudy:
    """A panel, its second ratings (None without), and whether its scores are simulated."""

    painel: Panel
    repeticao: Panel | None
    simulado: bool


def load(
    notas: Path, *, escala: str = "", celulas_fora: str = "mascarar", reescalar: bool = False
) -> PanelStudy:
    """Load a panel from its folder, or from its table of scores (the other files are looked for beside it).

    `escala` as in `scores.parse_scale`; empty: that of painel.yaml, or none. Raises ErroDeEstudo with every
    problem of the file in which one is found.
    """
    table = notas / "notas.csv" if notas.is_dir() else notas
    folder = table.parent
    long = read_scores(table)
    dims = list(dict.fromkeys(long["dimensao"]))
    file = _metadata(folder / "painel.yaml")
    meta: dict[str, Any] = file.data if file else {}
    scales = parse_scale(escala, dims) or (_scales(file, dims) if file else None)
    title = str(meta.get("titulo") or table.stem)
    simulated = bool(meta.get("simulado", False))
    reference, repeat = folder / "referencia.csv", folder / "repeticao.csv"
    options: dict[str, Any] = {
        "escalas": scales,
        "celulas_fora": celulas_fora,
        "reescalar": reescalar,
        "referencia": read_scores(reference, ["item", "dimensao", "nota"]) if reference.is_file() else None,
        "familias": {str(k): str(v) for k, v in (meta.get("familias") or {}).items()},
        "titulo": f"{title} (dados simulados)" if simulated else title,
    }
    panel = build_panel(long, **options)
    second = build_panel(read_scores(repeat), como=panel, **options) if repeat.is_file() else None
    return PanelStudy(panel, second, simulated)


def _metadata(path: Path) -> YamlFile | None:
    if not path.is_file():
        return None
    problems: list[str] = []
    file = read_yaml(path, problems, [])
    for key in file.data if file else []:
        if key not in CHAVES:
            where = file.where((key,)) if file else path.name
            problems.append(f"{where}: chave desconhecida; {did_you_mean(key, CHAVES)}")
    if file and not isinstance(file.data.get("familias") or {}, dict):
        problems.append(f"{file.where(('familias',))}: escreva uma linha por juiz, juiz: família.")
    if problems:
        raise ErroDeEstudo(problems)
    return file


def _scales(file: YamlFile, dims: list[str]) -> list[Scale] | None:
    given = file.data.get("escala")
    if given is None:
        return None
    by_dimension = given if isinstance(given, dict) else dict.fromkeys(dims, given)
    scales = []
    for name in dims:
        pair = by_dimension.get(name) or []
        numbers = isinstance(pair, list) and [float(v) for v in pair if isinstance(v, int | float)]
        if not numbers or len(numbers) != 2 or not numbers[0] < numbers[1]:
            raise ErroDeEstudo(
                f"{file.where(('escala',))}: a dimensão «{name}» precisa do par [menor nota, maior nota]."
            )
        scales.append((numbers[0], numbers[1]))
    return scales
