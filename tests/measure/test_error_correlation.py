"""Agreement and correlation of errors by hand; families that err together are found, others are not."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from jury_builders import categorical, codebook
from validation_study import row

from compendio.measure.error_correlation import (
    DENTRO,
    ENTRE,
    correlation,
    effective_jurors,
    error_matrix,
    family_test,
    pair_table,
)
from compendio.measure.votes_matrix import votes_matrix
from compendio.simulate import SimulatedMember, simulate_jury

FAMILIAS = {"A1": "a", "A2": "a", "B1": "b"}
INDEX = pd.MultiIndex.from_product([[f"d{k}" for k in range(1, 8)], ["v"]], names=["documento", "variavel"])
VOTES = pd.DataFrame(
    {
        "A1": list("xxxxxxx"),
        "A2": ["x", "x", "x", "y", "y", None, "x"],
        "B1": ["x", "y", "y", "x", "z", "x", None],
    },
    index=INDEX,
    dtype="str",
)
TRUTH = pd.Series(["x", "y", "x", "x", None, "x", "z"], index=INDEX, dtype="str")
# Wrong (d5 has no reference): A1 in d2, d7; A2 in d2, d4, d6 (no vote), d7; B1 in d3, d7 (no vote).
#        d1 d2 d3 d4 d6 d7
# A1      0  1  0  0  0  1   mean 1/3, variance 2/9
# A2      0  1  0  1  1  1   mean 2/3, variance 2/9
# B1      0  0  1  0  0  1   mean 1/3, variance 2/9
# phi(A1, A2) = (2/6 - 2/9) / (2/9) = 1/2;  phi(A1, B1) = (1/6 - 1/9) / (2/9) = 1/4
# phi(A2, B1) = (1/6 - 2/9) / (2/9) = -1/4


def test_pairs_by_hand() -> None:
    table = pair_table(VOTES, TRUTH, FAMILIAS)
    a1a2, a1b1, a2b1 = (row(table, a=a, b=b) for a, b in (("A1", "A2"), ("A1", "B1"), ("A2", "B1")))
    assert (a1a2["relacao"], a1b1["relacao"]) == (DENTRO, ENTRE)
    assert a1a2["correlacao_erros"] == pytest.approx(1 / 2)
    assert a1b1["correlacao_erros"] == pytest.approx(1 / 4)
    assert a2b1["correlacao_erros"] == pytest.approx(-1 / 4)
    # Both answered: all but d6; they agree in d1, d2, d3, d7.
    assert (a1a2["n"], a1a2["concordancia"]) == (6, pytest.approx(4 / 6))
    # All but d7; d1, d4, d6.
    assert (a1b1["n"], a1b1["concordancia"]) == (6, pytest.approx(3 / 6))
    # Without d6 and d7; d1 alone.
    assert (a2b1["n"], a2b1["concordancia"]) == (5, pytest.approx(1 / 5))
    # Both answered wrongly: d2 and d7, with the same value.
    assert (a1a2["erros_juntos"], a1a2["mesmo_erro"]) == (2, 1.0)
    # A missing vote is no answer: A2 and B1 never answered wrongly together.
    assert a2b1["erros_juntos"] == 0 and math.isnan(a2b1["mesmo_erro"])


def test_the_same_wrong_value_is_more_than_being_wrong() -> None:
    index = pd.MultiIndex.from_product([["d1", "d2", "d3"], ["v"]], names=["documento", "variavel"])
    votes = pd.DataFrame({"A1": list("xxy"), "A2": list("xyy")}, index=index, dtype="str")
    table = pair_table(votes, pd.Series(list("zzy"), index=index, dtype="str"), FAMILIAS)
    assert (table["erros_juntos"].iloc[0], table["mesmo_erro"].iloc[0]) == (2, 0.5)
    assert table["correlacao_erros"].iloc[0] == pytest.approx(1.0)


def test_effective_number_of_jurors() -> None:
    mean, number = effective_jurors(error_matrix(VOTES, TRUTH))
    assert mean == pytest.approx((1 / 2 + 1 / 4 - 1 / 4) / 3)
    assert number == pytest.approx(3 / (1 + 2 / 6))  # 2.25


def test_effective_number_at_the_ends() -> None:
    column = np.array([0.0, 1.0, 0.0, 1.0])
    assert effective_jurors(np.column_stack([column] * 5)) == (pytest.approx(1.0), pytest.approx(1.0))
    apart = np.column_stack([column, 1 - column])  # never wrong together: γ̄ = −1, the least of two
    assert effective_jurors(apart)[0] == pytest.approx(-1.0)
    assert math.isnan(effective_jurors(apart)[1])
    square = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    assert effective_jurors(square) == (pytest.approx(0.0), pytest.approx(2.0))


def test_a_member_that_is_always_or_never_wrong_has_no_correlation() -> None:
    wrong = np.array([[0, 1, 0], [0, 1, 1], [0, 0, 1]], dtype=float)
    phi = correlation(wrong)
    assert np.isnan(phi[0]).all() and np.isnan(phi[:, 0]).all()
    assert phi[1, 2] == pytest.approx(-0.5)
    # (1, 1, 0) and (0, 1, 1): covariance 1/3 - 4/9 = -1/9, variances 2/9.
    mean, number = effective_jurors(wrong)
    assert mean == pytest.approx(-0.5) and math.isnan(number)  # three jurors cannot share less than −1/2


@pytest.mark.parametrize("wrong", [np.empty((0, 3)), np.zeros((4, 3)), np.ones((1, 3))])
def test_nothing_to_correlate(wrong: np.ndarray) -> None:
    assert np.isnan(correlation(wrong)).all()
    assert all(math.isnan(x) for x in effective_jurors(wrong))


def test_without_a_reference_only_the_agreement_is_there() -> None:
    table = pair_table(VOTES, pd.Series(None, index=INDEX, dtype="str"), FAMILIAS)
    assert table["concordancia"].notna().all()
    assert table[["correlacao_erros", "mesmo_erro"]].isna().all(axis=None)
    assert (table["erros_juntos"] == 0).all()


def pairs_of(correlacao: float, semente: int, n: int = 200, families: str = "abcd", each: int = 4) -> tuple:
    members = [SimulatedMember(f"{f}{k}", f, 0.7) for f in families for k in range(each)]
    jury = simulate_jury(n, list("uvxyz"), members, correlacao=correlacao, semente=semente)
    familias = {m.nome: m.familia for m in members}
    book = codebook(simulada=categorical(*"uvxyz"))
    votes = votes_matrix(jury.votos, book, list(familias))
    truth = jury.verdade.set_index("documento")["valor"].reindex(votes.index.get_level_values("documento"))
    truth.index = votes.index
    return pair_table(votes, truth, familias), familias


@pytest.mark.parametrize("column", ["correlacao_erros", "concordancia", "mesmo_erro"])
def test_families_that_err_together_are_found(column: str) -> None:
    pairs, familias = pairs_of(0.4, semente=3)
    test = family_test(pairs, familias, column, permutacoes=999)
    # 16 members in four families of four: 4 · 6 pairs within, 120 − 24 between.
    assert (test.pares_dentro, test.pares_entre) == (24, 96)
    assert test.p == pytest.approx(1 / 1000) and test.diferenca > 0
    if column == "correlacao_erros":
        assert test.dentro == pytest.approx(0.4, abs=0.05) and test.entre == pytest.approx(0, abs=0.03)


def test_independent_families_are_not_found() -> None:
    found = [
        family_test(*pairs_of(0.0, semente=seed, n=100), permutacoes=199, semente=seed).p
        for seed in range(40)
    ]
    # p is uniform where families mean nothing: of 40, two are expected at 0.05, and more than 7 in one run of 500.
    assert sum(p <= 0.05 for p in found) <= 7
    assert 0.3 < np.mean(found) < 0.7


def test_the_same_seed_gives_the_same_p() -> None:
    pairs, familias = pairs_of(0.05, semente=1, n=60)
    first, again, other = (family_test(pairs, familias, permutacoes=700, semente=s).p for s in (1, 1, 2))
    assert first == again and first != other


def test_three_members_cannot_show_a_family() -> None:
    test = family_test(pair_table(VOTES, TRUTH, FAMILIAS), FAMILIAS, permutacoes=999)
    # Two of three in one family: three ways of dividing them, so p is about 1/3 at its best, as here.
    assert test.menor_p == pytest.approx(1 / 3) and not test.tem_poder
    assert test.dentro == pytest.approx(1 / 2) and test.entre == pytest.approx(0)
    assert test.p == pytest.approx(1 / 3, abs=0.06)


@pytest.mark.parametrize(
    ("families", "divisions"),
    [
        ("aab", 3),
        ("aabb", 3),  # 4! / (2! 2!) = 6, halved: which family is which does not matter
        ("aabbc", 15),  # 5! / (2! 2!) / 2!
        ("aaabbb", 10),  # 6! / (3! 3!) / 2!
        ("abc", 1),
    ],
)
def test_smallest_p(families: str, divisions: int) -> None:
    names = {f"m{k}": f for k, f in enumerate(families)}
    index = INDEX[:4]
    votes = pd.DataFrame({name: list("xyxy") for name in names}, index=index, dtype="str")
    test = family_test(pair_table(votes, pd.Series(list("xxyy"), index=index, dtype="str"), names), names)
    assert test.menor_p == pytest.approx(1 / divisions)


@pytest.mark.parametrize("families", ["aaa", "abc"])
def test_one_kind_of_pair_alone_gives_no_p(families: str) -> None:
    names = dict(zip(FAMILIAS, families, strict=True))
    test = family_test(pair_table(VOTES, TRUTH, names), names)
    assert math.isnan(test.p) and math.isnan(test.diferenca)
    assert {test.pares_dentro, test.pares_entre} == {0, 3}


def test_no_defined_pair_gives_no_p() -> None:
    test = family_test(pair_table(VOTES, pd.Series(None, index=INDEX, dtype="str"), FAMILIAS), FAMILIAS)
    assert math.isnan(test.p) and math.isnan(test.dentro) and math.isnan(test.entre)
