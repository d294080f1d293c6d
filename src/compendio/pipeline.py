"""The stages between files: what notebooks 1 and 2 call, for studies of texts and studies of votes alike.

Nothing is decided here: replies come from `models`, votes from `classify`, decisions from `jury`.

Files of a study, under `reports/<estudo>/`
-------------------------------------------
classificacoes/<membro>.parquet            round 1 (and its repetition)
classificacoes/<membro>.rodada-2.parquet   the deliberation
classificacoes/juri-r1.parquet, juri.parquet, juri-supervisor.parquet
chamadas.parquet, chamadas-deliberacao.parquet   what each call cost
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import pandas as pd

from compendio.classify import Reader, classification_calls, votes_table
from compendio.contract import nome_de_arquivo, read_classification, write_classification
from compendio.erros import ErroDeEstudo
from compendio.jury.decide import decide, to_deliberate
from compendio.jury.deliberation import deliberation_calls
from compendio.models.base import Call, Model, Reply
from compendio.models.checks import check_models, check_server
from compendio.models.files import RecordedModel
from compendio.models.ollama import OllamaModel
from compendio.models.run import ask_all, look_up
from compendio.models.store import Store
from compendio.sampling import seeded_order
from compendio.study import Study

#: Where the replies come from: a running Ollama, or `respostas.jsonl`.
Origem = Literal["ollama", "respostas"]
Asked = list[tuple[Call, Reply]]

COLUNAS_CHAMADA = [
    "fonte", "documento", "variaveis", "rodada", "repeticao", "tentativa", "posicao", "falha", "detalhe", "digest",
    "servidor", "prompt_tokens", "prompt_segundos", "tokens", "geracao_segundos", "segundos",
]  # fmt: skip


class Session:
    """An open study: its members (live or recorded), the store, and the reader of replies.

    Parameters
    ----------
    modelo
        `ollama`: ask the server at OLLAMA_HOST, keep every reply in the study's store.
        `respostas`: serve `respostas.jsonl` alone; what it lacks is an error with a count.
    """

    def __init__(
        self, study: Study, modelo: str, *, repetir_falhas: bool = False, progress: bool = True
    ) -> None:
        if modelo not in ("ollama", "respostas"):
            raise ErroDeEstudo(f"modelo: «{modelo}» não existe; use «ollama» ou «respostas».")
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
            check_models([m.modelo for m in study.membros])
            study.banco.parent.mkdir(parents=True, exist_ok=True)
            self.store = Store(study.banco)
            for m in study.membros:
                self.members[m.nome] = OllamaModel(m.nome, m.modelo, tempo_limite=study.tempo_limite)

    def ask(self, membro: str, calls: Sequence[Call], desc: str) -> Asked:
        """The member's replies to the calls, each beside its call."""
        replies = ask_all(
            self.members[membro],
            calls,
            self.store,
            failed=self.reader.failed,
            repetir_falhas=self.repetir_falhas,
            progress=self.progress,
            desc=desc,
        )
        return list(zip(calls, replies, strict=True))

    def costs(self, membro: str, calls: Sequence[Call]) -> pd.DataFrame:
        """One row for every stored reply to these calls, earlier attempts included."""
        digest, rows = self.members[membro].digest, []
        for call in calls:
            for key in look_up(digest, call, self.store).keys:
                record = self.store.record(key)
                assert record is not None
                # Documents with the same text share a reply; each call keeps its own name.
                rows.append({**record, "fonte": membro, "documento": call.documento})
        table = pd.DataFrame(rows, columns=COLUNAS_CHAMADA)
        table["variaveis"] = [" ".join(names) for names in table["variaveis"]]
        return table


def classify(
    study: Study,
    modelo: str,
    *,
    limite: int | None = None,
    repetir_falhas: bool = False,
    progress: bool = True,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Round 1: every member codes its documents, model by model. Writes the members' results and the calls.

    Parameters
    ----------
    limite
        Only the first documents of the sample, in the order of its seed: for a first try.

    Returns
    -------
    votos, chamadas
        Contract rows of all members at round 1, and one row a call.
    """
    if not study.textos:
        return _imported(study, rodada=1, limite=limite)
    session = Session(study, modelo, repetir_falhas=repetir_falhas, progress=progress)
    votes, costs = [], []
    for member in study.membros:
        ids = _documents_of(study, member.nome, limite)
        calls = classification_calls(study, member.nome, ids)
        asked = session.ask(member.nome, calls, f"{member.nome}, rodada 1")
        again = repetition_calls(study, member.nome, limite)
        if again:
            model = session.members[member.nome]
            if isinstance(model, OllamaModel) and any(
                look_up(model.digest, call, session.store).reply is None for call in again
            ):
                model.unload()  # a repetition starts with an empty cache
            asked += session.ask(member.nome, again, f"{member.nome}, repetição")
        table = votes_table(session.reader, member.nome, [c for c, _ in asked], [r for _, r in asked])
        votes.append(table)
        costs.append(session.costs(member.nome, [c for c, _ in asked]))
    return _write(study, votes, costs, "", "chamadas")


def repetition_calls(study: Study, membro: str, limite: int | None = None) -> list[Call]:
    """The calls of the repetition, in another seeded order (none where the study has no `repeticoes`)."""
    if study.repeticoes is None:
        return []
    ids = set(_sample(study, limite))
    order = [i for i in seeded_order(study.sample_ids(), study.repeticoes.semente) if i in ids]
    return classification_calls(study, membro, order[: study.repeticoes.documentos], repeticao=1)


def deliberate(
    study: Study, modelo: str, *, repetir_falhas: bool = False, progress: bool = True
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Round 2, on the documents that round 1 coded. Writes the members' second votes and the calls.

    Returns
    -------
    votos, chamadas
        Contract rows at round 2 (none where the study does not deliberate), and one row a call.
    """
    if not study.deliberacao:
        return _write(study, [], [], ".rodada-2", "chamadas-deliberacao")
    if not study.textos:
        return _imported(study, rodada=2, limite=None)
    first = read_votes(study, rodada=1)
    first = first[first["repeticao"] == 0]
    pairs = to_deliberate(decisions(study, first)["juri-r1"], study.codebook)
    session = Session(study, modelo, repetir_falhas=repetir_falhas, progress=progress)
    coded = set(first["documento"])
    votes, costs = [], []
    for member in study.membros:
        ids = [i for i in study.sample_ids() if i in coded]
        asked = session.ask(
            member.nome, classification_calls(study, member.nome, ids), f"{member.nome}, rodada 1"
        )
        calls = deliberation_calls(study, member.nome, first, pairs, asked)
        again = session.ask(member.nome, calls, f"{member.nome}, deliberação")
        table = votes_table(session.reader, member.nome, [c for c, _ in again], [r for _, r in again])
        votes.append(table)
        costs.append(session.costs(member.nome, [c for c, _ in again]))
    return _write(study, votes, costs, ".rodada-2", "chamadas-deliberacao")


def decisions(study: Study, votos: pd.DataFrame, repeticao: int = 0) -> dict[str, pd.DataFrame]:
    """The jury's two sources, from the members' votes on the sample (the rest of the corpus left out)."""
    sample = votos[votos["documento"].isin(study.sample_ids())]
    return decide(
        sample,
        study.codebook,
        [m.nome for m in study.membros],
        study.principal,
        deliberacao=study.deliberacao,
        sem_maioria=study.sem_maioria,
        dispensada=study.evidencia == "dispensada",
        repeticao=repeticao,
    )


def read_votes(study: Study, rodada: int | None = None) -> pd.DataFrame:
    """The members' votes as notebooks 1 and 2 wrote them, members in the study's order.

    Raises ErroDeEstudo where round 1 is not there yet.
    """
    folder = study.relatorios / "classificacoes"
    tables = []
    for member in study.membros:
        for suffix in ("", ".rodada-2"):
            path = _votes_file(folder, member.nome, suffix)
            if path.exists():
                tables.append(read_classification(path))
            elif not suffix:
                raise ErroDeEstudo(
                    f"{path} não existe: rode antes o notebook 1-classificacao (make analise ESTUDO={study.nome})."
                )
    votos = pd.concat(tables, ignore_index=True)
    return votos if rodada is None else votos[votos["rodada"] == rodada].reset_index(drop=True)


def read_calls(study: Study) -> pd.DataFrame:
    """What the calls of both rounds cost, one row a call; of a study of votes, one row a vote."""
    tables = [study.relatorios / f"{name}.parquet" for name in ("chamadas", "chamadas-deliberacao")]
    return pd.concat([pd.read_parquet(p) for p in tables if p.exists()], ignore_index=True)


def export_replies(study: Study, modelo: str = "ollama") -> int:
    """Write `respostas.jsonl` from the study's store: the replies that its two rounds use. Gives their number."""
    session = Session(study, modelo, progress=False)
    first = read_votes(study, rodada=1)
    coded = set(first["documento"])
    pairs = to_deliberate(decisions(study, first[first["repeticao"] == 0])["juri-r1"], study.codebook)
    keys: set[str] = set()
    for member in study.membros:
        ids = [i for i in _documents_of(study, member.nome, None) if i in coded]
        calls = classification_calls(study, member.nome, ids)
        digest = session.members[member.nome].digest
        known = [(call, look_up(digest, call, session.store)) for call in calls]
        missing = sum(entry.reply is None for _, entry in known)
        if missing:
            raise ErroDeEstudo(
                f"Faltam {missing} respostas de «{member.nome}» no banco; rode o notebook 1 antes."
            )
        asked = [(call, entry.reply) for call, entry in known if entry.reply and call.documento in coded]
        sample = set(study.sample_ids())
        asked = [(call, reply) for call, reply in asked if call.documento in sample]
        if study.deliberacao:
            calls += deliberation_calls(study, member.nome, first[first["repeticao"] == 0], pairs, asked)
        calls += repetition_calls(study, member.nome)
        keys |= {key for call in calls for key in look_up(digest, call, session.store).keys}
    return session.store.export_jsonl(study.pasta / "respostas.jsonl", keys)


def _sample(study: Study, limite: int | None) -> list[str]:
    ids = study.sample_ids()
    if limite is None:
        return ids
    semente = study.amostra.semente if study.amostra else 0
    chosen = set(seeded_order(ids, semente)[:limite])
    return [i for i in ids if i in chosen]


def _documents_of(study: Study, membro: str, limite: int | None) -> list[str]:
    if study.principal_corpus_inteiro and membro == study.principal and limite is None:
        return list(study.documents()["id"])
    return _sample(study, limite)


def _imported(study: Study, rodada: int, limite: int | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The votes that a study of votes brings, written where those of models are."""
    given = study.member_votes()
    assert given is not None
    given = given[(given["rodada"] == rodada) & given["documento"].isin(_sample(study, limite))]
    votes, costs = [], []
    for member in study.membros:
        mine = given[given["fonte"] == member.nome]
        votes.append(mine)
        cost = mine.reindex(columns=COLUNAS_CHAMADA).assign(variaveis=mine["variavel"])
        costs.append(cost.assign(tentativa=0, posicao=range(1, len(mine) + 1)))
    suffix, calls = ("", "chamadas") if rodada == 1 else (".rodada-2", "chamadas-deliberacao")
    return _write(study, votes, costs, suffix, calls)


def _votes_file(folder: Path, membro: str, suffix: str) -> Path:
    return folder / f"{nome_de_arquivo(membro + suffix)}.parquet"


def _write(
    study: Study, votes: list[pd.DataFrame], costs: list[pd.DataFrame], suffix: str, calls: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    folder = study.relatorios / "classificacoes"
    folder.mkdir(parents=True, exist_ok=True)
    for member, table in zip(study.membros, votes, strict=False):
        write_classification(table, folder, member.nome, suffix)
    cost = pd.concat(costs, ignore_index=True) if costs else pd.DataFrame(columns=COLUNAS_CHAMADA)
    cost.astype(_TIPOS).to_parquet(study.relatorios / f"{calls}.parquet", index=False)
    votos = pd.concat(votes, ignore_index=True) if votes else pd.DataFrame()
    return votos, cost


_TIPOS: Mapping[str, str] = {
    name: "Int64"
    if name in ("rodada", "repeticao", "tentativa", "posicao", "prompt_tokens", "tokens")
    else "Float64"
    if name.endswith("segundos")
    else "str"
    for name in COLUNAS_CHAMADA
}
