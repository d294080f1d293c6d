"""Agreement with the reference by kind of decision, and what share a researcher may rely on.

The value is the jury's own, fallback included. Kinds are not like for like: free text is never deliberated,
so that a kind can consist of one type of variable only (`composition_notes`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from compendio.contract import ESTADOS
from compendio.measure.coders import TODAS, Coders
from compendio.measure.families import is_circular
from compendio.measure.pooled import Bools

#: From the most to the least support in the votes; fixed beforehand, never taken from the data.
CONFIANCA = [
    *["unanime", "maioria", "deliberada", "supervisor"],
    *["sem_evidencia", "sem_maioria", "nenhum_adequado"],
]
TIPOS = ("categorica", "multipla", "texto")
KINDS = [
    *["variavel", "estado", "circular", "n", "parte", "com_referencia", "acertos", "concordancia"],
    *["ic_inf", "ic_sup", "intervalo", "recuos", "por_isencao", *TIPOS],
]


def agreement_by_kind(coders: Coders, juri: str = "juri") -> pd.DataFrame:
    """Agreement of a jury with the reference by `estado`, over all variables and by variable.

    Returns
    -------
    DataFrame
        A row a variable (`todas` first) and state that occurs: `variavel, estado, circular, n` (decisions),
        `parte` (share of the variable's decisions), `com_referencia` (decisions with a value in the
        reference), `acertos, concordancia, ic_inf, ic_sup, intervalo` (which one: `pooled.shares`),
        `recuos` (fallback values), `por_isencao` (decided only through an exemption), and decisions by type of
        variable: `categorica, multipla, texto`.
    """
    table = coders.decisions[juri]
    right, groups, columns = coders.right(juri), [], []
    for variavel, which in _groups(coders):
        for estado in ESTADOS:
            chosen = which & (table["estado"] == estado).to_numpy()
            if chosen.any():
                groups.append((variavel, estado, which, chosen))
                columns.append((right, chosen & coders.known))
    found = coders.shares(columns)
    types = coders.tipos
    rows = []
    for variavel, estado, which, chosen in groups:
        rows.append(
            {
                "variavel": variavel,
                "estado": estado,
                "n": int(chosen.sum()),
                "parte": chosen.sum() / which.sum(),
                "recuos": int(table.loc[chosen, "recuo"].sum()),
                "por_isencao": int(table.loc[chosen, "por_isencao"].sum()),
                **{tipo: int((types[chosen] == tipo).sum()) for tipo in TIPOS},
            }
        )
    found = found.rename(columns={"k": "acertos", "n": "com_referencia", "valor": "concordancia"})
    result = pd.concat([pd.DataFrame(rows), found], axis=1)
    return _marked(result, coders, juri)[KINDS]


def composition_notes(kinds: pd.DataFrame) -> list[str]:
    """One sentence (Portuguese) for each kind made of one type of variable where the study has several."""
    pooled = kinds[kinds["variavel"] == TODAS].set_index("estado")[list(TIPOS)]
    types = [tipo for tipo in TIPOS if pooled[tipo].sum()]
    names = {"categorica": "categóricas", "multipla": "de várias escolhas", "texto": "de texto livre"}
    notes = []
    for estado, row in pooled.iterrows():
        alone = [tipo for tipo in types if row[tipo] == row.sum()]
        if len(types) > 1 and alone:
            notes.append(
                f"«{estado}» só tem decisões {names[alone[0]]}: não se compara de igual para igual com as "
                "outras espécies."
            )
    return notes


RELIANCE = [
    *["variavel", "aceitar", "circular", "n", "total", "parte", "parte_inf", "parte_sup"],
    *["com_referencia", "acertos", "concordancia", "ic_inf", "ic_sup", "intervalo"],
]


def selective_reliance(coders: Coders, juri: str = "juri") -> pd.DataFrame:
    """How many decisions one accepts, state after state from the best supported, and at which agreement.

    Returns
    -------
    DataFrame
        A row a variable (`todas` first) and last state accepted, each row holding all the rows before it:
        `variavel, aceitar` (the last state accepted), `circular, n` (accepted) of `total` decisions,
        `parte, parte_inf, parte_sup` (share accepted), `com_referencia, acertos, concordancia, ic_inf,
        ic_sup, intervalo` (of the accepted; which interval, see `pooled.shares`). Whoever accepts every
        state accepts all decisions, by construction: that share has no interval.
    """
    states = coders.decisions[juri]["estado"]
    right, groups, columns = coders.right(juri), [], []
    for variavel, which in _groups(coders):
        accepted = np.zeros(len(states), dtype=bool)
        for estado in CONFIANCA:
            new = which & (states == estado).to_numpy()
            if new.any():
                accepted = accepted | new
                groups.append((variavel, estado))
                columns += [(accepted, which), (right, accepted & coders.known)]
    found = coders.shares(columns)
    share, agreement = found.iloc[0::2].reset_index(drop=True), found.iloc[1::2].reset_index(drop=True)
    table = pd.DataFrame(groups, columns=["variavel", "aceitar"]).assign(
        n=share["k"],
        total=share["n"],
        parte=share["valor"],
        parte_inf=share["ic_inf"],
        parte_sup=share["ic_sup"],
        com_referencia=agreement["n"],
        acertos=agreement["k"],
        concordancia=agreement["valor"],
        ic_inf=agreement["ic_inf"],
        ic_sup=agreement["ic_sup"],
        intervalo=agreement["intervalo"],
    )
    everything = table["n"] == table["total"]
    table[["parte_inf", "parte_sup"]] = table[["parte_inf", "parte_sup"]].mask(everything)
    return _marked(table, coders, juri)[RELIANCE]


def _groups(coders: Coders) -> Sequence[tuple[str, Bools]]:
    names = [TODAS, *(variable.nome for variable in coders.variaveis)]
    return [(name, coders.rows(name)) for name in names]


def _marked(table: pd.DataFrame, coders: Coders, juri: str) -> pd.DataFrame:
    assert coders.reference is not None
    mark = is_circular(coders.familias[coders.reference.codificador], coders.familias[juri])
    return table.assign(circular=pd.array([mark] * len(table), dtype="boolean"))
