"""codebook.yaml → Codebook: variables, categories, the evidence rule, and the JSON schema of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from compendio.erros import ErroDeEstudo
from compendio.folding import normal_form
from compendio.validation_messages import validate
from compendio.yaml_file import YamlFile, read_yaml

#: Longest quote that the schema allows, in characters.
LIMITE_EVIDENCIA = 200
#: Separates several choices in the CSVs that people write.
SEPARADOR = "|"
#: A variable's name is also that of a file, of a column and of numbers (`estabilidade.<membro>.n`).
_NAME = re.compile(r"\w(?:[\w .-]*[\w-])?")
_TAKEN = {"n", "todas"}


class _Strict(BaseModel):
    # Strict: what YAML read as a number or a truth value never turns into text by itself.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Category(_Strict):
    """One category of a variable; `dispensa_evidencia` exempts it from evidence."""

    definicao: str = Field(min_length=1)
    fronteira: str | None = None
    exemplos: list[str] = []
    dispensa_evidencia: bool = False


class Variable(_Strict):
    """One variable of the codebook.

    Attributes
    ----------
    nome
        Filled in from the key.
    categorias
        In codebook order: at least 2 for `categorica` and `multipla`, none for `texto`.
    limite
        Longest free-text answer, in characters.
    valor_ausente
        The free-text answer that says that the text does not say; exempt from evidence.
    """

    nome: str = Field(default="", exclude=True)
    tipo: Literal["categorica", "multipla", "texto"]
    pergunta: str = Field(min_length=1)
    orientacao: str | None = None
    categorias: dict[str, Category] = {}
    limite: int = Field(default=60, ge=1, le=500)
    valor_ausente: str | None = None

    def dispensa(self, valor: str, estudo_dispensa: bool = False) -> bool:
        """Whether a value (of several choices: one category) needs no evidence: the one evidence rule.

        Parameters
        ----------
        valor
            A category, or a free-text answer (compared in its normal form).
        estudo_dispensa
            True where the study says `evidencia: dispensada`.
        """
        if estudo_dispensa:
            return True
        if self.tipo == "texto":
            return self.valor_ausente is not None and normal_form(valor) == normal_form(self.valor_ausente)
        return valor in self.categorias and self.categorias[valor].dispensa_evidencia


class Codebook(_Strict):
    """The variables of a study, in order."""

    titulo: str = Field(min_length=1)
    versao: str = Field(min_length=1)
    variaveis: dict[str, Variable] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _name_variables(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not isinstance(data.get("variaveis"), dict):
            return data
        named = {
            name: {**body, "nome": name} if isinstance(body, dict) else body
            for name, body in data["variaveis"].items()
        }
        return {**data, "variaveis": named}


def load_codebook(path: Path | str) -> Codebook:
    """Read a codebook. Raises ErroDeEstudo with one sentence for each problem of the file."""
    problemas: list[str] = []
    codebook = read_codebook(Path(path), problemas, [])
    if problemas or codebook is None:
        raise ErroDeEstudo(problemas)
    return codebook


def read_codebook(path: Path, problemas: list[str], avisos: list[str]) -> Codebook | None:
    """Read a codebook, adding what is wrong to `problemas`; None where it cannot be used."""
    before = len(problemas)
    file = read_yaml(path, problemas, avisos)
    if file is None:
        return None
    codebook = validate(Codebook, file, problemas)
    variables = file.data.get("variaveis")
    for name, body in variables.items() if isinstance(variables, dict) else ():
        if isinstance(body, dict):
            _check_variable(file, str(name), body, problemas)
    return codebook if len(problemas) == before else None


def _check_variable(file: YamlFile, name: str, body: Mapping[str, Any], problemas: list[str]) -> None:
    """What no single key shows, read from the file as written: it is said whatever else is wrong."""
    loc = ("variaveis", name)
    where = file.where(loc)
    tipo, categories = body.get("tipo"), body.get("categorias")
    if not name:
        problemas.append(f"{where}: a variável não tem nome; escreva um antes dos dois-pontos.")
    elif not _NAME.fullmatch(name):
        problemas.append(
            f"{where}: «{name}» não serve de nome de variável; use só letras, números, espaço, ponto, hífen e «_»."
        )
    elif name.casefold() in _TAKEN:
        problemas.append(f"{where}: «{name}» é nome reservado nas tabelas; escolha outro, como «{name}_1».")
    if "nome" in body:
        problemas.append(
            f"{file.where((*loc, 'nome'))}: o nome da variável é a própria chave; apague esta linha."
        )
    if tipo == "texto":
        if categories:
            problemas.append(
                f"{where}: variável de texto não tem categorias; apague-as ou use tipo: categorica."
            )
        ausente, limite = body.get("valor_ausente"), body.get("limite", 60)
        if isinstance(ausente, str) and isinstance(limite, int) and len(ausente) > limite:
            problemas.append(f"{where}: valor_ausente é mais longo que limite ({limite}); aumente o limite.")
        if ausente == "":
            problemas.append(
                f"{file.where((*loc, 'valor_ausente'))}: está vazia; preencha-a ou apague a linha."
            )
    elif tipo in ("categorica", "multipla"):
        if categories is None or (isinstance(categories, dict) and len(categories) < 2):
            problemas.append(f"{where}: tem menos de 2 categorias; acrescente-as em «categorias».")
        for key in ("limite", "valor_ausente"):
            if key in body:
                problemas.append(f"{file.where((*loc, key))}: só serve para tipo: texto; apague esta linha.")
    for category in categories if isinstance(categories, dict) else ():
        if not category or SEPARADOR in category or "\n" in category:
            problemas.append(
                f"{file.where((*loc, 'categorias', category))}: o nome da categoria não pode ser vazio "
                "nem ter "
                f"«{SEPARADOR}» (separa escolhas) ou quebra de linha; mude o nome."
            )


def answer_schema(variables: Iterable[Variable]) -> dict[str, Any]:
    """JSON schema of the answer about these variables: evidence always before the value it supports."""
    quote = {"type": "string", "maxLength": LIMITE_EVIDENCIA}
    properties: dict[str, Any] = {}
    for variable in variables:
        if variable.tipo == "texto":
            properties[variable.nome] = _object(
                {"evidencia": quote, "valor": {"type": "string", "maxLength": variable.limite}}
            )
        elif variable.tipo == "categorica":
            choice = {"type": "string", "enum": list(variable.categorias)}
            properties[variable.nome] = _object({"evidencia": quote, "valor": choice})
        else:
            choice = {"type": "string", "enum": list(variable.categorias)}
            properties[variable.nome] = {
                "type": "array",
                "maxItems": len(variable.categorias),
                "items": _object({"evidencia": quote, "categoria": choice}),
            }
    return _object(properties)


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def diff_codebooks(old: Codebook, new: Codebook) -> list[str]:
    """What changed between two codebooks, one line in Portuguese a change; empty where nothing did."""
    lines = _changed("codebook", old.model_dump(exclude={"variaveis"}), new.model_dump(exclude={"variaveis"}))
    lines += _members("variável", "", old.variaveis, new.variaveis)
    for name in [n for n in old.variaveis if n in new.variaveis]:
        one, two = old.variaveis[name], new.variaveis[name]
        lines += _changed(
            name, one.model_dump(exclude={"categorias"}), two.model_dump(exclude={"categorias"})
        )
        lines += _members("categoria", f"{name}: ", one.categorias, two.categorias)
        for category in [c for c in one.categorias if c in two.categorias]:
            label = f"{name}, {category}"
            lines += _changed(
                label, one.categorias[category].model_dump(), two.categorias[category].model_dump()
            )
    return lines


def _changed(label: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return [
        f"{label}: {key} era {_show(old[key])}, agora é {_show(new[key])}"
        for key in old
        if old[key] != new[key]
    ]


def _show(value: Any) -> str:
    if value is None or value == []:
        return "(nada)"
    if isinstance(value, bool):
        return "sim" if value else "não"
    return "; ".join(f"«{item}»" for item in value) if isinstance(value, list) else f"«{value}»"


def _members(kind: str, prefix: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    lines = [f"{prefix}saiu a {kind} «{name}»" for name in old if name not in new]
    lines += [f"{prefix}entrou a {kind} «{name}»" for name in new if name not in old]
    kept_old, kept_new = [n for n in old if n in new], [n for n in new if n in old]
    if kept_old != kept_new:
        plural = {"variável": "das variáveis", "categoria": "das categorias"}[kind]
        lines.append(f"{prefix}mudou a ordem {plural}: {', '.join(kept_new)}")
    return lines
