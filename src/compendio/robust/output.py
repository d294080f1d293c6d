"""What the notebook prints and saves: tables with Portuguese headings and decimal comma, and its numbers."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from pandas.io.formats.style import Styler

from compendio.report.style import como_tabela, intervalo, num
from compendio.robust.corruption import REGIMES
from compendio.robust.evaluation import LABELS

HEADINGS: dict[str, str] = {
    "agregador": "agregador",
    "erro_medio": "erro médio",
    "reqm": "raiz do erro quadrático médio",
    "celulas": "células",
    "validas": "válidas",
    "nao_numericas": "não numéricas",
    "abaixo": "abaixo da escala",
    "acima": "acima da escala",
    "dimensao": "dimensão",
    "juizes": "juízes",
    "juiz_a": "juiz A",
    "juiz_b": "juiz B",
    "relacao": "relação",
    "correlacao": "correlação",
    "formula": "fórmula",
    "numero": "juízes que falham",
    "afirmacao": "afirmação",
} | LABELS
INTEGERS = {
    "itens",
    "celulas",
    "validas",
    "ausentes",
    "nao_numericas",
    "abaixo",
    "acima",
    "n",
    "juizes",
    "numero",
}


def printed(table: pd.DataFrame, de_que: str = "", casas: int = 3) -> Styler:
    """The table as it is shown: decimal comma, Portuguese headings, names for keys, under it what it is of."""
    shown = {}
    for name in table.columns:
        column = table[name]
        if name == "agregador":
            shown[name] = [LABELS[key] for key in column]
        elif name == "regime":
            shown[name] = [REGIMES[key] for key in column]
        elif name == "ic_baixo":
            shown["IC 95%"] = [
                intervalo(float(a), float(b), casas) for a, b in zip(column, table["ic_alto"], strict=True)
            ]
        elif name == "ic_alto":
            continue
        elif (
            name == "valor" and "medida" in table
        ):  # of a table of measures: how many judges there are is a count
            shown[name] = [
                num(float(v), 0 if what == "juízes" else casas)
                for what, v in zip(table["medida"], column, strict=True)
            ]
        elif pd.api.types.is_numeric_dtype(column):
            shown[name] = [num(float(v), 0 if name in INTEGERS else casas) for v in column]
        else:
            shown[name] = list(column)
    return como_tabela(pd.DataFrame(shown).rename(columns=HEADINGS), f"{de_que}." if de_que else "")


def by_aggregator(table: pd.DataFrame, index: list[str], value: str) -> pd.DataFrame:
    """One row for each combination of `index`, one column an aggregator, in the order of `LABELS`."""
    wide = table.pivot(index=index, columns="agregador", values=value)
    order = [key for key in LABELS if key in wide.columns]
    rows = pd.MultiIndex.from_frame(
        table[index].drop_duplicates()
    )  # in the table's order, not the alphabet's
    return (
        wide.loc[rows if len(index) > 1 else rows.get_level_values(0), order]
        .reset_index()
        .rename_axis(columns=None)
    )


def save_table(table: pd.DataFrame, pasta: Path, nome: str) -> Path:
    """Save `<pasta>/<nome>.csv` as it was computed (decimal point, keys), and return its path."""
    pasta.mkdir(parents=True, exist_ok=True)
    path = pasta / f"{nome}.csv"
    table.to_csv(path, index=False, encoding="utf-8", lineterminator="\n")
    return path


def error_numbers(prefixo: str, table: pd.DataFrame, celula: str) -> list[dict[str, object]]:
    """The numbers of an `error_table`: `<prefixo>.<agregador>`, three places."""
    return [
        {"id": f"{prefixo}.{key}", "valor": float(v), "impresso": num(float(v), 3), "celula": celula}
        for key, v in zip(table["agregador"], table["erro_medio"], strict=True)
    ]


def claim_numbers(table: pd.DataFrame, celula: str) -> list[dict[str, object]]:
    """The numbers of the table of claims: each line's value, and how many lines have each verdict."""
    numbers: list[dict[str, object]] = [
        {"id": f"afirmacao.{key}", "valor": float(v), "impresso": num(float(v), 2), "celula": celula}
        for key, v in zip(table["id"], table["valor"], strict=True)
        if pd.notna(v)
    ]
    for verdict, count in table["veredito"].value_counts(sort=False).items():
        numbers.append(
            {
                "id": f"afirmacoes.{verdict}",
                "valor": int(count),
                "impresso": num(int(count), 0),
                "celula": celula,
            }
        )
    return numbers
