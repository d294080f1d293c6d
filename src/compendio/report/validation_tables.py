"""The validation's tables as a reader sees them: Portuguese headings, decimal comma, one column an interval."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler

from compendio.measure.families import EXPLICACAO
from compendio.report.style import AUSENTE, como_tabela, contagem, intervalo, num, p_valor, pct, short_notice
from compendio.report.validation_numbers import share_interval

ESTADOS = {
    "unanime": "unânime",
    "maioria": "maioria",
    "deliberada": "decidida na deliberação",
    "supervisor": "escolha do supervisor",
    "sem_evidencia": "maioria sem evidência",
    "sem_maioria": "sem maioria",
    "nenhum_adequado": "nenhum candidato adequado",
}
HEADINGS = {
    "variavel": "variável",
    "com_referencia": "com referência",
    "concordancia": "concordância",
    "kappa_juri": "kappa do júri",
    "kappa_respondidos": "kappa dos respondidos",
    "n_respondidos": "n respondidos",
    "n_referencia": "na referência",
    "n_codificador": "no codificador",
    "ac1": "AC1",
    "alfa_membros": "alfa entre membros",
    "alfa_masi": "alfa (MASI)",
    "n_ambos": "n de ambos",
    "diferenca": "diferença",
    "categoria_dominante": "categoria dominante",
    "prevalencia": "prevalência",
    "so_juri": "só o júri certo",
    "so_principal": "só o principal certo",
    "p_holm": "p (Holm)",
    "circular_juri": "circular (júri)",
    "circular_principal": "circular (principal)",
    "supera_todos": "supera todos",
    "com_o_juri": "concordância com o júri",
    "recuos": "recuos ao principal",
    "por_isencao": "só por isenção",
    "categorica": "categóricas",
    "multipla": "várias escolhas",
    "texto": "texto livre",
    "aceitar": "aceitar até",
    "parte": "parte",
    "a_favor": "para a referência",
    "contra": "para longe dela",
    "erro_por_erro": "erro por erro",
    "sem_referencia": "sem referência",
    "decisoes": "decisões",
    "unanimes": "unânimes",
    "nao_deliberadas": "sem unanimidade, não deliberadas",
    "indefinidas": "réplicas sem kappa",
    "chegaram_a_maioria": "chegaram à maioria",
    "sem_maioria": "sem maioria",
    "nenhum_adequado": "nenhum adequado",
    "certas_antes": "certas antes",
    "certas_depois": "certas depois",
    "sem_tempo": "sem tempo registrado",
    "sem_voto": "sem voto",
}
_TWO = {"kappa", "kappa_juri", "kappa_respondidos", "diferenca", "ac1", "alfa", "alfa_membros", "alfa_masi"}
_SHARES = {"concordancia", "parte", "prevalencia", "com_o_juri"}
#: What the tables on disk hold, and a reader of the page can do without.
_LEFT_OUT = {"kappa_respondidos", "n_respondidos", "domina", "intervalo", "unanimes_categoricas"}
_STATES = {"estado", "aceitar"}
_NAMES = {
    "etapa": {"rodada_1": "rodada 1", "deliberacao": "deliberação"},
    "tipo": {"categorica": "categórica", "multipla": "várias escolhas", "texto": "texto livre"},
}


def shown(table: pd.DataFrame, leave_out: frozenset[str] = frozenset()) -> pd.DataFrame:
    """The table as it is shown: text cells, in the same order; both ends of an interval in one column.

    Left out: `motivo` where nothing is undefined, `indefinidas` where no replicate is, `circular` where
    nothing is, technical columns, and those of `leave_out`.
    """
    columns: dict[str, list[str]] = {}
    for name in table.columns:
        column = table[name]
        if name in _LEFT_OUT | leave_out or name.endswith("_sup"):
            continue
        if name == "motivo" and column.isna().all():
            continue
        if name == "indefinidas" and not (column > 0).any():
            continue
        if name.startswith("circular") and not (column.isna() | column.fillna(False)).any():
            continue
        if name.endswith("_inf"):
            of_kappa = name == "ic_inf" and {"kappa", "diferenca"} & set(table.columns)
            show = intervalo if of_kappa else share_interval
            upper = table[name.removesuffix("_inf") + "_sup"]
            heading = "IC 95%" if name == "ic_inf" else "IC 95% da parte"
            columns[heading] = [
                AUSENTE if pd.isna(a) else show(float(a), float(b))
                for a, b in zip(column, upper, strict=True)
            ]
        else:
            columns[HEADINGS.get(name, name)] = [_printer(name, column)(cell) for cell in column]
    return pd.DataFrame(columns)


def _printer(name: str, column: pd.Series) -> Callable[[Any], str]:
    if name.startswith("circular"):
        return lambda cell: "família não declarada" if pd.isna(cell) else "circular" if cell else ""
    if name in _STATES:
        return lambda cell: ESTADOS[cell]
    if pd.api.types.is_bool_dtype(column):
        return lambda cell: AUSENTE if pd.isna(cell) else "sim" if cell else "não"
    if name == "indefinidas":
        return lambda cell: "< 0,1%" if 0 < cell < 0.001 else pct(float(cell), 1)
    if name in _TWO:
        return lambda cell: num(float(cell))
    if name in _SHARES:
        return lambda cell: pct(float(cell))
    if name in ("p", "p_holm"):
        return lambda cell: p_valor(float(cell))
    if name == "minutos":
        return lambda cell: num(float(cell), 0 if column.max() >= 10 else 1)
    if pd.api.types.is_numeric_dtype(column):
        return lambda cell: AUSENTE if pd.isna(cell) else contagem(float(cell))
    return lambda cell: "" if pd.isna(cell) else _NAMES.get(name, {}).get(str(cell), str(cell))


def leaders(values: pd.Series) -> str:
    """Whose value is the largest: `m1`; where several have it, `empatam m1 e m2`; `—` where none is defined."""
    names = [str(name) for name in values.index[values == values.max()]]
    if len(names) < 2:
        return names[0] if names else AUSENTE
    return f"empatam {', '.join(names[:-1])} e {names[-1]}"


def publish(
    table: pd.DataFrame, pasta: Path, nome: str, aviso: str = "", leave_out: frozenset[str] = frozenset()
) -> Styler:
    """Save `<pasta>/<nome>.csv` as computed (all columns, decimal point) and give it as it is shown.

    Under the shown table stand the first sentence of the study's `aviso` and, where a row is circular,
    what that means.
    """
    save_table(table, pasta, nome)
    text = shown(table, leave_out)
    marked = any((text[name] == "circular").any() for name in text if str(name).startswith("circular"))
    return page(text, aviso, "«circular»" if marked else "")


def save_table(table: pd.DataFrame, pasta: Path, nome: str) -> None:
    """Write `<pasta>/<nome>.csv` as computed: all columns, decimal point."""
    pasta.mkdir(parents=True, exist_ok=True)
    table.to_csv(pasta / f"{nome}.csv", index=False, encoding="utf-8", lineterminator="\n")


def page(text: pd.DataFrame, aviso: str, mark: str) -> Styler:
    """A table of texts as it is shown, with the study's notice and what `mark` means (if any) under it."""
    return como_tabela(text, short_notice(aviso), f"{mark}: {EXPLICACAO}" if mark else "")


def kappa_grid(kappas: pd.DataFrame, aviso: str = "") -> Styler:
    """Kappas at a glance: one row a variable, one column a coder; `°` marks a circular comparison."""
    circular = kappas["circular"].fillna(False).astype(bool)
    cells = [num(k) + "°" * mark for k, mark in zip(kappas["kappa"], circular, strict=True)]
    order = list(dict.fromkeys(kappas["codificador"]))
    wide = kappas.assign(celula=cells).pivot(index="variavel", columns="codificador", values="celula")
    wide = wide.reindex(index=list(dict.fromkeys(kappas["variavel"])), columns=order)
    text = wide.reset_index().rename_axis(columns=None).rename(columns=HEADINGS)
    return page(text, aviso, "°" if circular.any() else "")
