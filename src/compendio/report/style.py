"""How figures and printed numbers look: decimal comma, marks for grey print and colour blindness."""

from __future__ import annotations

import html
import math
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from pandas.io.formats.style import Styler

# Sorted from dark to light with steps of L* >= 12, so the order is kept in grey; hues were chosen so that
# no two meet under protanopia or deuteranopia (both checked in tests/report/test_style.py).
CORES: tuple[str, ...] = ("#111111", "#1f3b8f", "#b8400f", "#2a9d8f", "#e8a33d", "#b5d9f7")
# Colour is never alone: series also differ in marker, dash and (for bars) hatch, in the same order.
MARCADORES: tuple[str, ...] = ("o", "s", "^", "D", "v", "P")
TRACOS: tuple[object, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (7, 2)))
HACHURAS: tuple[str, ...] = ("", "////", "....", "\\\\\\\\", "xx", "oo")

LARGURA = 6.3  # inches: the text width of an A4 page with 2.5 cm margins
MENOS = "\N{MINUS SIGN}"
AUSENTE = "\N{EM DASH}"


def aplicar() -> None:
    """Set matplotlib's rcParams for every figure of the compendium (font, sizes, colours, thin frame)."""
    mpl.rcParams.update(
        {
            "font.family": "DejaVu Sans",  # shipped with matplotlib: the same figure on every machine
            "font.size": 9,
            "axes.titlesize": 10,
            "axes.titlelocation": "left",
            "axes.labelsize": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "axes.prop_cycle": cycler(color=list(CORES)),
            "grid.color": "#dddddd",
            "grid.linewidth": 0.6,
            "hatch.linewidth": 0.6,
            "legend.frameon": False,
            "legend.fontsize": 8,
            "lines.linewidth": 1.4,
            "lines.markersize": 4.5,
            "figure.figsize": (LARGURA, LARGURA * 0.6),
            "figure.constrained_layout.use": True,
            "savefig.dpi": 200,
            "pdf.fonttype": 42,  # text stays text in the PDF
        }
    )


def serie(i: int) -> dict[str, Any]:
    """Keyword arguments for the `i`-th line of a figure: colour, marker and dash together."""
    n = len(CORES)
    return {"color": CORES[i % n], "marker": MARCADORES[i % n], "linestyle": TRACOS[i % n]}


def barra(i: int) -> dict[str, Any]:
    """Keyword arguments for the `i`-th group of bars: fill, hatch and a dark edge."""
    n = len(CORES)
    # A hatch takes the edge's colour; on the two darkest fills a light edge keeps it visible.
    return {
        "facecolor": CORES[i % n],
        "hatch": HACHURAS[i % n],
        "edgecolor": "#ffffff" if i % n < 2 else "#111111",
    }


def num(x: float | None, casas: int = 2) -> str:
    """`0.667` → `0,67`; `-1.5` → `−1,50` (typographic minus); `1056, casas=0` → `1.056`; missing → `—`."""
    if x is None or math.isnan(x):
        return AUSENTE
    if math.isinf(x):
        return "∞" if x > 0 else f"{MENOS}∞"
    texto = f"{abs(x):,.{casas}f}".translate(str.maketrans(",.", ".,"))
    # What rounds to zero has no sign.
    negativo = x < 0 and any(c in "123456789" for c in texto)
    return MENOS + texto if negativo else texto


def contagem(x: float | None) -> str:
    """A count as it is; what is no whole number, with two places: no printed number hides its decimals."""
    return num(x, 0 if x is None or not math.isfinite(x) or float(x).is_integer() else 2)


def pct(proporcao: float | None, casas: int = 0) -> str:
    """A share between 0 and 1 as a percentage: `0.05, casas=1` → `5,0%`; missing → `—`."""
    texto = num(None if proporcao is None else 100 * proporcao, casas)
    return texto if texto == AUSENTE else f"{texto}%"


def p_valor(p: float | None) -> str:
    """A p value with three places: `0,557`; below a thousandth, `< 0,001`; missing → `—`."""
    if p is not None and p < 0.001:
        return "< 0,001"
    return num(p, 3)


def intervalo(baixo: float, alto: float, casas: int = 2) -> str:
    """`[0,63; 0,79]`: the semicolon keeps the decimal commas apart."""
    return f"[{num(baixo, casas)}; {num(alto, casas)}]"


def eixo_com_virgula(ax: Axes, casas_x: int | None = None, casas_y: int | None = None) -> None:
    """Decimal comma on the ticks of an axis; `None` leaves that axis as it is (e.g. categories).

    A tick that the places given would round (0.25 with one) gets as many as it needs: no label lies.
    """

    def tick(value: float, places: int) -> str:
        enough = (c for c in range(places, 6) if abs(round(value, c) - value) <= 1e-9 * max(1.0, abs(value)))
        return num(value, next(enough, 6))

    if casas_x is not None:
        ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: tick(v, casas_x)))
    if casas_y is not None:
        ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: tick(v, casas_y)))


def como_tabela(texto: pd.DataFrame, *notas: str, indice: str = "") -> Styler:
    """A table of texts as a notebook shows it, the notes under it; `indice` heads the index, else it is hidden.

    Names and texts of a study are shown as they are: none is read as HTML.
    """
    if indice:
        texto = texto.rename_axis(index=indice).reset_index()
    texto = texto.rename(columns=lambda name: html.escape(str(name)))
    estilos = [{"selector": "caption", "props": "caption-side: bottom; text-align: left; font-size: 90%"}]
    intervalos = [name for name in texto.columns if "IC" in str(name).split()]  # not to be broken in two
    legenda = html.escape(" ".join(filter(None, notas)))
    estilo = texto.style.format(escape="html").hide(axis="index").set_caption(legenda)
    return estilo.set_table_styles(estilos).set_properties(subset=intervalos, **{"white-space": "nowrap"})


def short_notice(aviso: str) -> str:
    """The first sentence of a study's notice, as it stands under tables and figures."""
    return aviso.split(". ")[0].rstrip(".") + "." if aviso else ""


def salvar_figura(fig: Figure, pasta: Path | str, nome: str) -> list[Path]:
    """Save `fig` as `<pasta>/<nome>.png` and `.pdf`; the same figure gives the same bytes (no dates inside).

    Returns both paths. The folder is created.
    """
    pasta = Path(pasta)
    pasta.mkdir(parents=True, exist_ok=True)
    png, pdf = pasta / f"{nome}.png", pasta / f"{nome}.pdf"
    fig.savefig(png, metadata={"Software": None})
    fig.set_layout_engine("none")  # the layout is found: not again for the PDF, nor where the figure is shown
    fig.savefig(pdf, metadata={"CreationDate": None, "Producer": None, "Creator": None})
    return [png, pdf]
