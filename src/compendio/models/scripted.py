"""A model that says what it is told to: for tests and for examples without a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from compendio.models.base import Message, Reply, Schema

Answer = str | Reply


class ScriptedModel:
    """Answers from a list, in order, or from a function of the call; no network, fixed durations.

    Parameters
    ----------
    answers
        A sequence, used up one by one (IndexError when it is exhausted), or a function of
        `(messages, schema, options)`. A text becomes a reply with that `conteudo`.
    """

    def __init__(
        self,
        nome: str,
        answers: Sequence[Answer] | Callable[[Sequence[Message], Schema, Mapping[str, Any]], Answer],
        *,
        digest: str = "roteiro",
        servidor: str = "roteiro",
        segundos: float = 1.0,
    ) -> None:
        self.nome, self.digest, self.servidor, self.segundos = nome, digest, servidor, segundos
        self._answers = answers
        #: What was asked, in order: (messages, schema, options).
        self.asked: list[tuple[Sequence[Message], Schema, Mapping[str, Any]]] = []

    def ask(self, messages: Sequence[Message], schema: Schema, options: Mapping[str, Any]) -> Reply:
        """The next answer."""
        number = len(self.asked)
        self.asked.append((messages, schema, options))
        script = self._answers
        answer = script(messages, schema, options) if callable(script) else script[number]
        reply = answer if isinstance(answer, Reply) else Reply(conteudo=answer)
        return replace(
            reply,
            digest=reply.digest or self.digest,
            servidor=reply.servidor or self.servidor,
            segundos=reply.segundos or self.segundos,
        )
