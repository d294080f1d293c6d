"""Printed numbers and the look of figures."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from compendio.report import style


@pytest.mark.parametrize(
    ("x", "casas", "esperado"),
    [
        (0.667, 2, "0,67"),
        (-1.5, 2, "−1,50"),
        (-0.001, 2, "0,00"),  # rounds to zero: no sign
        (1056, 0, "1.056"),
        (1234567.891, 1, "1.234.567,9"),
        (math.nan, 2, "—"),
        (None, 2, "—"),
        (math.inf, 2, "∞"),
        (-math.inf, 2, "−∞"),
    ],
)
def test_num(x: float | None, casas: int, esperado: str) -> None:
    assert style.num(x, casas) == esperado


@pytest.mark.parametrize(
    ("x", "esperado"), [(12.0, "12"), (1056.0, "1.056"), (0.74, "0,74"), (math.nan, "—"), (None, "—")]
)
def test_a_count_hides_no_decimals(x: float | None, esperado: str) -> None:
    assert style.contagem(x) == esperado


def test_pct_p_value_and_interval() -> None:
    assert style.pct(0.05, 1) == "5,0%"
    assert style.pct(0.92) == "92%"
    assert style.pct(math.nan) == "—"
    assert style.p_valor(0.557) == "0,557"
    assert style.p_valor(0.00099) == "< 0,001"
    assert style.p_valor(0.001) == "0,001"
    assert style.p_valor(math.nan) == "—"
    assert style.intervalo(0.63, 0.79) == "[0,63; 0,79]"
    assert style.intervalo(-0.25, 0.1, 2) == "[−0,25; 0,10]"


def _lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* (D65) of linear RGB, from the definition (CIE 15)."""
    m = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = m @ rgb / np.array([0.9505, 1.0, 1.089])
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def _linear(cor: str) -> np.ndarray:
    c = np.array(to_rgb(cor))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


# Full dichromacy, Machado, Oliveira and Fernandes (2009), on linear RGB.
PROTANOPIA = np.array(
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
)
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)


def test_palette_survives_grey_print() -> None:
    luz = [_lab(_linear(c))[0] for c in style.CORES]
    assert all(b - a >= 12 for a, b in itertools.pairwise(luz)), luz


@pytest.mark.parametrize("olho", [np.eye(3), PROTANOPIA, DEUTERANOPIA])
def test_palette_survives_colour_blindness(olho: np.ndarray) -> None:
    vistas = [_lab(np.clip(olho @ _linear(c), 0, 1)) for c in style.CORES]
    for a, b in itertools.combinations(vistas, 2):
        assert np.linalg.norm(a - b) > 15  # far above the just noticeable difference (about 2.3)


def test_a_tick_is_never_rounded_away() -> None:
    ax = Figure().subplots()
    ax.set_yticks([0, 0.25, 0.5, 1000])
    ax.set_xticks([0, 1])
    style.eixo_com_virgula(ax, casas_x=0, casas_y=1)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["0,0", "0,25", "0,5", "1.000,0"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0", "1"]


def test_series_differ_in_more_than_colour() -> None:
    n = len(style.CORES)
    assert len({str(style.serie(i)["linestyle"]) for i in range(n)}) == n
    assert len({style.serie(i)["marker"] for i in range(n)}) == n
    assert len({style.barra(i)["hatch"] for i in range(n)}) == n


def test_figure_is_saved_twice_with_the_same_bytes_and_decimal_comma(tmp_path: Path) -> None:
    style.aplicar()
    conteudos = []
    for vez in ("a", "b"):
        fig = Figure()
        ax = fig.subplots()
        ax.plot([0, 0.5], [0, -1.5], **style.serie(1))
        ax.set_yticks([-1.5, 0])
        style.eixo_com_virgula(ax, 1, 2)
        arquivos = style.salvar_figura(fig, tmp_path / vez, "linha")
        assert [p.suffix for p in arquivos] == [".png", ".pdf"]
        conteudos.append([p.read_bytes() for p in arquivos])
        assert [t.get_text() for t in ax.get_yticklabels()] == ["−1,50", "0,00"]
    assert conteudos[0] == conteudos[1]
    assert conteudos[0][0].startswith(b"\x89PNG") and conteudos[0][1].startswith(b"%PDF")


def test_a_table_shows_what_it_holds_and_reads_none_of_it_as_html() -> None:
    table = pd.DataFrame({"renda <SM": ["renda <SM", "<b>"], "n": ["1", "2"]})
    page = style.como_tabela(table, "Aviso de <i>teste</i>.").to_html()
    assert page.count("renda &lt;SM") == 2 and "&lt;b&gt;" in page and "&lt;i&gt;teste" in page
    assert not re.search("<SM|<b>|<i>", page)
