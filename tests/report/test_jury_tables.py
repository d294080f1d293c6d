"""Tables of notebooks 1 and 2, counted by hand."""

from __future__ import annotations

import pandas as pd
from jury_builders import categorical, choices, codebook, multiple, text, vote, votes

from compendio.contract import NIVEIS
from compendio.jury.decide import decide
from compendio.report.jury_tables import (
    evidence_levels,
    exempt_share,
    failures,
    printed,
    states,
    votes_by_category,
)

BOOK = codebook(
    cor=categorical("azul", "verde", "outra", exempt=["outra"]), fontes=multiple("jornais", "leis")
)
#: B comes first in the file: the contract sorts by source, so members come as A, B.
VOTOS = votes(
    vote("B", "verde", nivel_evidencia="nao_encontrada"),
    vote("A", "azul"),
    vote("A", "azul", documento="d2", nivel_evidencia="normalizada"),
    vote("B", None, documento="d2", falha="tempo_esgotado"),
    vote("A", "outra", documento="d3", nivel_evidencia="dispensada"),
    vote("B", None, documento="d3", falha="json_invalido"),
    vote("B", None, documento="d4", falha="json_invalido"),
    choices("A", {"jornais": "exata", "leis": "ausente"}),
    choices("B", {}),
    choices("A", None, documento="d2"),
)


def test_votes_by_category_in_codebook_order_with_failures_last() -> None:
    table = votes_by_category(VOTOS, BOOK, "cor")
    assert list(table.columns) == ["A", "B"]
    assert table.to_dict("index") == {
        "azul": {"A": 2, "B": 0},
        "verde": {"A": 0, "B": 1},
        "outra": {"A": 1, "B": 0},
        "(falha)": {"A": 0, "B": 3},
    }
    assert list(table.index) == ["azul", "verde", "outra", "(falha)"]


def test_several_choices_count_each_category_and_an_empty_set_none() -> None:
    table = votes_by_category(VOTOS, BOOK, "fontes")
    assert table.to_dict("index") == {
        "jornais": {"A": 1, "B": 0},
        "leis": {"A": 1, "B": 0},
        "(falha)": {"A": 1, "B": 0},
    }


def test_evidence_one_quote_a_vote_and_one_a_category() -> None:
    table = evidence_levels(VOTOS)
    assert list(table.columns) == [*NIVEIS, "encontrada"]
    # A: exata (d1), normalizada (d2), dispensada (d3), and of `fontes` exata and ausente: 3 of 5 found.
    assert table.loc["A", NIVEIS].astype(int).tolist() == [2, 1, 0, 1, 1]
    assert table.loc["A", "encontrada"] == 3 / 5
    assert table.loc["B", NIVEIS].astype(int).tolist() == [0, 0, 1, 0, 0]
    assert table.loc["B", "encontrada"] == 0


def test_a_member_of_failures_alone_has_no_share() -> None:
    table = evidence_levels(votes(vote("A", None), vote("B", "azul")))
    assert list(table.index) == ["A", "B"]
    assert table.loc["A", NIVEIS].sum() == 0 and pd.isna(table.loc["A", "encontrada"])
    assert table.loc["B", "encontrada"] == 1


def test_failures_most_frequent_first() -> None:
    assert failures(VOTOS).to_dict("list") == {
        "fonte": ["A", "B", "B"],
        "falha": ["json_invalido", "json_invalido", "tempo_esgotado"],
        "n": [1, 2, 1],
    }
    assert failures(votes(vote("A", "azul"))).empty


def test_states_by_variable_with_fallbacks_and_exemptions() -> None:
    book = codebook(cor=categorical("azul", "outra", exempt=["outra"]), ano=text(), tom=categorical("a", "b"))
    three = [
        # d1: unanimous; d2: a majority through the exemption alone; d3: no majority, A (main) is written.
        *(vote(m, "azul") for m in "ABC"),
        *(vote(m, "outra", documento="d2", nivel_evidencia="dispensada") for m in "AB"),
        vote("C", "azul", documento="d2"),
        vote("A", "azul", documento="d3"),
        vote("B", "outra", documento="d3", nivel_evidencia="dispensada"),
        vote("C", None, documento="d3"),
        # ano: a majority without evidence.
        *(vote(m, "1990", variavel="ano", nivel_evidencia="nao_encontrada") for m in "AB"),
        vote("C", "1980", variavel="ano"),
    ]
    juri = decide(votes(*three), book, list("ABC"), "A")["juri"]
    table = states(juri, book)
    # No decision is in the other states, so they have no column; `tom` was asked of nobody.
    assert list(table.columns) == [
        "unanime",
        "maioria",
        "sem_evidencia",
        "sem_maioria",
        "recuo",
        "por_isencao",
    ]
    assert table.to_numpy().tolist() == [[1, 1, 0, 1, 1, 1], [0, 0, 1, 0, 1, 0], [0] * 6]
    assert list(table.index) == ["cor", "ano", "tom"]
    assert exempt_share(juri) == (1, 2)
    shown = printed(table)
    assert list(shown.columns) == [
        "unânime", "maioria", "sem evidência", "sem maioria", "recuos", "só por isenção",
    ]  # fmt: skip


def test_nothing_decided_has_no_exempt_share() -> None:
    juri = decide(votes(vote("A", "azul"), vote("B", "verde")), BOOK, ["A", "B"], "A")["juri"]
    assert exempt_share(juri) == (0, 0)
