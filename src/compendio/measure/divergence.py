"""Where a coder and the reference differ, and what that says about the codebook.

A divergence has both values, both quotes and both definitions. Divergences are grouped by pair of
categories, since a pair that explains many of them points at a boundary that the codebook does not draw.
Nothing here changes a codebook.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pandas as pd

from compendio.codebook import Codebook, Variable
from compendio.measure.inference import mcnemar_exact
from compendio.measure.kappa import cohen_kappa
from compendio.measure.votes_matrix import comparable

SEM_VALOR = "(sem valor)"
COLUNAS = [
    "documento", "variavel", "valor", "referencia", "evidencia", "nivel_evidencia", "evidencia_referencia",
    "definicao", "definicao_referencia", "dispensa",
]  # fmt: skip
PARES = ["referencia", "valor", "n", "parcela", "kappa", "kappa_sem_o_par", "kappa_fundidas"]
POR_REFERENCIA = ["referencia", "n", "kappa_sem"]
USO = [
    "categoria", "n_referencia", "n_codificador", "so_referencia", "so_codificador", "p", "uso", "dispensa",
]  # fmt: skip


def paired_codings(coder: pd.DataFrame, reference: pd.DataFrame, codebook: Codebook) -> pd.DataFrame:
    """The coder's row beside the reference's, for every (documento, variavel) with a reference value.

    Returns
    -------
    DataFrame
        `documento, variavel, valor, referencia, evidencia, nivel_evidencia, evidencia_referencia, igual`. `valor`
        is missing where the coder has none (then it disagrees). Equality is that of the data contract: normal
        forms of free text, sets of several choices.
    """
    ref = reference[reference["valor"].notna()]
    ref = ref[["documento", "variavel", "valor", "evidencia"]].rename(
        columns={"valor": "referencia", "evidencia": "evidencia_referencia"}
    )
    own = coder[["documento", "variavel", "valor", "evidencia", "nivel_evidencia"]]
    both = ref.merge(own, on=["documento", "variavel"], how="left", validate="one_to_one")
    left = comparable(both["valor"], both["variavel"], codebook)
    right = comparable(both["referencia"], both["variavel"], codebook)
    return both.assign(igual=left.eq(right).fillna(False).astype(bool))


def _of(variavel: str, coder: pd.DataFrame, reference: pd.DataFrame, codebook: Codebook) -> pd.DataFrame:
    """`paired_codings` of one variable."""
    own, ref = coder[coder["variavel"] == variavel], reference[reference["variavel"] == variavel]
    return paired_codings(own, ref, codebook)


def divergences(coder: pd.DataFrame, reference: pd.DataFrame, codebook: Codebook) -> pd.DataFrame:
    """Every divergence between a coder and the reference (columns `COLUNAS`), with the definitions concerned.

    `dispensa`: the coder's value is one that the codebook exempts from evidence.
    """
    both = paired_codings(coder, reference, codebook)
    rows = both[~both["igual"]].reset_index(drop=True)
    variables = [codebook.variaveis[name] for name in rows["variavel"]]
    rows["definicao"] = [_definition(v, x) for v, x in zip(variables, rows["valor"], strict=True)]
    rows["definicao_referencia"] = [
        _definition(v, x) for v, x in zip(variables, rows["referencia"], strict=True)
    ]
    rows["dispensa"] = [_exempt(v, x) for v, x in zip(variables, rows["valor"], strict=True)]
    return rows[COLUNAS]


def _definition(variable: Variable, valor: object) -> str | None:
    if not isinstance(valor, str):
        return None
    names = json.loads(valor) if variable.tipo == "multipla" else [valor]
    found = [
        f"{name}: {variable.categorias[name].definicao}" for name in names if name in variable.categorias
    ]
    return "; ".join(found) or None


def _exempt(variable: Variable, valor: object) -> bool:
    if not isinstance(valor, str) or variable.tipo == "multipla":
        return False
    return variable.dispensa(valor)


def category_pairs(
    coder: pd.DataFrame, reference: pd.DataFrame, codebook: Codebook, variavel: str
) -> pd.DataFrame:
    """The pairs of categories behind the divergences of one categorical variable.

    Returns
    -------
    DataFrame
        `referencia, valor, n, parcela, kappa, kappa_sem_o_par, kappa_fundidas`, most frequent first. `parcela`: the
        pair's share of all divergences. `kappa_sem_o_par`: kappa over the documents that are not of this pair.
        `kappa_fundidas`: kappa when the two categories are one, in both codings. These are counterfactuals, not
        forecasts: a codebook without the pair would also change other answers.
    """
    both = _of(variavel, coder, reference, codebook)
    names = list(codebook.variaveis[variavel].categorias)
    kappa = _kappa(both, names)
    wrong = both[~both["igual"]]
    counts = wrong.assign(valor=wrong["valor"].fillna(SEM_VALOR)).groupby(["referencia", "valor"]).size()
    rows = []
    for (ref, value), n in counts.items():
        pair = (both["referencia"] == ref) & (both["valor"].fillna(SEM_VALOR) == value)
        merged = both.assign(
            valor=both["valor"].mask(both["valor"] == value, ref),
            referencia=both["referencia"].mask(both["referencia"] == value, ref),
        )
        rows.append(
            {
                "referencia": ref,
                "valor": value,
                "n": int(n),
                "parcela": n / len(wrong),
                "kappa": kappa,
                "kappa_sem_o_par": _kappa(both[~pair], names),
                "kappa_fundidas": _kappa(merged, names) if value != SEM_VALOR else np.nan,
            }
        )
    table = pd.DataFrame(rows, columns=PARES)
    order = table.assign(ordem=[names.index(r) for r in table["referencia"]])
    order = order.sort_values(["n", "ordem", "valor"], ascending=[False, True, True], kind="stable")
    return order.drop(columns="ordem").reset_index(drop=True)


def reference_categories(
    coder: pd.DataFrame, reference: pd.DataFrame, codebook: Codebook, variavel: str
) -> pd.DataFrame:
    """Divergences by the category in which the reference puts the document.

    Returns
    -------
    DataFrame
        `referencia, n, kappa_sem`, most frequent first: `n` divergences there; `kappa_sem` over the documents that
        the reference does not put there.
    """
    both = _of(variavel, coder, reference, codebook)
    names = list(codebook.variaveis[variavel].categorias)
    counts = both.loc[~both["igual"], "referencia"].value_counts()
    rows = [
        {
            "referencia": name,
            "n": int(counts[name]),
            "kappa_sem": _kappa(both[both["referencia"] != name], names),
        }
        for name in names
        if name in counts.index
    ]
    table = pd.DataFrame(rows, columns=POR_REFERENCIA)
    return table.sort_values("n", ascending=False, kind="stable", ignore_index=True)


def category_use(
    coder: pd.DataFrame, reference: pd.DataFrame, codebook: Codebook, variavel: str
) -> pd.DataFrame:
    """Categories that a coder avoids or overuses.

    Returns
    -------
    DataFrame
        `categoria, n_referencia, n_codificador, so_referencia, so_codificador, p, uso, dispensa` in codebook order;
        in several choices a category counts wherever it is among them.
        `p`: exact McNemar of the two discordant counts, not corrected for the number of categories; `uso`:
        `evitada` or `usada demais` where p < 0.05, else empty.
    """
    both = _of(variavel, coder, reference, codebook)
    several = codebook.variaveis[variavel].tipo == "multipla"
    rows = []
    for name, category in codebook.variaveis[variavel].categorias.items():
        ref, own = _has(both["referencia"], name, several), _has(both["valor"], name, several)
        only_ref, only_own = int((ref & ~own).sum()), int((own & ~ref).sum())
        p = mcnemar_exact(only_ref, only_own)
        use = "" if p >= 0.05 else "evitada" if only_ref > only_own else "usada demais"
        rows.append(
            {
                "categoria": name,
                "n_referencia": int(ref.sum()),
                "n_codificador": int(own.sum()),
                "so_referencia": only_ref,
                "so_codificador": only_own,
                "p": p,
                "uso": use,
                "dispensa": category.dispensa_evidencia,
            }
        )
    return pd.DataFrame(rows, columns=USO)


def _has(values: pd.Series, name: str, several: bool) -> pd.Series:
    """Where a value is the category or, in several choices, holds it; a missing value does not."""
    if not several:
        return values.eq(name).fillna(False).astype(bool)
    return pd.Series([isinstance(v, str) and name in json.loads(v) for v in values], values.index, dtype=bool)


def cheap_answers(
    table: pd.DataFrame, codebook: Codebook, names: Sequence[str] | None = None
) -> pd.DataFrame:
    """Exempt categories used as the cheap answer: what share of a variable's divergences they are.

    `table` is what `divergences` gives. Returns `variavel, valor, n, parcela` for every exempt value given
    against the reference, most frequent first within a variable.
    """
    rows = table if names is None else table[table["variavel"].isin(list(names))]
    total = rows.groupby("variavel").size()
    exempt = rows[rows["dispensa"]].groupby(["variavel", "valor"]).size().rename("n").reset_index()
    if exempt.empty:
        return pd.DataFrame(columns=["variavel", "valor", "n", "parcela"])
    exempt["parcela"] = exempt["n"] / exempt["variavel"].map(total)
    order = {name: k for k, name in enumerate(codebook.variaveis)}
    exempt = exempt.assign(ordem=exempt["variavel"].map(order)).sort_values(
        ["ordem", "n", "valor"], ascending=[True, False, True], kind="stable"
    )
    return exempt.drop(columns="ordem").reset_index(drop=True)


def _kappa(both: pd.DataFrame, names: Sequence[str]) -> float:
    if both.empty:
        return float("nan")
    return float(cohen_kappa(both["referencia"], both["valor"], names).value)
