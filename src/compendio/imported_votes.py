"""votos/<membro>.csv → votes that exist already, as contract rows: they stand in for corpus and replies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import pandas as pd

from compendio.codebook import SEPARADOR, Codebook, Variable
from compendio.codings import RowChecker, coded, coded_by_category
from compendio.contract import CHAVE, NIVEIS, conform, nome_de_arquivo
from compendio.csv_file import CsvFile, clean, csv_files, read_csv
from compendio.models.base import Falha
from compendio.suggestion import did_you_mean

FALHAS: tuple[str, ...] = get_args(Falha)
_SHOWN = 5  # files left out that are named; the laws have 80
_MARK = "o que está fora dele marca-se com falha = fora_do_codebook, sem valor; "


def read_votes(
    pasta: Path, membros: Sequence[str], codebook: Codebook, problemas: list[str], avisos: list[str]
) -> pd.DataFrame | None:
    """The members' votes: contract rows in the order of members and files, and the column `segundos`.

    Files of others than the members are left out, and said. Round 1 and repetition 0 where the file has
    no such column.
    """
    files = {path.stem: path for path in csv_files(pasta, avisos)}
    stems = {nome_de_arquivo(name): name for name in membros}
    tables = []
    for stem, name in stems.items():
        if stem not in files:
            others = [other for other in files if other not in stems]
            hint = did_you_mean(stem, others) if others else "acrescente-o."
            problemas.append(f"{pasta.name}/{stem}.csv: falta o arquivo de votos do membro «{name}»; {hint}")
            continue
        rotulo = f"{pasta.name}/{stem}.csv"
        file = read_csv(
            files[stem], problemas, avisos, required=["documento", "variavel", "valor"], rotulo=rotulo
        )
        if file is not None:
            tables.append(_read(file, name, codebook, problemas))
    others = [stem for stem in files if stem not in stems]
    if others:
        rest = f" e mais {len(others) - _SHOWN}" if len(others) > _SHOWN else ""
        avisos.append(
            f"{pasta.name}/: {len(others)} arquivos não são de membros deste estudo e ficam de fora: "
            f"{', '.join(others[:_SHOWN])}{rest}."
        )
    return pd.concat(tables, ignore_index=True) if tables else None


def _read(file: CsvFile, member: str, codebook: Codebook, problemas: list[str]) -> pd.DataFrame:
    checker = RowChecker(file, codebook, None)
    rows = []
    for line, row in zip(file.numeros, file.linhas, strict=True):
        known = checker.variable(line, row)
        rodada = _number(checker, line, row, "rodada", 1)
        repeticao = _number(checker, line, row, "repeticao", 0)
        segundos = _seconds(checker, line, row)
        if known is None or rodada is None or repeticao is None:
            continue
        documento, variable = known
        key = (documento, variable.nome, rodada, repeticao)
        what = f"«{variable.nome}» do documento «{documento}» (rodada {rodada}, repetição {repeticao})"
        if not checker.is_new(line, key, what):
            continue
        vote = _vote(checker, line, variable, row)
        if vote is not None:
            head = {
                "documento": documento,
                "variavel": variable.nome,
                "rodada": rodada,
                "repeticao": repeticao,
            }
            rows.append({**head, **vote, "segundos": segundos})
    found = checker.findings.sentences()
    problemas.extend(found)
    if not rows and not found:
        problemas.append(f"{file.rotulo}: não há nenhum voto; acrescente as linhas ou apague o membro.")
    return _conform(pd.DataFrame(rows), member)


def _conform(rows: pd.DataFrame, member: str) -> pd.DataFrame:
    """Contract rows with `segundos`, in the order of the file (it says the order of the documents)."""
    if rows.empty:
        return conform(pd.DataFrame(columns=["documento"]), member)
    table = conform(rows.drop(columns="segundos"), member).set_index(CHAVE)
    table = table.loc[pd.MultiIndex.from_frame(rows[CHAVE])].reset_index()
    return table.assign(segundos=rows["segundos"].astype("Float64").to_numpy())


def _vote(checker: RowChecker, line: int, variable: Variable, row: dict[str, str]) -> dict[str, Any] | None:
    falha, valor = clean(row.get("falha", "")), clean(row["valor"])
    if falha:
        if falha not in FALHAS:
            checker.findings.add(line, f"«{falha}» não é uma falha conhecida; {did_you_mean(falha, FALHAS)}")
            return None
        if valor:
            checker.findings.add(line, "há valor e falha na mesma linha; apague um dos dois.")
        return {"valor": None, "evidencia": None, "nivel_evidencia": None, "falha": falha}
    if not valor and variable.tipo != "multipla":
        checker.findings.add(
            line, "não há valor nem falha; preencha um dos dois (sem_resposta, se não respondeu)."
        )
        return None
    chosen = checker.value(line, variable, row["valor"], _MARK)
    if chosen is None:
        return None
    nivel = _level(checker, line, variable, chosen, clean(row.get("nivel_evidencia", "")))
    return {"valor": coded(variable, chosen), "evidencia": None, "nivel_evidencia": nivel, "falha": None}


def _level(checker: RowChecker, line: int, variable: Variable, chosen: list[str], cell: str) -> str:
    """The level as given, or `dispensada`, which is what a study of votes has to say of evidence."""
    several = variable.tipo == "multipla"
    levels = [part.strip() for part in cell.split(SEPARADOR)] if several and cell else [cell] * len(chosen)
    for level in dict.fromkeys(levels):
        if level and level not in NIVEIS:
            hint = did_you_mean(level, NIVEIS)
            checker.findings.add(line, f"«{level}» não é um nível de evidência; {hint}")
    if not several:
        return levels[0] or "dispensada"
    if len(levels) != len(chosen):
        checker.findings.add(
            line,
            f"há {len(chosen)} escolhas e {len(levels)} níveis de evidência; escreva um nível por escolha.",
        )
        return ""
    return coded_by_category(
        variable, {c: level or "dispensada" for c, level in zip(chosen, levels, strict=True)}
    )


def _number(checker: RowChecker, line: int, row: dict[str, str], name: str, default: int) -> int | None:
    cell = clean(row.get(name, ""))
    if not cell:
        return default
    allowed = ("1", "2") if name == "rodada" else None
    if not cell.isdecimal() or (allowed and cell not in allowed):
        wanted = "1 ou 2" if allowed else "um número inteiro, 0 na primeira vez"
        checker.findings.add(line, f"«{name}» é «{cell}»; escreva {wanted}.")
        return None
    return int(cell)


def _seconds(checker: RowChecker, line: int, row: dict[str, str]) -> float | None:
    cell = clean(row.get("segundos", "")).replace(",", ".")
    try:
        seconds = float(cell) if cell else None
    except ValueError:
        seconds = -1.0
    if seconds is not None and not 0 <= seconds < float("inf"):
        checker.findings.add(line, f"«segundos» é «{row['segundos']}»; escreva um número, como 12.5.")
        return None
    return seconds
