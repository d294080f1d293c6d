"""The stages between files: what notebooks 1 and 2 call, for studies of texts and studies of votes alike.

Nothing is decided here: replies come from `models`, votes from `classify`, decisions from `jury`.

Files of a study, under `reports/<estudo>/`
-------------------------------------------
classificacoes/<membro>.parquet            round 1 (and its repetition)
classificacoes/<membro>.rodada-2.parquet   the deliberation
classificacoes/juri-r1.parquet, juri.parquet, juri-supervisor.parquet
chamadas.parquet, chamadas-deliberacao.parquet   what each call cost
rodada-1.incompleta, rodada-2.incompleta   why the next run has something left to ask (absent where it has not)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from compendio.classify import classification_calls, votes_table
from compendio.contract import conform, nome_de_arquivo, read_classification, write_classification
from compendio.erros import ErroDeEstudo
from compendio.jury.decide import decide, has_vote, to_deliberate
from compendio.jury.deliberation import deliberation_calls
from compendio.models.base import NAO_OUVIDAS, Call
from compendio.models.ollama import OllamaModel
from compendio.sampling import seeded_order
from compendio.session import COLUNAS_CHAMADA, Session, check_origin
from compendio.study import Study

PROVA = "prova com limite"


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
    check_origin(modelo)
    if limite is not None and (not isinstance(limite, int) or isinstance(limite, bool) or limite < 1):
        raise ErroDeEstudo(f"limite: {limite!r} não serve; use um número inteiro a partir de 1, ou None.")
    if not study.textos:
        return _imported(study, 1, {m.nome: _documents_of(study, m.nome, limite) for m in study.membros})
    votes, costs = [], []
    with Session(study, modelo, repetir_falhas=repetir_falhas, progress=progress) as session:
        for member in study.membros:
            calls = classification_calls(study, member.nome, _documents_of(study, member.nome, limite))
            asked = session.ask(member.nome, calls, f"{member.nome}, rodada 1")
            again = repetition_calls(study, member.nome, limite)
            if again:
                model = session.members[member.nome]
                if isinstance(model, OllamaModel) and session.missing(member.nome, again):
                    model.unload()  # a repetition starts with an empty cache
                asked += session.ask(member.nome, again, f"{member.nome}, repetição")
            votes.append(
                votes_table(session.reader, member.nome, [c for c, _ in asked], [r for _, r in asked])
            )
            costs.append(session.costs(member.nome, [c for c, _ in asked]))
    return _write(study, votes, costs, 1, partial=_partial(study, modelo, votes, limite))


def repetition_calls(study: Study, membro: str, limite: int | None = None) -> list[Call]:
    """The calls of the repetition, in another seeded order (none where the study has no `repeticoes`).

    With `limite`, those of its documents that the whole repetition holds.
    """
    if study.repeticoes is None:
        return []
    order = seeded_order(study.sample_ids(), study.repeticoes.semente)[: study.repeticoes.documentos]
    ids = set(_sample(study, limite))
    return classification_calls(study, membro, [i for i in order if i in ids], repeticao=1)


def deliberate(
    study: Study, modelo: str, *, repetir_falhas: bool = False, progress: bool = True
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Round 2, on the documents that round 1 coded. Writes the members' second votes and the calls.

    Round 1 is taken as it stands: nothing of it is asked again here.

    Returns
    -------
    votos, chamadas
        Contract rows at round 2 (none where the study does not deliberate), and one row a call.
    """
    check_origin(modelo)
    first = read_votes(study, rodada=1)
    if not study.textos:
        coded = set(first["documento"]) if study.deliberacao else set()
        ids = [i for i in study.sample_ids() if i in coded]
        return _imported(study, 2, {m.nome: ids for m in study.membros})
    none = pd.DataFrame(columns=COLUNAS_CHAMADA)
    if not study.deliberacao:
        return _write(study, [first.iloc[:0]] * len(study.membros), [none], 2)
    votes, costs = [], []
    with Session(study, modelo, repetir_falhas=repetir_falhas, progress=progress) as session:
        for member in study.membros:
            calls = deliberation_of(study, session, member.nome, first)
            asked = session.ask(member.nome, calls, f"{member.nome}, deliberação")
            votes.append(
                votes_table(session.reader, member.nome, [c for c, _ in asked], [r for _, r in asked])
            )
            costs.append(session.costs(member.nome, [c for c, _ in asked]))
    return _write(study, votes, costs, 2, partial=_partial(study, modelo, votes))


def deliberation_of(study: Study, session: Session, membro: str, votos: pd.DataFrame) -> list[Call]:
    """The round 2 calls of one member (none where the study does not deliberate).

    `votos`: round 1 votes of all members. Raises ErroDeEstudo where the replies behind them are not stored.
    """
    if not study.deliberacao:
        return []
    first = votos[votos["repeticao"] == 0]
    pairs = to_deliberate(decisions(study, first)["juri-r1"], study.codebook)
    mine = first[(first["fonte"] == membro) & has_vote(first)]
    voted = set(zip(mine["documento"], mine["variavel"], strict=True))
    documents = set(mine["documento"])
    calls = [
        call
        for call in classification_calls(study, membro, [i for i in study.sample_ids() if i in documents])
        if any((call.documento, name) in voted for name in call.variaveis)
    ]
    return deliberation_calls(study, membro, first, pairs, session.stored(membro, calls))


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
                raise ErroDeEstudo(_run_first(path, study))
    votos = pd.concat(tables, ignore_index=True)
    check_codebook(study, votos)
    return votos if rodada is None else votos[votos["rodada"] == rodada].reset_index(drop=True)


def check_codebook(study: Study, table: pd.DataFrame) -> None:
    """Raise ErroDeEstudo where results on disk are of another codebook: a name of theirs is not in the study's."""
    for name, rows in table.groupby("variavel", sort=False)["valor"]:
        variable = study.codebook.variaveis.get(str(name))
        strange = "" if variable else f"a variável «{name}»"
        if variable and variable.tipo == "categorica":
            other = sorted(set(rows.dropna()) - set(variable.categorias))
            strange = f"a categoria «{other[0]}» de «{name}»" if other else ""
        if strange:
            raise ErroDeEstudo(
                f"Os resultados em {study.relatorios} são de outro codebook (têm {strange}): rode de novo "
                f"make analise ESTUDO={study.nome}."
            )


def read_calls(study: Study) -> pd.DataFrame:
    """What the calls of both rounds cost, one row a call; of a study of votes, one row a vote.

    Raises ErroDeEstudo where round 1 is not there yet.
    """
    tables = [study.relatorios / f"{name}.parquet" for name in ("chamadas", "chamadas-deliberacao")]
    if not tables[0].exists():
        raise ErroDeEstudo(_run_first(tables[0], study))
    return pd.concat([pd.read_parquet(p) for p in tables if p.exists()], ignore_index=True)


def _run_first(path: Path, study: Study) -> str:
    return f"{path} não existe: rode antes o notebook 1-classificacao (make analise ESTUDO={study.nome})."


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


def _imported(
    study: Study, rodada: int, ids: Mapping[str, Sequence[str]]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The votes that a study of votes brings on each member's documents, written where those of models are."""
    given = study.member_votes()
    assert given is not None
    given = given[given["rodada"] == rodada]
    votes, costs = [], []
    for member in study.membros:
        mine = given[(given["fonte"] == member.nome) & given["documento"].isin(list(ids[member.nome]))]
        votes.append(mine)
        cost = mine.reindex(columns=COLUNAS_CHAMADA).assign(variaveis=mine["variavel"])
        costs.append(cost.assign(tentativa=0, posicao=range(1, len(mine) + 1)))
    return _write(study, votes, costs, rodada)


def _votes_file(folder: Path, membro: str, suffix: str) -> Path:
    return folder / f"{nome_de_arquivo(membro + suffix)}.parquet"


def is_a_try(study: Study) -> bool:
    """Whether the results of round 1 are those of a run with `limite`."""
    mark = study.relatorios / "rodada-1.incompleta"
    return mark.exists() and mark.read_text(encoding="utf-8").startswith(PROVA)


def _partial(study: Study, modelo: str, votes: Sequence[pd.DataFrame], limite: int | None = None) -> str:
    """Why the next run has something left to ask; empty where it has not."""
    if limite is not None and (study.principal_corpus_inteiro or limite < len(study.sample_ids())):
        return f"{PROVA}={limite}: os resultados são só desses documentos"
    unheard = sum(int(table["falha"].isin(NAO_OUVIDAS).sum()) for table in votes)
    return (
        f"votos não ouvidos, que a próxima execução pergunta de novo: {unheard}"
        if unheard and modelo == "ollama"
        else ""
    )


def _write(
    study: Study, votes: Sequence[pd.DataFrame], costs: Sequence[pd.DataFrame], rodada: int, partial: str = ""
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Write one file of votes a member and one of calls; give both as they were written.

    Where the round is `partial`, `rodada-<n>.incompleta` says why, and Make runs the notebook again.
    """
    suffix, calls = ("", "chamadas") if rodada == 1 else (".rodada-2", "chamadas-deliberacao")
    folder = study.relatorios / "classificacoes"
    written = [conform(table, m.nome) for m, table in zip(study.membros, votes, strict=True)]
    for member, table in zip(study.membros, written, strict=True):
        write_classification(table, folder, member.nome, suffix)
    cost = pd.concat([table.astype(_TIPOS) for table in costs], ignore_index=True)
    cost.to_parquet(study.relatorios / f"{calls}.parquet", index=False)
    mark = study.relatorios / f"rodada-{rodada}.incompleta"
    mark.write_text(partial + "\n", encoding="utf-8") if partial else mark.unlink(missing_ok=True)
    return pd.concat(written, ignore_index=True), cost


_TIPOS: Mapping[str, str] = {
    name: "Int64"
    if name in ("rodada", "repeticao", "tentativa", "posicao", "prompt_tokens", "tokens")
    else "Float64"
    if name.endswith("segundos")
    else "str"
    for name in COLUNAS_CHAMADA
}
