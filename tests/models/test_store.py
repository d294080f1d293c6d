"""The store: what is in its key, what survives, and its text form."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from model_calls import OPCOES, SCHEMA, VALIDA, call, calls

from compendio.erros import ErroDeEstudo
from compendio.models.base import Call, Reply
from compendio.models.store import Store, messages_sha256, reply_key

DIGEST = "d" * 64
FULL = Reply(
    conteudo=VALIDA,
    digest=DIGEST,
    servidor="0.13.5",
    prompt_tokens=30,
    tokens=12,
    prompt_segundos=0.25,
    geracao_segundos=1.5,
    segundos=1.8,
)


def put(store: Store, asked: Call, reply: Reply, posicao: int = 1, membro: str = "m") -> str:
    key = reply_key(DIGEST, asked)
    store.put(key, membro, asked, reply, posicao)
    return key


def test_a_reply_comes_back_as_it_was_put(tmp_path: Path) -> None:
    path = tmp_path / "área de trabalho" / "b.sqlite"
    with Store(path) as store:
        key = put(store, call(), FULL)
        assert store.get(key) == FULL and store.get("x") is None and len(store) == 1
    with Store(path) as store:  # another process would see the same
        assert store.get(key) == FULL


def test_it_is_committed_when_put_returns_and_the_journal_is_wal(tmp_path: Path) -> None:
    with Store(tmp_path / "b.sqlite") as store:
        put(store, call(), FULL)
        other = sqlite3.connect(tmp_path / "b.sqlite")
        assert other.execute("SELECT count(*) FROM respostas").fetchone() == (1,)
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        other.close()


@pytest.mark.parametrize(
    "other",
    [
        replace(call(), tentativa=1),
        replace(call(), repeticao=1),
        replace(call(), options={**OPCOES, "seed": 2}),
        replace(call(), options={**OPCOES, "pensar": False}),
        replace(call(), schema={**SCHEMA, "required": []}),
        replace(call(), messages=call().messages[1:]),
        call("d1", texto="Texto de d1. "),
    ],
    ids=["tentativa", "repeticao", "opcao", "opcao a mais", "esquema", "mensagens", "espaco no texto"],
)
def test_all_that_changes_an_answer_changes_the_key(other: Call) -> None:
    assert reply_key(DIGEST, other) != reply_key(DIGEST, call())


def test_the_model_changes_the_key_and_so_does_the_order_of_the_schema() -> None:
    assert reply_key("e" * 64, call()) != reply_key(DIGEST, call())
    value = SCHEMA["properties"]["a"]["properties"]
    turned = {"type": "object", "properties": {"a": {"properties": dict(reversed(value.items()))}}}
    same = {"type": "object", "properties": {"a": {"properties": dict(value)}}}
    assert reply_key(DIGEST, replace(call(), schema=turned)) != reply_key(
        DIGEST, replace(call(), schema=same)
    )


def test_what_changes_no_answer_leaves_the_key() -> None:
    base = reply_key(DIGEST, call())
    assert reply_key(DIGEST, replace(call(), options=dict(reversed(OPCOES.items())))) == base
    assert reply_key(DIGEST, replace(call(), options={**OPCOES, "temperature": 0.0})) == base
    turned = tuple(dict(reversed(message.items())) for message in call().messages)
    assert reply_key(DIGEST, replace(call(), messages=turned)) == base
    assert reply_key(DIGEST, replace(call(), documento="outro nome", rodada=2)) == base


def test_the_key_stays_what_it_is_from_version_to_version() -> None:
    # Frozen: recorded studies are found by it.
    assert reply_key(DIGEST, call()) == "cff4592efee0c6a5a28691853881734cd0dc3c9dd98219458dc3f26d01aa17e0"


@pytest.mark.parametrize("failure", ["sem_resposta", "tempo_esgotado"])
def test_only_a_call_that_was_not_heard_is_replaced(failure: Any) -> None:
    with Store(":memory:") as store:
        key = put(store, call(), Reply(None, failure))
        put(store, call(), Reply(None, "sem_resposta", "outra vez"))
        assert store.get(key) == Reply(None, "sem_resposta", "outra vez")
        put(store, call(), FULL)
        assert store.get(key) == FULL


@pytest.mark.parametrize("kept", [FULL, Reply(None, "json_invalido"), Reply(None, "recusa")])
def test_a_result_is_never_replaced_and_put_says_what_stands(kept: Reply) -> None:
    with Store(":memory:") as store:
        key = put(store, call(), kept)
        for later in (Reply("{}"), Reply(None, "sem_resposta"), Reply(None, "limite_de_tokens")):
            assert store.put(key, "m", call(), later, 9) == kept
        assert store.get(key) == kept and next(store.rows())["posicao"] == 1


def test_rows_hold_what_a_table_of_calls_needs() -> None:
    with Store(":memory:") as store:
        put(store, call(), FULL, posicao=7)
        (row,) = store.rows()
    assert row["membro"] == "m" and row["documento"] == "d1" and row["variaveis"] == ["a"]
    assert (row["rodada"], row["repeticao"], row["tentativa"], row["posicao"]) == (1, 0, 0, 7)
    assert row["opcoes"] == OPCOES and row["digest"] == DIGEST and row["servidor"] == "0.13.5"
    assert row["mensagens"] == messages_sha256(call().messages)
    # "Responda em JSON." and "Texto de d1." are 17 and 12 characters.
    assert row["prompt_caracteres"] == 29


def test_the_export_is_in_order_whatever_the_order_of_arrival(tmp_path: Path) -> None:
    asked = [
        (
            membro,
            replace(
                c,
                rodada=rodada,
                repeticao=rep,
                messages=(*c.messages, {"role": membro, "content": str(rodada)}),
            ),
        )
        for rodada in (2, 1)
        for rep in (1, 0)
        for membro in ("z", "b")
        for c in reversed(calls(3))
    ]
    with Store(":memory:") as store:
        for membro, one in asked:
            put(store, one, FULL, posicao=int(one.documento[1:]), membro=membro)
        store.export_jsonl(tmp_path / "r.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()]
    seen = [(r["rodada"], r["repeticao"], r["membro"], r["posicao"]) for r in rows]
    # Members stand as first seen: z before b.
    assert seen == [(d, p, m, n) for d in (1, 2) for p in (0, 1) for m in ("z", "b") for n in (1, 2, 3)]


def test_export_load_export_is_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    with Store(":memory:") as store:
        for n, one in enumerate(calls(4), start=1):
            put(store, one, FULL if n % 2 else Reply(None, "recusa", "vazia", DIGEST), n)
        assert store.export_jsonl(first) == 4
        rows = list(store.rows())
    with Store(":memory:") as store:
        assert store.load_jsonl(first) == 4
        assert list(store.rows()) == rows
        store.export_jsonl(second)
    assert first.read_bytes() == second.read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_a_line_reads_well_and_does_not_repeat_the_messages(tmp_path: Path) -> None:
    with Store(":memory:") as store:
        put(store, call(texto="Um texto comprido. " * 500), replace(FULL, conteudo='{"a": "ação"}'))
        store.export_jsonl(tmp_path / "r.jsonl")
    line = (tmp_path / "r.jsonl").read_text(encoding="utf-8")
    assert "ação" in line and "comprido" not in line and len(line) < 1000
    assert "falha" not in line  # what is missing takes no room


def test_only_the_wanted_keys_are_exported(tmp_path: Path) -> None:
    with Store(":memory:") as store:
        keys = [put(store, one, FULL, n) for n, one in enumerate(calls(3), start=1)]
        assert store.export_jsonl(tmp_path / "r.jsonl", keys[:2]) == 2
        assert store.export_jsonl(tmp_path / "n.jsonl", []) == 0
    assert (tmp_path / "n.jsonl").read_bytes() == b""


def test_a_database_that_cannot_be_opened_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "b.sqlite").write_text("isto não é um banco de dados, mas um texto qualquer " * 50)
    with pytest.raises(ErroDeEstudo, match="banco de respostas"):
        Store(tmp_path / "b.sqlite")


def test_damage_inside_the_file_and_a_table_of_others_are_told_before_the_run(tmp_path: Path) -> None:
    damaged = tmp_path / "a.sqlite"
    with Store(damaged) as store:
        store._base.executemany(
            "INSERT INTO respostas VALUES (?, 'm', 'd', 'x', 1, 0, 0, 1, 1, ?)",
            [(f"k{k}", "linha " * 200) for k in range(200)],
        )
    with damaged.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xff" * 4096 * 20)
    other = tmp_path / "b.sqlite"
    with sqlite3.connect(other) as base:
        base.execute("CREATE TABLE respostas (chave TEXT)")
    for path in (damaged, other):
        with pytest.raises(ErroDeEstudo, match=r"banco de respostas.*serão perguntadas de novo"):
            Store(path)
    (tmp_path / "arquivo").write_text("", encoding="utf-8")
    with pytest.raises(ErroDeEstudo, match="banco de respostas"):
        Store(tmp_path / "arquivo" / "c.sqlite")
