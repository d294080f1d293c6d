"""Notebook 3 in `modo: api`, against the local server, beside the same answers by file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from api_study import answer, api_study, billed
from servidor_anthropic import CHAVE, ServidorAnthropic, servindo
from supervised_study import save_answers

from compendio.execution import executar
from compendio.models.ledger import Ledger
from compendio.study import Study

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "3-auditoria.ipynb"
#: What says where the answers came from, and so differs between the two ways.
OF_THE_WAY = {"parametros", "lotes", "api", "respostas"}


def results(study: Study, notebook: Path) -> dict[str, Any]:
    """Everything that the notebook made: numbers, tables and figures by file, and what each cell printed."""
    folder = study.relatorios
    made: dict[str, Any] = {
        str(path.relative_to(folder)): path.read_bytes()
        for name in ("resultados", "tabelas", "figuras", "classificacoes")
        for path in sorted((folder / name).glob("*"))
    }
    assert any(name.startswith("tabelas") for name in made) and "resultados/3-auditoria.json" in made
    for cell in nbformat.read(notebook, as_version=4).cells:
        if (
            cell.cell_type == "code"
            and cell.id not in OF_THE_WAY
            and "injected-parameters" not in cell.metadata.get("tags", [])
        ):
            made[f"célula {cell.id}"] = [printed(output) for output in cell.outputs]
    return made


def printed(output: Any) -> str:
    """What a reader sees of one output; a table's random name in HTML, and the address in its repr, left out."""
    data = dict(output.get("data", {}))
    if "text/html" in data:
        data = {"text/html": re.sub(r"T_[0-9a-f]+", "T", data["text/html"])}
    return json.dumps([output.get("text"), data], sort_keys=True)


@pytest.mark.lento
def test_notebook_3_by_api_prints_what_it_prints_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = api_study(tmp_path, monkeypatch)
    path = study.pasta / "supervisor" / "api.jsonl"
    with servindo(ServidorAnthropic(answer)) as servidor:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", servidor.endereco)
        # Without the confirmation of the run: it runs to the end, and sends nothing.
        done = executar(NOTEBOOK, tmp_path / "sem.ipynb", {"estudo": "meu"})
        assert "falta a confirmação desta execução" in done.read_text(encoding="utf-8")
        assert servidor.pedidos == [] and not path.exists()
        done = executar(NOTEBOOK, tmp_path / "api.ipynb", {"estudo": "meu", "confirmar_envio": "sim"})
        assert len(servidor.mensagens) == 7
        with Ledger(study.banco, study.supervisor.limite_gasto or 0, "USD") as book:  # type: ignore[arg-type]
            assert book.spent() == billed(servidor)
    text = done.read_text(encoding="utf-8")
    assert "Respostas boas nesta execução: 7 de 7." in text and CHAVE not in text
    by_api = results(study, done)

    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    path.unlink()
    save_answers(study, *[{name: v for name, v in line.items() if name != "modelo"} for line in lines])
    settings = study.pasta / "estudo.yaml"
    settings.write_text(
        settings.read_text(encoding="utf-8").replace("modo: api", "modo: arquivos"), encoding="utf-8"
    )
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    done = executar(NOTEBOOK, tmp_path / "arquivos.ipynb", {"estudo": "meu"})
    by_file = results(study, done)
    assert by_api.keys() == by_file.keys()
    assert [name for name in by_api if by_api[name] != by_file[name]] == []
