"""The vote: what is decided, with which evidence, and what never changes a decision."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jury_builders import categorical, choices, codebook, multiple, text, vote, votes

from compendio.contract import ENCONTRADA, NIVEIS
from compendio.jury.vote import votar

COLOURS = codebook(cor=categorical("azul", "verde", "outra", exempt=["outra"]))
JURY = ["A", "B", "C"]


def one(rows: list[dict[str, Any]], book: Any = COLOURS, membros: list[str] = JURY, **more: Any) -> Any:
    decisions = votar(votes(*rows), book, membros, **more)
    assert len(decisions) == 1
    return decisions.iloc[0]


def test_unanimous() -> None:
    decision = one([vote("A", "azul"), vote("B", "azul"), vote("C", "azul")])
    assert (decision["estado"], decision["valor"], decision["por_isencao"]) == ("unanime", "azul", False)
    assert (decision["evidencia"], decision["inicio"], decision["fim"]) == ("um trecho", 10, 19)
    assert json.loads(decision["votos"]) == {"A": "azul", "B": "azul", "C": "azul"}


def test_two_of_three() -> None:
    decision = one([vote("A", "azul"), vote("B", "verde"), vote("C", "azul")])
    assert (decision["estado"], decision["valor"]) == ("maioria", "azul")


def test_three_ways_is_no_majority() -> None:
    decision = one([vote("A", "azul"), vote("B", "verde"), vote("C", "outra")])
    assert decision["estado"] == "sem_maioria"
    assert pd.isna(decision["valor"]) and pd.isna(decision["evidencia"]) and pd.isna(decision["inicio"])


@pytest.mark.parametrize("levels", [("nao_encontrada", "ausente"), ("ausente", "ausente")])
def test_a_majority_without_evidence_is_not_decided(levels: tuple[str, str]) -> None:
    a, b = levels
    # C's quote is found, but C voted something else.
    decision = one(
        [vote("A", "azul", nivel_evidencia=a), vote("B", "azul", nivel_evidencia=b), vote("C", "verde")]
    )
    assert decision["estado"] == "sem_evidencia" and pd.isna(decision["valor"])


def test_one_found_quote_of_the_majority_is_enough_even_for_unanimity() -> None:
    rows = [
        vote("A", "azul", nivel_evidencia="ausente"),
        vote("B", "azul", nivel_evidencia="nao_encontrada"),
        vote("C", "azul", nivel_evidencia="normalizada", evidencia="Um Trecho"),
    ]
    decision = one(rows)
    assert (decision["estado"], decision["nivel_evidencia"]) == ("unanime", "normalizada")
    assert decision["evidencia"] == "Um Trecho"


def test_all_agree_without_evidence() -> None:
    decision = one([vote(name, "azul", nivel_evidencia="ausente") for name in JURY])
    assert decision["estado"] == "sem_evidencia"


def test_exempt_category() -> None:
    decision = one([vote(name, "outra", nivel_evidencia="dispensada") for name in JURY])
    assert (decision["estado"], decision["valor"], decision["por_isencao"]) == ("unanime", "outra", True)
    assert decision["nivel_evidencia"] == "dispensada"


def test_exempt_category_with_a_found_quote_needs_no_exemption() -> None:
    rows = [vote("A", "outra"), vote("B", "outra", nivel_evidencia="dispensada"), vote("C", "azul")]
    decision = one(rows)
    assert (decision["estado"], decision["por_isencao"], decision["nivel_evidencia"]) == (
        "maioria",
        False,
        "exata",
    )


def test_exempt_study() -> None:
    rows = [vote(name, "azul", nivel_evidencia="ausente") for name in JURY]
    decision = one(rows, dispensada=True)
    assert (decision["estado"], decision["por_isencao"]) == ("unanime", True)


def test_failures_count_in_the_denominator() -> None:
    # 2 of 4 is no majority although only these two answered.
    rows = [vote("A", "azul"), vote("B", "azul"), vote("C", None), vote("D", None, falha="tempo_esgotado")]
    decision = one(rows, membros=["A", "B", "C", "D"])
    assert decision["estado"] == "sem_maioria"
    assert json.loads(decision["votos"]) == {"A": "azul", "B": "azul", "C": None, "D": None}
    # 2 of 3 is one, but not a unanimous one.
    assert one(rows[:3])["estado"] == "maioria"


def test_supporting_quote_best_level_then_earliest_then_code_points() -> None:
    far, near = {"inicio": 90, "fim": 99}, {"inicio": 5, "fim": 14}
    # An exact quote beats an earlier folded one.
    rows = [
        vote("A", "azul", nivel_evidencia="normalizada", **near),
        vote("B", "azul", evidencia="exata", **far),
    ]
    assert one([*rows, vote("C", "azul", nivel_evidencia="ausente")])["evidencia"] == "exata"
    # Of two exact ones, the earlier; the earliest of all belongs to another value.
    rows = [vote("A", "azul", evidencia="longe", **far), vote("B", "azul", evidencia="perto")]
    decision = one([*rows, vote("C", "verde", evidencia="de outro valor", **near)])
    assert (decision["evidencia"], decision["inicio"]) == ("perto", 10)
    # Equally good and early: 'Z' (U+005A) stands before 'a' (U+0061).
    rows = [vote("A", "azul", evidencia="a casa"), vote("B", "azul", evidencia="Z casa"), vote("C", "verde")]
    assert one(rows)["evidencia"] == "Z casa"


# --- free text ------------------------------------------------------------------------------------

PERIOD = codebook(cor=text("não informado"))


def test_text_by_normal_form_and_most_frequent_original() -> None:
    rows = [vote("A", "1990–2010"), vote("B", "de 1990 a 2010"), vote("C", "1990–2010"), vote("D", "2000")]
    decision = one(rows, PERIOD, ["A", "B", "C", "D"])
    assert (decision["estado"], decision["valor"]) == ("maioria", "1990–2010")


def test_text_equally_frequent_originals_by_code_points() -> None:
    # '1990 a 2010' (space, U+0020) before '1990-2010' (hyphen, U+002D) before '1990–2010' (dash, U+2013).
    rows = [vote("A", "1990–2010"), vote("B", "1990-2010"), vote("C", "1990 a 2010")]
    decision = one(rows, PERIOD)
    assert (decision["estado"], decision["valor"]) == ("unanime", "1990 a 2010")


def test_text_that_says_nothing_is_exempt() -> None:
    rows = [
        vote("A", "Não informado.", nivel_evidencia="ausente"),
        vote("B", "não informado", nivel_evidencia="ausente"),
    ]
    decision = one([*rows, vote("C", "2001")], PERIOD)
    assert (decision["estado"], decision["por_isencao"]) == ("maioria", True)
    assert decision["valor"] == "Não informado."  # equally frequent: 'N' before 'n'


# --- several choices ------------------------------------------------------------------------------

SOURCES = codebook(fontes=multiple("jornais", "leis", "atas", exempt=["atas"]))


def test_choices_unanimous_and_majority() -> None:
    rows = [choices(name, {"leis": "exata"}) for name in JURY]
    decision = one(rows, SOURCES)
    assert (decision["estado"], decision["valor"]) == ("unanime", '["leis"]')
    assert json.loads(decision["evidencia"]) == {"leis": "trecho de leis"}
    assert json.loads(decision["nivel_evidencia"]) == {"leis": "exata"}
    assert pd.isna(decision["inicio"])
    # One member adds a category: two of three say no to it, so the row is a majority.
    rows[2] = choices("C", {"jornais": "exata", "leis": "exata"})
    decision = one(rows, SOURCES)
    assert (decision["estado"], decision["valor"]) == ("maioria", '["leis"]')


def test_choices_none_is_an_answer() -> None:
    decision = one([choices(name, {}) for name in JURY], SOURCES)
    assert (decision["estado"], decision["valor"], decision["por_isencao"]) == ("unanime", "[]", False)


def test_choices_order_of_the_codebook() -> None:
    rows = [choices(name, {"leis": "exata", "jornais": "exata"}) for name in JURY]
    assert one(rows, SOURCES)["valor"] == '["jornais", "leis"]'


def test_choices_yes_without_evidence() -> None:
    rows = [choices(name, {"leis": "exata", "jornais": "nao_encontrada"}) for name in JURY]
    decision = one(rows, SOURCES)
    assert decision["estado"] == "sem_evidencia" and pd.isna(decision["valor"])


def test_choices_exempt_category() -> None:
    rows = [choices(name, {"leis": "exata", "atas": "dispensada"}) for name in JURY]
    decision = one(rows, SOURCES)
    assert (decision["estado"], decision["valor"]) == ("unanime", '["leis", "atas"]')
    assert decision["por_isencao"]


def test_choices_no_majority_wins_over_no_evidence() -> None:
    # leis: 2 yes of 4, 2 no of 4: neither; jornais: 4 yes, none found.
    rows = [choices(name, {"jornais": "ausente", "leis": "exata"}) for name in "AB"]
    rows += [choices(name, {"jornais": "ausente"}) for name in "CD"]
    assert one(rows, SOURCES, ["A", "B", "C", "D"])["estado"] == "sem_maioria"


def test_choices_failure_says_neither_yes_nor_no() -> None:
    # Nobody chose jornais, but only 2 of 4 said no to it.
    rows = [
        choices("A", {"leis": "exata"}),
        choices("B", {"leis": "exata"}),
        choices("C", None),
        choices("D", None),
    ]
    assert one(rows, SOURCES, ["A", "B", "C", "D"])["estado"] == "sem_maioria"
    # With three members, two answers decide, not unanimously.
    assert one(rows[:3], SOURCES)["estado"] == "maioria"


# --- properties -----------------------------------------------------------------------------------

CATEGORIES = ["azul", "verde", "outra"]
MEMBERS = ["m1", "m2", "m3", "m4", "m5"]


@st.composite
def juries(draw: st.DrawFn) -> tuple[pd.DataFrame, list[str]]:
    """Up to 4 documents and 5 members; votes, failures and missing rows."""
    membros = MEMBERS[: draw(st.integers(2, 5))]
    rows = []
    for d in range(draw(st.integers(1, 4))):
        for name in membros:
            kind = draw(st.sampled_from([*CATEGORIES, *CATEGORIES, "falha", "falta"]))
            if kind == "falta":
                continue
            place = draw(st.integers(0, 2))
            rows.append(
                vote(
                    name,
                    None if kind == "falha" else kind,
                    documento=f"d{d}",
                    nivel_evidencia=draw(st.sampled_from(NIVEIS)),
                    evidencia=draw(st.sampled_from(["x uma", "y duas", "w três"])),
                    inicio=place,
                    fim=place + 5,
                )
            )
    rows = rows or [vote(membros[0], "azul")]
    return votes(*rows), membros


def by_hand(table: pd.DataFrame, membros: list[str]) -> dict[str, tuple[str, str | None]]:
    """An independent count, decision by decision: document → (estado, valor)."""
    result: dict[str, tuple[str, str | None]] = {}
    for doc, rows in table.groupby("documento"):
        given = rows[rows["valor"].notna()]
        tally = Counter(given["valor"])
        winner = next((value for value, k in tally.items() if k > len(membros) / 2), None)
        if winner is None:
            result[doc] = ("sem_maioria", None)
            continue
        levels = set(given.loc[given["valor"] == winner, "nivel_evidencia"])
        if winner != "outra" and not levels & ENCONTRADA:
            result[doc] = ("sem_evidencia", None)
        else:
            result[doc] = ("unanime" if tally[winner] == len(membros) else "maioria", winner)
    return result


def decided(table: pd.DataFrame) -> dict[str, tuple[str, str | None]]:
    return {
        row.documento: (row.estado, None if pd.isna(row.valor) else row.valor) for row in table.itertuples()
    }


@given(juries())
@settings(max_examples=100, deadline=None)
def test_equal_to_a_count_by_hand(case: tuple[pd.DataFrame, list[str]]) -> None:
    table, membros = case
    assert decided(votar(table, COLOURS, membros)) == by_hand(table, membros)


@given(juries(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_order_of_rows_and_members_changes_nothing(case: tuple[pd.DataFrame, list[str]], random: Any) -> None:
    table, membros = case
    expected = votar(table, COLOURS, membros)
    shuffled = table.sample(frac=1, random_state=random.randrange(2**31))
    others = random.sample(membros, len(membros))
    again = votar(shuffled, COLOURS, others)
    again["votos"] = [
        json.dumps({name: json.loads(v)[name] for name in membros}, ensure_ascii=False)
        for v in again["votos"]
    ]
    pd.testing.assert_frame_equal(again, expected)


@given(juries(), st.permutations(["zinco", "ar", "Éter"]))
@settings(max_examples=40, deadline=None)
def test_names_of_categories_change_nothing(case: tuple[pd.DataFrame, list[str]], names: list[str]) -> None:
    table, membros = case
    new = dict(zip(CATEGORIES, names, strict=True))
    renamed = table.assign(valor=table["valor"].map(new).astype("str"))
    book = codebook(cor=categorical(*sorted(names), exempt=[new["outra"]]))
    expected = votar(table, COLOURS, membros)
    result = votar(renamed, book, membros)
    pd.testing.assert_frame_equal(
        result.drop(columns="votos"),
        expected.assign(valor=expected["valor"].map(new).astype("str")).drop(columns="votos"),
    )


@given(juries(), st.data())
@settings(max_examples=40, deadline=None)
def test_a_failure_never_creates_a_decision(
    case: tuple[pd.DataFrame, list[str]], data: st.DataObject
) -> None:
    table, membros = case
    before = decided(votar(table, COLOURS, membros))
    # A vote that turns into a failure, and a new member that fails everywhere.
    k = data.draw(st.integers(0, len(table) - 1))
    broken = table.copy()
    broken.loc[k, "valor"], broken.loc[k, "falha"] = pd.NA, "recusa"
    for result in (votar(broken, COLOURS, membros), votar(table, COLOURS, [*membros, "novo"])):
        for doc, (estado, valor) in decided(result).items():
            assert valor is None or before[doc][1] == valor
            assert estado != "unanime" or before[doc][0] == "unanime"


@given(juries())
@settings(max_examples=40, deadline=None)
def test_no_decision_without_evidence(case: tuple[pd.DataFrame, list[str]]) -> None:
    table, membros = case
    for row in votar(table, COLOURS, membros).itertuples():
        if not pd.isna(row.valor):
            assert row.nivel_evidencia in ENCONTRADA or (row.valor == "outra" and row.por_isencao)
    nothing = table.assign(
        nivel_evidencia=table["nivel_evidencia"].where(table["valor"].isna(), "nao_encontrada")
    )
    assert set(votar(nothing, COLOURS, membros)["valor"].dropna()) <= {"outra"}


# --- against crowd-kit ----------------------------------------------------------------------------


def test_equal_to_crowd_kit_where_there_is_a_strict_majority() -> None:
    """Values frozen from crowd-kit's MajorityVote by `benchmarks/freeze_votes.py`."""
    frozen = json.loads((Path(__file__).parent / "frozen_votes.json").read_text(encoding="utf-8"))
    rows = [vote(worker, label, documento=task) for task, worker, label in frozen["votes"]]
    book = codebook(cor=categorical(*frozen["labels"]))
    result = votar(votes(*rows), book, frozen["workers"])
    strict = result[result["estado"].isin(["unanime", "maioria"])]
    assert 100 < len(strict) < len(result)  # there are ties and pluralities among them, too
    assert {row.documento: row.valor for row in strict.itertuples()} == {
        task: frozen["result"][task] for task in strict["documento"]
    }
