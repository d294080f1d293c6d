"""Patterns, outvoted families and conformity, worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from validation_study import ESTUDO, hand_coders, hand_study, row

from compendio.measure.blocs import (
    DIFERENTES,
    IGUAIS,
    Blocs,
    conformity,
    gather_blocs,
    outvoted,
    pattern_labels,
    pattern_table,
    support_table,
)
from compendio.measure.coders import TODAS

FAMILIAS = {"A1": "a", "A2": "a", "B1": "b"}
#: Decision → votes of A1, A2, B1 and the reference; `-` no vote, `.` no reference value.
DECISOES = {
    "d1": "xxxx",  # all alike, right
    "d2": "xxyy",  # a outvotes b, who is right
    "d3": "xxyx",  # a outvotes b, and is right
    "d4": "xyxx",
    "d5": "xyz.",  # all different
    "d6": "x-xx",  # A2 has no vote
    "d7": "xx-z",  # B1 has no vote: nobody is outvoted
    "d8": "xxyz",  # a outvotes b, nobody is right
    "d9": "xxy.",  # a outvotes b, no reference
}


def matrix(decisions: dict[str, str], members: list[str]) -> tuple[pd.DataFrame, pd.Series]:
    """Votes and reference values of one variable `v`."""
    index = pd.MultiIndex.from_product([decisions, ["v"]], names=["documento", "variavel"])
    cells = [[None if c in "-." else c for c in line] for line in decisions.values()]
    table = pd.DataFrame(cells, index=index, columns=[*members, "ref"], dtype="str")
    return table[members], table["ref"]


VOTES, TRUTH = matrix(DECISOES, list(FAMILIAS))


def test_pattern_labels() -> None:
    assert pattern_labels(VOTES).tolist() == [
        IGUAIS,
        "A1 + A2 | B1",
        "A1 + A2 | B1",
        "A1 + B1 | A2",
        DIFERENTES,
        "A1 + B1 | sem voto: A2",
        "A1 + A2 | sem voto: B1",
        "A1 + A2 | B1",
        "A1 + A2 | B1",
    ]


def test_the_larger_group_comes_first_then_the_order_of_members() -> None:
    votes, _ = matrix({"d1": "yxxyy.", "d2": "xyyxz.", "d3": "-----."}, list("ABCDE"))
    assert pattern_labels(votes).tolist() == [
        "A + D + E | B + C",
        "A + D | B + C | E",
        "sem voto: A, B, C, D, E",
    ]


def test_patterns_with_who_is_right() -> None:
    table = pattern_table(VOTES, TRUTH, FAMILIAS)
    bloc = row(table, padrao="A1 + A2 | B1")
    # d2, d3, d8, d9; with a reference d2 (B1 right), d3 (A1 and A2 right), d8 (nobody).
    assert bloc[["n", "com_referencia", "A1", "A2", "B1", "ninguem"]].tolist() == [4, 3, 1, 1, 1, 1]
    assert bloc["bloco"] == "a"
    mixed = row(table, padrao="A1 + B1 | A2")
    assert mixed[["n", "com_referencia", "A1", "A2", "B1", "ninguem"]].tolist() == [1, 1, 1, 0, 1, 0]
    assert mixed["bloco"] == ""
    assert row(table, padrao=IGUAIS)["bloco"] == ""  # nobody to be against
    assert table["padrao"].iloc[0] == "A1 + A2 | B1"  # the most frequent first
    assert table["n"].sum() == len(VOTES)


def test_two_blocs_at_once() -> None:
    votes, truth = matrix({"d1": "xxyyx"}, ["A1", "A2", "B1", "B2"])
    table = pattern_table(votes, truth, {"A1": "a", "A2": "a", "B1": "b", "B2": "b"})
    assert table["bloco"].tolist() == ["a, b"]


def test_outvoted_family() -> None:
    table = outvoted(VOTES, TRUTH, FAMILIAS)
    # Family b has one of three members: it can outvote nobody, and has no row.
    assert table[["familia", "contra"]].to_numpy().tolist() == [["a", "b"]]
    counts = ["n", "com_referencia", "contra_com_a_referencia", "familia_com_a_referencia"]
    assert table[counts].iloc[0].tolist() == [4, 3, 1, 1]


def test_a_majority_that_somebody_else_shares_is_no_bloc() -> None:
    # Five members: a holds three. d1: a alone against b and c. d2: C1 votes with a. d3: a is divided, two of
    # five are no majority. d4: C1 has no vote, so only b is outvoted.
    votes, truth = matrix(
        {"d1": "xxxyzz", "d2": "xxxyxx", "d3": "xxyzzx", "d4": "xxxy-y"}, ["A1", "A2", "A3", "B1", "C1"]
    )
    table = outvoted(votes, truth, dict(zip(votes.columns, "aaabc", strict=True)))
    counts = ["n", "com_referencia", "contra_com_a_referencia", "familia_com_a_referencia"]
    assert row(table, contra="b")[counts].tolist() == [2, 2, 1, 0]
    assert row(table, contra="c")[counts].tolist() == [1, 1, 1, 0]


def test_half_of_the_members_outvote_nobody() -> None:
    votes, truth = matrix({"d1": "xxyzx"}, ["A1", "A2", "B1", "C1"])
    assert outvoted(votes, truth, dict(zip(votes.columns, "aabc", strict=True))).empty


def test_conformity() -> None:
    # Member by member, first → after, with the strict majority of the others' first votes:
    #      first  after  reference
    # d1   x x y  x x x  x    B1 joins A1 and A2, who are right
    # d2   x x y  x x x  y    B1 joins them, and they are wrong
    # d3   x x y  x x z  x    B1 moves elsewhere
    # d4   x y z  y y y  y    no majority of the others: A1 and B1 move, to no majority
    # d5   y x x  y x x  .    A1 stays against the majority
    # d6   x x y  x x x  .    B1 joins; no reference
    # d7   - x x  x x x  x    A1 had no vote: a new one is no move
    first, truth = matrix(
        dict(d1="xxyx", d2="xxyy", d3="xxyx", d4="xyzy", d5="yxx.", d6="xxy.", d7="-xxx"), [*FAMILIAS]
    )
    after, _ = matrix(
        dict(d1="xxx.", d2="xxx.", d3="xxz.", d4="yyy.", d5="yxx.", d6="xxx.", d7="xxx."), [*FAMILIAS]
    )
    table = conformity(first, after, truth)
    counts = [
        "contra_a_maioria",
        "mudou",
        "para_a_maioria",
        "maioria_certa",
        "maioria_errada",
        "outra_direcao",
    ]
    assert row(table, membro="B1")[counts].tolist() == [4, 5, 3, 1, 1, 2]
    assert row(table, membro="A1")[counts].tolist() == [1, 1, 0, 0, 0, 1]
    # A2: the others never agree against it, but in d7 only B1 voted: one of two is no majority.
    assert row(table, membro="A2")[counts].tolist() == [0, 0, 0, 0, 0, 0]


def test_support_of_the_largest_group() -> None:
    members = [f"m{k}" for k in range(8)]
    decisions = {
        "d1": "xxxxxxxxx",  # all
        "d2": "xxxxxx--x",  # six of eight: three quarters
        "d3": "xxxxx-yyy",  # five of eight; the reference agrees with two
        "d4": "xxxxyyyyx",  # four and four: half, and tied
        "d5": "xxxxyyzzx",  # four: half, not tied, right
        "d6": "--------x",
        "d7": "xxxxxxxx.",
    }
    table = support_table(*matrix(decisions, members)).set_index("apoio")
    assert table.loc["todos", ["n", "com_referencia", "certas"]].tolist() == [2, 1, 1]
    assert table.loc["três quartos ou mais", ["n", "com_referencia", "certas"]].tolist() == [1, 1, 1]
    assert table.loc["mais da metade", ["n", "com_referencia", "certas"]].tolist() == [1, 1, 0]
    assert table.loc["metade ou menos", ["n", "com_referencia", "certas"]].tolist() == [3, 3, 1]


def test_votes_of_a_study_before_and_after(tmp_path: Path) -> None:
    blocs = gather_blocs(hand_coders(hand_study(tmp_path)))
    assert blocs.variaveis == ["cor", "fontes", "ano"]
    cor = blocs.of("cor")
    assert ["".join(line) for line in cor.first.fillna("-").to_numpy()] == [
        "aaa",
        "abb",
        "aba",
        "abc",
        "aab",
        "-cc",
    ]
    # d6: m1 failed in round 1 and was not asked; d1 was unanimous.
    assert ["".join(line) for line in cor.after.fillna("-").to_numpy()] == [
        "aaa",
        "bcb",
        "bba",
        "abc",
        "aaa",
        "-cc",
    ]
    assert cor.asked.tolist() == [False, True, True, True, True, True]
    assert len(blocs.deliberated().first) == 5  # `fontes` is unanimous, free text is not deliberated
    assert len(blocs.of(TODAS).first) == len(blocs.first) == 18
    # m1 and m3 are of family p: together against m2 in d3 of round 1, and nowhere after.
    assert row(outvoted(cor.first, cor.truth, blocs.familias), contra="q")["n"] == 1
    assert row(outvoted(cor.after, cor.truth, blocs.familias), contra="q")[
        ["n", "contra_com_a_referencia"]
    ].tolist() == [1, 0]


def test_without_a_reference_nobody_is_right(tmp_path: Path) -> None:
    files = {"referencia/leitora.csv": None, "estudo.yaml": ESTUDO.replace("{leitora: z}", "{}")}
    blocs = gather_blocs(hand_coders(hand_study(tmp_path, files)))
    table = pattern_table(blocs.first, blocs.truth, blocs.familias)
    assert table["n"].sum() == 18
    assert (table[["com_referencia", "ninguem", *blocs.membros]] == 0).all(axis=None)


@pytest.mark.parametrize("part", [slice(0, 0), slice(0, 1)])
def test_no_or_one_decision(part: slice) -> None:
    votes, truth = VOTES.iloc[part], TRUTH.iloc[part]
    assert len(pattern_labels(votes)) == len(votes)
    assert pattern_table(votes, truth, FAMILIAS)["n"].sum() == len(votes)
    assert outvoted(votes, truth, FAMILIAS)["n"].sum() == 0
    assert conformity(votes, votes, truth)["mudou"].sum() == 0
    assert support_table(votes, truth)["n"].sum() == len(votes)


def test_a_part_of_the_decisions_keeps_all_columns_together() -> None:
    asked = pd.Series([k % 2 == 0 for k in range(len(VOTES))], index=VOTES.index)
    part = Blocs(FAMILIAS, VOTES, VOTES, TRUTH, asked).deliberated()
    assert part.first.index.equals(part.truth.index) and len(part.first) == 5 and part.asked.all()


def test_a_member_that_never_answers_stands_in_the_tables_without_a_vote(tmp_path: Path) -> None:
    coders = hand_coders(hand_study(tmp_path, {}))
    votos = coders.votos.copy()
    silent = votos["fonte"] == "m1"
    votos.loc[silent, ["valor", "nivel_evidencia"]] = pd.NA
    votos.loc[silent, "falha"] = "json_invalido"
    values = coders.values.assign(m1=pd.Series(pd.NA, coders.values.index, dtype="str"))
    found = gather_blocs(replace(coders, votos=votos, values=values))
    assert found.after["m1"].isna().all() and found.after["m2"].notna().any()
    table = pattern_table(found.after, found.truth, found.familias)
    assert table["padrao"].str.contains("sem voto: m1").all() and (table["m1"] == 0).all()
