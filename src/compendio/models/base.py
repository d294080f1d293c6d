"""What every model backend is: one call that returns a reply or a named failure, and never raises.

The words are those of the data contract: a reply has either a `conteudo` or a `falha`, never both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Falha = Literal[
    "sem_resposta",
    "tempo_esgotado",
    "json_invalido",
    "fora_do_codebook",
    "texto_truncado",
    "limite_de_tokens",
    "recusa",
]

#: Failures in which the model was not heard: the next run asks again by itself.
NAO_OUVIDAS: frozenset[str] = frozenset({"sem_resposta", "tempo_esgotado"})

Message = Mapping[str, str]  # {"role": "system" | "user" | "assistant", "content": text}
Schema = Mapping[str, Any]  # JSON schema of the answer


@dataclass(frozen=True)
class Reply:
    """What came back from one call: the text of an answer, or why there is none.

    Attributes
    ----------
    conteudo
        The model's text exactly as it came; None when there is a `falha`.
    falha, detalhe
        Name of the failure (data contract) and a short technical text for the reader of a log.
    digest, servidor
        Digest of the model's weights and the version of the server that ran them.
    prompt_tokens, tokens
        Tokens of the prompt (the cached prefix included) and of the answer.
    prompt_segundos, geracao_segundos, segundos
        Seconds to evaluate the prompt, to generate, and of the whole call seen from here.
    """

    conteudo: str | None
    falha: Falha | None = None
    detalhe: str = ""
    digest: str = ""
    servidor: str = ""
    prompt_tokens: int | None = None
    tokens: int | None = None
    prompt_segundos: float | None = None
    geracao_segundos: float | None = None
    segundos: float = 0.0

    def __post_init__(self) -> None:
        if (self.conteudo is None) == (self.falha is None):
            raise ValueError("a reply has either a conteudo or a falha")


@dataclass(frozen=True)
class Call:
    """One question to one model: which documents and variables it is about, and what is sent.

    `options` are exactly those that change the output (num_ctx, num_predict, temperature, seed, …).
    """

    documento: str
    variaveis: tuple[str, ...]
    rodada: int
    messages: tuple[Message, ...]
    schema: Schema
    options: Mapping[str, Any] = field(default_factory=dict)
    repeticao: int = 0
    tentativa: int = 0


class Model(Protocol):
    """A backend. `nome` is the member's name in the study; `ask` never raises for what a model or network does."""

    nome: str
    digest: str
    servidor: str

    def ask(self, messages: Sequence[Message], schema: Schema, options: Mapping[str, Any]) -> Reply: ...
