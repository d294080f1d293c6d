"""ask_all: what is served, what is asked, in which order, and what is said."""

from __future__ import annotations

import concurrent.futures as futures
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from model_calls import VALIDA, call, calls

from compendio.models.base import Call, Message, Reply, Schema
from compendio.models.progress import describe_failures, duration
from compendio.models.run import ask_all, attempt, look_up, used_keys
from compendio.models.scripted import ScriptedModel
from compendio.models.store import Store, reply_key

NOT_HEARD = Reply(None, "sem_resposta", "cortada")
LATE = Reply(None, "tempo_esgotado")
BAD = Reply(None, "json_invalido", "não é JSON")


def documents(model: ScriptedModel) -> list[str]:
    return [messages[-1]["content"].split()[-1].rstrip(".") for messages, _, _ in model.asked]


def test_replies_come_in_the_order_of_calls_and_are_asked_once() -> None:
    with Store(":memory:") as store:
        first = ScriptedModel("m", lambda messages, *_: messages[-1]["content"])
        replies = ask_all(first, calls(5), store, progress=False)
        assert [reply.conteudo for reply in replies] == [f"Texto de d{i}." for i in range(1, 6)]
        assert documents(first) == ["d1", "d2", "d3", "d4", "d5"]
        second = ScriptedModel("m", [])
        assert ask_all(second, calls(5), store, progress=False) == replies
        assert second.asked == []
        # A smaller and a larger selection use the same replies.
        third = ScriptedModel("m", ["nova"])
        assert [r.conteudo for r in ask_all(third, calls(6)[3:], store, progress=False)][-1] == "nova"
        assert documents(third) == ["d6"]


def test_each_reply_is_committed_before_the_next_is_asked() -> None:
    with Store(":memory:") as store:
        seen: list[int] = []

        def script(*_: Any) -> str:
            seen.append(len(store))
            return VALIDA

        ask_all(ScriptedModel("m", script), calls(3), store, progress=False)
    assert seen == [0, 1, 2]


def test_position_is_the_place_in_the_run_also_when_it_is_resumed() -> None:
    with Store(":memory:") as store:
        answers = [VALIDA, NOT_HEARD, VALIDA]
        ask_all(ScriptedModel("m", answers), calls(3), store, progress=False)
        ask_all(ScriptedModel("m", [VALIDA]), calls(3), store, progress=False)
        assert [(row["documento"], row["posicao"]) for row in store.rows()] == [
            ("d1", 1),
            ("d2", 2),
            ("d3", 3),
        ]


def test_the_next_run_asks_again_only_those_not_heard() -> None:
    with Store(":memory:") as store:
        model = ScriptedModel("m", [VALIDA, NOT_HEARD, BAD, LATE, Reply(None, "recusa")])
        replies = ask_all(model, calls(5), store, progress=False)
        assert [reply.falha for reply in replies] == [
            None,
            "sem_resposta",
            "json_invalido",
            "tempo_esgotado",
            "recusa",
        ]
        again = ScriptedModel("m", [NOT_HEARD, VALIDA])
        replies = ask_all(again, calls(5), store, progress=False)
        assert documents(again) == ["d2", "d4"]
        assert [reply.falha for reply in replies] == [None, "sem_resposta", "json_invalido", None, "recusa"]
        # The same question as the first time: neither attempt nor seed moves.
        assert again.asked[0][2]["seed"] == 1
        assert {row["tentativa"] for row in store.rows()} == {0}


def test_repetir_falhas_asks_the_others_too_with_another_seed() -> None:
    with Store(":memory:") as store:
        ask_all(ScriptedModel("m", [VALIDA, BAD, LATE]), calls(3), store, progress=False)
        again = ScriptedModel("m", ["{}", VALIDA])
        replies = ask_all(again, calls(3), store, repetir_falhas=True, progress=False)
        assert documents(again) == ["d2", "d3"]
        assert [options["seed"] for _, _, options in again.asked] == [2, 1]
        assert [reply.conteudo for reply in replies] == [VALIDA, "{}", VALIDA]
        # The first failure is kept, and served no more.
        assert [(row["documento"], row["tentativa"]) for row in store.rows()] == [
            ("d1", 0),
            ("d2", 0),
            ("d2", 1),
            ("d3", 0),
        ]
        none = ScriptedModel("m", [])
        assert ask_all(none, calls(3), store, progress=False) == replies
        assert ask_all(none, calls(3), store, repetir_falhas=True, progress=False) == replies


def test_what_counts_as_failed_is_the_callers_to_say() -> None:
    def failed(asked: Call, reply: Reply) -> bool:
        return reply.conteudo == "fora"

    with Store(":memory:") as store:
        ask_all(ScriptedModel("m", ["fora", BAD, VALIDA]), calls(3), store, progress=False)
        again = ScriptedModel("m", ["fora", VALIDA])
        ask_all(again, calls(3), store, failed=failed, repetir_falhas=True, progress=False)
        assert documents(again) == ["d1"]
        replies = ask_all(again, calls(3), store, failed=failed, repetir_falhas=True, progress=False)
        assert documents(again) == ["d1", "d1"]
        assert [options["seed"] for _, _, options in again.asked] == [2, 3]
        assert replies[0].conteudo == VALIDA and replies[1].falha == "json_invalido"


def test_a_repeat_that_is_not_heard_takes_nothing_away_and_is_asked_again() -> None:
    with Store(":memory:") as store:
        ask_all(ScriptedModel("m", [BAD]), calls(1), store, progress=False)
        replies = ask_all(ScriptedModel("m", [LATE]), calls(1), store, repetir_falhas=True, progress=False)
        assert replies[0].falha == "json_invalido"
        third = ScriptedModel("m", [VALIDA])
        assert ask_all(third, calls(1), store, progress=False)[0].conteudo == VALIDA
        assert third.asked[0][2]["seed"] == 2


def test_a_seed_is_moved_only_where_there_is_one() -> None:
    assert attempt(call(), 0) == call()
    assert attempt(call(), 3).options["seed"] == 4 and attempt(call(), 3).tentativa == 3
    assert attempt(replace(call(), options={"num_ctx": 10}), 2).options == {"num_ctx": 10}


def test_another_model_and_a_repetition_have_replies_of_their_own() -> None:
    with Store(":memory:") as store:
        ask_all(ScriptedModel("m", [VALIDA], digest="1"), calls(1), store, progress=False)
        other = ScriptedModel("m", ["{}"], digest="2")
        assert ask_all(other, calls(1), store, progress=False)[0].conteudo == "{}"
        again = ScriptedModel("m", ["[]"], digest="1")
        assert ask_all(again, calls(1, repeticao=1), store, progress=False)[0].conteudo == "[]"
        assert len(store) == 3


def test_documents_with_the_same_text_are_one_question() -> None:
    same = [call("d1", texto="igual"), call("d2", texto="outro"), call("d3", texto="igual")]
    with Store(":memory:") as store:
        model = ScriptedModel("m", ["1", "2"])
        assert [r.conteudo for r in ask_all(model, same, store, progress=False)] == ["1", "2", "1"]
        assert len(model.asked) == 2 and len(store) == 2


def test_used_keys_leave_out_what_an_earlier_codebook_asked() -> None:
    with Store(":memory:") as store:
        ask_all(ScriptedModel("m", ["velha"]), [call(texto="velho")], store, progress=False)
        ask_all(ScriptedModel("m", [BAD, VALIDA]), calls(2), store, progress=False)
        ask_all(ScriptedModel("m", [VALIDA]), calls(2), store, repetir_falhas=True, progress=False)
        keys = used_keys("roteiro", calls(2), store)
        assert keys == {reply_key("roteiro", one) for one in [*calls(2), attempt(call(), 1)]}
        assert look_up("roteiro", calls(3)[2], store).keys == []


class Slow:
    """Takes a moment for every answer; counts how many are under way at once."""

    nome, digest, servidor = "lento", "l", ""

    def __init__(self) -> None:
        self.lock, self.now, self.most = threading.Lock(), 0, 0

    def ask(self, messages: Sequence[Message], schema: Schema, options: Mapping[str, Any]) -> Reply:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        # Later documents come first, so that the order of arrival differs from that of the calls.
        time.sleep(0.1 / int(messages[-1]["content"].split("d")[-1].rstrip(".")))
        with self.lock:
            self.now -= 1
        return Reply(messages[-1]["content"], digest="l", segundos=1.0)


@pytest.mark.parametrize("own_executor", [False, True])
def test_threads_give_the_same_replies_and_rows_as_one_worker(own_executor: bool) -> None:
    with Store(":memory:") as one, Store(":memory:") as many:
        expected = ask_all(Slow(), calls(8), one, progress=False)
        model = Slow()
        if own_executor:
            with futures.ThreadPoolExecutor(4) as pool:
                assert ask_all(model, calls(8), many, executor=pool, progress=False) == expected
                assert pool.submit(int, 3).result() == 3  # it stays open
        else:
            assert ask_all(model, calls(8), many, workers=4, progress=False) == expected
        assert list(many.rows()) == list(one.rows())
        assert 1 < model.most <= 4


def test_no_calls_are_no_trouble() -> None:
    with Store(":memory:") as store:
        assert ask_all(ScriptedModel("m", []), [], store) == []


def test_it_says_what_is_missing_how_long_and_how_it_ended(capsys: pytest.CaptureFixture[str]) -> None:
    with Store(":memory:") as store:
        ask_all(ScriptedModel("m", [VALIDA]), calls(1), store, progress=False)
        assert capsys.readouterr() == ("", "")
        answers = [BAD, NOT_HEARD, BAD, *[VALIDA] * 6]
        ask_all(ScriptedModel("m", answers), calls(10), store, desc="gato")
        said = capsys.readouterr()
        assert "gato: respostas que faltam: 9 de 10." in said.out
        assert "no ritmo das primeiras respostas" in said.out
        assert "falhas: 3 = 2 json_invalido (d2, d4) + 1 sem_resposta (d3)" in said.out
        assert "perguntadas de novo" in said.out
        assert "falhas: 3" in said.err and "9/9" in said.err  # the bar
        ask_all(ScriptedModel("m", [VALIDA]), calls(10), store, progress=False)
        ask_all(ScriptedModel("m", []), calls(10), store, desc="gato")
        assert "nada a perguntar; respostas já gravadas: 10" in capsys.readouterr().out


def test_the_longest_prompt_is_compared_after_the_first_reply(capsys: pytest.CaptureFixture[str]) -> None:
    # 29 characters took 29 tokens: 5,017 characters will take 5,017, more than the 4,096 of num_ctx.
    first = replace(Reply(VALIDA), prompt_tokens=29)
    with Store(":memory:") as store:
        model = ScriptedModel("m", [first, Reply(None, "texto_truncado")])
        ask_all(model, [call(), call("longo", texto="x" * 5000)], store)
    assert "(longo) tem uns 5017 tokens e não cabe em num_ctx 4096" in capsys.readouterr().out


def test_ctrl_c_keeps_what_came_and_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    def script(messages: Sequence[Message], *_: Any) -> str:
        if "d3" in messages[-1]["content"]:
            raise KeyboardInterrupt
        return VALIDA

    with Store(":memory:") as store:
        for progress in (True, False):
            with pytest.raises(KeyboardInterrupt):
                ask_all(ScriptedModel("m", script), calls(5), store, progress=progress)
            assert (
                "interrompido. O que chegou está gravado; respostas que faltam: 3." in capsys.readouterr().out
            )
        assert len(store) == 2
        rest = ScriptedModel("m", [VALIDA] * 3)
        ask_all(rest, calls(5), store, progress=False)
        assert documents(rest) == ["d3", "d4", "d5"]


def test_failures_are_counted_and_named() -> None:
    replies = [Reply("{}"), BAD, LATE, BAD]
    assert describe_failures(calls(1), replies[:1]) == "respostas: 1; nenhuma falha."
    text = describe_failures(calls(4), replies, limite=1)
    assert "2 json_invalido (d2 e mais 1) + 1 tempo_esgotado (d3)" in text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (59, "59 s"), (90, "2 min"), (3600, "1 h 00 min"), (11100, "3 h 05 min")],
)
def test_lengths_of_time_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words
