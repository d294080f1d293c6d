"""Two rounds to `juri-r1` and `juri`: deliberation, fallback, what changed and who moved."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from jury_builders import categorical, choices, codebook, multiple, text, vote, votes

from compendio.contract import COLUNAS_DECISAO, conform
from compendio.jury.decide import decide, members_to_ask, to_deliberate
from compendio.jury.flow import moved_votes, state_flow

BOOK = codebook(
    cor=categorical("azul", "verde", "outra", exempt=["outra"]),
    fontes=multiple("jornais", "leis"),
    periodo=text("não informado"),
)
JURY = ["A", "B", "C"]


def run(*rows: dict[str, Any], **more: Any) -> tuple[Any, Any]:
    """The only decision of each source."""
    result = decide(votes(*rows), BOOK, JURY, more.pop("principal", "A"), **more)
    assert [len(table) for table in result.values()] == [1, 1]
    return result["juri-r1"].iloc[0], result["juri"].iloc[0]


THREE_WAYS = [vote("A", "azul"), vote("B", "verde"), vote("C", "outra")]


def again(fonte: str, valor: str | None, **more: Any) -> dict[str, Any]:
    return vote(fonte, valor, rodada=2, **more)


def test_contract() -> None:
    result = decide(votes(*THREE_WAYS, again("A", "azul")), BOOK, JURY, "A")
    for fonte, table in result.items():
        assert list(table.columns) == COLUNAS_DECISAO
        pd.testing.assert_frame_equal(conform(table), table)
        assert (table["fonte"] == fonte).all() and (table["rodada"] == 1).all()


def test_deliberation_makes_a_majority() -> None:
    r1, juri = run(*THREE_WAYS, again("A", "azul"), again("B", "azul", evidencia="nova"), again("C", "outra"))
    assert (r1["estado"], r1["valor"], r1["recuo"]) == ("sem_maioria", "azul", True)
    assert (juri["estado"], juri["valor"], juri["recuo"]) == ("deliberada", "azul", False)
    # The fallback of round 1 happened to be the same value: nothing changed for a reader.
    assert not juri["mudou"]
    assert json.loads(juri["votos"]) == {"A": "azul", "B": "azul", "C": "outra"}
    assert json.loads(r1["votos"]) == {"A": "azul", "B": "verde", "C": "outra"}


def test_unanimous_after_deliberation_is_deliberated() -> None:
    _, juri = run(*THREE_WAYS, *(again(name, "verde") for name in JURY))
    assert (juri["estado"], juri["valor"], juri["mudou"]) == ("deliberada", "verde", True)


def test_a_majority_kept_is_deliberated_and_one_lost_falls_back() -> None:
    rows = [vote("A", "azul"), vote("B", "verde"), vote("C", "verde")]
    r1, juri = run(*rows, again("A", "azul"), again("B", "verde"), again("C", "verde"))
    assert (r1["estado"], juri["estado"], juri["mudou"]) == ("maioria", "deliberada", False)
    r1, juri = run(*rows, again("A", "azul"), again("B", "verde"), again("C", "outra"))
    assert (juri["estado"], juri["valor"], juri["recuo"], juri["mudou"]) == (
        "sem_maioria",
        "azul",
        True,
        True,
    )
    # The fallback is the main model's vote of round 1, wherever that model moved.
    _, juri = run(*rows, again("A", "outra"), again("B", "verde"), again("C", "azul"))
    assert (juri["valor"], juri["recuo"]) == ("azul", True)


def test_majority_without_evidence_is_deliberated() -> None:
    rows = [vote(name, "azul", nivel_evidencia="nao_encontrada") for name in JURY]
    r1, juri = run(*rows, again("B", "azul", evidencia="agora sim"), *(again(n, "azul") for n in "AC"))
    assert (r1["estado"], r1["recuo"], r1["valor"]) == ("sem_evidencia", True, "azul")
    assert (juri["estado"], juri["recuo"]) == ("deliberada", False)
    assert juri["evidencia"] == "agora sim"  # 'a' before 'u' of "um trecho", at the same place


def test_failed_second_round_leaves_the_first_vote() -> None:
    _, juri = run(*THREE_WAYS, again("A", None), again("B", "azul"), again("C", None))
    assert (juri["estado"], juri["valor"]) == ("deliberada", "azul")
    assert json.loads(juri["votos"]) == {"A": "azul", "B": "azul", "C": "outra"}


def test_failed_in_round_1_stays_failed() -> None:
    rows = [vote("A", "azul"), vote("B", "verde"), vote("C", None)]
    # C was not asked; a row of it does not count.
    _, juri = run(*rows, again("A", "azul"), again("B", "verde"), again("C", "azul"))
    assert juri["estado"] == "sem_maioria"
    assert json.loads(juri["votos"])["C"] is None


def test_unanimous_decisions_are_not_asked_again() -> None:
    rows = [vote(name, "azul") for name in JURY]
    _, juri = run(*rows, *(again(name, "verde") for name in JURY))
    assert (juri["estado"], juri["valor"]) == ("unanime", "azul")


def test_free_text_keeps_its_state() -> None:
    rows = [vote(n, v, variavel="periodo") for n, v in zip("ABC", ("1990", "2000", "2010"), strict=True)]
    _, juri = run(*rows, *(again(name, "1990", variavel="periodo") for name in JURY))
    assert (juri["estado"], juri["valor"], juri["recuo"]) == ("sem_maioria", "1990", True)


def test_no_deliberation() -> None:
    _, juri = run(*THREE_WAYS, *(again(name, "verde") for name in JURY), deliberacao=False)
    assert (juri["estado"], juri["valor"], juri["mudou"]) == ("sem_maioria", "azul", False)


def test_nobody_asked_again_keeps_the_state_of_round_1() -> None:
    _, juri = run(vote("A", "azul"), vote("B", "azul"), vote("C", "verde"))
    assert juri["estado"] == "maioria"


def test_fallback_carries_its_own_evidence_found_or_not() -> None:
    rows = [vote("A", "azul", evidencia="do principal", nivel_evidencia="nao_encontrada"), *THREE_WAYS[1:]]
    r1, _ = run(*rows)
    assert (r1["evidencia"], r1["nivel_evidencia"], r1["recuo"]) == ("do principal", "nao_encontrada", True)
    assert pd.isna(r1["inicio"]) and not r1["por_isencao"]


def test_fallback_of_a_failed_main_model_is_missing() -> None:
    rows = [vote("A", None), vote("B", "verde"), vote("C", "azul")]
    r1, juri = run(*rows)
    assert pd.isna(r1["valor"]) and not r1["recuo"] and not juri["mudou"]
    assert pd.isna(r1["falha"])  # a jury does not fail, it does not decide


def test_absent_instead_of_the_main_model() -> None:
    r1, juri = run(*THREE_WAYS, *(again(n, "azul") for n in JURY), sem_maioria="ausente")
    assert pd.isna(r1["valor"]) and pd.isna(r1["evidencia"]) and not r1["recuo"]
    assert (juri["valor"], juri["mudou"]) == ("azul", True)  # from missing to decided


def test_choices() -> None:
    rows = [choices("A", {"leis": "exata"}), choices("B", {"jornais": "exata"}), choices("C", None)]
    second = [choices(name, {"jornais": "exata"}, rodada=2) for name in "AB"]
    r1, juri = run(*rows, *second)
    assert (r1["estado"], r1["valor"], r1["recuo"]) == ("sem_maioria", '["leis"]', True)
    assert json.loads(r1["evidencia"]) == {"leis": "trecho de leis"}
    assert (juri["estado"], juri["valor"], juri["mudou"]) == ("deliberada", '["jornais"]', True)


def test_choices_change_is_a_change_of_the_set() -> None:
    # The main model wrote the same set in another order: the decision does not change it.
    rows = [choices("A", {"leis": "exata", "jornais": "exata"}), choices("B", {}), choices("C", None)]
    second = [choices(name, {"jornais": "exata", "leis": "exata"}, rodada=2) for name in "AB"]
    r1, juri = run(*rows, *second)
    assert (r1["valor"], juri["valor"]) == ('["leis", "jornais"]', '["jornais", "leis"]')
    assert not juri["mudou"]


def test_repetitions_are_counted_apart() -> None:
    rows = [*THREE_WAYS, *(vote(name, "verde", repeticao=1) for name in JURY)]
    assert run(*rows)[1]["estado"] == "sem_maioria"
    result = decide(votes(*rows), BOOK, JURY, "A", repeticao=1)["juri"]
    assert result[["estado", "repeticao"]].to_numpy().tolist() == [["unanime", 1]]


def test_exempt_study() -> None:
    rows = [vote(name, "azul", nivel_evidencia="ausente") for name in JURY]
    r1, _ = run(*rows, dispensada=True)
    assert (r1["estado"], r1["por_isencao"]) == ("unanime", True)


def test_main_model_must_be_a_member() -> None:
    with pytest.raises(ValueError, match="is no member"):
        run(*THREE_WAYS, principal="Z")


# --- many decisions ---------------------------------------------------------------------------------


def many() -> pd.DataFrame:
    """d1 unanimous, d2 three ways, d3 a majority, d4 three ways; d4's free text split; d3: C failed."""
    rows = [vote(name, "azul") for name in JURY]
    for doc, given in {
        "d2": ("azul", "verde", "outra"),
        "d3": ("azul", "azul", None),
        "d4": ("azul", "verde", "outra"),
    }.items():
        rows += [vote(name, valor, documento=doc) for name, valor in zip(JURY, given, strict=True)]
    rows += [vote(n, v, documento="d4", variavel="periodo") for n, v in zip(JURY, "123", strict=True)]
    rows += [again("A", "azul", documento="d2"), again("B", "azul", documento="d2")]
    rows += [again("C", "azul", documento="d2"), again("A", "verde", documento="d3")]
    rows += [again("B", "azul", documento="d3"), again("B", "outra", documento="d4")]
    rows += [again("A", "azul", documento="d4"), again("C", "verde", documento="d4")]
    return votes(*rows)


def test_who_is_asked() -> None:
    table = many()
    pairs = to_deliberate(decide(table, BOOK, JURY, "A")["juri-r1"], BOOK)
    assert pairs["documento"].tolist() == ["d2", "d3", "d4"]
    assert (pairs["variavel"] == "cor").all()
    asked = members_to_ask(table, pairs, ["B", "A", "C"])
    assert asked["documento"].tolist() == ["d2"] * 3 + ["d3"] * 2 + ["d4"] * 3
    assert asked["membro"].tolist() == ["B", "A", "C", "B", "A", "B", "A", "C"]


def test_flow_of_states() -> None:
    result = decide(many(), BOOK, JURY, "A")
    # d3: A and B had a majority of 3; A moved, so none is left. d4: all moved or stayed apart.
    assert state_flow(result["juri-r1"], result["juri"]).to_numpy().tolist() == [
        ["unanime", "unanime", 1],
        ["maioria", "sem_maioria", 1],
        ["sem_maioria", "deliberada", 1],
        ["sem_maioria", "sem_maioria", 2],  # d4, and its free text
    ]


def test_moved_votes_and_towards_whom() -> None:
    moves = moved_votes(many(), BOOK, JURY)
    assert [tuple(row) for row in moves.itertuples(index=False)] == [
        ("d2", "cor", "B", "verde", "azul", '["A"]'),
        ("d2", "cor", "C", "outra", "azul", '["A"]'),
        ("d3", "cor", "A", "azul", "verde", "[]"),
        ("d4", "cor", "B", "verde", "outra", '["C"]'),
        ("d4", "cor", "C", "outra", "verde", '["B"]'),
    ]


def test_moved_sets() -> None:
    rows = [choices("A", {"leis": "exata", "jornais": "exata"}), choices("B", {"leis": "exata"})]
    second = [
        choices("A", {"jornais": "exata", "leis": "exata"}, rodada=2),
        choices("B", {"jornais": "exata", "leis": "exata"}, rodada=2),
    ]
    moves = moved_votes(votes(*rows, *second), BOOK, JURY)
    assert moves[["membro", "com"]].to_numpy().tolist() == [["B", '["A"]']]


def test_nothing_moved() -> None:
    assert len(moved_votes(votes(*THREE_WAYS), BOOK, JURY)) == 0


def test_order_of_rows_changes_nothing() -> None:
    expected = decide(many(), BOOK, JURY, "A")
    for seed in range(5):
        result = decide(many().sample(frac=1, random_state=seed), BOOK, JURY, "A")
        for fonte in expected:
            pd.testing.assert_frame_equal(result[fonte], expected[fonte])
