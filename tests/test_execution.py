"""Notebooks under papermill: its traps, and what a failure leaves behind."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from compendio.erros import ErroDeEstudo
from compendio.execution import check_parameters, executar

DEFAULTS = 'estudo = "demo"\nlimite = None\nrepetir = False\nnivel = 0.5\nmembros = []\nn = 3'


def notebook(folder: Path, *cells: str, parameters: str = DEFAULTS) -> Path:
    book = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    )
    first = nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})
    book.cells = [first, *(nbformat.v4.new_code_cell(text) for text in cells)]
    path = folder / "n.ipynb"
    nbformat.write(book, path)
    return path


def test_values_take_the_type_of_the_default(tmp_path: Path) -> None:
    given = {"estudo": "007", "limite": "12", "repetir": "sim", "nivel": "0,25", "membros": '["a"]', "n": "4"}
    assert check_parameters(notebook(tmp_path), given) == {
        "estudo": "007", "limite": 12, "repetir": True, "nivel": 0.25, "membros": ["a"], "n": 4,
    }  # fmt: skip
    assert check_parameters(notebook(tmp_path), {"limite": ""}) == {"limite": None}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("estuda", "demo", "você quis dizer «estudo»"),
        ("limite", "dez", "não é um número inteiro"),
        ("limite", "nan", "não é um número inteiro"),
        ("limite", "1_0", "não é um número inteiro"),
        ("nivel", "nan", "não é um número finito"),
        ("nivel", "muito", "não é um número"),
        ("repetir", "talvez", "não é sim nem não"),
        ("membros", "a,b", "não é uma lista JSON"),
        ("membros", '{"a": 1}', "não é do tipo"),
        ("n", "", "não é um número inteiro"),
    ],
)
def test_a_bad_parameter_is_said_before_anything_runs(
    tmp_path: Path, name: str, text: str, says: str
) -> None:
    with pytest.raises(ErroDeEstudo) as caught:
        executar(notebook(tmp_path), tmp_path / "out.ipynb", {name: text})
    assert says in str(caught.value)
    assert not list(tmp_path.glob("*out*"))


def test_all_bad_parameters_at_once(tmp_path: Path) -> None:
    with pytest.raises(ErroDeEstudo) as caught:
        check_parameters(notebook(tmp_path), {"estuda": "x", "n": "y"})
    assert len(caught.value.problemas) == 2


@pytest.mark.lento
def test_a_run_of_models_is_heard_in_the_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cell = "import sys, os; print('faltam 3', os.environ.get('COMPENDIO_NO_TERMINAL')); print('33%', file=sys.stderr)"
    path = notebook(tmp_path, cell, parameters='modelo = "respostas"')
    executar(path, tmp_path / "a.ipynb", {"modelo": "ollama"})
    out, err = capfd.readouterr()
    assert "faltam 3 1" in out and "33%" in err
    executar(path, tmp_path / "a.ipynb", {})
    assert "faltam 3" not in capfd.readouterr().out


@pytest.mark.lento
def test_a_good_run_leaves_the_notebook_and_a_failure_leaves_evidence_only(tmp_path: Path) -> None:
    done = executar(
        notebook(tmp_path, "print(estudo, type(estudo).__name__)"), tmp_path / "out.ipynb", {"estudo": "007"}
    )
    assert "007 str" in done.read_text(encoding="utf-8")

    # The same target fails: no target is left that looks up to date, and the sentences are the notebook's own.
    done.unlink()
    bad = notebook(
        tmp_path, "from compendio.erros import ErroDeEstudo\nraise ErroDeEstudo(['Falta isto.', 'E aquilo.'])"
    )
    with pytest.raises(ErroDeEstudo) as caught:
        executar(bad, tmp_path / "out.ipynb", {})
    assert caught.value.problemas[:2] == ["Falta isto.", "E aquilo."]
    assert "out.FALHOU.ipynb" in caught.value.problemas[2]
    assert (tmp_path / "out.FALHOU.ipynb").exists()
    assert not done.exists()

    # A good run after that takes the evidence away.
    executar(notebook(tmp_path), tmp_path / "out.ipynb", {})
    assert not (tmp_path / "out.FALHOU.ipynb").exists()


def test_a_notebook_without_parameters_cell_is_said(tmp_path: Path) -> None:
    book = nbformat.v4.new_notebook()
    nbformat.write(book, tmp_path / "n.ipynb")
    with pytest.raises(ErroDeEstudo, match="0 células"):
        check_parameters(tmp_path / "n.ipynb", {})


def test_what_is_no_notebook_and_where_nothing_can_be_written(tmp_path: Path) -> None:
    text = tmp_path / "README.md"
    text.write_text("# nada", encoding="utf-8")
    for wrong in (text, tmp_path):
        with pytest.raises(ErroDeEstudo, match=r"não (é um notebook|existe); os"):
            executar(wrong, tmp_path / "x.ipynb", {})
    good = notebook(tmp_path)
    with pytest.raises(ErroDeEstudo, match="é uma pasta"):
        executar(good, tmp_path, {})
    with pytest.raises(ErroDeEstudo, match="Não se pode escrever"):
        executar(good, text / "x.ipynb", {})
