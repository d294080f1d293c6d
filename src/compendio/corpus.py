"""corpus.csv, corpus.parquet or corpus.jsonl → documents: one table, whatever the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from compendio.csv_file import clean, missing_columns, read_csv
from compendio.erros import ErroDeEstudo
from compendio.text_file import read_text

NOMES = ["corpus.csv", "corpus.parquet", "corpus.jsonl"]
_REQUIRED = ["id", "texto"]
#: Characters without width: a text of these alone is empty to whoever reads it.
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))


def find_corpus(pasta: Path) -> list[Path]:
    """The corpus files of a study folder (a sound study has at most one)."""
    return [pasta / name for name in NOMES if (pasta / name).is_file()]


def load_corpus(path: Path | str) -> pd.DataFrame:
    """Read one corpus file. Raises ErroDeEstudo with one sentence for each problem of the file."""
    problemas: list[str] = []
    documents = read_corpus(Path(path), problemas, [])
    if problemas or documents is None:
        raise ErroDeEstudo(problemas)
    return documents


def read_corpus(path: Path, problemas: list[str], avisos: list[str]) -> pd.DataFrame | None:
    """Read one corpus file, adding what is wrong to `problemas`; None where it cannot be used.

    Returns
    -------
    DataFrame
        Columns id, titulo, texto (text; `texto` exactly as written), then the file's other columns;
        index 0, 1, … in the order of the file.
    """
    before = len(problemas)
    readers = {".csv": _from_csv, ".parquet": _from_parquet, ".jsonl": _from_jsonl}
    rows = readers[path.suffix](path, problemas, avisos)
    if rows is None:
        return None
    places, records = rows
    if not records:
        problemas.append(f"{path.name}: não há nenhum documento; acrescente pelo menos um.")
        return None
    _check_rows(places, records, problemas)
    if len(problemas) > before:
        return None
    table = pd.DataFrame.from_records(records)
    if "titulo" not in table:
        avisos.append(f"{path.name}: não há coluna «titulo»; os títulos ficam vazios.")
        table["titulo"] = ""
    table["titulo"] = table["titulo"].fillna("").astype("str")
    table = table.astype({"id": "str", "texto": "str"})
    return table[["id", "titulo", "texto", *[c for c in table if c not in ("id", "titulo", "texto")]]]


_Rows = tuple[list[str], list[dict[str, Any]]] | None  # where each row stands, and the rows


def _from_csv(path: Path, problemas: list[str], avisos: list[str]) -> _Rows:
    file = read_csv(path, problemas, avisos, required=_REQUIRED)
    if file is None:
        return None
    return [file.where(row) for row in range(len(file.linhas))], [dict(row) for row in file.linhas]


def _from_parquet(path: Path, problemas: list[str], avisos: list[str]) -> _Rows:
    try:
        table = pd.read_parquet(path)
    except Exception:  # pyarrow raises many kinds for a file that is not Parquet
        problemas.append(f"{path.name}: não consegui ler este arquivo como Parquet; grave-o de novo.")
        return None
    missing = missing_columns([str(c) for c in table.columns], _REQUIRED, path.name)
    if missing:
        problemas.extend(missing)
        return None
    records = table.astype(object).where(table.notna(), None).to_dict("records")
    return [f"{path.name}, linha {n}" for n in range(1, len(table) + 1)], records


def _from_jsonl(path: Path, problemas: list[str], avisos: list[str]) -> _Rows:
    text = read_text(path, path.name, problemas, avisos)
    if text is None:
        return None
    places: list[str] = []
    records: list[dict[str, Any]] = []
    before = len(problemas)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path.name}, linha {number}"
        try:
            record = json.loads(line, object_pairs_hook=_once)
        except _Repeated as repeated:
            problemas.append(f"{where}: a chave «{repeated}» está repetida; deixe uma só.")
            continue
        except json.JSONDecodeError:
            problemas.append(f"{where}: não é um JSON completo; cada linha deve ser um objeto, de {{ a }}.")
            continue
        except (ValueError, RecursionError):
            problemas.append(
                f"{where}: há um número ou um aninhamento grande demais; deixe só id, titulo e texto."
            )
            continue
        if not isinstance(record, dict):
            problemas.append(f"{where}: deve ser um objeto JSON com id e texto, entre {{ e }}.")
            continue
        problemas.extend(missing_columns(list(record), _REQUIRED, where))
        places.append(where)
        records.append(record)
    return (places, records) if len(problemas) == before else None


class _Repeated(Exception):
    """A key that stands twice in one object: the last would win without a word."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for key, value in pairs:
        if key in record:
            raise _Repeated(key)
        record[key] = value
    return record


def _broken(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def _check_rows(places: list[str], records: list[dict[str, Any]], problemas: list[str]) -> None:
    seen: dict[str, str] = {}
    for where, record in zip(places, records, strict=True):
        ident = clean("" if record["id"] is None else str(record["id"]))
        record["id"] = ident
        if _broken(ident):
            problemas.append(f"{where}: o id tem um caractere partido (\\ud800 a \\udfff); apague-o.")
            continue
        if not ident:
            problemas.append(f"{where}: o documento não tem id; dê-lhe um que nenhum outro tenha.")
        elif ident in seen:
            problemas.append(
                f"{where}: o id «{ident}» já está em {seen[ident]}; cada documento precisa do seu."
            )
        seen.setdefault(ident, where)
        texto = record["texto"]
        if not isinstance(texto, str) or not texto.translate(_INVISIBLE).strip():
            problemas.append(
                f"{where}: o documento «{ident}» não tem texto; preencha «texto» ou apague a linha."
            )
        elif _broken(texto):
            problemas.append(f"{where}: o texto tem um caractere partido (\\ud800 a \\udfff); apague-o.")
