"""What notebook 6 shows first, and its sentences."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from compendio.measure.blocs import Blocs
from compendio.measure.error_correlation import FamilyTest
from compendio.report import bloc_numbers
from compendio.report.bloc_tables import family_test_sentence, first_shown
from compendio.report.model_tables import family_sentence, like_with_like_sentence

FAMILIAS = {"A": "p", "B": "p", "C": "q"}


def blocs_of(variables: dict[str, list[tuple[str, bool]]]) -> Blocs:
    """Variable → its decisions: one letter a vote of A, B, C, and whether anybody was asked again."""
    rows = [(f"d{k}", name, *one) for name, decisions in variables.items() for k, one in enumerate(decisions)]
    index = pd.MultiIndex.from_tuples([row[:2] for row in rows], names=["documento", "variavel"])
    votes = pd.DataFrame([list(row[2]) for row in rows], index, list(FAMILIAS), dtype="str")
    asked = pd.Series([row[3] for row in rows], index=index)
    return Blocs(FAMILIAS, votes, votes, pd.Series(None, index=index, dtype="str"), asked)


@pytest.mark.parametrize(
    ("variables", "shown"),
    [
        # Free text divides the members most and comes last, but it is never deliberated.
        (
            {"cor": [("xxx", False), ("xyy", True)], "ano": [("xyz", False), ("xyz", False)]},
            "cor",
        ),
        ({"cor": [("xyy", True)], "tom": [("xyy", True), ("xyy", True)]}, "tom"),
        # As many deliberated decisions: the one that divides more (an unanimous one may lack evidence).
        ({"cor": [("xxx", True)], "tom": [("xyy", True)]}, "tom"),
        ({"cor": [("xxx", False)], "tom": [("xyy", False)]}, "tom"),
        ({"cor": [("xyy", False)], "tom": [("xyy", False)]}, "cor"),
    ],
)
def test_the_variable_shown_first(variables: dict[str, list[tuple[str, bool]]], shown: str) -> None:
    assert first_shown(blocs_of(variables)) == shown


def family_test_of(
    p: float, diferenca: float = 0.2, esperada: float = 0.08, menor_p: float = 0.001
) -> FamilyTest:
    return FamilyTest(0.5 + diferenca, 0.5, 3, 12, esperada, p, 99, menor_p)


@pytest.mark.parametrize(
    ("test", "says"),
    [
        (family_test_of(0.012), "diferença de 0,08; a observada é 0,20, mais do que a exatidão explica (p = 0,012)"),
        (family_test_of(0.0001), "(p < 0,001)"),
        (family_test_of(0.3), "a observada, 0,20, não se distingue dela (p = 0,300)"),
        (family_test_of(0.3, menor_p=0.25), "o menor p possível seria 0,250"),
        (family_test_of(math.nan), "não há pares das duas espécies"),
    ],
)  # fmt: skip
def test_what_is_said_of_families_among_equals(test: FamilyTest, says: str) -> None:
    said = like_with_like_sentence(test, "correlacao_erros")
    assert said.startswith("**Correlação dos erros, entre iguais:**") and says in said


def test_what_is_said_of_families_when_chance_could_have_done_it() -> None:
    clear, unclear = (family_test_sentence(family_test_of(p), "correlacao_erros", 6) for p in (0.012, 0.3))
    assert "membros da mesma família erram juntos mais do que" in clear and "não se pode dizer" not in clear
    assert "não se pode dizer que membros da mesma família erram juntos mais do que" in unclear


def test_how_many_families_err_together() -> None:
    table = pd.DataFrame(
        {"familia": list("pqrs"), "diferenca": [0.25, 0.1, -0.1, math.nan], "dentro": 0.5, "entre": 0.3}
    )
    said = family_sentence(table)
    assert "dois modelos ou mais: 3; com os erros mais correlacionados dentro do que fora: 2" in said
    assert "a de p (0,25), a menor a de r (−0,10)" in said
    assert "Nenhuma família" in family_sentence(table.iloc[3:])


def test_numbers_of_models_have_ids_of_their_own() -> None:
    tests = {"correlacao_erros": family_test_of(0.01), "mesmo_erro": family_test_of(0.3)}
    table = pd.DataFrame({"familia": ["p"], "membros": [2], "dentro": [0.5], "entre": [0.25]})
    votes = blocs_of({"cor": [("xxy", False), ("xyx", False), ("yyy", False)]})
    numbers = [
        *bloc_numbers.family_numbers(tests, "c"),
        *bloc_numbers.family_numbers(tests, "c", "blocos.modelos"),
        *bloc_numbers.like_with_like_numbers(tests, "entre_iguais", "c"),
        *bloc_numbers.like_with_like_numbers(tests, "sem_copias", "c"),
        *bloc_numbers.family_means_numbers(table, "c"),
        *bloc_numbers.model_numbers(votes, "c"),
    ]
    printed = {entry["id"]: entry["impresso"] for entry in numbers}
    assert len(printed) == len(numbers)
    assert printed["blocos.modelos.mesmo_erro.sem_copias.p"] == "0,300"
    assert printed["blocos.modelos.correlacao_erros.entre_iguais.esperada"] == "0,08"
    assert printed["blocos.modelos.familia.p.dentro"] == "0,50"
    assert (printed["blocos.modelos.modelos"], printed["blocos.modelos.familias"]) == ("3", "2")
    assert (
        printed["blocos.modelos.jurados_efetivos"] == "—"
    )  # without a reference nobody is known to be wrong
