"""What counts as an answer: one JSON object with nothing around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_calls import VALIDA

from compendio.models.answers import LIMITE_DETALHE, RespostaInvalida, detail, parse_answer, printable


def test_an_object_is_read_as_it_is_white_space_around_it_included() -> None:
    assert parse_answer(f"\n {VALIDA}\t\n") == {"a": {"evidencia": "o gato", "valor": "sim"}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "não é JSON"),
        ("não sei", "não é JSON"),
        ('{"a": "sim"', "não é JSON"),
        ('{"a": "sim"} Espero ter ajudado.', "não é JSON"),
        ('```json\n{"a": "sim"}\n```', "não é JSON"),
        ('<think>Será?</think>{"a": "sim"}', "<think>"),
        ('{"a": "sim", "a": "não"}', "chave repetida: a"),
        ('{"a": {"valor": "sim", "valor": "sim"}}', "chave repetida: valor"),
        ('["sim"]', "não é um objeto"),
        ('"sim"', "não é um objeto"),
        ("null", "não é um objeto"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "-Infinity"),
        ('{"a": "\\ud83d"}', "meio par substituto"),
        ('{"a": "\ud83d"}', "meio par substituto"),
        ('{"\\udc00": 1}', "meio par substituto"),
        ("[" * 100_000, "fora de medida"),
        ('{"a": ' + "9" * 5000 + "}", "fora de medida"),
    ],
)
def test_everything_else_says_why(text: str, reason: str) -> None:
    with pytest.raises(RespostaInvalida, match=reason):
        parse_answer(text)


def test_think_inside_a_value_is_the_models_word_not_a_fault() -> None:
    assert parse_answer('{"a": "a marca <think> aparece no texto"}')["a"].startswith("a marca")


def test_a_whole_pair_of_surrogates_is_one_character() -> None:
    assert parse_answer('{"a": "\\ud83d\\ude00"}') == {"a": "😀"}


@given(st.text(st.characters(codec=None, categories=None), max_size=40))
def test_no_text_makes_it_crash(text: str) -> None:
    try:
        assert isinstance(parse_answer(text), dict)
    except RespostaInvalida as error:
        detail(str(error), text).encode("utf-8")


def test_the_detail_keeps_the_raw_text_and_is_short() -> None:
    assert detail("motivo", "texto \ud800") == "motivo | texto \\ud800"
    assert detail("motivo") == "motivo"
    assert len(detail("motivo", "x" * 10_000)) == LIMITE_DETALHE
    assert printable("ação") == "ação"
