"""The numbers of the notebooks: their form, and what one sentence says where two claim one id."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compendio.erros import ErroDeEstudo
from compendio.report.results import merge_results, save_results


def entry(ident: str) -> dict[str, object]:
    return {"id": ident, "valor": 0.5, "impresso": "0,50", "celula": "erros"}


def test_results_have_the_agreed_form(tmp_path: Path) -> None:
    path = save_results([entry("a")], tmp_path, "7-painel-robusto")
    assert json.loads(path.read_text(encoding="utf-8")) == [{**entry("a"), "notebook": "7-painel-robusto"}]
    assert path.read_text(encoding="utf-8").startswith(
        '[\n {\n  "id": "a",\n  "valor": 0.5,\n  "impresso": "0,50"'
    )


def test_one_notebook_may_not_claim_an_id_twice(tmp_path: Path) -> None:
    with pytest.raises(ErroDeEstudo, match=r"«a» está mais de uma vez nos resultados \(4-x\)"):
        save_results([entry("a"), entry("b"), entry("a")], tmp_path, "4-x")
    assert not list(tmp_path.iterdir())


def test_two_notebooks_may_not_claim_one_id(tmp_path: Path) -> None:
    save_results([entry(name) for name in "abcdefgh"], tmp_path / "resultados", "4-x")
    merged = merge_results(tmp_path)
    before = merged.read_text(encoding="utf-8")
    save_results([entry("z"), entry("c")], tmp_path / "resultados", "4-antigo")
    with pytest.raises(ErroDeEstudo) as problem:
        merge_results(tmp_path)
    (sentence,) = problem.value.problemas
    assert "«c»" in sentence and "(4-antigo, 4-x)" in sentence and "apague" in sentence
    assert merged.read_text(encoding="utf-8") == before  # the last sound merge stays


def test_many_repeated_ids_are_not_listed_to_the_end(tmp_path: Path) -> None:
    for notebook in ("4-x", "4-y"):
        save_results([entry(name) for name in "abcdefgh"], tmp_path / "resultados", notebook)
    with pytest.raises(ErroDeEstudo) as problem:
        merge_results(tmp_path)
    assert len(problem.value.problemas) == 6 and "mais 3" in problem.value.problemas[-1]
