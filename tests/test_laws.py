"""The public answers about the Brazilian laws, through the ordinary pipeline: the figures known of them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pandas as pd
import pytest
from laws_project import laws_project

from compendio.import_laws import SHA256, import_laws
from compendio.measure.agreement import cohen_kappa
from compendio.measure.coders import Coders, gather_coders
from compendio.pipeline import classify, decisions
from compendio.study import load_study

pytestmark = pytest.mark.dados


@pytest.fixture
def root(dados: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder with the laws imported."""
    folder = laws_project(tmp_path / "projeto")
    monkeypatch.setenv("COMPENDIO_RAIZ", str(folder))
    file = dados / "leis-br" / "policy_PT.csv"
    assert hashlib.sha256(file.read_bytes()).hexdigest() == SHA256
    told = import_laws(file)
    assert "368 leis e 83 modelos" in told and "68 das 30544 respostas" in told
    assert "sha256" not in told and "Sem família" not in told
    return folder


def coders_of_laws() -> Coders:
    study = load_study("leis-br")
    votos, _ = classify(study, "respostas", progress=False)
    return gather_coders(study, votos, decisions(study, votos))


def kappas(coders: Coders, rows: pd.Series | None = None, answered_only: bool = False) -> dict[str, str]:
    """Coder → its kappa with the official code, as printed."""
    categories = list(coders.variaveis[0].categorias)
    values = coders.values if rows is None else coders.values[rows]
    truth = coders.truth if rows is None else coders.truth[rows]
    return {
        coder: f"{cohen_kappa(truth, values[coder], categories, answered_only=answered_only).value:.3f}"
        for coder in values
    }


def test_kappas_and_decisions_of_three_models(root: Path) -> None:
    coders = coders_of_laws()
    assert coders.reference is not None and coders.reference.codificador == "codigo-oficial"
    assert coders.reference.documentos == 368
    assert coders.familias["codigo-oficial"] == {"humana"}
    main = kappas(coders)
    assert [main[m] for m in ("qwen2.5_14b", "qwen2.5_32b", "gemma2_27b")] == ["0.498", "0.481", "0.492"]
    states = coders.decisions["juri"]["estado"]
    assert states.value_counts().to_dict() == {"unanime": 196, "maioria": 145, "sem_maioria": 27}
    # Without a majority there is no value: the main kappa counts it as wrong.
    assert coders.values["juri"].isna().sum() == 27
    assert main["juri"] == "0.500"
    assert kappas(coders, states != "sem_maioria")["juri"] == "0.544"
    assert kappas(coders, answered_only=True)["juri"] == "0.544"
    # No deliberation: both juries are one.
    pd.testing.assert_series_equal(coders.values["juri"], coders.values["juri-r1"], check_names=False)


def test_kappa_with_the_fallback_to_the_main_model(root: Path) -> None:
    path = root / "data" / "leis-br" / "estudo.yaml"
    text = path.read_text(encoding="utf-8")
    assert "sem_maioria: ausente" in text
    path.write_text(text.replace("sem_maioria: ausente", "sem_maioria: principal"), encoding="utf-8")
    coders = coders_of_laws()
    assert coders.decisions["juri"]["recuo"].sum() == 27
    assert kappas(coders)["juri"] == "0.520"


def test_the_live_study_holds_the_same_laws(root: Path, dados: Path) -> None:
    study = load_study("leis-vivo")
    raw = pd.read_csv(dados / "leis-br" / "policy_PT.csv", dtype="str")
    assert study.documents()["texto"].tolist() == raw["text"].tolist()
    assert len(study.sample_ids()) == 60
    assert study.references()["codigo-oficial"]["valor"].value_counts()["administracao_publica"] == 133
