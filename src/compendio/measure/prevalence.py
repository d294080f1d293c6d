"""How much of each category there is in the whole corpus: naive, by hand, and corrected for the machine's errors.

The estimators, and what their intervals cover, are in `ppi`; here it is who coded which documents.

The machine is the jury, on the documents that it decided; or the main model on its own, where it coded the whole
corpus and the jury did not (`principal_corpus_inteiro`): a rule that never looks at the shares. By hand is the
reference, person or model, on all documents that it coded. A study without a reference but with an audit has hand
codes of some unanimous decisions, drawn with known probabilities: then the shares are those among the unanimous
decisions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from compendio.codebook import Variable
from compendio.jury.decide import PAR, has_vote, round_votes
from compendio.measure.coders import Coders
from compendio.measure.cost import corpus_size
from compendio.measure.families import is_circular
from compendio.measure.ppi import Share, corrected_share, hand_share, naive_share
from compendio.measure.values import YES, category_list, membership
from compendio.measure.votes_matrix import comparable
from compendio.sampling import seeded_order

INGENUA, REFERENCIA, CORRIGIDA = "ingenua", "referencia", "corrigida"
ESTIMADORES = (INGENUA, REFERENCIA, CORRIGIDA)
#: Who judges in an audit; it is no coder of the study.
AUDITOR = "auditor"
#: Documents coded by both from which hiding half of the hand codes shows something.
MINIMO_ENSAIO = 100
SORTEIOS = 200

PREVALENCE = [
    *["variavel", "categoria", "estimador", "codificador", "circular", "corpus", "n", "proporcao"],
    *["ic_inf", "ic_sup", "erro_padrao", "equivale", "peso", "motivo"],
]
REHEARSAL = ["estimador", "categorias", "sorteios", "distancia", "contem", "largura"]


@dataclass(frozen=True)
class Coding:
    """Who coded what.

    Attributes
    ----------
    variaveis
        The variables that have categories.
    fonte, maquina
        The machine, and its values by `documento, variavel`: one row a decision it was asked for, missing where
        it gave no value. Values are in the form in which they compare.
    codificador, referencia
        Who coded by hand (None: nobody), and the values on the same kind of index, where there are any.
    probabilidade
        With which each value of `referencia` was drawn; None where the documents are a simple random sample.
    corpus
        Documents of the whole corpus; None where the shares are those among the machine's decisions alone.
    sorteio
        How the documents coded by hand were chosen: all there are; the first of the study's seeded order; the
        audit's draw; or nothing is known, and a draw is taken for granted (`suposto`).
    circular
        Whether hand and machine share a family.
    """

    variaveis: list[Variable]
    fonte: str
    maquina: pd.Series
    codificador: str | None
    referencia: pd.Series
    probabilidade: pd.Series | None
    corpus: int | None
    sorteio: Literal["todos", "semente", "auditoria", "suposto"]
    circular: bool | None

    def documents(self, which: Literal["maquina", "referencia", "ambas"]) -> int:
        """How many documents were coded: by the machine, by hand, or by both (in any variable)."""
        if which == "ambas":
            both = self.referencia.index.intersection(self.maquina.index)
            return int(both.get_level_values("documento").nunique())
        return int(getattr(self, which).index.get_level_values("documento").nunique())


def who_coded(coders: Coders, auditadas: pd.DataFrame | None = None) -> Coding:
    """The machine's codes and the hand's, by the rule at the head of this module.

    Parameters
    ----------
    auditadas
        The judged decisions of the audit, as `read_audit` gives them; looked at where there is no reference.
    """
    study, book = coders.study, coders.study.codebook
    variables = [v for v in coders.variaveis if v.tipo != "texto"]
    if coders.reference is None and auditadas is not None and len(auditadas):
        return _audited(coders, auditadas, variables)
    fonte, machine = _machine(coders)
    none = pd.Series([], pd.MultiIndex.from_arrays([[], []], names=PAR), dtype="str")
    if coders.reference is None:
        return Coding(variables, fonte, machine, None, none, None, corpus_size(study), "suposto", None)
    name = coders.reference.codificador
    rows = study.references()[name]
    rows = rows[has_vote(rows)]
    hand = pd.Series(
        comparable(rows["valor"], rows["variavel"], book).to_numpy(),
        pd.MultiIndex.from_frame(rows[PAR]),
        dtype="str",
    )
    return Coding(
        variaveis=variables,
        fonte=fonte,
        maquina=machine,
        codificador=name,
        referencia=hand,
        probabilidade=None,
        corpus=corpus_size(study),
        sorteio=_drawn(coders, set(rows["documento"])),
        circular=is_circular(coders.familias[name], coders.familias[fonte]),
    )


def _machine(coders: Coders) -> tuple[str, pd.Series]:
    """Who stands for the machine, and its values."""
    study, jury = coders.study, coders.values["juri"]
    everything = set(study.documents()["id"])
    first = round_votes(coders.votos, [study.principal], 1)
    decided = set(jury.index.get_level_values("documento"))
    if decided >= everything or not set(first["documento"]) >= everything:
        return "juri", jury
    values = comparable(first["valor"].where(has_vote(first)), first["variavel"], study.codebook)
    return study.principal, pd.Series(values.to_numpy(), pd.MultiIndex.from_frame(first[PAR]), dtype="str")


def _drawn(coders: Coders, coded: set[str]) -> Literal["todos", "semente", "suposto"]:
    ids = coders.study.documents()["id"].tolist()
    if coded >= set(ids):
        return "todos"
    sample = coders.study.amostra
    # Any first documents of a seeded order are a random sample, as many as there may be.
    if sample and coded == set(seeded_order(ids, sample.semente)[: len(coded)]):
        return "semente"
    return "suposto"


def _audited(coders: Coders, judged: pd.DataFrame, variables: list[Variable]) -> Coding:
    unanimous = (coders.decisions["juri"]["estado"] == "unanime").fillna(False).to_numpy(dtype=bool)
    several = [v.nome for v in variables if v.tipo == "multipla"]
    judged = judged[judged["variavel"].isin([v.nome for v in variables])]
    # No adequate category is an opinion, too: none of them, which several choices write as an empty list.
    opinion = judged["opiniao"].where(
        ~(judged["variavel"].isin(several) & ~judged["opiniao"].str.startswith("[")), "[]"
    )
    index = pd.MultiIndex.from_frame(judged[PAR])
    values = comparable(opinion, judged["variavel"], coders.study.codebook)
    return Coding(
        variaveis=variables,
        fonte="juri",
        maquina=coders.values.loc[unanimous, "juri"],
        codificador=AUDITOR,
        referencia=pd.Series(values.to_numpy(), index, dtype="str"),
        probabilidade=pd.Series(judged["probabilidade"].astype(float).to_numpy(), index),
        corpus=None,
        sorteio="auditoria",
        circular=is_circular({coders.study.supervisor.familia}, coders.familias["juri"]),
    )


def prevalence_table(coding: Coding) -> pd.DataFrame:
    """The share of every category by each of the three ways.

    Returns
    -------
    DataFrame
        A row a variable, category and `estimador` (`ingenua`, `referencia`, `corrigida`): `codificador` (who is behind
        it; the machine of `corrigida`), `circular, corpus` (documents that the share is of), `equivale` (of this
        corpus, documents that the reference alone would have to code for an interval as wide), and `n, proporcao,
        ic_inf, ic_sup, erro_padrao, peso, motivo` as `ppi.Share` has them.
    """
    rows = []
    for variable in coding.variaveis:
        data = _Codes.of(coding, variable)
        for category in data.machine:
            for estimador, share in zip(ESTIMADORES, data.shares(category), strict=True):
                who = coding.codificador if estimador == REFERENCIA else coding.fonte
                head = {"variavel": variable.nome, "categoria": category, "estimador": estimador}
                rows.append({**head, "codificador": who, "corpus": data.corpus, **_plain(share, data.corpus)})
    table = pd.DataFrame(rows, columns=[name for name in PREVALENCE if name != "circular"])
    return table.assign(circular=pd.array([coding.circular] * len(table), dtype="boolean"))[PREVALENCE]


def _plain(share: Share, corpus: int) -> dict[str, object]:
    return {
        "n": share.n,
        "proporcao": share.value,
        "ic_inf": share.low,
        "ic_sup": share.high,
        "erro_padrao": share.se,
        "equivale": corpus if math.isinf(share.effective) else corpus / (1 + corpus / share.effective),
        "peso": share.weight,
        "motivo": share.reason,
    }


@dataclass(frozen=True)
class _Codes:
    """One variable as yes (1), no (0) and no value (NaN): documents by categories."""

    machine: pd.DataFrame
    hand: pd.DataFrame
    probability: pd.Series | None
    corpus: int

    @classmethod
    def of(cls, coding: Coding, variable: Variable) -> _Codes:
        machine = _yes(_of_variable(coding.maquina, variable), variable)
        hand = _yes(_of_variable(coding.referencia, variable), variable)
        drawn = coding.probabilidade
        drawn = None if drawn is None else _of_variable(drawn, variable)
        return cls(machine, hand, drawn, len(machine) if coding.corpus is None else coding.corpus)

    def shares(self, category: str) -> tuple[Share, Share, Share]:
        said, hand = self.machine[category], self.hand[category]
        chance = self.probability
        there = None if chance is None else chance.reindex(said.index).to_numpy()
        return (
            naive_share(said, self.corpus),
            hand_share(hand, self.corpus, None if chance is None else chance.to_numpy()),
            corrected_share(said.fillna(0), hand.reindex(said.index), self.corpus, there),
        )


def _of_variable(values: pd.Series, variable: Variable) -> pd.Series:
    """By document, the values of one variable."""
    return values[values.index.get_level_values("variavel") == variable.nome].droplevel("variavel")


def _yes(values: pd.Series, variable: Variable) -> pd.DataFrame:
    names = category_list(list(variable.categorias))
    if variable.tipo == "multipla":
        chosen = membership(values, names)
        known = values.notna().to_numpy()
        columns = {name: np.where(known, chosen[name] == YES, np.nan) for name in names}
    else:
        columns = {name: np.where(values.notna(), values == name, np.nan) for name in names}
    return pd.DataFrame(columns, index=values.index, dtype=float)


def rehearsal_table(coding: Coding, semente: int) -> pd.DataFrame:
    """Where all that the machine coded was coded by hand, too: the three ways, with half of the hand codes hidden.

    The true shares are then known. Half of the documents is drawn `SORTEIOS` times; the other half has the
    machine's codes alone. Variables with fewer than `MINIMO_ENSAIO` documents, and categories that nobody uses in
    them, are left out.

    Returns
    -------
    DataFrame
        A row an `estimador`: `categorias, sorteios`; means over both of `distancia` (of the share from the true
        one), `contem` (whether the interval holds it) and `largura` (of the interval). Empty where no variable
        is left, and where the corrected share can be had without hiding any code.
    """
    found: list[tuple[str, float, bool, float]] = []
    if coding.sorteio != "auditoria" and coding.documents("ambas") == coding.documents("maquina"):
        for variable in coding.variaveis:
            found += _rehearsed(_Codes.of(coding, variable), semente)
    table = pd.DataFrame(found, columns=["estimador", "distancia", "contem", "largura"])
    means = table.groupby("estimador").mean().reindex(ESTIMADORES if found else []).reset_index()
    return means.assign(categorias=len(found) // (3 * SORTEIOS), sorteios=SORTEIOS)[REHEARSAL]


def _rehearsed(data: _Codes, semente: int) -> Iterator[tuple[str, float, bool, float]]:
    documents = data.machine.index.intersection(data.hand.index)
    n = len(documents)
    if n < MINIMO_ENSAIO:
        return
    rng = np.random.default_rng(semente)
    hidden = [rng.permutation(n)[n // 2 :] for _ in range(SORTEIOS)]
    for category in data.machine:
        machine = data.machine.loc[documents, category].to_numpy()
        hand = data.hand.loc[documents, category].to_numpy()
        said, true = np.nan_to_num(machine), float(hand.mean())
        if not said.any() and not hand.any():
            continue
        naive = naive_share(machine, n)
        for which in hidden:
            known = hand.copy()
            known[which] = np.nan
            shares = (naive, hand_share(known, n), corrected_share(said, known, n))
            for estimador, share in zip(ESTIMADORES, shares, strict=True):
                # An interval that is a point holds the true share if it is that point, rounding apart.
                holds = share.low - 1e-12 <= true <= share.high + 1e-12
                yield estimador, abs(share.value - true), holds, share.high - share.low
