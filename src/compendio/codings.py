"""What the CSVs of references and of votes share: their rows checked against codebook and documents."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from compendio.codebook import SEPARADOR, Codebook, Variable
from compendio.csv_file import CsvFile, clean
from compendio.evidence import FoldedText, find_evidence
from compendio.suggestion import closest, did_you_mean


@dataclass
class Findings:
    """Problems of one file, with all the lines on which the same one stands."""

    rotulo: str
    lines: dict[str, list[int]] = field(default_factory=dict)

    def add(self, line: int, sentence: str) -> None:
        self.lines.setdefault(sentence, []).append(line)

    def sentences(self) -> list[str]:
        """One sentence a problem, with the first lines it was found on."""
        return [f"{self.rotulo}, {_lines(numbers)}: {sentence}" for sentence, numbers in self.lines.items()]


def _lines(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"linha {numbers[0]}"
    shown = ", ".join(map(str, numbers[:5]))
    return f"linhas {shown}" + (f" e mais {len(numbers) - 5}" if len(numbers) > 5 else "")


class RowChecker:
    """Checks the rows of one file one by one; what is wrong is in `findings`.

    Parameters
    ----------
    documentos
        The ids that may occur; None where the file itself says which documents there are.
    """

    def __init__(self, file: CsvFile, codebook: Codebook, documentos: Collection[str] | None) -> None:
        self.codebook = codebook
        self.documentos = documentos
        self.findings = Findings(file.rotulo)
        self._seen: dict[Hashable, int] = {}

    def variable(self, line: int, row: Mapping[str, str]) -> tuple[str, Variable] | None:
        """The document and the variable of a row, or None where one of them is not known."""
        documento, name = clean(row["documento"]), clean(row["variavel"])
        variable = self.codebook.variaveis.get(name)
        if variable is None:
            hint = did_you_mean(name, self.codebook.variaveis)
            self.findings.add(line, f"a variável «{name}» não está no codebook.yaml; {hint}")
        if not documento:
            self.findings.add(line, "falta o id do documento; preencha a coluna «documento».")
        elif self.documentos is not None and documento not in self.documentos:
            # A document with a name alike is another document: only capitals and accents may be a slip.
            near = closest(documento, self.documentos, cutoff=1.0, short=False)
            hint = f"você quis dizer «{near}»?" if near else "confira-o na coluna «id» do corpus."
            self.findings.add(line, f"o documento «{documento}» não é deste estudo; {hint}")
        elif variable is not None:
            return documento, variable
        return None

    def is_new(self, line: int, key: Hashable, what: str) -> bool:
        """Whether no earlier row has this key; one that has is a finding."""
        first = self._seen.setdefault(key, line)
        if first != line:
            self.findings.add(line, f"{what} já está na linha {first}; deixe uma das duas.")
        return first == line

    def value(self, line: int, variable: Variable, cell: str, mend: str = "") -> list[str] | None:
        """The categories of a cell (one, or several choices) or its free text; None where unknown."""
        valor = clean(cell)
        if variable.tipo == "texto":
            return [valor]
        several = variable.tipo == "multipla"
        chosen = [clean(part) for part in valor.split(SEPARADOR)] if several else [valor]
        if several and valor in ("", "[]"):
            return []
        good = True
        for name in chosen:
            if name not in variable.categorias:
                good = False
                hint = did_you_mean(name, variable.categorias) if name else "apague o separador que sobra."
                self.findings.add(
                    line, f"«{name}» não é categoria de «{variable.nome}» no codebook.yaml; {mend}{hint}"
                )
        for name in {name for name in chosen if chosen.count(name) > 1}:
            good = False
            self.findings.add(line, f"a categoria «{name}» está repetida na mesma célula; deixe uma.")
        return chosen if good else None


def coded(variable: Variable, chosen: list[str]) -> str:
    """The contract's `valor`: the value itself, or of several choices a JSON list in codebook order."""
    if variable.tipo != "multipla":
        return chosen[0]
    return _json([name for name in variable.categorias if name in chosen])


def coded_by_category(variable: Variable, cells: Mapping[str, str]) -> str:
    """A JSON object from category to quote or level, in codebook order."""
    return _json({name: cells[name] for name in variable.categorias if name in cells})


def with_evidence(
    variable: Variable,
    chosen: list[str],
    quotes: list[str],
    text: FoldedText | None,
    dispensada: bool,
) -> dict[str, Any]:
    """The contract's evidence columns for one coding.

    Parameters
    ----------
    chosen, quotes
        Values and their quotes ("" for none), side by side.
    text
        The document; None where the study has no texts, so that no quote can be looked up.
    """
    matches = [
        find_evidence(
            quote if text else None, text or FoldedText(""), dispensa=variable.dispensa(valor, dispensada)
        )
        for valor, quote in zip(chosen, quotes, strict=True)
    ]
    if variable.tipo == "multipla":
        given = {valor: quote for valor, quote in zip(chosen, quotes, strict=True) if quote}
        levels = {valor: match.nivel for valor, match in zip(chosen, matches, strict=True)}
        return {
            "evidencia": coded_by_category(variable, given),
            "nivel_evidencia": coded_by_category(variable, levels),
        }
    match = matches[0]
    return {
        "evidencia": quotes[0] or None,
        "nivel_evidencia": match.nivel,
        "inicio": match.inicio,
        "fim": match.fim,
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
