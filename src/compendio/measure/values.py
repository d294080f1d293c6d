"""Codings as integers: how values are read, compared, and found missing.

Every measure of agreement starts here, so that all of them read a value in the same way: text is
compared after Unicode NFC and strip, and None, NaN, pd.NA and blank text are missing, never a category.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Codes = NDArray[np.intp]
Form = Callable[[Any], Hashable]

MISSING = -1
YES, NO = "sim", "nao"


def clean(text: str) -> str:
    """Text as it is compared: Unicode NFC, no white space at the ends."""
    return unicodedata.normalize("NFC", text).strip()


def as_set(value: str | frozenset[str]) -> frozenset[str]:
    """A several-choice value as a set; text is read as the JSON list of the data contract.

    Raises ValueError where the text is not a JSON list of texts.
    """
    if isinstance(value, str):
        try:
            items = json.loads(value)
        except json.JSONDecodeError:
            items = None
        if not isinstance(items, list):
            raise ValueError(
                f"valor de escolha múltipla que não é uma lista JSON: {value!r}; "
                'escreva, por exemplo, ["a", "b"] ou []'
            )
        value = frozenset(items)
    if not all(isinstance(item, str) for item in value):
        raise ValueError(
            f"escolha múltipla com itens que não são texto: {sorted(map(str, value))}; use texto"
        )
    return frozenset(clean(item) for item in value)


def category_list(categories: Sequence[str]) -> list[str]:
    """The codebook's categories as they are compared; ValueError where empty or repeated."""
    if isinstance(categories, str):
        raise ValueError(f"a lista de categorias é um texto só ({categories!r}); passe uma lista de textos")
    names = [clean(name) for name in categories]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"categorias repetidas na lista: {', '.join(repeated)}; cada uma entra uma vez só")
    if not names or "" in names:
        raise ValueError("a lista de categorias está vazia ou tem um nome em branco; passe as do codebook")
    return names


def _factorize(values: Any) -> tuple[Codes, list[Any]]:
    """Code per value (MISSING where missing) and the distinct values, cleaned but not yet merged."""
    if not isinstance(values, pd.Series | pd.Index | np.ndarray):
        items, values = values, np.empty(len(values), dtype=object)
        values[:] = items
    try:
        codes, uniques = pd.factorize(values)
    except TypeError:  # sets, lists: not hashable
        hashable = [frozenset(v) if isinstance(v, set | list) else v for v in values]
        codes, uniques = pd.factorize(pd.Series(hashable, dtype=object))
    distinct: list[Any] = []
    for position, value in enumerate(uniques):
        if isinstance(value, str):
            distinct.append(clean(value))
        elif isinstance(value, frozenset | tuple):
            distinct.append(as_set(frozenset(value)))
        else:
            where = int(np.flatnonzero(codes == position)[0])
            raise ValueError(
                f"o valor {value!r} (posição {where}) é {type(value).__name__}, não texto; "
                "converta os códigos em texto antes de medir"
            )
    return codes.astype(np.intp, copy=False), distinct


def same_length(*columns: Codes) -> int:
    """The common length; ValueError where the columns differ."""
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise ValueError(
            f"codificações de tamanhos diferentes ({', '.join(map(str, sorted(lengths)))}); "
            "alinhe todas pelos mesmos documentos antes de medir"
        )
    return lengths.pop() if lengths else 0


def encode(values: Any, categories: Sequence[str]) -> Codes:
    """Position of each value in the codebook's list.

    Parameters
    ----------
    values
        (n,) list, array or Series of text; None, NaN, pd.NA and blank text are missing.
    categories
        The codebook's list, K texts.

    Returns
    -------
    (n,) integers from 0 to K-1; MISSING (-1) where missing.

    Raises
    ------
    ValueError
        A value that is not text, or not in the list (a coder's answer outside the codebook is a
        failure of that coder: give it as missing).
    """
    names = category_list(categories)
    codes, distinct = _factorize(values)
    position = {name: index for index, name in enumerate(names)} | {"": MISSING}
    table = np.full(len(distinct) + 1, MISSING, dtype=np.intp)
    for index, value in enumerate(distinct):
        if value not in position:
            where = int(np.flatnonzero(codes == index)[0])
            raise ValueError(
                f"o valor {value!r} (posição {where}) não está entre as categorias ({', '.join(names)}); "
                "corrija-o, ou passe-o como ausente se for uma falha do codificador"
            )
        table[index] = position[value]
    return table[codes]


def encode_together(columns: Sequence[Any], form: Form | None = None) -> tuple[list[Codes], list[Hashable]]:
    """Codes that several columns share, where there is no list of categories (free text, sets).

    Parameters
    ----------
    columns
        Each (n,) texts, or collections of texts.
    form
        What is compared: for free text the normaliser, for sets `as_set`; without it the cleaned value.

    Returns
    -------
    One (n,) array of codes a column (MISSING where missing), and the forms the codes stand for.
    """
    known: dict[Hashable, int] = {}
    coded: list[Codes] = []
    for values in columns:
        codes, distinct = _factorize(values)
        table = np.full(len(distinct) + 1, MISSING, dtype=np.intp)
        for index, value in enumerate(distinct):
            if value != "":
                table[index] = known.setdefault(form(value) if form else value, len(known))
        coded.append(table[codes])
    same_length(*coded)
    return coded, list(known)


def texts(reasons: Sequence[str | None]) -> pd.Series | list[None]:
    """Reasons as a column in which None stays None (pandas makes NaN of it among texts)."""
    if not any(reasons):
        return [None] * len(reasons)  # pandas leaves these alone, and takes a plain list faster
    return pd.Series(reasons, dtype=object)


def membership(values: Any, categories: Sequence[str]) -> pd.DataFrame:
    """A several-choice variable as one yes/no variable a category.

    Parameters
    ----------
    values
        (n,) sets of categories, or JSON lists; missing where nothing was coded.

    Returns
    -------
    (n, K) frame, a column per category, with `sim`, `nao`, or None where the value is missing.
    """
    names = category_list(categories)
    (codes,), sets = encode_together([values], as_set)
    chosen_sets: list[Any] = list(sets)
    for index, chosen in enumerate(chosen_sets):
        outside = sorted(chosen.difference(names))
        if outside:
            where = int(np.flatnonzero(codes == index)[0])
            raise ValueError(
                f"a escolha {', '.join(outside)} (posição {where}) não está entre as categorias "
                f"({', '.join(names)}); corrija-a, ou passe o valor como ausente"
            )
    columns = {}
    for name in names:
        answers = [YES if name in chosen else NO for chosen in chosen_sets]
        columns[name] = [None if code == MISSING else answers[code] for code in codes]
    return pd.DataFrame(columns, dtype=object)
