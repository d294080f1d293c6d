"""The votes of one round as a matrix: one line a decision, one column a configured member."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from compendio.codebook import Codebook
from compendio.contract import NIVEIS
from compendio.erros import ErroDeEstudo

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Ballots:
    """What P decisions of N members need to be counted.

    Attributes
    ----------
    votos
        The votes of the members (contract rows), index 0, 1, …
    documento, variavel
        (P,) what each decision is about, sorted by document, then variable.
    tipo
        (P,) the variable's type.
    linha
        (P, N) position in `votos` of each member's row; -1 where there is none.
    codigo
        (P, N) which of `valores` each member voted; -1 for a failure or a missing row.
    valores
        The different values, after NFC and strip.
    """

    votos: pd.DataFrame
    documento: pd.Series
    variavel: pd.Series
    tipo: NDArray[np.object_]
    linha: Ints
    codigo: Ints
    valores: list[str]


def gather(votos: pd.DataFrame, codebook: Codebook, membros: Sequence[str]) -> Ballots:
    """Arrange the votes of one round; rows of other sources than `membros` are left out.

    Raises ErroDeEstudo where a vote is not in the codebook, and ValueError where the same member
    votes twice in one decision or the members are not two or more different ones.
    """
    names = list(membros)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(f"a jury needs two or more different members: {names}")
    codes, found = pd.factorize(votos["fonte"])
    member = pd.Index(names).get_indexer(pd.Index(found))[codes]
    if (member < 0).any():
        votos, member = votos[member >= 0], member[member >= 0]
    votos = votos.reset_index(drop=True)

    doc, documents = _sorted_codes(votos["documento"])
    var, variables = _sorted_codes(votos["variavel"])
    _check_variables(variables, codebook)
    code, valores = _values(votos)

    slots = len(documents) * len(variables)
    cell = (doc * len(variables) + var) * len(names) + member
    linha = np.full(slots * len(names), -1, dtype=np.int64)
    linha[cell] = np.arange(len(votos))
    if np.count_nonzero(linha >= 0) < len(votos):
        twice = votos.loc[pd.Series(cell).duplicated().to_numpy(), ["documento", "variavel", "fonte"]].iloc[0]
        raise ValueError(f"two votes of one member in one decision: {twice.to_dict()}")
    lines = linha.reshape(slots, len(names))
    codigo = np.append(code, -1)[lines]

    present = np.flatnonzero((lines >= 0).any(axis=1))
    lines, codigo = lines[present], codigo[present]
    which = present % max(len(variables), 1)
    tipos = np.array([codebook.variaveis[name].tipo for name in variables], dtype=object)
    _check_categories(codigo, which, tipos, variables, valores, codebook)
    return Ballots(
        votos=votos,
        documento=pd.Series(documents.take(present // max(len(variables), 1))),
        variavel=pd.Series(variables.take(which)),
        tipo=tipos[which],
        linha=lines,
        codigo=codigo,
        valores=valores,
    )


def level_ranks(votos: pd.DataFrame) -> Ints:
    """(rows,) the place of each evidence level in `contract.NIVEIS`, best first; missing is the last."""
    codes, levels = pd.factorize(votos["nivel_evidencia"])
    unknown = sorted(set(levels) - set(NIVEIS) - {""})
    # Several choices carry an object of levels, which is read where they are counted.
    ranks = [NIVEIS.index(level) if level in NIVEIS else len(NIVEIS) - 1 for level in levels]
    if any(not level.startswith("{") for level in unknown):
        raise ValueError(f"unknown levels of evidence: {unknown[:3]}")
    return np.array([*ranks, len(NIVEIS) - 1], dtype=np.int64)[codes]


def _sorted_codes(column: pd.Series) -> tuple[Ints, Any]:
    codes, found = pd.factorize(column)
    if (codes < 0).any():
        raise ValueError(f"a vote without `{column.name}`")
    order = found.argsort()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], found.take(order)


def _values(votos: pd.DataFrame) -> tuple[Ints, list[str]]:
    """(rows,) the code of each vote (-1: none), and the values; a failure is never a vote."""
    codes, raw = pd.factorize(votos["valor"])
    clean = [unicodedata.normalize("NFC", str(value)).strip() for value in raw]
    valores = sorted(set(clean) - {""})
    place = {value: k for k, value in enumerate(valores)}
    code = np.array([*(place.get(value, -1) for value in clean), -1], dtype=np.int64)[codes]
    code[votos["falha"].notna().to_numpy()] = -1
    return code, valores


def _check_variables(variables: Any, codebook: Codebook) -> None:
    missing = [name for name in variables if name not in codebook.variaveis]
    if missing:
        raise ErroDeEstudo(
            [
                f"Há votos para a variável '{name}', que o livro de códigos não tem: "
                "refaça a classificação com o livro atual ou devolva a variável ao codebook.yaml."
                for name in missing
            ]
        )


def _check_categories(
    codigo: Ints,
    which: Ints,
    tipos: NDArray[np.object_],
    variables: Any,
    valores: list[str],
    codebook: Codebook,
) -> None:
    problems = []
    for k in np.flatnonzero(tipos == "categorica"):
        used = np.unique(codigo[which == k])
        categories = codebook.variaveis[variables[k]].categorias
        for value in (valores[c] for c in used if c >= 0):
            if value not in categories:
                problems.append(
                    f"O voto '{value}' da variável '{variables[k]}' não é uma categoria do livro de códigos: "
                    "corrija o voto ou acrescente a categoria ao codebook.yaml."
                )
    if problems:
        raise ErroDeEstudo(problems)
