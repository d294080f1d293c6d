"""The recording of a study: from the store to `respostas.jsonl`, which everybody can replay with no model."""

from __future__ import annotations

import pandas as pd

from compendio.classify import classification_calls
from compendio.erros import ErroDeEstudo
from compendio.models.base import Call
from compendio.pipeline import deliberation_of, is_a_try, read_votes
from compendio.session import Session
from compendio.study import Study


def export_replies(study: Study, modelo: str = "ollama") -> int:
    """Write `respostas.jsonl`: the replies that round 1, its repetition and the deliberation use.

    Replies to an earlier codebook, or of another version of a model, stay out. Gives the number of lines.

    Raises
    ------
    ErroDeEstudo
        Where a stage was not run yet, with the number of replies missing, or where the results are those of a
        try with `limite`: a recording is whole or is not.
    """
    first = read_votes(study, rodada=1)
    if is_a_try(study):
        raise ErroDeEstudo(
            f"Os resultados de «{study.nome}» são de uma prova com limite, e não do estudo inteiro; rode antes: "
            f"make analise ESTUDO={study.nome} MODELO=ollama."
        )
    keys: set[str] = set()
    with Session(study, modelo, progress=False) as session:
        for member in study.membros:
            calls = _first_calls(study, member.nome, first)
            calls += deliberation_of(study, session, member.nome, first)
            missing = session.missing(member.nome, calls)
            if missing:
                raise ErroDeEstudo(
                    f"Faltam {missing} de {len(calls)} respostas de «{member.nome}» no banco; rode antes os notebooks "
                    "1-classificacao e 2-juri com modelo = «ollama»."
                )
            keys.update(session.keys(member.nome, calls))
        return session.store.export_jsonl(study.pasta / "respostas.jsonl", keys)


def _first_calls(study: Study, membro: str, first: pd.DataFrame) -> list[Call]:
    """The round 1 calls of one member, and those of its repetition, as its votes show they were made."""
    mine = first[first["fonte"] == membro]
    calls = []
    for repeticao, rows in mine.groupby("repeticao"):
        coded = set(rows["documento"])
        ids = [i for i in study.documents()["id"] if i in coded]
        calls += classification_calls(study, membro, ids, repeticao=int(str(repeticao)))
    return calls
