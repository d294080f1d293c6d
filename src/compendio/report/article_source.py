"""The article's text: a template whose numbers, tables and figures come from a study's reports, and from nowhere else.

What would let a result be typed, or outlive its number, stops the build: a number that no notebook wrote, a
digit (or a number in words) standing in the template, a sentence whose stated condition no longer holds, an
exhibit without the notebook that makes it. All problems of a text are told together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from compendio.erros import ErroDeEstudo
from compendio.report.article_tables import TABELAS, Tables
from compendio.report.provenance import Origin, origins
from compendio.report.style import AUSENTE
from compendio.suggestion import did_you_mean

#: Digits that may stand in the template: they are names, conventions and dates, not results.
PERMITIDOS = (
    r"(?:19|20)\d\d",  # years
    r"95%",  # the level of every interval
    r"AC1",  # Gwet's coefficient
    r"juri-r1",  # a source of the data contract
    r"[Rr]odada 1",
)
_NUMERAIS = (
    "quatro|cinco|seis|sete|oito|nove|dez|onze|doze|treze|catorze|quatorze|quinze|dezesseis|dezessete|dezoito|"
    "dezenove|vinte|trinta|quarenta|cinquenta|sessenta|setenta|oitenta|noventa|cem|cento|duzentos|trezentos|"
    "quatrocentos|quinhentos|seiscentos|setecentos|oitocentos|novecentos|mil"
)
_FORA = (
    re.compile(r"\{#.*?#\}", re.S),  # comments
    re.compile(r"\{\{.*?\}\}", re.S),  # what the build fills in
    re.compile(r"\{%.*?%\}", re.S),
    re.compile(r"@[A-Za-z][\w:.-]*"),  # citations
    re.compile(r"\{[#.][^}]*\}"),  # identifiers of headings
    re.compile(r"<https?://[^>]*>|\]\([^)]*\)"),  # addresses
    re.compile(rf"(?<![\w,.])(?:{'|'.join(PERMITIDOS)})(?![\w%])"),
)
_NUMERAL = re.compile(rf"\b(?:{_NUMERAIS})\b", re.I)


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of the article: its printed label, and the generated files it is made from."""

    rotulo: str
    arquivos: tuple[str, ...]


def typed_results(template: str) -> list[str]:
    """One sentence (Portuguese) for each number that stands in the template as text, with its line."""
    bare = template
    for pattern in _FORA:
        bare = pattern.sub(lambda m: "\n" * m.group().count("\n"), bare)
    problems = []
    for line, text in enumerate(bare.split("\n"), start=1):
        for found in [*re.findall(r"\S*\d\S*", text), *_NUMERAL.findall(text)]:
            problems.append(
                f"artigo.md.j2, linha {line}: «{found}» está digitado; tome o número de resultados.json, por "
                'exemplo {{ n("amostra.documentos") }}.'
            )
    return problems


class Source:
    """What the template may use, and what it did use.

    Attributes
    ----------
    numeros
        Results by id, as `resultados.json` has them.
    usados
        Ids of the numbers used, in the order of their first use.
    exibicoes
        Tables and figures, in the order in which they stand.
    """

    def __init__(self, numeros: Mapping[str, Mapping[str, Any]], relatorios: Path, nota: str = "") -> None:
        self.numeros, self.relatorios, self.nota = numeros, relatorios, nota
        self.rotulos: dict[str, str] = {}
        self.start()

    def start(self) -> None:
        """Forget what was used; the labels found stay, for references to exhibits that stand later."""
        self.usados: dict[str, None] = {}
        self.exibicoes: dict[str, Exhibit] = {}
        self.problemas: list[str] = []
        self.referidos: list[str] = []

    def n(self, ident: str) -> str:
        """The printed form of a result."""
        entry = self._entry(ident)
        if entry is None:
            return ""
        if entry["impresso"] == AUSENTE:
            self.problemas.append(f"O número «{ident}» é indefinido nestes dados: mude a frase que o usa.")
        return str(entry["impresso"])

    def v(self, ident: str) -> Any:
        """The value of a result, for conditions; 0 where it is not there (the build fails anyway)."""
        entry = self._entry(ident)
        return 0 if entry is None or entry["valor"] is None else entry["valor"]

    def _entry(self, ident: str) -> Mapping[str, Any] | None:
        self.usados.setdefault(ident)
        if ident not in self.numeros:
            self.problemas.append(
                f"O artigo pede o número «{ident}», que não está em resultados.json; "
                f"{did_you_mean(ident, self.numeros)}"
            )
        return self.numeros.get(ident)

    def exige(self, condicao: bool, frase: str) -> str:
        """Nothing, where the condition of the next sentence holds; else a problem of the build."""
        if not condicao:
            self.problemas.append(f"Com estes números não vale mais: «{frase}». Reescreva a frase no artigo.")
        return ""

    def tabela(self, nome: str, legenda: str) -> str:
        """A table with its caption, made from the study's tables."""
        if nome not in TABELAS:
            self.problemas.append(f"Não há a tabela «{nome}»: {did_you_mean(nome, TABELAS)}")
            return ""
        tables = Tables(self.relatorios / "tabelas")
        text = TABELAS[nome](tables)
        label = self._label(nome, "Tabela", tuple(f"tabelas/{name}.csv" for name in tables.lidas))
        return f"{text}\n\n: {label}. {self._caption(legenda)}\n"

    def linhas(self, nome: str) -> list[dict[str, Any]]:
        """The rows of a table as computed, for conditions."""
        rows: list[dict[str, Any]] = Tables(self.relatorios / "tabelas").read(nome).to_dict("records")
        return rows

    def figura(self, nome: str, legenda: str, largura: str = "") -> str:
        """A figure with its caption; the file's ending is chosen when a format is built."""
        for ending in ("png", "pdf"):
            if not (self.relatorios / "figuras" / f"{nome}.{ending}").exists():
                self.problemas.append(
                    f"Falta a figura {self.relatorios / 'figuras' / nome}.{ending}: rode antes os notebooks do estudo."
                )
        label = self._label(nome, "Figura", (f"figuras/{nome}.png", f"figuras/{nome}.pdf"))
        size = f"{{width={largura}}}" if largura else ""
        return f"![{label}. {self._caption(legenda)}](figuras/{nome}){size}"

    def ref(self, nome: str) -> str:
        """`Tabela 2`, for a table or figure that stands anywhere in the text."""
        self.referidos.append(nome)
        return self.rotulos.get(nome, nome)

    def _caption(self, legenda: str) -> str:
        return f"{legenda} {self.nota}".strip()

    def _label(self, nome: str, especie: str, arquivos: tuple[str, ...]) -> str:
        if nome in self.exibicoes:
            self.problemas.append(f"«{nome}» aparece duas vezes no artigo; deixe uma só.")
        place = 1 + sum(item.rotulo.startswith(especie) for item in self.exibicoes.values())
        label = self.rotulos[nome] = f"{especie} {place}"
        self.exibicoes[nome] = Exhibit(label, arquivos)
        return label

    def finish(self) -> None:
        """Raise ErroDeEstudo with all that is wrong with the text."""
        lost = [nome for nome in dict.fromkeys(self.referidos) if nome not in self.exibicoes]
        self.problemas += [f"O texto remete a «{nome}», que não está no artigo." for nome in lost]
        unseen = [nome for nome in self.exibicoes if nome not in self.referidos]
        self.problemas += [
            f"O texto não remete a «{nome}» ({self.exibicoes[nome].rotulo})." for nome in unseen
        ]
        if self.problemas:
            raise ErroDeEstudo(list(dict.fromkeys(self.problemas)))


def fill(template: str, source: Source, fatos: Mapping[str, Any]) -> str:
    """The article's Markdown. `fatos` are further names of the template (members, settings of the study …).

    Raises ErroDeEstudo with every problem found.
    """
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True, autoescape=False)
    offered = ("n", "v", "exige", "linhas", "tabela", "figura", "ref")
    names = {key: getattr(source, key) for key in offered}
    typed = typed_results(template)
    text = ""
    try:
        compiled = environment.from_string(template)
        for _ in range(2):  # the first pass finds the labels that the second refers to
            source.start()
            text = compiled.render({**names, **fatos})
    except jinja2.TemplateError as error:
        raise ErroDeEstudo([*typed, *source.problemas, f"artigo.md.j2: {error}."]) from error
    source.problemas = [*typed, *source.problemas]
    source.finish()
    return text


def read_numbers(relatorios: Path) -> dict[str, dict[str, Any]]:
    """`resultados.json` of a study by id; ErroDeEstudo where it is not there."""
    path = relatorios / "resultados.json"
    if not path.exists():
        raise ErroDeEstudo(f"{path} não existe: rode antes make analise ESTUDO={relatorios.name}.")
    return {entry["id"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))}


def exhibit_rows(source: Source, notebooks: Path) -> list[tuple[str, Origin, str]]:
    """One row for each file behind a table or figure: label, what made it, file under the study's reports.

    Raises ErroDeEstudo for a file that no notebook makes.
    """
    stems = [Path(file).stem for item in source.exibicoes.values() for file in item.arquivos]
    made = origins(notebooks, list(dict.fromkeys(stems)))
    return [
        (item.rotulo, made[Path(file).stem], file)
        for item in source.exibicoes.values()
        for file in item.arquivos
        if not file.endswith(".pdf")  # the same figure, once more
    ]
