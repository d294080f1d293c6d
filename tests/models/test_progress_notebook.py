"""The bar in a notebook that papermill has run: what is saved tells how the run ended."""

from __future__ import annotations

from pathlib import Path

import nbformat
import papermill
import pytest

TESTS = Path(__file__).resolve().parents[1]
CELL = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from model_calls import calls
from compendio.models.base import Reply
from compendio.models.run import ask_all
from compendio.models.scripted import ScriptedModel
from compendio.models.store import Store
answers = ["{{}}"] * 5 + [Reply(None, "recusa")]
_ = ask_all(ScriptedModel("gato", answers), calls(6), Store(":memory:"))
"""


@pytest.mark.lento
def test_a_saved_notebook_shows_the_end_not_the_start(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, tmp_path / "in.ipynb")
    papermill.execute_notebook(tmp_path / "in.ipynb", tmp_path / "out.ipynb", progress_bar=False)
    outputs = nbformat.read(tmp_path / "out.ipynb", 4).cells[-1].outputs
    assert [output.data for output in outputs if output.output_type == "display_data"] == [
        {"text/plain": "gato: 6 de 6"}
    ]
    said = "".join(
        output.text for output in outputs if output.output_type == "stream" and output.name == "stdout"
    )
    assert "respostas que faltam: 6 de 6" in said and "falhas: 1 = 1 recusa (d6)" in said
