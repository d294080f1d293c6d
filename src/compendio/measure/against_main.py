"""The jury against the main model alone, and against the best single member."""

from __future__ import annotations

import pandas as pd

from compendio.measure.agreement import holm, mcnemar_counts, mcnemar_exact
from compendio.measure.coders import Coders, same
from compendio.measure.families import is_circular, mark_circular
from compendio.measure.kappa_tables import KappaTables

MELHOR, PIOR, IGUAL = "o júri é melhor", "o membro é melhor", "não se distinguem"


def mcnemar_table(coders: Coders, juri: str = "juri") -> pd.DataFrame:
    """Exact two-sided McNemar of a jury against the main model's round 1, per variable of every type.

    Returns
    -------
    DataFrame
        `variavel, tipo, n` (documents with a value in the reference), `so_juri, so_principal` (how many only
        the one gets right), `p, p_holm` (Holm over these variables), `circular_juri, circular_principal`.
        A missing value is wrong; sets compare by equality, free text by its normal form.
    """
    assert coders.reference is not None
    main = coders.study.principal
    rows = []
    for variable in coders.variaveis:
        which = coders.rows(variable.nome)
        # Values are in comparable form already, so that equality of texts is equality of sets and forms.
        counts = mcnemar_counts(
            coders.truth[which], coders.values.loc[which, juri], coders.values.loc[which, main]
        )
        rows.append(
            {
                "variavel": variable.nome,
                "tipo": variable.tipo,
                "n": counts.n,
                "so_juri": counts.b,
                "so_principal": counts.c,
                "p": mcnemar_exact(counts.b, counts.c) if counts.n else float("nan"),
            }
        )
    table = pd.DataFrame(rows, columns=["variavel", "tipo", "n", "so_juri", "so_principal", "p"])
    table["p_holm"] = holm(table["p"])
    own = coders.familias[coders.reference.codificador]
    for name, coder in (("circular_juri", juri), ("circular_principal", main)):
        mark = is_circular(own, coders.familias[coder])
        table[name] = pd.array([mark] * len(table), dtype="boolean")
    return table


def member_against_jury(coders: Coders, tables: KappaTables) -> pd.DataFrame:
    """Each member's kappa beside the jury's: would that member alone have done as well?

    Returns
    -------
    DataFrame
        `variavel, membro, circular, kappa, kappa_juri, n_ambos` (documents that both answered),
        `diferenca` (jury minus member, over these), `ic_inf, ic_sup, indefinidas, motivo, veredito` (from that
        interval: at 95%, one variable at a time), `supera_todos` (its kappa is above the jury's and every other
        member's; missing where one of them is undefined).
    """
    assert coders.reference is not None
    kappa = tables.kappas.set_index(["variavel", "codificador"])["kappa"]
    members, rows = coders.membros, []
    apart = tables.differences[
        (tables.differences["primeiro"] == "juri") & tables.differences["segundo"].isin(members)
    ]
    for row in apart.itertuples():
        own = kappa[row.variavel, row.segundo]
        rivals = [kappa[row.variavel, name] for name in [*members, "juri"] if name != row.segundo]
        verdict = MELHOR if row.ic_inf > 0 else PIOR if row.ic_sup < 0 else IGUAL
        rows.append(
            {
                "variavel": row.variavel,
                "membro": row.segundo,
                "kappa": own,
                "kappa_juri": kappa[row.variavel, "juri"],
                "n_ambos": row.n,
                "diferenca": row.diferenca,
                "ic_inf": row.ic_inf,
                "ic_sup": row.ic_sup,
                "indefinidas": row.indefinidas,
                "motivo": row.motivo,
                "veredito": verdict if pd.notna(row.ic_inf) else None,
                "supera_todos": pd.NA if pd.isna([own, *rivals]).any() else own > max(rivals),
            }
        )
    columns = [
        *["variavel", "membro", "circular", "kappa", "kappa_juri", "n_ambos", "diferenca"],
        *["ic_inf", "ic_sup", "indefinidas", "motivo", "veredito", "supera_todos"],
    ]
    table = pd.DataFrame(rows, columns=[c for c in columns if c != "circular"])
    table["supera_todos"] = table["supera_todos"].astype("boolean")
    return mark_circular(table, coders.reference.codificador, coders.familias, "membro")[columns]


def coder_summary(coders: Coders, members: pd.DataFrame) -> pd.DataFrame:
    """Members and juries over all variables: what the reference says, and what can be known without it.

    Parameters
    ----------
    members
        From `member_against_jury`.

    Returns
    -------
    DataFrame
        `codificador, circular, n` (decisions with a value in the reference), `concordancia, ic_inf, ic_sup`
        (documents resampled), `supera_todos` (variables in which a member's kappa is above all others';
        missing for juries), `com_o_juri` (agreement with `juri`, for which no reference is needed).
    """
    assert coders.reference is not None
    names = [*coders.membros, *coders.juris]
    found = coders.shares([(coders.right(name), coders.known) for name in names])
    beats = members.groupby("membro")["supera_todos"].sum()
    jury = coders.values["juri"]
    has_value = jury.notna().to_numpy()
    with_jury = [float(same(coders.values[name], jury)[has_value].mean()) for name in names]
    table = pd.DataFrame(
        {
            "codificador": names,
            "n": found["n"],
            "concordancia": found["valor"],
            "ic_inf": found["ic_inf"],
            "ic_sup": found["ic_sup"],
            "supera_todos": pd.array([beats.get(name) for name in names], dtype="Int64"),
            "com_o_juri": with_jury,
        }
    )
    table = mark_circular(table, coders.reference.codificador, coders.familias)
    order = ["codificador", "circular", "n", "concordancia", "ic_inf", "ic_sup", "supera_todos", "com_o_juri"]
    return table[order]
