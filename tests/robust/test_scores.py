"""From a long table to a panel: arrangement, counts, treatments, scales, reference, second rating."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from compendio.robust import panel_folder
from compendio.robust.scores import build_panel, parse_scale, read_scores

LINHAS = """item,juiz,dimensao,nota
t1,ana,clareza,4
t1,ana,rigor,"3,5"
t1,bia,clareza,-1
t1,bia,rigor,2
t2,ana,clareza,9
t2,ana,rigor,sem nota
t2,bia,clareza,
t2,bia,rigor,5
"""


@pytest.fixture
def notas(tmp_path: Path) -> Path:
    (tmp_path / "notas.csv").write_text(LINHAS, encoding="utf-8")
    return tmp_path / "notas.csv"


@pytest.mark.parametrize(
    ("tratamento", "esperado"),
    [
        ("mascarar", [[[4, 3.5], [np.nan, 2]], [[np.nan, np.nan], [np.nan, 5]]]),
        ("limitar", [[[4, 3.5], [1, 2]], [[5, np.nan], [np.nan, 5]]]),
        ("manter", [[[4, 3.5], [-1, 2]], [[9, np.nan], [np.nan, 5]]]),
    ],
)
def test_treatments_of_cells_outside_the_scale(notas: Path, tratamento: str, esperado: list) -> None:
    panel = build_panel(read_scores(notas), escalas=[(1, 5), (1, 5)], celulas_fora=tratamento)
    assert (panel.itens, panel.juizes, panel.dimensoes) == (
        ["t1", "t2"],
        ["ana", "bia"],
        ["clareza", "rigor"],
    )
    np.testing.assert_array_equal(panel.notas, esperado)
    # The count is of what was read: the same whatever the treatment.
    assert panel.celulas.set_index("juiz").loc["todos"].to_dict() == {
        "celulas": 8, "validas": 4, "ausentes": 1, "nao_numericas": 1, "abaixo": 1, "acima": 1,
    }  # fmt: skip
    assert panel.celulas.set_index("juiz").loc["bia", "abaixo"] == 1


def test_without_a_scale_nothing_is_outside_it(notas: Path) -> None:
    panel = build_panel(read_scores(notas))
    assert panel.notas[0, 1, 0] == -1 and panel.celulas["abaixo"].sum() == 0


def test_a_row_that_is_not_there_counts_as_missing() -> None:
    long = pd.DataFrame({"item": ["a", "b"], "juiz": ["x", "y"], "dimensao": ["d", "d"], "nota": [1.0, 2.0]})
    panel = build_panel(long)
    np.testing.assert_array_equal(panel.notas[:, :, 0], [[1, np.nan], [np.nan, 2]])
    assert panel.celulas.iloc[-1]["ausentes"] == 2


def test_scales_as_people_write_them() -> None:
    assert parse_scale("1 a 5", ["a", "b"]) == [(1, 5), (1, 5)]
    assert parse_scale("-2 a 2", ["a"]) == [(-2, 2)]
    assert parse_scale("0-10", ["a"]) == [(0, 10)]
    assert parse_scale(" b = 0 até 2,5 ; a=1 a 5 ", ["a", "b"]) == [(1, 5), (0, 2.5)]
    assert parse_scale("  ", ["a"]) is None


def test_folder_with_all_that_may_stand_beside_the_scores(notas: Path) -> None:
    folder = notas.parent
    (folder / "painel.yaml").write_text(
        "titulo: Teste\nsimulado: true\nescala: {clareza: [1, 5], rigor: [0, 10]}\nfamilias: "
        "{ana: f, bia: g}\n",
        encoding="utf-8",
    )
    (folder / "referencia.csv").write_text("item,dimensao,nota\nt2,rigor,4\nt1,clareza,3\n", encoding="utf-8")
    # The second rating comes in another order, with a judge the panel does not have.
    (folder / "repeticao.csv").write_text(
        "item,juiz,dimensao,nota\nt2,bia,rigor,4\nt1,zoe,rigor,1\nt1,ana,clareza,5\n", encoding="utf-8"
    )
    study = panel_folder.load(folder)
    assert study.simulado and study.painel.titulo == "Teste (dados simulados)"
    assert study.painel.escalas == [(1, 5), (0, 10)] and study.painel.familias == {"ana": "f", "bia": "g"}
    np.testing.assert_array_equal(study.painel.referencia, [[3, np.nan], [np.nan, 4]])
    assert study.repeticao is not None
    np.testing.assert_array_equal(study.repeticao.notas[0, 0], [5, np.nan])
    np.testing.assert_array_equal(study.repeticao.notas[1, 1], [np.nan, 4])
    # The user's scale wins over the file's.
    assert panel_folder.load(notas, escala="0 a 9").painel.escalas == [(0, 9), (0, 9)]


def test_table_alone(notas: Path) -> None:
    study = panel_folder.load(notas)
    assert study.painel.escalas is None and study.painel.referencia is None and study.repeticao is None
