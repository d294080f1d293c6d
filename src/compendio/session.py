"""An open study: its members, live or recorded, the store of their replies, and what reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pandas as pd

from compendio.classify import Reader
from compendio.erros import ErroDeEstudo
from compendio.models.base import Call, Model, Reply
from compendio.models.checks import check_models, check_prompts, check_server
from compendio.models.files import RecordedModel
from compendio.models.ollama import OllamaModel
from compendio.models.run import ask_all, look_up
from compendio.models.store import Store
from compendio.study import Study

#: Where the replies come from: a running Ollama, or `respostas.jsonl`.
Origem = Literal["ollama", "respostas"]
Asked = list[tuple[Call, Reply]]

COLUNAS_CHAMADA = [
    "fonte", "documento", "variaveis", "rodada", "repeticao", "tentativa", "posicao", "falha", "detalhe", "digest",
    "servidor", "prompt_tokens", "prompt_segundos", "tokens", "geracao_segundos", "segundos",
]  # fmt: skip


class Session:
    """An open study of texts. To be used as `with Session(study, modelo) as session`.

    Parameters
    ----------
    modelo
        `ollama`: ask the server at OLLAMA_HOST, keep every reply in the study's store.
        `respostas`: serve `respostas.jsonl` alone; what it lacks is an error with a count.

    Raises ErroDeEstudo where the server, a model or the recording is missing.
    """

    def __init__(
        self, study: Study, modelo: str, *, repetir_falhas: bool = False, progress: bool = True
    ) -> None:
        check_origin(modelo)
        self.study, self.reader = study, Reader(study)
        self.repetir_falhas, self.progress = repetir_falhas, progress
        self.members: dict[str, Model] = {}
        if modelo == "respostas":
            recorded = study.pasta / "respostas.jsonl"
            if not recorded.exists():
                raise ErroDeEstudo(
                    f"{recorded} não existe: o estudo ainda não tem respostas gravadas; rode-o com MODELO=ollama."
                )
            self.store = Store(":memory:")
            self.store.load_jsonl(recorded)
            self.members = {m.nome: RecordedModel(m.nome, self.store) for m in study.membros}
        else:
            check_server()
            check_models([m.modelo for m in study.membros], pensar=study.pensar)
            self.store = Store(study.banco)
            for m in study.membros:
                self.members[m.nome] = OllamaModel(m.nome, m.modelo, tempo_limite=study.tempo_limite)
                self._tell_other_digests(m.nome)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store and the connections to the server."""
        self.store.close()
        for model in self.members.values():
            if isinstance(model, OllamaModel):
                model.close()

    def ask(self, membro: str, calls: Sequence[Call], desc: str) -> Asked:
        """The member's replies to the calls, each beside its call; what is missing is asked.

        Raises ErroDeEstudo, before anything is asked, where the longest prompt cannot fit `num_ctx`.
        """
        model = self.members[membro]
        if isinstance(model, OllamaModel) and self.missing(membro, calls):
            fits = check_prompts(calls, self.store, model.digest)
            if self.progress:
                print(fits)
        replies = ask_all(
            model,
            calls,
            self.store,
            failed=self.reader.failed,
            repetir_falhas=self.repetir_falhas,
            progress=self.progress,
            desc=desc,
        )
        return list(zip(calls, replies, strict=True))

    def missing(self, membro: str, calls: Sequence[Call]) -> int:
        """How many of the calls have no stored reply."""
        digest = self.members[membro].digest
        return sum(look_up(digest, call, self.store).reply is None for call in calls)

    def stored(self, membro: str, calls: Sequence[Call]) -> Asked:
        """The replies that stand for calls made earlier, each beside its call. Nothing is asked.

        Raises ErroDeEstudo with the number of those that are not in the store.
        """
        model = self.members[membro]
        replies = [look_up(model.digest, call, self.store).reply for call in calls]
        missing = replies.count(None)
        if missing and isinstance(model, RecordedModel):
            raise model.missing(missing, len(calls))
        if missing:
            raise ErroDeEstudo(
                f"Faltam {missing} de {len(calls)} respostas do membro «{membro}» no banco: o livro de códigos, os "
                "textos, as opções ou o modelo mudaram desde a rodada 1. Rode de novo o notebook 1-classificacao."
            )
        return [(call, reply) for call, reply in zip(calls, replies, strict=True) if reply is not None]

    def keys(self, membro: str, calls: Sequence[Call]) -> list[str]:
        """Keys of every stored reply to these calls, earlier attempts included."""
        digest = self.members[membro].digest
        return [key for call in calls for key in look_up(digest, call, self.store).keys]

    def costs(self, membro: str, calls: Sequence[Call]) -> pd.DataFrame:
        """One row for every stored reply to these calls, earlier attempts included (COLUNAS_CHAMADA)."""
        rows = []
        for call in calls:
            for key in self.keys(membro, [call]):
                record = self.store.record(key)
                assert record is not None
                # Documents with the same text share a reply; each call keeps its own name.
                names = " ".join(call.variaveis)
                rows.append({**record, "fonte": membro, "documento": call.documento, "variaveis": names})
        return pd.DataFrame(rows, columns=COLUNAS_CHAMADA)

    def _tell_other_digests(self, membro: str) -> None:
        others = [d for d in self.store.digests(membro) if d != self.members[membro].digest]
        if others and self.progress:
            print(
                f"{membro}: o servidor tem agora outra versão do modelo ({self.members[membro].digest[:12]}). As "
                f"respostas da anterior ({', '.join(d[:12] for d in others)}) ficam no banco e não se misturam: "
                "pergunta-se de novo."
            )


def check_origin(modelo: str) -> None:
    """Raise ErroDeEstudo unless `modelo` is an Origem."""
    if modelo not in ("ollama", "respostas"):
        raise ErroDeEstudo(f"modelo: «{modelo}» não existe; use «ollama» ou «respostas».")
