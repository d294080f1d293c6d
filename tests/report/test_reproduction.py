"""Published against recomputed: printed text decides, and what is not recomputed says why."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from conftest import RAIZ

from compendio.report.reproduction import (
    NAO_SE_CALCULA,
    published_figures,
    reproduction_page,
    reproduction_table,
)


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    path = RAIZ / "data" / "piloto" / "numeros-publicados.yaml"
    data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return data


def leaves(node: Any) -> int:
    """How many figures a part of the file holds: scalars, and pairs of counts or goals as one."""
    if isinstance(node, dict):
        if "valor" in node:
            return 1
        return sum(leaves(value) for value in node.values())
    return 1


def test_every_published_figure_has_a_row(published: dict[str, Any]) -> None:
    figures = list(published_figures(published))
    assert len({figure.id for figure in figures}) == len(figures) == 103
    # Counted from the file itself: names of variables, members and families are no figures; both ends of the
    # intervals (5 of kappa, 1 of Wilson) are rows of their own.
    names = ["variaveis_categoricas", "variavel_texto_livre", "membros", "familias", "referencia"]
    bare = {**published, "amostra": {k: v for k, v in published["amostra"].items() if k not in names}}
    assert leaves(bare) + 5 + 1 == 103


def test_printed_text_decides(published: dict[str, Any]) -> None:
    figures = list(published_figures(published))
    numbers = {f.resultado: {"impresso": f.publicado[-1], "valor": 0} for f in figures if f.resultado}
    table = reproduction_table(published, numbers)
    assert table["confere"].value_counts().to_dict() == {"sim": 98, NAO_SE_CALCULA: 5}
    numbers["kappa.subarea.juri"] = {"impresso": "0,68", "valor": 0.6849}
    row = reproduction_table(published, numbers).set_index("id").loc["kappa.subarea.juri"]
    assert row.to_dict() == {"publicado": "0,69", "recalculado": "0,68", "confere": "não"}


def test_either_reading_of_a_count_agrees(published: dict[str, Any]) -> None:
    name = "mcnemar.recorte_geografico.contagens"
    for printed, expected in (("7 × 2", "sim"), ("10 × 4", "sim"), ("9 × 4", "não")):
        table = reproduction_table(published, {name: {"impresso": printed, "valor": []}}).set_index("id")
        assert table.loc[name, "confere"] == expected
        assert table.loc[name, "publicado"] == "7 × 2 ou 10 × 4"


def test_a_result_that_is_not_there_does_not_agree(published: dict[str, Any]) -> None:
    table = reproduction_table(published, {})
    assert set(table["confere"]) == {"não", NAO_SE_CALCULA}
    assert table["recalculado"].str.len().gt(0).all()


def test_the_page_counts_and_lists_what_differs(published: dict[str, Any]) -> None:
    page = reproduction_page(reproduction_table(published, {}), "Reconstrução.")
    assert "Conferem 0 de 98" in page and "Reconstrução." in page and "# Não conferem" in page
    assert page.count("`kappa.subarea.juri`") == 2
