"""A conversation from which the server dropped the document, which no count of exactly num_ctx gives away."""

from __future__ import annotations

from dataclasses import replace

import pytest
from model_calls import OPCOES, VALIDA, call

from compendio.models.base import Call, Reply
from compendio.models.limits import conversation_cut
from compendio.models.run import ask_all
from compendio.models.scripted import ScriptedModel
from compendio.models.store import Store

# System 6,000 characters, document 2,400, answer 300, the others' answers 1,200: at 3 characters a token
# 2,000 + 800 + 100 + 400 = 3,300 tokens.
SYSTEM = {"role": "system", "content": "s" * 6000}
DOCUMENT = {"role": "user", "content": "d" * 2400}
ANSWER = {"role": "assistant", "content": "a" * 300}
OTHERS = {"role": "user", "content": "o" * 1200}
FIRST = Reply(VALIDA, prompt_tokens=2800, tokens=100)


def first_call(num_ctx: int = 3072) -> Call:
    return replace(call(), messages=(SYSTEM, DOCUMENT), options={**OPCOES, "num_ctx": num_ctx})


def second_call(num_ctx: int = 3072) -> Call:
    return replace(first_call(num_ctx), rodada=2, messages=(SYSTEM, DOCUMENT, ANSWER, OTHERS))


@pytest.fixture
def store() -> Store:
    store = Store(":memory:")
    ask_all(ScriptedModel("m", [FIRST]), [first_call()], store, progress=False)
    return store


@pytest.mark.parametrize(
    ("seen", "failure"),
    [
        (2500, "texto_truncado"),  # document dropped: 2,000 + 100 + 400
        (2400, "texto_truncado"),  # document and answer dropped
        (3300, None),  # all of it
        (3210, None),  # all of it, with a last message of fewer tokens than expected
    ],
)
def test_a_dropped_turn_is_found(store: Store, seen: int, failure: str | None) -> None:
    reply = conversation_cut(second_call(), Reply(VALIDA, prompt_tokens=seen), store, "roteiro")
    assert reply.falha == failure
    assert (VALIDA in reply.detalhe) is (failure is not None)


def test_far_from_the_limit_nothing_is_suspected(store: Store) -> None:
    reply = Reply(VALIDA, prompt_tokens=2500)
    assert conversation_cut(second_call(num_ctx=8192), reply, store, "roteiro") is reply


def test_one_turn_a_failure_and_an_unknown_count_are_left_as_they_are(store: Store) -> None:
    for asked, reply in [
        (first_call(), Reply(VALIDA, prompt_tokens=10)),
        (second_call(), Reply(None, "recusa", prompt_tokens=10)),
        (second_call(), Reply(VALIDA)),
        (replace(second_call(), options={}), Reply(VALIDA, prompt_tokens=10)),
    ]:
        assert conversation_cut(asked, reply, store, "roteiro") is reply
    assert conversation_cut(second_call(), Reply(VALIDA, prompt_tokens=10), store, "outro").falha is None


def test_a_run_stores_it_as_the_failure_it_is(store: Store) -> None:
    model = ScriptedModel("m", [Reply(VALIDA, prompt_tokens=2500)])
    assert ask_all(model, [second_call()], store, progress=False)[0].falha == "texto_truncado"
    assert (
        ask_all(ScriptedModel("m", []), [second_call()], store, progress=False)[0].falha == "texto_truncado"
    )
