"""Run a notebook with papermill: parameters checked first, evidence of a failure under another name.

The executed notebook appears under its own name only when every cell ran, so a Make target never looks
up to date after a failure.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import nbformat.reader
import papermill

from compendio.erros import ErroDeEstudo
from compendio.models.progress import NO_TERMINAL
from compendio.projeto import raiz
from compendio.suggestion import did_you_mean

#: The kernel warns that it speaks without encryption. It speaks to this machine alone (127.0.0.1), and whoever keeps
#: texts at home would take the warning for a leak.
QUIET = ["--IPKernelApp.log_level=50"]


def executar(notebook: Path, destino: Path, parametros: Mapping[str, str]) -> Path:
    """Run `notebook` with `parametros` (texts, as typed) and leave the executed notebook at `destino`.

    Raises
    ------
    ErroDeEstudo
        For an unknown parameter or a value of the wrong type; with the notebook's own sentences where a cell
        raised ErroDeEstudo; else with the cell and the last line of the error. The evidence is then at
        `<destino>` with `.FALHOU.ipynb` for its ending.
    """
    values = check_parameters(notebook, parametros)
    _make_room(destino)
    failed = destino.with_name(f"{destino.stem}.FALHOU.ipynb")
    part = destino.with_name(f".{destino.stem}.parcial.ipynb")
    failed.unlink(missing_ok=True)
    os.environ.setdefault("COMPENDIO_RAIZ", str(raiz()))
    try:
        papermill.execute_notebook(
            str(notebook),
            str(part),
            values,
            kernel_name="python3",
            progress_bar=False,
            cwd=str(raiz()),
            extra_arguments=QUIET,
            **_shown_in_the_terminal(values),
        )
    except papermill.PapermillExecutionError as error:
        part.replace(failed)
        raise ErroDeEstudo(_sentences(error, notebook, failed)) from None
    except KeyboardInterrupt:
        if part.exists():
            part.replace(failed)
        raise
    part.replace(destino)
    return destino


def _make_room(destino: Path) -> None:
    if destino.is_dir():
        raise ErroDeEstudo(f"{destino} é uma pasta; em --destino, diga o arquivo do notebook executado.")
    try:
        destino.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=destino.parent):
            pass
    except OSError as error:
        raise ErroDeEstudo(
            f"Não se pode escrever em {destino.parent} ({error.strerror}): dê permissão de escrita a essa pasta, ou "
            "diga outra em --destino."
        ) from None


def _cells(notebook: Path) -> list[Any]:
    if not notebook.is_file():
        raise ErroDeEstudo(f"{notebook} não existe; os notebooks ficam na pasta notebooks/.")
    try:
        return list(nbformat.read(notebook, as_version=4).cells)
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, ValueError, AttributeError, KeyError):
        raise ErroDeEstudo(
            f"{notebook} não é um notebook; os do compendio ficam na pasta notebooks/."
        ) from None


def _shown_in_the_terminal(values: Mapping[str, Any]) -> dict[str, Any]:
    """Where models are asked, hours may pass: what the notebook says meanwhile is said in the terminal, too."""
    if values.get("modelo") != "ollama":
        os.environ.pop(NO_TERMINAL, None)
        return {}
    os.environ[NO_TERMINAL] = "1"
    return {"stdout_file": sys.stdout, "stderr_file": sys.stderr, "coalesce_streams": True}


def _sentences(error: papermill.PapermillExecutionError, notebook: Path, failed: Path) -> list[str]:
    where = f"{notebook.name} parou na célula {error.exec_count}; o que ela mostrou está em {failed}."
    if error.ename == "ErroDeEstudo":
        return [*error.evalue.split("\n"), where]
    return [f"{error.ename}: {error.evalue}", where]


def notebook_defaults(notebook: Path) -> dict[str, Any]:
    """Names and default values of the one cell tagged `parameters`.

    Raises ErroDeEstudo where there is no such cell, or where it does more than assign plain values.
    """
    tagged = [cell for cell in _cells(notebook) if "parameters" in cell.metadata.get("tags", [])]
    if len(tagged) != 1:
        raise ErroDeEstudo(f"{notebook} tem {len(tagged)} células com a etiqueta «parameters»; deixe uma só.")
    names: dict[str, Any] = {}
    exec(tagged[0].source, {}, names)  # the notebook is code of the project, run in full right after
    return names


def check_parameters(notebook: Path, parametros: Mapping[str, str]) -> dict[str, Any]:
    """The parameters as values of the type that their defaults have.

    A text stays the text that was typed (`007` is not 7); a number must be one; `nan` is none.
    """
    defaults = notebook_defaults(notebook)
    problems, values = [], {}
    for name, text in parametros.items():
        if name not in defaults:
            problems.append(f"{notebook.name} não tem o parâmetro «{name}»: {did_you_mean(name, defaults)}")
            continue
        try:
            values[name] = _typed(text, defaults[name])
        except ValueError as error:
            problems.append(f"{notebook.name}, parâmetro «{name}»: {error}.")
    if problems:
        raise ErroDeEstudo(problems)
    return values


def _typed(text: str, default: Any) -> Any:
    if isinstance(default, bool):
        answers = {
            "true": True,
            "sim": True,
            "1": True,
            "false": False,
            "não": False,
            "nao": False,
            "0": False,
        }
        if text.strip().lower() not in answers:
            raise ValueError(f"«{text}» não é sim nem não")
        return answers[text.strip().lower()]
    if isinstance(default, str):
        return text
    if default is None or isinstance(default, int):
        if text.strip() == "" and default is None:
            return None
        if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text):
            raise ValueError(f"«{text}» não é um número inteiro")
        return int(text)
    if isinstance(default, float):
        try:
            number = float(text.replace(",", "."))
        except ValueError:
            raise ValueError(f"«{text}» não é um número") from None
        if number != number or number in (float("inf"), float("-inf")):
            raise ValueError(f"«{text}» não é um número finito")
        return number
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        raise ValueError(f'«{text}» não é uma lista JSON, como ["a", "b"]') from None
    if type(value) is not type(default):
        raise ValueError(f"«{text}» não é do tipo do valor de fábrica ({json.dumps(default)})")
    return value
