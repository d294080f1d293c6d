"""Divergences as a reader meets them: tables in Portuguese, a page to read, and the numbers they stand for.

divergencias.<variavel>.<codificador>.total
divergencias.<variavel>.<codificador>.par.<categoria da referência>.<categoria do codificador>.{n, parcela, kappa_sem}
divergencias.<variavel>.<codificador>.referencia.<categoria>.{n, kappa_sem}
divergencias.<variavel>.<codificador>.dispensadas   (share of divergences with an exempt category)
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from pandas.io.formats.style import Styler

from compendio.codebook import Codebook
from compendio.measure.divergence_sources import Sources
from compendio.measure.families import EXPLICACAO
from compendio.report.jury_tables import NOMES_NIVEL
from compendio.report.style import como_tabela, contagem, num, p_valor, pct, short_notice
from compendio.report.validation_numbers import Number, count, number

HEADINGS = {
    "variavel": "variável",
    "referencia": "referência",
    "valor": "codificador",
    "parcela": "parte das divergências",
    "kappa_sem_o_par": "kappa sem o par",
    "kappa_fundidas": "kappa com as duas fundidas",
    "kappa_sem": "kappa sem esta categoria",
    "meta_inf": "kappa com metade do par resolvida",
    "meta_sup": "kappa com o par resolvido",
    "n_referencia": "na referência",
    "n_codificador": "no codificador",
    "so_referencia": "só na referência",
    "so_codificador": "só no codificador",
    "dispensa": "dispensa evidência",
    "evidencia": "evidência do codificador",
    "nivel_evidencia": "nível",
    "evidencia_referencia": "evidência da referência",
    "definicao": "definição do codificador",
    "definicao_referencia": "definição da referência",
}


#: Columns in which several choices are stored as JSON.
_CHOICES = ("valor", "referencia", "evidencia", "evidencia_referencia", "nivel_evidencia")


def shown(table: pd.DataFrame, aviso: str = "", marca: str = "") -> Styler:
    """A table of divergences with Portuguese headings and decimal comma.

    Under it the study's notice and what `circular_note` says.
    """
    text = pd.DataFrame({HEADINGS.get(name, name): _cells(name, table[name]) for name in table.columns})
    return como_tabela(text, short_notice(aviso), marca)


def circular_note(sources: Sources, *quem: str) -> str:
    """Which of these coders (`principal`, `juri`) are circular with the reference, and what that means; or empty."""
    marked = [sources.nomes[who] for who in quem if sources.circular[who]]
    return f"Circular ({', '.join(marked)}): {EXPLICACAO}" if marked else ""


def readable(cell: object) -> str:
    """A cell as it is read: several choices without JSON, a level of evidence by its name, nothing where missing.

    `["a", "b"]` → `a, b`; `[]` → `(nenhuma)`; `{"a": "quote"}` → `a: quote`.
    """
    if not isinstance(cell, str):
        return ""
    try:
        found = json.loads(cell) if cell.startswith(("[", "{")) else None
    except json.JSONDecodeError:
        found = None
    if isinstance(found, list):
        return ", ".join(map(str, found)) or "(nenhuma)"
    if isinstance(found, Mapping):
        return "; ".join(f"{name}: {NOMES_NIVEL.get(item, item)}" for name, item in found.items() if item)
    return cell


def _cells(name: str, column: pd.Series) -> list[str]:
    if pd.api.types.is_bool_dtype(column):
        return ["sim" if cell else "" for cell in column]
    if name.startswith(("kappa", "meta_")):
        return [num(float(cell)) for cell in column]
    if name == "parcela":
        return [pct(float(cell)) for cell in column]
    if name == "p":
        return [p_valor(float(cell)) for cell in column]
    if pd.api.types.is_numeric_dtype(column):
        return [contagem(float(cell)) for cell in column]
    if name == "nivel_evidencia":
        return [NOMES_NIVEL.get(cell, readable(cell)) for cell in column]
    if name in _CHOICES:
        return [readable(cell) for cell in column]
    return ["" if pd.isna(cell) else str(cell) for cell in column]


def save_table(table: pd.DataFrame, pasta: Path, nome: str) -> Path:
    """Write `<pasta>/<nome>.csv` as computed."""
    pasta.mkdir(parents=True, exist_ok=True)
    path = pasta / f"{nome}.csv"
    table.to_csv(path, index=False, encoding="utf-8", lineterminator="\n")
    return path


def reading_page(table: pd.DataFrame, codebook: Codebook, titulo: str, aviso: str, path: Path) -> Path:
    """Write the page on which all divergences are read, one section a variable, one group a pair of values."""
    parts = [f"<h1>{html.escape(titulo)}</h1>"]
    if aviso:
        parts.append(f'<p class="aviso"><strong>Atenção.</strong> {html.escape(aviso)}</p>')
    for name, variable in codebook.variaveis.items():
        own = table[table["variavel"] == name]
        if own.empty:
            continue
        parts.append(
            f"<h2>{html.escape(name)}: {num(len(own), 0)}</h2><p>{html.escape(variable.pergunta)}</p>"
        )
        parts += _pairs(own)
    style = (
        "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#111}"
        "table{border-collapse:collapse;width:100%;margin-bottom:1.5rem}td,th{border-bottom:1px solid #ccc;"
        "text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0}.aviso{background:#fff4d6;padding:.6rem 1rem}"
    )
    head = f'<!doctype html><html lang="pt-BR"><meta charset="utf-8"><title>{html.escape(titulo)}</title>'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{head}<style>{style}</style>{''.join(parts)}</html>\n", encoding="utf-8")
    return path


def _pairs(own: pd.DataFrame) -> list[str]:
    named = own.assign(valor=own["valor"].fillna("(sem valor)"))
    groups = sorted(
        named.groupby(["referencia", "valor"], sort=True), key=lambda item: len(item[1]), reverse=True
    )
    parts = []
    for (referencia, valor), rows in groups:
        first = rows.iloc[0]
        pair = f"referência {readable(referencia)} × {readable(valor)}: {num(len(rows), 0)}"
        parts.append(f"<h3>{html.escape(pair)}</h3>")
        definitions = [first["definicao_referencia"], first["definicao"]]
        parts += [f"<p>{html.escape(text)}</p>" for text in definitions if isinstance(text, str)]
        columns = ["documento", "evidencia_referencia", "evidencia", "nivel_evidencia"]
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in zip(*(_cells(name, rows[name]) for name in columns), strict=True)
        )
        heads = "".join(f"<th>{html.escape(HEADINGS.get(name, name))}</th>" for name in columns)
        parts.append(f"<table><tr>{heads}</tr>{body}</table>")
    return parts


def divergence_numbers(
    codificador: str,
    table: pd.DataFrame,
    pairs: pd.DataFrame,
    by_reference: pd.DataFrame,
    codebook: Codebook,
    celula: str,
) -> list[Number]:
    """The numbers of one coder; `table` is what `divergences` gives, the others are of `Sources`."""
    numbers = []
    for name in codebook.variaveis:
        own = table[table["variavel"] == name]
        prefix = f"divergencias.{name}.{codificador}"
        numbers.append(count(f"{prefix}.total", len(own), celula))
        share = float(own["dispensa"].mean()) if len(own) else float("nan")
        numbers.append(number(f"{prefix}.dispensadas", share, pct(share), celula))
    for row in pairs.itertuples():
        name = f"divergencias.{row.variavel}.{codificador}.par.{row.referencia}.{row.valor}"
        numbers += [
            count(f"{name}.n", row.n, celula),
            number(f"{name}.parcela", row.parcela, pct(row.parcela), celula),
            number(f"{name}.kappa_sem", row.kappa_sem_o_par, num(row.kappa_sem_o_par), celula),
        ]
    for row in by_reference.itertuples():
        name = f"divergencias.{row.variavel}.{codificador}.referencia.{row.referencia}"
        numbers += [
            count(f"{name}.n", row.n, celula),
            number(f"{name}.kappa_sem", row.kappa_sem, num(row.kappa_sem), celula),
        ]
    return numbers
