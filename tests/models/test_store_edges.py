"""Texts that break files, and files that are broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_calls import call, calls

from compendio.erros import ErroDeEstudo
from compendio.models.base import Reply
from compendio.models.store import Store, dump_line, reply_key


@pytest.mark.parametrize(
    "text",
    [
        "meio par \ud83d aqui",
        "\udc00",
        "linha\u2028separada\u2029",
        "\x00nulo",
        "\r\n\x0b\x0c\x1c\x85",
        "\ufeffBOM",
        "😀",
        "",
    ],
)
def test_any_text_survives_the_database_and_the_file(text: str, tmp_path: Path) -> None:
    reply = Reply(text, digest="d")
    with Store(tmp_path / "b.sqlite") as store:
        key = reply_key("d", call())
        assert store.put(key, "m", call(), reply, 1) == reply
        store.export_jsonl(tmp_path / "r.jsonl")
    assert len((tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()) == 1
    with Store(":memory:") as store:
        store.load_jsonl(tmp_path / "r.jsonl")
        assert store.get(key) == reply


@given(st.text(st.characters(codec=None, categories=None)))
def test_a_line_is_one_line_of_utf8_and_reads_back(text: str) -> None:
    line = dump_line({"a": text})
    line.encode("utf-8")
    assert len(line.splitlines()) == 1
    # Two halves of a pair that stand side by side are one character once they are read again.
    assert json.loads(line)["a"] == json.loads(json.dumps(text))


def test_a_prompt_with_half_a_pair_has_a_key() -> None:
    assert reply_key("d", call(texto="\ud83d")) != reply_key("d", call(texto="\ud83e"))


def exported(folder: Path, n: int = 3) -> list[str]:
    with Store(":memory:") as store:
        for place, one in enumerate(calls(n), start=1):
            store.put(reply_key("d", one), "m", one, Reply("{}", digest="d"), place)
        store.export_jsonl(folder / "r.jsonl")
    return (folder / "r.jsonl").read_text(encoding="utf-8").splitlines()


def load(path: Path, lines: list[str], encoding: str = "utf-8") -> int:
    path.write_text("\n".join(lines) + "\n", encoding=encoding)
    with Store(":memory:") as store:
        return store.load_jsonl(path)


def test_all_broken_lines_are_told_at_once_with_their_numbers(tmp_path: Path) -> None:
    lines = exported(tmp_path)
    broken = [lines[0], lines[1][:50], "[]", lines[2].replace('"membro"', '"nome"'), "<<<<<<< HEAD"]
    with pytest.raises(ErroDeEstudo) as caught:
        load(tmp_path / "x.jsonl", broken)
    problems = caught.value.problemas
    assert len(problems) == 4
    assert all(f"linha {n}" in problem for n, problem in zip((2, 3, 4, 5), problems, strict=True))
    assert "membro" in problems[2]


def test_a_line_without_answer_or_failure_is_no_reply(tmp_path: Path) -> None:
    lines = [line.replace('"conteudo": "{}", ', "") for line in exported(tmp_path)]
    with pytest.raises(ErroDeEstudo, match="linha 1"):
        load(tmp_path / "x.jsonl", lines)


def test_a_failure_that_no_one_knows_is_told(tmp_path: Path) -> None:
    lines = [line.replace('"conteudo": "{}"', '"falha": "preguica"') for line in exported(tmp_path, 1)]
    with pytest.raises(ErroDeEstudo, match=r"linha 1: .*falha desconhecida: preguica"):
        load(tmp_path / "x.jsonl", lines)


def test_two_lines_that_contradict_each_other_are_told_and_two_alike_are_one(tmp_path: Path) -> None:
    lines = exported(tmp_path)
    assert load(tmp_path / "x.jsonl", [*lines, lines[0]]) == 3
    with pytest.raises(ErroDeEstudo, match="linha 4: contradiz a linha 1"):
        load(tmp_path / "x.jsonl", [*lines, lines[0].replace('"{}"', '"{ }"')])


def test_bom_windows_line_ends_and_empty_lines_are_no_trouble(tmp_path: Path) -> None:
    lines = exported(tmp_path)
    (tmp_path / "w.jsonl").write_bytes(b"\xef\xbb\xbf" + "\r\n".join([*lines, "", ""]).encode())
    with Store(":memory:") as store:
        assert store.load_jsonl(tmp_path / "w.jsonl") == 3


def test_a_file_in_another_encoding_is_a_sentence_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "l.jsonl").write_bytes('{"chave": "ação"}\n'.encode("latin-1"))
    with Store(":memory:") as store, pytest.raises(ErroDeEstudo, match="linha 1"):
        store.load_jsonl(tmp_path / "l.jsonl")


def test_recorded_replies_do_not_replace_those_of_the_database(tmp_path: Path) -> None:
    exported(tmp_path)
    first, second, third = calls(3)
    with Store(tmp_path / "b.sqlite") as store:
        store.put(reply_key("d", first), "m", first, Reply("outra", digest="d"), 1)
        store.put(reply_key("d", second), "m", second, Reply(None, "sem_resposta", digest="d"), 2)
        store.load_jsonl(tmp_path / "r.jsonl")
        texts = [store.get(reply_key("d", one)) for one in (first, second, third)]
    assert [reply and reply.conteudo for reply in texts] == ["outra", "{}", "{}"]


def test_a_missing_file_is_left_to_the_caller(tmp_path: Path) -> None:
    with Store(":memory:") as store, pytest.raises(FileNotFoundError):
        store.load_jsonl(tmp_path / "não há.jsonl")
