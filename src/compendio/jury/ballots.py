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

Ints = NDArray[np.signedinteger[Any]]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Ballots:
    """What P decisions of N members need to be counted.

    Attributes
    ----------
    votos
        The votes of the members (contract rows), index 0, 1, …
    documento, nome
        (P,) the document and the variable that each decision is about, sorted by document, then variable.
    variaveis, variavel
        The names of the variables, and (P,) the place of each decision's variable among them.
    linha
        (P, N) position in `votos` of each member's row; -1 where there is none.
    codigo
        (P, N) which of `valores` each member voted; -1 for a failure or a missing row.
    valores
        The different values, after NFC and strip.
    """

    votos: pd.DataFrame
    documento: Any
    nome: Any
    variaveis: list[str]
    variavel: Ints
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
    sources, lengths = _runs(votos["fonte"].array)
    codes, found = pd.factorize(sources)
    member = np.append(pd.Index(names).get_indexer(pd.Index(found)), -1)[codes]
    if (member < 0).any():
        return gather(votos[np.repeat(member >= 0, lengths)], codebook, names)
    votos = votos.reset_index(drop=True)

    keys = [votos[name].array for name in ("documento", "variavel")]
    size = int(lengths[0]) if len(lengths) else 0
    if (lengths == size).all() and all(key[size:].equals(key[:-size]) for key in keys):
        # Files of members about the same decisions, one after the other: reading the first one will do.
        keys, member = [key[:size] for key in keys], member[:, None]
    else:
        member = np.repeat(member, lengths)[None, :]
    cell, documents, variables = _cells(*keys)
    _check_variables(variables, codebook)
    slots = len(documents) * len(variables)
    # One line of memory a member, so that the votes of one member stand side by side.
    place = (member * np.int64(slots) + cell).ravel()
    lines = np.full((len(names), slots), -1, dtype=np.int32)
    lines.ravel()[place] = np.arange(len(votos), dtype=np.int32)
    if np.count_nonzero(lines >= 0) < len(votos):
        again = votos[["documento", "variavel", "fonte"]].duplicated()
        raise ValueError(f"two votes of one member in one decision: {votos[again].iloc[0].to_dict()}")
    code, valores = _values(votos)
    votes = np.full((len(names), slots), -1, dtype=np.int32)
    votes.ravel()[place] = code
    seen = np.zeros(slots, dtype=bool)
    seen[cell] = True
    if not seen.all():
        lines, votes = lines[:, seen], votes[:, seen]
    present = np.flatnonzero(seen)
    variable = present % max(len(variables), 1)
    if np.array_equal(cell[: len(present)], present):  # the usual case, and no copy of strings
        about = [key[: len(present)] for key in keys]
    else:
        about = [documents.take(present // max(len(variables), 1)), variables.take(variable)]
    return Ballots(
        votos=votos,
        documento=about[0],
        nome=about[1],
        variaveis=list(variables),
        variavel=variable,
        linha=lines.T,
        codigo=votes.T,
        valores=valores,
    )


def level_ranks(votos: pd.DataFrame) -> Ints:
    """(rows + 1,) the place of each evidence level in `contract.NIVEIS`, best first; missing is the last.

    One more at the end serves the line -1 of a missing row.
    """
    codes, levels = pd.factorize(votos["nivel_evidencia"])
    unknown = sorted(set(levels) - set(NIVEIS) - {""})
    # Several choices carry an object of levels, which is read where they are counted.
    ranks = [NIVEIS.index(level) if level in NIVEIS else len(NIVEIS) - 1 for level in levels]
    if any(not level.startswith("{") for level in unknown):
        raise ValueError(f"unknown levels of evidence: {unknown[:3]}")
    return np.append(np.array([*ranks, len(NIVEIS) - 1], dtype=np.int64)[codes], len(NIVEIS) - 1)


def _cells(documento: Any, variavel: Any) -> tuple[Ints, Any, Any]:
    """The decision of each row, document × variables + variable: places in the two sorted lists."""
    alike, lengths = _runs(documento)
    doc, documents = _sorted_codes(alike)
    var, variables = _sorted_codes(variavel)
    return np.repeat(doc, lengths) * len(variables) + var, documents, variables


def _sorted_codes(column: Any) -> tuple[Ints, Any]:
    codes, found = pd.factorize(column)
    if (codes < 0).any():
        raise ValueError("a vote without its document or variable")
    if (found[1:] > found[:-1]).all():
        return codes, found
    order = found.argsort()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], found.take(order)


def _runs(column: Any) -> tuple[Any, Ints]:
    """The value of each run of equal values, and its length: rows of one source, of one document."""
    starts = np.flatnonzero(np.append(True, column[1:] != column[:-1])[: len(column)])
    return column.take(starts), np.diff(np.append(starts, len(column)))


def _values(votos: pd.DataFrame) -> tuple[Ints, list[str]]:
    """(rows,) the code of each vote (-1: none), and the values; a failure is never a vote."""
    codes, raw = pd.factorize(votos["valor"].array)
    clean = [unicodedata.normalize("NFC", str(value)).strip() for value in raw]
    valores = sorted(set(clean) - {""})
    place = {value: k for k, value in enumerate(valores)}
    code = np.array([*(place.get(value, -1) for value in clean), -1], dtype=np.int32)[codes]
    failed = votos["falha"].notna().to_numpy()
    if failed.any():
        code[failed] = -1
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


def outside_codebook(variavel: str, valor: str) -> str:
    """What is wrong with a vote for a category that is not there."""
    return (
        f"O voto '{valor}' da variável '{variavel}' não é uma categoria do livro de códigos: "
        "corrija o voto ou acrescente a categoria ao codebook.yaml."
    )
