"""The recorded replies of the embedded study still answer the messages that this code sends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from compendio.classify import classification_calls
from compendio.pipeline import classify, decisions, deliberate, deliberation_of, read_votes, repetition_calls
from compendio.session import Session
from compendio.study import Study, load_study

DEMO = Path(__file__).resolve().parents[1] / "data" / "demo"


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Study]:
    assert (DEMO / "respostas.jsonl").is_file(), "the embedded study has lost its recorded replies"
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:1")  # nobody there: nothing can be asked
    yield load_study(DEMO)


def test_every_message_has_its_reply_and_every_reply_its_message(study: Study) -> None:
    classify(study, "respostas", progress=False)
    first = read_votes(study, rodada=1)
    used: set[str] = set()
    with Session(study, "respostas", progress=False) as session:
        for member in study.membros:
            calls = classification_calls(study, member.nome, study.sample_ids())
            calls += repetition_calls(study, member.nome)
            calls += deliberation_of(study, session, member.nome, first)
            assert session.missing(member.nome, calls) == 0, (
                f"{member.nome}: messages, schema or options changed since the recording; undo, or record anew"
            )
            used.update(session.keys(member.nome, calls))
        recorded = {row["chave"] for row in session.store.rows()}
    assert used == recorded


def test_the_recording_runs_to_decisions(study: Study) -> None:
    votos, chamadas = classify(study, "respostas", progress=False)
    again, second = deliberate(study, "respostas", progress=False)
    lines = (DEMO / "respostas.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(chamadas) + len(second) == len(lines)
    decided = decisions(study, read_votes(study))
    expected = len(study.sample_ids()) * len(study.codebook.variaveis)
    assert [len(table) for table in decided.values()] == [expected, expected]
    assert len(votos[votos["repeticao"] == 0]) == expected * len(study.membros)
    assert (votos["valor"].notna() ^ votos["falha"].notna()).all() and len(again) > 0


def test_the_recording_holds_nothing_of_the_machine(study: Study) -> None:
    for line in (DEMO / "respostas.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        assert record["membro"] in {m.nome for m in study.membros}
        assert len(record["digest"]) == 64 and record["servidor"]
        assert not any(mark in line for mark in ("/root", "/home", "/Users", "127.0.0.1", "localhost"))
