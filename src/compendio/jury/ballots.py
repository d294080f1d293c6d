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
    documento, variavel
        (P,) what each decision is about, sorted by document, then variable; `variavel` is a place in
        `variaveis`, the names.
    linha
        (P, N) position in `votos` of each member's row; -1 where there is none.
    codigo
        (P, N) which of `valores` each member voted; -1 for a failure or a missing row.
    valores
        The different values, after NFC and strip.
    """

    votos: pd.DataFrame
    documento: Any
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
    codes, found = _factorize(votos["fonte"])
    member = pd.Index(names).get_indexer(pd.Index(found))[codes]
    if (member < 0).any():
        votos, member = votos[member >= 0], member[member >= 0]
    votos = votos.reset_index(drop=True)

    cell, documents, variables = _cells(votos, member)
    _check_variables(variables, codebook)
    slots = len(documents) * len(variables)
    lines = np.full((slots, len(names)), -1, dtype=np.int32)
    lines.ravel()[cell * len(names) + member] = np.arange(len(votos), dtype=np.int32)
    seen = np.zeros(slots, dtype=bool)
    seen[cell] = True
    if not seen.all():
        lines = lines[seen]
    if np.count_nonzero(lines >= 0) < len(votos):
        again = votos[["documento", "variavel", "fonte"]].duplicated()
        raise ValueError(f"two votes of one member in one decision: {votos[again].iloc[0].to_dict()}")
    code, valores = _values(votos)
    present = np.flatnonzero(seen)
    width = max(len(variables), 1)
    in_order = np.array_equal(cell[: len(present)], present)  # the usual case, and no copy of strings
    return Ballots(
        votos=votos,
        documento=votos["documento"].array[: len(present)] if in_order else documents.take(present // width),
        variaveis=list(variables),
        variavel=present % width,
        linha=lines,
        codigo=np.append(code, -1)[lines],
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


def _cells(votos: pd.DataFrame, member: Ints) -> tuple[Ints, Any, Any]:
    """(rows,) the decision of each row, document × variables + variable: places in the two sorted lists."""
    size = int(np.argmax(np.append(member[1:] != member[:-1], True))) + 1
    keys = [votos["documento"].array, votos["variavel"].array]
    times, rest = divmod(len(votos), size)
    if rest == 0 and all((key[size:] == key[:-size]).all() for key in keys):
        # Files of members about the same decisions, one after the other: reading the first one will do.
        keys = [key[:size] for key in keys]
    else:
        times = 1
    doc, documents = _sorted_codes(keys[0])
    var, variables = _sorted_codes(keys[1])
    return np.tile(doc * len(variables) + var, times), documents, variables


def _sorted_codes(column: Any) -> tuple[Ints, Any]:
    codes, found = _factorize(column)
    if (codes < 0).any():
        raise ValueError("a vote without its document or variable")
    order = found.argsort()
    if (order[1:] > order[:-1]).all():
        return codes, found
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], found.take(order)


def _factorize(column: Any) -> tuple[Ints, Any]:
    """`pd.factorize` of text, faster where equal values stand together, as documents in a table do."""
    values = pd.Series(column).array
    if len(values) == 0:
        return np.empty(0, dtype=np.int64), values
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    if 2 * len(starts) > len(values):
        return pd.factorize(values)
    codes, found = pd.factorize(values.take(starts))
    return np.repeat(codes, np.diff(np.append(starts, len(values)))), found


def _values(votos: pd.DataFrame) -> tuple[Ints, list[str]]:
    """(rows,) the code of each vote (-1: none), and the values; a failure is never a vote."""
    codes, raw = pd.factorize(votos["valor"])
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
