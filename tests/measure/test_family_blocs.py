"""Families among many models: by hand, against every shuffle there is, and on models made to be alike."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from validation_study import ESTUDO, _votes, hand_coders, hand_study, row

from compendio.erros import ErroDeEstudo
from compendio.measure.blocs import Blocs
from compendio.measure.error_correlation import DENTRO, ENTRE, family_test, pair_table
from compendio.measure.family_blocs import (
    accuracy,
    accuracy_strata,
    distinct_models,
    error_tree,
    family_table,
    gather_models,
    like_with_like,
)


def blocs_of(votes: dict[str, str], truth: str, familias: dict[str, str]) -> Blocs:
    """Model → one letter a document, `-` no vote; `.` no reference value."""
    index = pd.MultiIndex.from_product([range(len(truth)), ["v"]], names=["documento", "variavel"])
    cells = {name: [None if c == "-" else c for c in line] for name, line in votes.items()}
    table = pd.DataFrame(cells, index=index, dtype="str")
    known = pd.Series([None if c == "." else c for c in truth], index=index, dtype="str")
    return Blocs(familias, table, table, known, pd.Series(False, index=index))


def pairs_of_matrix(matrix: np.ndarray, familias: dict[str, str]) -> pd.DataFrame:
    """The upper triangle as `pair_table` lays it out."""
    names = list(familias)
    rows = [
        (a, b, DENTRO if familias[a] == familias[b] else ENTRE, matrix[i, j])
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i < j
    ]
    return pd.DataFrame(rows, columns=["a", "b", "relacao", "r"])


def test_accuracy_counts_a_missing_vote_as_wrong_and_leaves_out_what_has_no_reference() -> None:
    blocs = blocs_of({"A": "xyx-", "B": "xxxx", "C": "----"}, "xx.x", {"A": "p", "B": "p", "C": "q"})
    # Three documents with a reference: A right in the first alone.
    assert accuracy(blocs) == {"A": pytest.approx(1 / 3), "B": 1.0, "C": 0.0}


def test_strata_hold_models_of_like_accuracy() -> None:
    shares = {"A": 0.9, "B": 0.1, "C": 0.5, "D": 0.5, "E": 0.7, "F": 0.3, "G": 0.8}
    # In order: B .1, F .3, C .5, D .5 | E .7, G .8, A .9; seven by threes are two strata, of four and three.
    assert accuracy_strata(shares, 3) == {"B": 0, "F": 0, "C": 0, "D": 0, "E": 1, "G": 1, "A": 1}
    # Equal shares go by name, however the models come.
    assert accuracy_strata({"D": 0.5, "C": 0.5, "B": 0.5, "A": 0.5}, 2) == {"A": 0, "B": 0, "C": 1, "D": 1}
    assert set(accuracy_strata(shares, 10).values()) == {0}  # too few for two


def test_family_by_family() -> None:
    familias = {"A": "p", "B": "p", "C": "q", "D": "q", "E": "r"}
    matrix = np.array(
        [
            [1.0, 0.6, 0.2, 0.0, 0.4],
            [0.6, 1.0, 0.2, np.nan, 0.2],
            [0.2, 0.2, 1.0, 0.1, 0.3],
            [0.0, np.nan, 0.1, 1.0, 0.2],
            [0.4, 0.2, 0.3, 0.2, 1.0],
        ]
    )
    shares = {"A": 0.5, "B": 0.7, "C": 0.4, "D": 0.4, "E": 0.9}
    table = family_table(pairs_of_matrix(matrix, familias), familias, shares, "r")
    assert table["familia"].tolist() == [
        "p",
        "q",
    ]  # r has one model: it is nobody's family, but others' "between"
    p, q = row(table, familia="p"), row(table, familia="q")
    # p with others: AC .2, AD 0, AE .4, BC .2, BD undefined, BE .2.
    assert (p["membros"], p["exatidao"], p["dentro"]) == (2, pytest.approx(0.6), pytest.approx(0.6))
    assert (p["entre"], p["diferenca"]) == (pytest.approx(1.0 / 5), pytest.approx(0.4))
    # q: AC .2, BC .2, CE .3, AD 0, DE .2.
    assert (q["dentro"], q["entre"]) == (pytest.approx(0.1), pytest.approx(0.9 / 5))


def test_a_family_without_a_defined_pair_has_no_mean() -> None:
    familias = {"A": "p", "B": "p", "C": "q"}
    matrix = np.array([[1.0, np.nan, 0.1], [np.nan, 1.0, 0.3], [0.1, 0.3, 1.0]])
    table = family_table(pairs_of_matrix(matrix, familias), familias, dict.fromkeys("ABC", 0.5), "r")
    assert math.isnan(table["dentro"].iloc[0]) and table["entre"].iloc[0] == pytest.approx(0.2)
    alone = family_table(pairs_of_matrix(matrix, dict(zip("ABC", "pqr", strict=True))), {}, {}, "r")
    assert alone.empty and "diferenca" in alone


def test_the_tree_joins_the_closest_first() -> None:
    nan = np.nan
    matrix = np.array([[nan, 0.9, 0.2], [0.9, nan, 0.4], [0.2, 0.4, nan]])
    tree = error_tree(matrix)
    # A and B at 1 − 0.9; C joins at the mean of 1 − 0.2 and 1 − 0.4.
    assert sorted(tree[0, :2]) == [0, 1] and tree[0, 2] == pytest.approx(0.1)
    assert sorted(tree[1, :2]) == [2, 3] and tree[1, 2] == pytest.approx(0.7)
    undefined = error_tree(np.array([[nan, nan], [nan, nan]]))
    assert undefined[0, 2] == pytest.approx(1.0)  # counts as no correlation


def test_a_stratified_test_against_every_shuffle_there_is() -> None:
    familias = dict(zip("ABCDEF", "pqrpqr", strict=True))
    strata = dict(zip("ABCDEF", (0, 0, 0, 1, 1, 1), strict=True))
    values = np.random.default_rng(4).random((6, 6))
    matrix = (values + values.T) / 2
    pairs = pairs_of_matrix(matrix, familias)

    def gap(labels: str) -> float:
        same = np.array([labels[i] == labels[j] for i in range(6) for j in range(6) if i < j])
        r = pairs["r"].to_numpy()
        return float(r[same].mean() - r[~same].mean())

    # 3! orders of the labels p, q, r in each stratum: 36 shuffles, each as likely as the next.
    every = [gap("".join(one) + "".join(two)) for one in permutations("pqr") for two in permutations("pqr")]
    test = family_test(pairs, familias, "r", permutacoes=20_000, estratos=strata)
    assert test.diferenca == pytest.approx(gap("pqrpqr"))
    assert test.esperada == pytest.approx(np.mean(every), abs=0.003)
    reached = np.mean([one >= gap("pqrpqr") - 1e-12 for one in every])
    assert test.p == pytest.approx(reached, abs=0.012)
    # Names of families may be swapped: 36 / 3! divisions.
    assert test.menor_p == pytest.approx(1 / 6)
    # Without strata, 6! / 2!³ / 3! = 15 divisions.
    assert family_test(pairs, familias, "r", permutacoes=99).menor_p == pytest.approx(1 / 15)


def test_strata_that_hold_one_family_each_leave_nothing_to_shuffle() -> None:
    familias = dict(zip("ABCD", "ppqq", strict=True))
    pairs = pairs_of_matrix(np.full((4, 4), 0.3) + np.diag([0.7] * 4), familias)
    test = family_test(pairs, familias, "r", permutacoes=99, estratos=dict(zip("ABCD", "1122", strict=True)))
    assert test.p == 1 and test.menor_p == 1 and not test.tem_poder


def models(
    seed: int, own: float, ability: str, families: int = 8, each: int = 5, n: int = 400
) -> tuple[pd.DataFrame, dict[str, str], dict[str, int]]:
    """Models whose errors share the documents' difficulty; `own`: weight of what a family finds hard by itself.

    `ability`: of the family (its members are right as often as each other), or of the model alone.
    """
    rng = np.random.default_rng(seed)
    familias = {f"m{f}{k}": f"f{f}" for f in range(families) for k in range(each)}
    level = rng.normal(0, 1.5, families if ability == "familia" else families * each)
    level = np.repeat(level, each) if ability == "familia" else level
    hard = rng.normal(0, 1.5, (n, 1)) + own * np.repeat(rng.normal(size=(n, families)), each, axis=1)
    wrong = rng.random((n, len(familias))) < 1 / (1 + np.exp(level + rng.normal(0, 0.2, len(level)) - hard))
    letters = np.where(wrong, "y", "x")
    votes = {name: "".join(letters[:, k]) for k, name in enumerate(familias)}
    blocs = blocs_of(votes, "x" * n, familias)
    return pair_table(blocs.first, blocs.truth, familias), familias, accuracy_strata(accuracy(blocs))


def test_families_that_are_only_as_good_as_each_other_are_no_blocs() -> None:
    alike, fair = [], []
    for seed in range(12):
        pairs, familias, strata = models(seed, own=0.0, ability="familia")
        alike.append(family_test(pairs, familias, permutacoes=199, semente=seed))
        fair.append(family_test(pairs, familias, permutacoes=199, semente=seed, estratos=strata))
    # Members of one family are right equally often and err on the same hard documents: they look like a bloc.
    assert np.mean([test.p <= 0.05 for test in alike]) >= 0.5
    # Among models of like accuracy most of the difference is there in every shuffle.
    assert np.mean([test.esperada for test in fair]) > 0.6 * np.mean([test.diferenca for test in fair])
    assert np.mean([test.p <= 0.05 for test in fair]) <= 0.25


@pytest.mark.parametrize("ability", ["familia", "modelo"])
def test_families_with_errors_of_their_own_are_found_among_equals(ability: str) -> None:
    pairs, familias, strata = models(1, own=1.5, ability=ability)
    test = family_test(pairs, familias, permutacoes=999, estratos=strata)
    assert test.p == pytest.approx(1 / 1000) and test.diferenca - test.esperada > 0.05


def test_where_families_mean_nothing_p_is_not_small() -> None:
    found = []
    for seed in range(20):
        pairs, familias, strata = models(seed, own=0.0, ability="modelo", n=120)
        found.append(family_test(pairs, familias, permutacoes=199, semente=seed, estratos=strata).p)
    # Uniform: of 20, one is expected at 0.05; more than 4 in one run of 400.
    assert sum(p <= 0.05 for p in found) <= 4 and 0.25 < np.mean(found) < 0.75


MODELOS = "modelo,familia,observacao\nm2,q,\nextra,p,outra\nm1,p,\nm3,p,\nausente,z,\n"
FICAM = {"modelos.csv": MODELOS, "votos/extra.csv": _votes("m2")}


def test_models_of_a_study(tmp_path: Path) -> None:
    coders = hand_coders(hand_study(tmp_path, FICAM))
    blocs = gather_models(coders)
    assert blocs is not None
    # In the order of the file; the one without votes is left out; the jury has three of them.
    assert blocs.familias == {"m2": "q", "extra": "p", "m1": "p", "m3": "p"}
    assert blocs.first.index.equals(coders.values.index)
    assert blocs.first[["m1", "m2", "m3"]].equals(coders.values[["m1", "m2", "m3"]])
    assert blocs.first["extra"].tolist() == blocs.first["m2"].tolist()
    assert blocs.truth.equals(coders.truth) and not blocs.asked.any()


def test_a_family_may_be_left_out(tmp_path: Path) -> None:
    coders = hand_coders(hand_study(tmp_path, FICAM))
    blocs = gather_models(coders, ["q"])
    assert blocs is not None and blocs.familias == {"extra": "p", "m1": "p", "m3": "p"}
    with pytest.raises(ErroDeEstudo, match="nenhum modelo é da família «outra»"):
        gather_models(coders, ["q", "outra"])


def test_a_study_that_lists_no_models(tmp_path: Path) -> None:
    assert gather_models(hand_coders(hand_study(tmp_path))) is None


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("modelo,familia\nm1,z\n", "«m1» é «z» aqui e «p» em estudo.yaml"),
        ("modelo,familia\nm1,p\nm1,p\n", "já está acima"),
        ("modelo,familia\nm1,\n", "falta o modelo ou a família"),
        ("modelo,grupo\nm1,p\n", "familia"),
        ("modelo,familia\nninguem,p\n", "nenhum destes modelos tem votos"),
    ],
)
def test_a_table_of_models_that_is_not_sound(table: str, says: str, tmp_path: Path) -> None:
    coders = hand_coders(hand_study(tmp_path, {"modelos.csv": table, "estudo.yaml": ESTUDO}))
    with pytest.raises(ErroDeEstudo, match=says):
        gather_models(coders)


def test_near_copies_leave_the_first_of_each_group() -> None:
    familias = dict(zip("ABCDE", "pppqq", strict=True))
    matrix = np.full((5, 5), 0.5)
    for one, two in ((0, 1), (1, 2), (3, 0)):  # A and B, B and C, D and A nearly copy each other
        matrix[one, two] = matrix[two, one] = 0.9
    pairs = pairs_of_matrix(matrix, familias).rename(columns={"r": "concordancia"})
    # B goes with A; C stays, for the B that it copies is gone; D goes with A.
    assert distinct_models(pairs, familias, 0.9) == {"A": "p", "C": "p", "E": "q"}
    assert distinct_models(pairs, familias, 0.91) == familias


def test_like_with_like_takes_the_pairs_of_these_members_alone() -> None:
    pairs, familias, strata = models(3, own=0.5, ability="modelo")
    shares = {name: float(k) for k, name in enumerate(sorted(strata, key=lambda name: (strata[name], name)))}
    some = {name: family for name, family in familias.items() if name[2] != "4"}  # four of each family's five
    found = like_with_like(pairs, some, shares, ["correlacao_erros"], 99, 5)["correlacao_erros"]
    assert found.pares_dentro == 8 * 6 and found.pares_entre == 32 * 31 // 2 - 48
    own = pairs[pairs["a"].isin(some) & pairs["b"].isin(some)]
    strata = accuracy_strata({name: shares[name] for name in some})
    assert found == family_test(own, some, permutacoes=99, semente=5, estratos=strata)
