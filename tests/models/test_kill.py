"""A real process, killed at random moments: no committed reply is asked again, and the end is the same."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from servidor_ollama import ServidorOllama

DRIVER = Path(__file__).resolve().parents[1] / "driver_run.py"
N = 400


def start(server: ServidorOllama, folder: Path, n: int = N) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    command = [
        sys.executable,
        str(DRIVER),
        server.url,
        str(folder / "b.sqlite"),
        str(n),
        str(folder / "r.jsonl"),
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def committed(folder: Path) -> set[str]:
    if not (folder / "b.sqlite").exists():
        return set()
    base = sqlite3.connect(folder / "b.sqlite", timeout=30)
    try:
        found = base.execute("SELECT json_extract(linha, '$.documento') FROM respostas").fetchall()
    except sqlite3.OperationalError:  # killed before the table was made
        found = []
    base.close()
    return {document for (document,) in found}


def asked(server: ServidorOllama) -> list[str]:
    return [body["messages"][-1]["content"].removeprefix("Texto de ").rstrip(".") for body in server.asked]


def wait_for_a_question(process: subprocess.Popen[str], server: ServidorOllama, least: int = 1) -> None:
    deadline = time.monotonic() + 120
    while len(server.asked) < least and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)


@pytest.mark.lento
@pytest.mark.skipif(os.name == "nt", reason="kill -9 é do mundo Unix")
def test_killed_at_twenty_random_moments(tmp_path: Path) -> None:
    draw = random.Random(20)
    whole, killed = tmp_path / "inteira", tmp_path / "morta"
    with ServidorOllama(espera=0.004) as server:
        process = start(server, whole)
        assert process.wait(120) == 0, process.communicate()[0]

        hits = 0
        for moment in range(20):
            before = committed(killed)
            server.asked.clear()
            process = start(server, killed)
            if moment % 5:  # while it asks; every fifth time at any moment, its start included
                wait_for_a_question(process, server)
                time.sleep(draw.uniform(0, 0.15))
            else:
                time.sleep(draw.uniform(0, 0.6))
            process.kill()
            hits += process.wait(60) == -signal.SIGKILL
            assert before.isdisjoint(asked(server)), "a committed reply was asked again"
            assert before <= committed(killed), "a committed reply was lost"
        assert hits >= 15, "the run was over before it could be killed"
        assert 0 < len(committed(killed)) < N

        server.asked.clear()
        before = committed(killed)
        process = start(server, killed)
        assert process.wait(120) == 0, process.communicate()[0]
        assert set(asked(server)) == {f"d{i}" for i in range(1, N + 1)} - before
    assert (killed / "r.jsonl").read_bytes() == (whole / "r.jsonl").read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="SIGINT é do mundo Unix")
def test_ctrl_c_on_a_real_process(tmp_path: Path) -> None:
    with ServidorOllama(espera=0.02) as server:
        process = start(server, tmp_path, n=60)
        wait_for_a_question(process, server, least=5)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=120)[0]
        assert process.returncode != 0
        assert "interrompido. O que chegou está gravado" in said and "rode o mesmo comando" in said
        kept = committed(tmp_path)
        assert 0 < len(kept) < 60
        server.asked.clear()
        process = start(server, tmp_path, n=60)
        said = process.communicate(timeout=120)[0]
        assert process.returncode == 0 and f"respostas que faltam: {60 - len(kept)} de 60" in said
        assert kept.isdisjoint(asked(server))
