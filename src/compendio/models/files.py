"""A member whose replies are recorded: no server, nothing is asked, what is missing is an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compendio.erros import ErroDeEstudo
from compendio.models.base import Message, Reply, Schema
from compendio.models.store import Store


class RecordedModel:
    """Stands for a member whose replies are all in the store (loaded from `respostas.jsonl`).

    Parameters
    ----------
    nome
        The member's name in the study.
    store
        The store with the recorded replies.
    digest
        Which weights, where the member was recorded with more than one.

    Raises
    ------
    ErroDeEstudo
        When nothing is recorded under this name, or under more than one digest and none was chosen.
    """

    servidor = ""

    def __init__(self, nome: str, store: Store, digest: str | None = None) -> None:
        found = [digest] if digest is not None else store.digests(nome)
        if not found:
            raise ErroDeEstudo(
                f"Não há respostas gravadas do membro «{nome}»; rode o estudo com MODELO=ollama, ou tire "
                "o membro de estudo.yaml."
            )
        if len(found) > 1:
            raise ErroDeEstudo(
                f"As respostas gravadas do membro «{nome}» vêm de {len(found)} versões do modelo "
                f"({', '.join(text[:12] for text in found)}); grave de novo com uma só."
            )
        self.nome, self.digest = nome, found[0]

    def missing(self, faltam: int, total: int) -> ErroDeEstudo:
        """The error for replies that the recording does not hold."""
        return ErroDeEstudo(
            f"Faltam {faltam} de {total} respostas gravadas do membro «{self.nome}»: o livro de códigos, os "
            "textos, as opções ou o modelo mudaram desde a gravação. Rode-o com MODELO=ollama e "
            "grave-as de novo: make exportar-respostas."
        )

    def ask(self, messages: Sequence[Message], schema: Schema, options: Mapping[str, Any]) -> Reply:
        """Never reached through `run.ask_all`; raises ErroDeEstudo."""
        raise self.missing(1, 1)
