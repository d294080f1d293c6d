"""Reading the CSVs that people save from a spreadsheet: encoding and separator recognised, and said."""

from __future__ import annotations

import csv
import io
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from compendio.suggestion import closest
from compendio.text_file import read_text

_SEPARATORS = {",": "vírgula", ";": "ponto e vírgula", "\t": "tabulação"}


@dataclass(frozen=True)
class CsvFile:
    """The rows of a CSV file as text.

    Attributes
    ----------
    rotulo
        Name of the file in messages.
    colunas
        Names of the columns, in order.
    linhas
        One dictionary a row, column → cell exactly as written.
    numeros
        The line of the file on which each row starts (from 1).
    """

    rotulo: str
    colunas: list[str]
    linhas: list[dict[str, str]]
    numeros: list[int]

    def where(self, row: int) -> str:
        """`file, linha n` of a row (from 0)."""
        return f"{self.rotulo}, linha {self.numeros[row]}"


def csv_files(folder: Path, avisos: list[str]) -> list[Path]:
    """The CSV files of a folder, sorted; other files (but texts about them, and hidden ones) are said."""
    files = sorted(
        path for path in folder.glob("*") if path.is_file() and not path.name.startswith((".", "~"))
    )
    for path in sorted(folder.glob("*/*.csv")) if folder.is_dir() else []:
        avisos.append(
            f"{folder.name}/{path.parent.name}/{path.name}: não é lido; ponha-o direto em {folder.name}/."
        )
    for path in files:
        if path.suffix not in (".csv", ".md", ".txt"):
            avisos.append(
                f"{folder.name}/{path.name}: não é um arquivo .csv e fica de fora; salve-o como CSV UTF-8."
            )
    return [path for path in files if path.suffix == ".csv"]


def clean(cell: str) -> str:
    """A name or value for comparison: NFC, without white space at the ends."""
    return unicodedata.normalize("NFC", cell).strip()


def read_csv(
    path: Path,
    problemas: list[str],
    avisos: list[str],
    *,
    required: list[str],
    rotulo: str | None = None,
) -> CsvFile | None:
    """Read a CSV file; None, with a sentence for each reason in `problemas`, where its table is not sound.

    Missing columns are named with the closest one that is there; rows whose number of fields is not the
    header's are all reported. What was recognised other than UTF-8 with commas goes to `avisos`.
    """
    rotulo = rotulo or path.name
    text = read_text(path, rotulo, problemas, avisos)
    if text is None:
        return None
    if not text.strip():
        problemas.append(f"{rotulo}: o arquivo está vazio; a primeira linha deve ter {', '.join(required)}.")
        return None
    skipped, separator = _separator(text)
    if separator != ",":
        avisos.append(f"{rotulo}: colunas separadas por {_SEPARATORS[separator]}.")
    before = len(problemas)
    rows = _rows(text, separator, rotulo, problemas)
    del rows[:skipped]
    if not rows or len(problemas) > before:
        return None
    header, body = [clean(name) for name in rows[0][1]], rows[1:]
    # Spreadsheets leave empty columns at the right; they say nothing and are dropped.
    while (
        len(header) > 1 and not header[-1] and all(len(r) < len(header) or not r[-1].strip() for _, r in body)
    ):
        body = [(number, row[: len(header) - 1]) for number, row in body]
        header.pop()
    _check_header(header, required, rotulo, problemas)
    for number, row in body:
        if len(row) != len(header):
            problemas.append(
                f"{rotulo}, linha {number}: tem {len(row)} campos e o cabeçalho tem {len(header)}; ponha "
                "entre aspas "
                f"o texto que contém {_SEPARATORS[separator]} ou complete a linha."
            )
    if len(problemas) > before:
        return None
    table = [dict(zip(header, row, strict=True)) for _, row in body]
    return CsvFile(rotulo, header, table, [number for number, _ in body])


def _separator(text: str) -> tuple[int, str]:
    """Rows to skip before the header (Excel's `sep=;`), and what separates the most columns in it."""
    first = text.split("\n", 1)[0].strip()
    if first.lower().startswith("sep=") and first[4:] in _SEPARATORS:
        return 1, first[4:]

    def columns(separator: str) -> int:
        return len(next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), []))

    csv.field_size_limit(10**8)
    return 0, max(_SEPARATORS, key=columns)


def _rows(text: str, separator: str, rotulo: str, problemas: list[str]) -> list[tuple[int, list[str]]]:
    csv.field_size_limit(10**8)  # texts are longer than the module's 131,072 characters
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[int, list[str]]] = []
    start = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append((start, row))
            start = reader.line_num + 1
    except csv.Error:
        problemas.append(
            f"{rotulo}, linha {start}: há aspas sem par nesta linha; aspas dentro de um texto escrevem-se "
            "dobradas "
            '("") e o texto inteiro fica entre aspas.'
        )
    return rows


def _check_header(header: list[str], required: list[str], rotulo: str, problemas: list[str]) -> None:
    for name in dict.fromkeys(header):
        if not name:
            problemas.append(f"{rotulo}, linha 1: há uma coluna sem nome; dê-lhe um nome ou apague-a.")
        elif header.count(name) > 1:
            problemas.append(
                f"{rotulo}, linha 1: a coluna «{name}» aparece {header.count(name)} vezes; deixe uma."
            )
    problemas.extend(missing_columns(header, required, f"{rotulo}, linha 1"))


def missing_columns(present: list[str], required: list[str], where: str) -> list[str]:
    """One sentence a required column that is not there, with the closest one that is."""
    spare = [name for name in present if name and name not in required]
    return [
        f"{where}: falta a coluna «{name}»; "
        + (f"a mais parecida é «{near}»: renomeie-a." if (near := closest(name, spare)) else "acrescente-a.")
        for name in required
        if name not in present
    ]
