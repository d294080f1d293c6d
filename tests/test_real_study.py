"""One whole small study, from corpus to decisions, with a real Ollama. Skipped, saying why, without OLLAMA_HOST."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest
from small_study import write_study

from compendio.contract import ESTADOS, write_classification
from compendio.jury import supervisor
from compendio.models.server import Server
from compendio.pipeline import classify, decisions, deliberate, read_calls, read_votes
from compendio.recording import export_replies
from compendio.study import load_study

pytestmark = [pytest.mark.ollama, pytest.mark.lento]
MODELOS = ["smollm2-135m", "qwen2.5-0.5b"]


def test_from_corpus_to_decisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not os.environ.get("OLLAMA_HOST"):
        pytest.skip("sem OLLAMA_HOST: não há servidor real do Ollama para este teste")
    there = {name.removesuffix(":latest") for name in Server().models()}
    if missing := set(MODELOS) - there:
        pytest.skip(f"o servidor não tem: {', '.join(sorted(missing))}")
    monkeypatch.setenv("COMPENDIO_RAIZ", str(tmp_path))
    members = "\n".join(f"  - {{nome: {name}, familia: {name.split('-')[0]}}}" for name in MODELOS)
    settings = f"titulo: Estudo real\nmembros:\n{members}\nopcoes: {{num_predict: 300}}\ntempo_limite: 600\n"
    write_study(tmp_path / "data" / "real", {"estudo.yaml": settings})
    study = load_study("real")

    votos, chamadas = classify(study, "ollama", progress=False)
    # 3 documents × 3 variables × 2 members, whatever the models said: a failure is a row, too.
    assert len(votos) == 18
    assert (votos["valor"].notna() | votos["falha"].notna()).all()
    assert len(chamadas) == 6 and chamadas["digest"].str.len().eq(64).all()
    deliberate(study, "ollama", progress=False)
    both = decisions(study, read_votes(study))
    assert set(both["juri"]["estado"]) <= set(ESTADOS)
    assert len(both["juri"]) == 9
    write_classification(both["juri"], study.relatorios / "classificacoes", "juri")
    assert "a responder" in supervisor.write_requests(study)

    # What was asked is never asked again, and the recording replays to the same votes without a server.
    again, _ = classify(study, "ollama", progress=False)
    pd.testing.assert_frame_equal(again, votos)
    assert export_replies(study) >= 6
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    replayed, _ = classify(study, "respostas", progress=False)
    pd.testing.assert_frame_equal(replayed, votos)
    assert read_calls(study)["segundos"].gt(0).all()
