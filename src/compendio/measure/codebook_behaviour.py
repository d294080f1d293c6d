"""Behavioural tests of a codebook: what should not matter to an answer, and how many answers it changes.

Two changes that leave every definition as it is: the order of the categories, and neutral labels in place of
their names. Each asks the models again, so they run on request only. Answers are compared with those that the
codebook in force got; what also changes when the very same question is repeated (notebook 4) is the floor.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from compendio.classify import classification_calls, votes_table
from compendio.codebook import Codebook
from compendio.erros import ErroDeEstudo
from compendio.jury.decide import PAR, has_vote
from compendio.measure.inference import wilson_interval
from compendio.measure.votes_matrix import comparable
from compendio.sampling import seeded_order
from compendio.session import Session
from compendio.study import Study

#: Variable → label of the altered codebook → category of the one in force.
Labels = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Altered:
    """A codebook changed in what should not matter, and how its answers are read back."""

    codebook: Codebook
    rotulos: Labels


def with_other_order(codebook: Codebook, semente: int) -> Altered:
    """The categories of every variable in another, seeded order."""

    def order(names: list[str]) -> list[str]:
        shuffled = seeded_order(names, semente)
        return shuffled if shuffled != names else [*names[1:], *names[:1]]

    labels: Labels = {
        name: {label: label for label in order(list(variable.categorias))}
        for name, variable in codebook.variaveis.items()
    }
    return Altered(_relabelled(codebook, labels), labels)


def with_neutral_labels(codebook: Codebook, semente: int = 0) -> Altered:
    """`opcao_1`, `opcao_2` … in place of the categories' names; order and definitions stay."""
    labels: Labels = {
        name: {f"opcao_{k}": label for k, label in enumerate(variable.categorias, start=1)}
        for name, variable in codebook.variaveis.items()
    }
    return Altered(_relabelled(codebook, labels), labels)


#: Name of a test, as the notebook takes it → what alters the codebook.
TESTES: Mapping[str, Callable[[Codebook, int], Altered]] = {
    "ordem": with_other_order,
    "rotulos": with_neutral_labels,
}


def _relabelled(codebook: Codebook, labels: Labels) -> Codebook:
    variables = {
        name: variable.model_copy(
            update={"categorias": {new: variable.categorias[old] for new, old in labels[name].items()}}
        )
        for name, variable in codebook.variaveis.items()
    }
    return codebook.model_copy(update={"variaveis": variables})


def read_back(votos: pd.DataFrame, altered: Altered, codebook: Codebook) -> pd.DataFrame:
    """Votes given under the altered codebook, in the categories of the one in force."""
    values = []
    for variavel, valor in zip(votos["variavel"], votos["valor"], strict=True):
        labels = altered.rotulos[variavel]
        if pd.isna(valor) or not labels:
            values.append(valor)
        elif codebook.variaveis[variavel].tipo == "multipla":
            chosen = {labels[label] for label in json.loads(valor)}
            ordered = [name for name in codebook.variaveis[variavel].categorias if name in chosen]
            values.append(json.dumps(ordered, ensure_ascii=False))
        else:
            values.append(labels[valor])
    return votos.assign(valor=pd.Series(values, index=votos.index, dtype="str"))


def changed_answers(before: pd.DataFrame, after: pd.DataFrame, codebook: Codebook) -> pd.DataFrame:
    """How many answers differ between two sets of votes (contract rows, one per member and decision).

    Returns
    -------
    DataFrame
        `membro, variavel, n, sem_resposta, mudaram, parte, ic_inf, ic_sup`: `n` decisions with a vote in both,
        `sem_resposta` those of `after` in which either has none; Wilson's interval of the share that changed.
    """
    keys = ["fonte", *PAR]

    def values(rows: pd.DataFrame) -> pd.DataFrame:
        given = rows[has_vote(rows)]
        return given.assign(valor=comparable(given["valor"], given["variavel"], codebook))[[*keys, "valor"]]

    both = values(before).merge(values(after), on=keys, suffixes=("_antes", "_depois"))
    asked = after.groupby(["fonte", "variavel"]).size()
    rows = []
    for member in dict.fromkeys(after["fonte"]):
        for name in codebook.variaveis:
            if (member, name) not in asked.index:
                continue
            own = both[(both["fonte"] == member) & (both["variavel"] == name)]
            changed, n = int((own["valor_antes"] != own["valor_depois"]).sum()), len(own)
            low, high = wilson_interval(changed, n) if n else (float("nan"), float("nan"))
            rows.append(
                {
                    "membro": member,
                    "variavel": name,
                    "n": n,
                    "sem_resposta": int(asked[member, name]) - n,
                    "mudaram": changed,
                    "parte": changed / n if n else float("nan"),
                    "ic_inf": low,
                    "ic_sup": high,
                }
            )
    columns = ["membro", "variavel", "n", "sem_resposta", "mudaram", "parte", "ic_inf", "ic_sup"]
    return pd.DataFrame(rows, columns=columns)


def run_test(
    study: Study, teste: str, votos: pd.DataFrame, documentos: int, semente: int, modelo: str = "ollama"
) -> pd.DataFrame:
    """Ask every member again under the altered codebook; what `changed_answers` says.

    Parameters
    ----------
    teste
        `ordem` or `rotulos`.
    votos
        The members' votes of round 1 under the codebook in force.
    documentos
        How many documents of the sample, in the order of the seed.

    Replies are kept in the study's store, so a second run asks nothing. Raises ErroDeEstudo for an unknown test,
    for a study of votes, and where the models cannot be reached.
    """
    if teste not in TESTES:
        raise ErroDeEstudo(f"teste_codebook: «{teste}» não existe; use {' ou '.join(TESTES)}.")
    if not study.textos:
        raise ErroDeEstudo("O estudo só tem votos, sem textos: não há como perguntar de novo aos modelos.")
    altered = TESTES[teste](study.codebook, semente)
    other = study.model_copy(update={"codebook": altered.codebook})
    ids = seeded_order(study.sample_ids(), semente)[:documentos]
    tables = []
    with Session(other, modelo) as session:
        for member in study.membros:
            calls = classification_calls(other, member.nome, ids)
            asked = session.ask(member.nome, calls, f"{member.nome}, {teste}")
            tables.append(
                votes_table(session.reader, member.nome, [c for c, _ in asked], [r for _, r in asked])
            )
    after = read_back(pd.concat(tables, ignore_index=True), altered, study.codebook)
    before = votos[(votos["rodada"] == 1) & (votos["repeticao"] == 0)]
    return changed_answers(before, after, study.codebook)


def asked_tests(testes: str) -> Sequence[str]:
    """The tests that a notebook's parameter asks for: none, one, or several separated by commas."""
    return [name.strip() for name in testes.split(",") if name.strip()]
