"""Reading YAML for people: the line of every key, and YAML's traps as sentences, not surprises."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from compendio.text_file import read_text

Loc = tuple[str | int, ...]

_READ_AS = {
    "tag:yaml.org,2002:bool": "verdadeiro/falso",
    "tag:yaml.org,2002:int": "número",
    "tag:yaml.org,2002:float": "número",
    "tag:yaml.org,2002:timestamp": "data",
    "tag:yaml.org,2002:null": "vazio",
}

#: Numbers of YAML 1.1 in other bases: 010 is 8, 1:30 is 90.
_SURPRISING = re.compile(r"[-+]?(0[0-9box]|[0-9]+[:_])")


@dataclass(frozen=True)
class Scalar:
    """How a value was written: its words, and what YAML took them for ("" for text)."""

    escrito: str
    lido_como: str


@dataclass
class YamlFile:
    """The content of a YAML file with the line of every key.

    Attributes
    ----------
    rotulo
        Name of the file in messages.
    data
        Mappings, lists and scalars; all keys are text.
    lines
        Path of keys and positions → line (from 1).
    scalars
        Path → how that value was written.
    """

    rotulo: str
    data: Any = None
    lines: dict[Loc, int] = field(default_factory=dict)
    scalars: dict[Loc, Scalar] = field(default_factory=dict)

    def where(self, loc: Loc = ()) -> str:
        """`file, linha n, chave a.b` for a path, the line being that of the closest key that is there."""
        known = next((loc[:i] for i in range(len(loc), -1, -1) if loc[:i] in self.lines), ())
        line = f", linha {self.lines[known]}" if known else ""
        return f"{self.rotulo}{line}" + (f", chave {_dotted(loc)}" if loc else "")


def _dotted(loc: Loc) -> str:
    words = ""
    for step in loc:
        words += f"[{step + 1}]" if isinstance(step, int) else (f".{step}" if words else step)
    return f"«{words}»"


def read_yaml(
    path: Path, problemas: list[str], avisos: list[str], rotulo: str | None = None
) -> YamlFile | None:
    """Read one YAML file; None where it cannot be read at all.

    Repeated keys, and keys that YAML reads as something other than text, go to `problemas`; reading goes on,
    so that all problems of the file come out together.
    """
    file = YamlFile(rotulo or path.name)
    text = read_text(path, file.rotulo, problemas, avisos)
    if text is None:
        return None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problemas.append(_syntax(file.rotulo, text, mark.line if mark else 0))
        return None
    except yaml.YAMLError:
        problemas.append(
            f"{file.rotulo}: há um caractere de controle que o YAML não aceita; apague-o e salve de novo."
        )
        return None
    if node is None:
        problemas.append(f"{file.rotulo}: o arquivo está vazio; copie um modelo e preencha-o.")
        return None
    file.data = _Builder(file, problemas).build(node, ())
    for loc, scalar in file.scalars.items():
        if scalar.lido_como == "número" and _SURPRISING.match(scalar.escrito):
            problemas.append(
                f"{file.where(loc)}: o YAML lê «{scalar.escrito}» como outro número; escreva-o só com algarismos, sem "
                "zero à esquerda, «:» ou «_» (se for texto, ponha entre aspas)."
            )
    if not isinstance(file.data, dict):
        problemas.append(f"{file.rotulo}: o arquivo deve ter chaves (chave: valor), uma por linha.")
        return None
    return file


def _syntax(rotulo: str, text: str, index: int) -> str:
    lines = text.splitlines()
    shown = lines[index].strip() if index < len(lines) else ""
    advice = "confira o recuo (espaços), os dois-pontos e as aspas desta linha e da anterior"
    if any("\t" in line[: len(line) - len(line.lstrip())] for line in lines):
        advice = "o recuo tem tabulações, que o YAML não aceita: troque-as por espaços"
    elif shown.count(": ") > 1:
        advice = "um texto com dois-pontos precisa estar entre aspas"
    return f"{rotulo}, linha {index + 1}: o YAML não se lê perto de «{shown}»; {advice}."


class _Builder(yaml.constructor.SafeConstructor):
    """Builds plain values from composed nodes, noting lines and traps on the way."""

    def __init__(self, file: YamlFile, problemas: list[str]) -> None:
        super().__init__()
        self.file, self.problemas = file, problemas
        self.open: list[yaml.Node] = []

    def build(self, node: yaml.Node, loc: Loc) -> Any:
        line = node.start_mark.line + 1
        self.file.lines.setdefault(loc, line)
        if any(node is other for other in self.open):
            self.problemas.append(
                f"{self.file.where(loc)}: a âncora aponta para si mesma; escreva o valor por extenso."
            )
            return None
        self.open.append(node)
        value = self._value(node, loc)
        self.open.pop()
        return value

    def _value(self, node: yaml.Node, loc: Loc) -> Any:
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, loc)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*loc, i)) for i, item in enumerate(node.value)]
        self.file.scalars[loc] = Scalar(node.value, _READ_AS.get(node.tag, ""))
        if node.tag == "tag:yaml.org,2002:str" or node.tag not in self.yaml_constructors:
            return unicodedata.normalize("NFC", node.value)
        try:
            return self.construct_object(node)
        except (ValueError, yaml.YAMLError):  # e.g. 2026-02-31, read as a date
            return node.value

    def _mapping(self, node: yaml.MappingNode, loc: Loc) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                self.problemas.append(f"{self.file.rotulo}, linha {line}: a chave deve ser um nome simples.")
                continue
            key = unicodedata.normalize("NFC", key_node.value).strip()
            here = (*loc, key)
            if read_as := _READ_AS.get(key_node.tag):
                self.problemas.append(
                    f"{self.file.rotulo}, linha {line}: o YAML lê a chave «{key}» como {read_as}, não "
                    "como texto; "
                    f'ponha-a entre aspas: "{key}".'
                )
            if key in result:
                self.problemas.append(
                    f"{self.file.rotulo}, linha {line}: a chave {_dotted(here)} já está na linha "
                    f"{self.file.lines[here]}; apague ou renomeie uma das duas."
                )
                continue
            self.file.lines[here] = line
            result[key] = self.build(value_node, here)
        return result
