"""Tables of scores as people get them wrong: each is one sentence that says what, where, and how to "
"mend it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from compendio.erros import ErroDeEstudo
from compendio.robust import evaluation, panel_folder
from compendio.robust.scores import build_panel, parse_scale, read_scores


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "notas.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,juiz,dimensao,valor\na,b,c,1\n", "falta a coluna «nota»"),
        ("item,juiz,dimensao,nota\n", "não tem nenhuma nota"),
        ("item,juiz,dimensao,nota\na,,c,1\n", "linha 2: a coluna «juiz» está vazia"),
        ("item,juiz,dimensao,nota\na,b,c,1\na,b,c,2\n", "linha 3: a nota de a / b / c já está na linha 2"),
    ],
)
def test_table_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ErroDeEstudo, match=message):
        read_scores(table(tmp_path, text))


def test_all_problems_are_told_together(tmp_path: Path) -> None:
    with pytest.raises(ErroDeEstudo) as error:
        read_scores(table(tmp_path, "item,juiz,dimensao,nota\na,b,c,1\na,b,c,2\n,b,c,1\n"))
    assert len(error.value.problemas) == 2


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ErroDeEstudo, match="não existe"):
        panel_folder.load(tmp_path / "notas.csv")


def test_cells_that_look_like_numbers_and_are_not() -> None:
    notes = ["nan", "inf", "1e400", "4,5", "−2", "4.5.1", "nota 3", " 2 ", "1e1", ""]
    long = pd.DataFrame({"item": range(10), "juiz": "a", "dimensao": "d", "nota": notes}).astype(
        {"item": str}
    )
    panel = build_panel(long)
    np.testing.assert_array_equal(
        panel.notas[:, 0, 0], [np.nan, np.nan, np.nan, 4.5, -2, np.nan, np.nan, 2, 10, np.nan]
    )
    count = panel.celulas.iloc[-1]
    assert (count["validas"], count["ausentes"], count["nao_numericas"]) == (4, 2, 4)


@pytest.mark.parametrize("text", ["1", "5 a 1", "a a b", "1 a 1", "clareza=x"])
def test_scale_that_is_none(text: str) -> None:
    with pytest.raises(ErroDeEstudo, match="não entendi"):
        parse_scale(text, ["clareza"])


def test_scale_for_other_dimensions() -> None:
    with pytest.raises(ErroDeEstudo, match="não é uma dimensão"):
        parse_scale("clarza=1 a 5", ["clareza"])
    with pytest.raises(ErroDeEstudo, match="falta a escala de rigor"):
        parse_scale("clareza=1 a 5", ["clareza", "rigor"])
    with pytest.raises(ErroDeEstudo, match="2 escalas"):
        build_panel(
            pd.DataFrame({"item": ["a"], "juiz": ["b"], "dimensao": ["c"], "nota": [1.0]}),
            escalas=[(0, 1), (0, 1)],
        )


def test_unknown_treatment() -> None:
    long = pd.DataFrame({"item": ["a"], "juiz": ["b"], "dimensao": ["c"], "nota": [1.0]})
    with pytest.raises(ErroDeEstudo, match="celulas_fora"):
        build_panel(long, celulas_fora="mask")


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        ("titulos: x\n", "titulo"),
        ("escala: [5, 1]\n", "par"),
        ("escala: 5\n", "par"),
        ("escala: {outra: [1, 5]}\n", "«c»"),
        ("familias: [a]\n", "família"),
    ],
)
def test_metadata_with_a_mistake(tmp_path: Path, yaml: str, message: str) -> None:
    path = table(tmp_path, "item,juiz,dimensao,nota\na,b,c,1\n")
    (tmp_path / "painel.yaml").write_text(yaml, encoding="utf-8")
    with pytest.raises(ErroDeEstudo, match=message):
        panel_folder.load(path)


def test_scales_that_differ_need_the_users_word(tmp_path: Path) -> None:
    rows = [f"t{i},j{j},{d},{(i + j) % 4 + 1}" for i in range(4) for j in range(3) for d in ("a", "b")]
    path = table(tmp_path, "item,juiz,dimensao,nota\n" + "\n".join(rows) + "\n")
    scale = "a=1 a 5; b=0 a 10"
    with pytest.raises(ErroDeEstudo, match="escalas diferentes"):
        evaluation.panel_table(panel_folder.load(path, escala=scale).painel)
    done = evaluation.panel_table(panel_folder.load(path, escala=scale, reescalar=True).painel)
    assert done["mediana_geometrica"].between(1, 5).all()


def test_errors_need_a_reference_and_injection_a_scale(tmp_path: Path) -> None:
    panel = panel_folder.load(table(tmp_path, "item,juiz,dimensao,nota\na,b,c,1\n")).painel
    with pytest.raises(ErroDeEstudo, match=r"referencia\.csv"):
        evaluation.error_table(panel, semente=1)
    (tmp_path / "referencia.csv").write_text("item,dimensao,nota\na,c,1\n", encoding="utf-8")
    panel = panel_folder.load(tmp_path).painel
    with pytest.raises(ErroDeEstudo, match="escala"):
        evaluation.injected_table(panel, semente=1)
