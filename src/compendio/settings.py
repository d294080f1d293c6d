"""The keys of estudo.yaml, as they may be written."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

#: Options of a call where the study says nothing else.
OPCOES: dict[str, Any] = {"num_ctx": 4096, "num_predict": 800, "temperature": 0, "seed": 1}


def _exact(value: Any) -> Any:
    # YAML gives 0.80 as a float: its shortest form is what was written, in exact decimals.
    return repr(value) if isinstance(value, float | int) and not isinstance(value, bool) else value


#: Money: exact, never negative, and no more than any study has.
Dinheiro = Annotated[
    Decimal, BeforeValidator(_exact), Field(ge=0, le=1_000_000_000, allow_inf_nan=False, strict=False)
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Member(_Strict):
    """One juror: `modelo` is its name for the server (default: `nome`), `opcoes` go over the study's."""

    nome: str = Field(min_length=1)
    modelo: str = Field(min_length=1)
    familia: str = Field(min_length=1)
    opcoes: dict[str, Any] = {}

    @model_validator(mode="before")
    @classmethod
    def _model_is_name(cls, data: Any) -> Any:
        return {"modelo": data["nome"], **data} if isinstance(data, Mapping) and "nome" in data else data


class Sample(_Strict):
    """Documents the jury codes: n of them, drawn by the seed."""

    n: int = Field(ge=1)
    semente: int


class Repetitions(_Strict):
    """How many documents are asked a second time, in another order, to measure stability."""

    documentos: int = Field(default=20, ge=1)
    semente: int = 1


class Prices(_Strict):
    """Prices per million tokens, with their currency and the day they were looked up.

    `fator_lote` is the share of them that a batch pays (the full price where it is absent).
    """

    entrada: Dinheiro
    saida: Dinheiro
    cache_escrita: Dinheiro | None = None
    cache_leitura: Dinheiro | None = None
    fator_lote: Dinheiro | None = Field(default=None, gt=0, le=1)
    moeda: str = Field(min_length=1)
    data: Annotated[datetime.date, Field(strict=False)]


class Supervisor(_Strict):
    """Who picks among candidates where the jury did not decide; by files unless the study says `api`."""

    modo: Literal["arquivos", "api"] = "arquivos"
    familia: str | None = None
    modelo: str | None = None
    precos: Prices | None = None
    limite_gasto: Dinheiro | None = None
    max_tokens: int = Field(default=1024, ge=64, le=1_000_000)
    enviar_textos: bool = False
    tamanho_lote: int = Field(default=20, ge=1)


class Audit(_Strict):
    """Size and seed of the blind sample of unanimous decisions."""

    n: int = Field(default=40, ge=1)
    semente: int = 2026


class Validation(_Strict):
    """The reference (chosen by rule where absent), the family of every coder, and the bootstrap."""

    referencia: str | None = None
    familias: dict[str, str] = {}
    semente: int = 2026
    reamostras: int = Field(default=10_000, ge=1)


class Settings(_Strict):
    """estudo.yaml: one attribute a key.

    `corpus_inteiro`: documents of the whole corpus where the study does not hold them (a study of votes);
    what the jury costs is projected to them. `importacao`: the command that writes the study's data, where the
    repository does not hold them.
    """

    titulo: str = Field(min_length=1)
    aviso: str = ""
    importacao: str | None = None
    membros: list[Member]
    principal: str
    principal_corpus_inteiro: bool = False
    amostra: Sample | None = None
    corpus_inteiro: int | None = Field(default=None, ge=1)
    chamadas: Literal["por_documento", "por_variavel"] = "por_documento"
    deliberacao: bool = True
    evidencia: Literal["exigida", "dispensada"] = "exigida"
    sem_maioria: Literal["principal", "ausente"] = "principal"
    opcoes: dict[str, Any] = OPCOES
    tempo_limite: float = Field(default=120, gt=0, allow_inf_nan=False)
    pensar: bool | None = None
    repeticoes: Repetitions | None = None
    supervisor: Supervisor = Supervisor()
    auditoria: Audit = Audit()
    validacao: Validation = Validation()

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, data: Any) -> Any:
        """The main model is the first member where none is named; the study's options go over ours."""
        if not isinstance(data, Mapping):
            return data
        data = dict(data)
        members = data.get("membros")
        if (
            "principal" not in data
            and isinstance(members, list)
            and members
            and isinstance(members[0], Mapping)
        ):
            data["principal"] = members[0].get("nome", "")
        if isinstance(data.get("opcoes"), Mapping):
            data["opcoes"] = {**OPCOES, **data["opcoes"]}
        return data
