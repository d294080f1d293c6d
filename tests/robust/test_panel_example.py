"""The embedded panel: its program writes the committed bytes, and what was put in is found."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from compendio.robust import evaluation, panel_folder

PASTA = Path(__file__).resolve().parents[2] / "data" / "painel"


def test_the_program_writes_the_committed_tables(tmp_path: Path) -> None:
    shutil.copy(PASTA / "simular.py", tmp_path)
    subprocess.run([sys.executable, str(tmp_path / "simular.py")], check=True)
    for name in ("notas.csv", "repeticao.csv", "referencia.csv"):
        assert (tmp_path / name).read_bytes() == (PASTA / name).read_bytes(), name


def test_what_was_put_in_is_found() -> None:
    study = panel_folder.load(PASTA)
    assert study.simulado and "(dados simulados)" in study.painel.titulo
    count = study.painel.celulas.iloc[-1]
    assert (count["ausentes"], count["nao_numericas"], count["abaixo"], count["acima"]) == (4, 4, 4, 4)
    correlation = evaluation.error_correlation(study.painel).groupby("relacao")["correlacao"].mean()
    assert correlation["mesma família"] > correlation["famílias diferentes"] + 0.1
    bias = (study.painel.notas - study.painel.referencia[:, None, :])[:, study.painel.juizes.index("delta-1")]
    assert bias[bias == bias].mean() == pytest.approx(0.8, abs=0.25)  # cut at 5, so a little less


def test_dictionary_names_every_column() -> None:
    with (PASTA / "dicionario.csv").open(encoding="utf-8", newline="") as file:
        described = {(row["arquivo"], row["coluna"]) for row in csv.DictReader(file)}
    for path in PASTA.glob("*.csv"):
        if path.name != "dicionario.csv":
            for column in path.read_text(encoding="utf-8").split("\n", 1)[0].split(","):
                assert (path.name, column) in described
