"""referencia/*.csv → codings by people or by a reference model, as contract rows."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from compendio.codebook import SEPARADOR, Codebook, Variable
from compendio.codings import RowChecker, coded, with_evidence
from compendio.contract import conform
from compendio.csv_file import CsvFile, clean, csv_files, read_csv
from compendio.evidence import FoldedText

_USED = {"documento", "variavel", "valor", "evidencia", "observacao", "codificador"}


def read_references(
    pasta: Path,
    codebook: Codebook,
    textos: Mapping[str, FoldedText | None],
    dispensada: bool,
    problemas: list[str],
    avisos: list[str],
) -> dict[str, pd.DataFrame]:
    """All codings of a folder: coder → contract rows (round 1, repetition 0).

    A coder is the file's name without its ending, or the column `codificador` where there is one.
    Quotes are looked up in the texts. A row of a categorical or free-text variable without a value is
    no coding; without a value in one of several choices it says that none applies. Both are said.

    Parameters
    ----------
    textos
        Document → its text; None for each document of a study without texts.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    origin: dict[str, str] = {}
    for path in csv_files(pasta, avisos):
        rotulo = f"{pasta.name}/{path.name}"
        file = read_csv(path, problemas, avisos, required=["documento", "variavel", "valor"], rotulo=rotulo)
        if file is None:
            if any(said.startswith(f"{rotulo}") and "falta a coluna" in said for said in problemas):
                problemas.append(
                    f"{rotulo}: escreva uma linha por documento e variável, nas colunas documento, variavel, valor e, "
                    "se houver, evidencia."
                )
            continue
        unused = [name for name in file.colunas if name not in _USED]
        if unused:
            avisos.append(f"{rotulo}: colunas que não são usadas: {', '.join(unused)}.")
        found = _read(
            file, unicodedata.normalize("NFC", path.stem), codebook, textos, dispensada, problemas, avisos
        )
        for coder, own in found.items():
            if coder in origin:
                problemas.append(
                    f"{rotulo}: o codificador «{coder}» já está em {origin[coder]}; junte os dois "
                    "arquivos num só."
                )
            origin[coder] = rotulo
            rows[coder] = own
    return {coder: conform(pd.DataFrame(own), coder) for coder, own in rows.items() if own}


def _read(
    file: CsvFile,
    stem: str,
    codebook: Codebook,
    textos: Mapping[str, FoldedText | None],
    dispensada: bool,
    problemas: list[str],
    avisos: list[str],
) -> dict[str, list[dict[str, Any]]]:
    checker = RowChecker(file, codebook, textos)
    rows: dict[str, list[dict[str, Any]]] = {}
    blank = none = 0
    lost: list[int] = []
    for line, row in zip(file.numeros, file.linhas, strict=True):
        known = checker.variable(line, row)
        coder = clean(row["codificador"]) if "codificador" in row else stem
        if not coder:
            checker.findings.add(line, "falta o nome de quem codificou; preencha a coluna «codificador».")
        if known is None:
            continue
        documento, variable = known
        what = f"«{variable.nome}» do documento «{documento}»"
        if not checker.is_new(line, (coder, documento, variable.nome), what):
            continue
        empty = not clean(row["valor"])
        if empty and variable.tipo != "multipla":
            blank += 1
            continue
        none += empty
        chosen = checker.value(line, variable, row["valor"])
        quotes = _quotes(checker, line, variable, chosen, row.get("evidencia", ""))
        if chosen is None or quotes is None or not coder:
            continue
        evidence = with_evidence(variable, chosen, quotes, textos[documento], dispensada)
        if "nao_encontrada" in evidence["nivel_evidencia"]:
            lost.append(line)
        head = {"documento": documento, "variavel": variable.nome, "rodada": 1}
        note = row.get("observacao", "").strip() or None
        rows.setdefault(coder, []).append(
            {**head, "valor": coded(variable, chosen), "justificativa": note, **evidence}
        )
    problemas.extend(checker.findings.sentences())
    if blank:
        avisos.append(f"{file.rotulo}: linhas sem valor, que ficam de fora da referência: {blank}.")
    if none:
        avisos.append(
            f"{file.rotulo}: linhas sem valor em variável de várias escolhas, que contam como nenhuma: "
            f"{none}."
        )
    if lost:
        avisos.append(
            f"{file.rotulo}: evidências que não estão no texto: {len(lost)} (a primeira na linha {lost[0]})."
        )
    return rows


def _quotes(
    checker: RowChecker, line: int, variable: Variable, chosen: list[str] | None, cell: str
) -> list[str] | None:
    """The quotes beside `chosen`; None where their numbers differ."""
    if chosen is None:
        return None
    if variable.tipo != "multipla":
        return [cell.strip()]
    if not cell.strip():
        return [""] * len(chosen)
    quotes = [part.strip() for part in cell.split(SEPARADOR)]
    if len(quotes) == len(chosen):
        return quotes
    checker.findings.add(
        line,
        f"há {len(chosen)} escolhas e {len(quotes)} evidências em «{variable.nome}»; escreva uma "
        "evidência por "
        f"escolha, na mesma ordem, separadas por {SEPARADOR} (vazia onde não há).",
    )
    return None
