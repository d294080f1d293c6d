"""Juries that might have been, on six documents decided by hand (validation_study)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from jury_builders import categorical, codebook
from validation_study import hand_coders, hand_study, row

from compendio.contract import conform
from compendio.measure.blocs import gather_blocs
from compendio.measure.counterfactual import (
    MAIS,
    POR_FAMILIA,
    REAL,
    alternative_juries,
    counterfactual_table,
    em_dobro,
    family_votes,
    sem,
    totals,
)

COUNTS = ["n", "com_referencia", "decididas", "acertos", "mudam"]
# `cor` at round 1 (m1 is the main model; m1 and m3 are of family p, m2 of q; reference a a b b . c):
#      m1 m2 m3   as it is     m2+m3    m1+m3    m1+m2    m1 twice   m2 twice   m3 twice
# d1   a  a  a    a            a        a        a        a          a          a
# d2   a  b  b    b            b        -        -        - (2:2)    b          b
# d3   a  b  a    a            -        a        -        a          - (2:2)    a
# d4   a  b  c    - (a)        -        -        -        - (2:1:1)  -          -
# d5   a  a  b    a            -        -        a        a          a          - (2:2)
# d6   -  c  c    c            c        -        -        - (2 of 4) c          c


@pytest.fixture
def table(tmp_path: Path) -> pd.DataFrame:
    study = hand_study(tmp_path)
    coders = hand_coders(study)
    blocs = gather_blocs(coders)
    juries = alternative_juries(coders.votos, study.codebook, blocs.familias, dispensada=True)
    return counterfactual_table(juries, coders.votos, blocs.truth, study.codebook, study.principal)


@pytest.mark.parametrize(
    ("jury", "decididas", "acertos", "mudam"),
    [
        # Values with the main model's vote (a a a a a -) where undecided: a b a a a c; right d1, d6.
        (REAL, 5, 2, 0),
        # No main model, no fallback: a b - - - c; right d1, d6; d3, d4, d5 differ.
        (sem("m1"), 3, 2, 3),
        # a (a) a (a) (a) -: right d1, d2; d2 and d6 differ.
        (sem("m2"), 2, 2, 2),
        # a (a) (a) (a) a -
        (sem("m3"), 2, 2, 2),
        # a (a) a (a) a -
        (em_dobro("m1"), 3, 2, 2),
        # a b (a) (a) a c
        (em_dobro("m2"), 4, 2, 0),
        # a b a (a) (a) c
        (em_dobro("m3"), 4, 2, 0),
        # p: a - a - - -(m1 failed, one of two is no majority); q: a b b b a c. Both say a of d1 only.
        (POR_FAMILIA, 1, 2, 2),
    ],
)
def test_each_jury_by_hand(table: pd.DataFrame, jury: str, decididas: int, acertos: int, mudam: int) -> None:
    assert row(table, juri=jury, variavel="cor")[COUNTS].tolist() == [6, 5, decididas, acertos, mudam]


def test_choices_and_free_text_go_through_the_same_vote(table: pd.DataFrame) -> None:
    # Every member says x of every document: every jury decides; right in d2 to d5.
    fontes = table[table["variavel"] == "fontes"]
    assert (fontes[COUNTS] == [6, 6, 6, 4, 0]).all(axis=None)
    # `ano` as it is: right d1, d2, and d3 by the main model's vote; wrong d5; d3 is undecided in every jury.
    assert row(table, juri=REAL, variavel="ano")[COUNTS].tolist() == [6, 5, 5, 4, 0]
    # m2 and m3 without m1: d2 (1998, 1999) and d3 open, with no fallback.
    assert row(table, juri=sem("m1"), variavel="ano")[COUNTS].tolist() == [6, 5, 4, 2, 2]


def test_without_a_fallback_nothing_is_filled(tmp_path: Path) -> None:
    study = hand_study(tmp_path)
    coders = hand_coders(study)
    blocs = gather_blocs(coders)
    juries = alternative_juries(coders.votos, study.codebook, blocs.familias, dispensada=True)
    table = counterfactual_table(juries, coders.votos, blocs.truth, study.codebook, None)
    # m1 and m3: a - a - - -; the jury as it is: a b a - a c. d2, d5, d6 differ, and d4 is missing in both.
    assert row(table, juri=sem("m2"), variavel="cor")[COUNTS].tolist() == [6, 5, 2, 1, 3]


def test_totals_add_the_variables(table: pd.DataFrame) -> None:
    whole = totals(table)
    assert row(whole, juri=REAL)[COUNTS].tolist() == [18, 16, 16, 10, 0]
    assert whole["juri"].tolist() == list(dict.fromkeys(table["juri"]))
    assert row(totals(table, ["cor"]), juri=sem("m1"))[COUNTS].tolist() == [6, 5, 3, 2, 3]


BOOK = codebook(v=categorical("x", "y"))


def votes(cells: dict[str, tuple[str, str]]) -> pd.DataFrame:
    """Member → (value, level of evidence) of one document; "" for no value is a failure."""
    rows = [
        {
            "documento": "d1",
            "variavel": "v",
            "rodada": 1,
            "valor": valor or None,
            "evidencia": "trecho" if valor else None,
            "nivel_evidencia": nivel or None,
            "falha": None if valor else "json_invalido",
            "fonte": member,
        }
        for member, (valor, nivel) in cells.items()
    ]
    return conform(pd.DataFrame(rows))


def test_a_family_s_vote_carries_its_evidence() -> None:
    rows = votes({"A1": ("x", "nao_encontrada"), "A2": ("x", "exata"), "B1": ("x", "nao_encontrada")})
    families = family_votes(rows, BOOK, {"A1": "a", "A2": "a", "B1": "b"})
    assert families[["fonte", "valor", "nivel_evidencia"]].to_numpy().tolist() == [
        ["a", "x", "exata"],
        ["b", "x", "nao_encontrada"],
    ]
    juries = alternative_juries(rows, BOOK, {"A1": "a", "A2": "a", "B1": "b"})
    assert juries[POR_FAMILIA]["estado"].tolist() == ["unanime"]
    # Without A2, the only one with evidence, the same two votes decide nothing.
    assert juries[sem("A2")]["estado"].tolist() == ["sem_evidencia"]
    assert juries[em_dobro("B1")]["estado"].tolist() == ["unanime"]


def test_a_divided_or_silent_family_has_no_vote() -> None:
    rows = votes(
        {"A1": ("x", "exata"), "A2": ("y", "exata"), "B1": ("", ""), "B2": ("", ""), "C1": ("x", "exata")}
    )
    families = dict(zip(["A1", "A2", "B1", "B2", "C1"], "aabbc", strict=True))
    juries = alternative_juries(rows, BOOK, families)
    assert juries[POR_FAMILIA]["estado"].tolist() == ["sem_maioria"]  # one vote of three families


def test_which_juries_are_compared() -> None:
    two = alternative_juries(votes({"A": ("x", "exata"), "B": ("x", "exata")}), BOOK, {"A": "a", "B": "b"})
    assert list(two) == [REAL, em_dobro("A"), em_dobro("B")]  # one member is no jury
    same = {name: ("x", "exata") for name in "ABC"}
    assert POR_FAMILIA not in alternative_juries(votes(same), BOOK, dict.fromkeys(same, "a"))
    assert POR_FAMILIA not in alternative_juries(votes(same), BOOK, dict(zip(same, "abc", strict=True)))
    many = {f"m{k}": ("x", "exata") for k in range(MAIS + 1)}
    families = {name: "a" if k < 5 else "b" for k, name in enumerate(many)}
    assert list(alternative_juries(votes(many), BOOK, families)) == [REAL, POR_FAMILIA]
