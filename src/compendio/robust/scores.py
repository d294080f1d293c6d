"""From a long table of scores (`item, juiz, dimensao, nota`) to a panel: cells counted, failures treated."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from compendio.csv_file import clean, read_csv
from compendio.erros import ErroDeEstudo
from compendio.robust.aggregate import Floats

COLUNAS = ["item", "juiz", "dimensao", "nota"]
TRATAMENTOS: dict[str, str] = {
    "mascarar": "a nota fora da escala é uma falha: o juiz fica fora daquele item",
    "limitar": "a nota fora da escala vira o limite mais próximo",
    "manter": "a nota fora da escala fica como está",
}
_VAZIAS = {"", "NA", "N/A", "NaN", "nan", "null"}
_NUMERO = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
Scale = tuple[float, float]


@dataclass(frozen=True)
class Panel:
    """Scores of a panel, ready to aggregate.

    Attributes
    ----------
    itens, juizes, dimensoes
        Names along the three axes of `notas`, each in the order of its first appearance in the table.
    notas
        (items, judges, dimensions) after the treatment; NaN where there is no grade.
    escalas
        (lowest, highest) of each dimension, or None where no scale was given.
    celulas
        One row a judge and one `todos`: `juiz, celulas, validas, ausentes, nao_numericas, abaixo, acima`.
        `celulas` counts every item x dimension; a row that is not in the table counts as `ausentes`.
    referencia
        (items, dimensions) to measure errors against (people's mean, or the simulated truth); None without.
    familias
        Judge → family, as far as given.
    titulo
        What the panel is, for tables and figures; says so where the scores are simulated.
    reescalar
        Whether the geometric median may mix dimensions of different scales, each put on 0 to 1 first.
    """

    itens: list[str]
    juizes: list[str]
    dimensoes: list[str]
    notas: Floats
    escalas: list[Scale] | None
    celulas: pd.DataFrame
    referencia: Floats | None = None
    familias: Mapping[str, str] = field(default_factory=dict)
    titulo: str = ""
    reescalar: bool = False


def read_scores(path: Path, columns: Sequence[str] = COLUNAS) -> pd.DataFrame:
    """Read a long table of scores; the cells of `nota` stay text, other columns of the file are left out.

    Raises ErroDeEstudo with every problem found: unreadable file, missing columns, empty names, and the same
    grade given twice (with both lines).
    """
    problems: list[str] = []
    table = read_csv(path, problems, [], required=list(columns))
    if table is None:
        raise ErroDeEstudo(problems)
    seen: dict[tuple[str, ...], int] = {}
    rows = []
    keys = [name for name in columns if name != "nota"]
    for i, line in enumerate(table.linhas):
        key = tuple(clean(line[name]) for name in keys)
        if "" in key:
            problems.append(
                f"{table.where(i)}: a coluna «{keys[key.index('')]}» está vazia; "
                "preencha-a ou apague a linha."
            )
        elif key in seen:
            problems.append(
                f"{table.where(i)}: a nota de {' / '.join(key)} já está na linha "
                f"{table.numeros[seen[key]]}; deixe uma."
            )
        seen.setdefault(key, i)
        rows.append([*key, clean(line["nota"])])
    if not rows:
        problems.append(f"{table.rotulo}: a tabela não tem nenhuma nota; ponha uma por linha.")
    if problems:
        raise ErroDeEstudo(problems)
    return pd.DataFrame(rows, columns=[*keys, "nota"])


def parse_scale(text: str, dimensions: Sequence[str]) -> list[Scale] | None:
    """`"1 a 5"` for all dimensions, or `"clareza=0 a 10; coerência=1 a 5"`; None for an empty text.

    Raises ErroDeEstudo where a scale cannot be read, is upside down, or names a dimension that is not there.
    """
    if not text.strip():
        return None
    parts = [part.strip() for part in text.split(";") if part.strip()]
    if len(parts) == 1 and "=" not in parts[0]:
        return [_limits(parts[0])] * len(dimensions)
    given: dict[str, Scale] = {}
    for part in parts:
        name, _, limits = part.partition("=")
        if clean(name) not in dimensions:
            raise ErroDeEstudo(
                f'escala: "{clean(name)}" não é uma dimensão da tabela de notas ({", ".join(dimensions)}).'
            )
        given[clean(name)] = _limits(limits)
    missing = [name for name in dimensions if name not in given]
    if missing:
        raise ErroDeEstudo(f"escala: falta a escala de {', '.join(missing)}; escreva dimensao=menor a maior.")
    return [given[name] for name in dimensions]


def _limits(text: str) -> Scale:
    number = r"\s*([+-]?\d+(?:[.,]\d+)?)\s*"
    found = re.fullmatch(rf"{number}(?:a|até|-|–|:){number}", text)
    low, high = (float(g.replace(",", ".")) for g in found.groups()) if found else (0.0, 0.0)
    if not low < high:
        raise ErroDeEstudo(
            f'escala: não entendi "{text.strip()}"; escreva a menor e a maior nota, por exemplo "1 a 5".'
        )
    return low, high


def build_panel(
    long: pd.DataFrame,
    *,
    escalas: Sequence[Scale] | None = None,
    celulas_fora: str = "mascarar",
    referencia: pd.DataFrame | None = None,
    familias: Mapping[str, str] | None = None,
    titulo: str = "",
    como: Panel | None = None,
    reescalar: bool = False,
) -> Panel:
    """Arrange a long table (`item, juiz, dimensao, nota`) as a panel.

    Parameters
    ----------
    long
        `nota` as text (decimal comma or point) or numbers. Text that is not a number is counted and masked:
        there is nothing to clip or keep.
    escalas
        (lowest, highest) of each dimension, in order of first appearance; None: no cell is out of scale.
    celulas_fora
        What becomes of a grade outside its scale: a key of `TRATAMENTOS`.
    referencia
        Long table `item, dimensao, nota` of the grades to measure errors against.
    como
        A panel whose axes are used, so that a second rating lines up with the first; rows of other items,
        judges or dimensions are left out.
    """
    if celulas_fora not in TRATAMENTOS:
        raise ErroDeEstudo(f'celulas_fora é "{celulas_fora}"; use um destes: {", ".join(TRATAMENTOS)}.')
    if como is not None:
        long = long[
            long["item"].isin(como.itens)
            & long["juiz"].isin(como.juizes)
            & long["dimensao"].isin(como.dimensoes)
        ]
        items, judges, dims = como.itens, como.juizes, como.dimensoes
    else:
        items, judges, dims = (list(dict.fromkeys(long[name])) for name in COLUNAS[:3])
    if escalas is not None and len(escalas) != len(dims):
        raise ErroDeEstudo(
            f"são {len(dims)} dimensões e {len(escalas)} escalas; dê uma escala para cada dimensão."
        )
    value, kind = _numbers(long["nota"])
    at = tuple(
        pd.Index(axis).get_indexer(long[name])
        for axis, name in zip((items, judges, dims), COLUNAS, strict=False)
    )
    grades = np.full((len(items), len(judges), len(dims)), np.nan)
    kinds = np.full(grades.shape, "ausentes", dtype="<U13")
    grades[at], kinds[at] = value, kind
    if escalas is not None:
        low, high = np.array(escalas, dtype=float).T
        below, above = grades < low, grades > high
        kinds[below], kinds[above] = "abaixo", "acima"
        if celulas_fora == "mascarar":
            grades[below | above] = np.nan
        elif celulas_fora == "limitar":
            grades = np.clip(grades, low, high)
    return Panel(
        items, judges, dims, grades, None if escalas is None else list(escalas), _count(kinds, judges),
        None if referencia is None else _reference(referencia, items, dims), dict(familias or {}), titulo,
        reescalar,
    )  # fmt: skip


def _numbers(notes: pd.Series) -> tuple[Floats, np.ndarray]:
    """Values (NaN where not a number) and the kind of each cell: validas, ausentes, nao_numericas."""
    if pd.api.types.is_numeric_dtype(notes):
        value = notes.to_numpy(dtype=float, na_value=np.nan)
        return value, np.where(
            np.isnan(value), "ausentes", np.where(np.isinf(value), "nao_numericas", "validas")
        )
    texts = [str(cell).strip().replace("−", "-") if pd.notna(cell) else "" for cell in notes]
    value = np.array([float(t.replace(",", ".")) if _NUMERO.fullmatch(t) else np.nan for t in texts])
    kind = np.array(
        [
            "ausentes" if t in _VAZIAS else "validas" if np.isfinite(v) else "nao_numericas"
            for t, v in zip(texts, value, strict=True)
        ]
    )
    return np.where(np.isfinite(value), value, np.nan), kind


def _count(kinds: np.ndarray, judges: list[str]) -> pd.DataFrame:
    names = ["validas", "ausentes", "nao_numericas", "abaixo", "acima"]
    rows = [
        [judge, kinds[:, j].size, *(int((kinds[:, j] == name).sum()) for name in names)]
        for j, judge in enumerate(judges)
    ]
    rows.append(["todos", kinds.size, *(int((kinds == name).sum()) for name in names)])
    return pd.DataFrame(rows, columns=["juiz", "celulas", *names])


def _reference(table: pd.DataFrame, items: list[str], dims: list[str]) -> Floats:
    value, _ = _numbers(table["nota"])
    row, column = pd.Index(items).get_indexer(table["item"]), pd.Index(dims).get_indexer(table["dimensao"])
    known = (row >= 0) & (column >= 0)
    result = np.full((len(items), len(dims)), np.nan)
    result[row[known], column[known]] = value[known]
    return result
