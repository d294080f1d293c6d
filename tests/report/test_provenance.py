"""What made a file is read from the notebooks' own code."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from compendio.erros import ErroDeEstudo
from compendio.report.provenance import Origin, origins


def write(folder: Path, **cells: str) -> None:
    notebook = nbformat.v4.new_notebook()
    for name, source in cells.items():
        cell = nbformat.v4.new_code_cell(source)
        cell["id"] = name
        notebook.cells.append(cell)
    nbformat.write(notebook, folder / "8-teste.ipynb")


@pytest.mark.parametrize(
    ("code", "function"),
    [
        ('publish(medidas.kappas(study), tabelas, "x", aviso)', "medidas.kappas"),
        ('t = medidas.kappas(study).round(2)\npublish(t, tabelas, "x")', "medidas.kappas"),
        ('t = medidas.kappas(study)\nk = t.kappas\npublish(k[["a"]], tabelas, "x")', "medidas.kappas"),
        ('a, b = medidas.um(s), medidas.dois(s)\npublish(b, tabelas, "x")', "medidas.dois"),
        ('a, b = medidas.ambos(s)\npublish(b, tabelas, "x")', "medidas.ambos"),
        ('t = medidas.kappas(s)\nt.to_csv(tabelas / "x.csv", index=False)', "medidas.kappas"),
        ('salvar_figura(figuras_de.fluxo(t, s.aviso), figuras, "x")', "figuras_de.fluxo"),
        ('display(publish(medidas.kappas(study), tabelas, nome="x"))', "medidas.kappas"),
    ],
)
def test_the_function_behind_a_saved_file(tmp_path: Path, code: str, function: str) -> None:
    write(tmp_path, antes="import pandas as pd", grava=code)
    assert origins(tmp_path, ["x"]) == {"x": Origin("8-teste", "grava", function)}


def test_assignments_of_earlier_cells_are_followed(tmp_path: Path) -> None:
    write(tmp_path, faz="t = medidas.kappas(study)", grava='publish(t, tabelas, "x")')
    assert origins(tmp_path, ["x"])["x"] == Origin("8-teste", "grava", "medidas.kappas")


def test_a_longer_name_is_another_file(tmp_path: Path) -> None:
    write(tmp_path, grava='publish(medidas.outra(s), tabelas, "x-2")')
    with pytest.raises(ErroDeEstudo, match="«x»"):
        origins(tmp_path, ["x"])


def test_a_name_that_assigns_itself_ends(tmp_path: Path) -> None:
    write(tmp_path, grava='t = t[t["a"] > 0]\npublish(t, tabelas, "x")')
    assert origins(tmp_path, ["x"])["x"].funcao == "t"
