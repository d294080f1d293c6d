"""One decision of the reconstruction: what it counts for, and the kappas of all, compiled with numba.

A decision is a row of seven category numbers: the reference, three votes of round 1 and three of
round 2 (members in the order main, gemma, small). The rows follow the jury's ordinary rules:
strict majority of three, fallback to the main model's first vote, and a second vote that is always
one of the values somebody gave in round 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

Array = np.ndarray[Any, Any]

N_DOCUMENTOS = 200
N_VARIAVEIS = 5
MAX_CATEGORIAS = 8
Z95 = 1.959963984540054

# Counters of one decision. Summed over a variable they are row v of `counts`; over all five, row 5.
UNANIME = 0
UNANIME_ERRADA = 1
SEM_MAIORIA = 2
DELIBERADA_CERTA = 3
SEM_MAIORIA_CERTA = 4
MUDOU = 5
MOVES = 6  # six counters: (towards, away) of main, gemma, small
SEM_CANDIDATO = 12  # no majority, and nobody gave the reference's value
PRINCIPAL_ERRADO = 13
SO_JURI = 14
SO_PRINCIPAL = 15
BLOCO_1 = 16
BLOCO_1_GEMMA = 17
BLOCO_2 = 18
BLOCO_2_GEMMA = 19
PAR_ESPECIAL = 20  # main model says category A where the reference says category B
PRINCIPAL_ERRADO_EM_B = 21  # main model wrong where the reference says category B
FALSO_B = 22  # first votes for category B where the reference says another
CONSERTADA = 23  # no majority, fallback wrong, and the reference's value among the candidates
N_CONTADORES = 24

# Coders whose kappa is measured.
N_FONTES = 6  # main, gemma, small, juri-r1, juri, juri-supervisor


@njit(cache=False)
def jury_of(row: Array, out: Array) -> None:
    """Votes of one decision → values of the six coders, written into `out` (6,)."""
    main, gemma, small = row[1], row[2], row[3]
    first = gemma if gemma == small else main
    second = row[5] if row[5] == row[6] else (row[4] if row[4] == row[5] or row[4] == row[6] else main)
    out[0], out[1], out[2], out[3], out[4] = main, gemma, small, first, second
    split = row[4] != row[5] and row[4] != row[6] and row[5] != row[6]
    known = row[0] == row[4] or row[0] == row[5] or row[0] == row[6]
    out[5] = row[0] if split and known else second


@njit(cache=False)
def add_row(
    row: Array, special_a: int, special_b: int, sign: int, coders: Array, counts: Array, confusion: Array
) -> None:
    """Add (sign 1) or take away (sign −1) a decision from its variable's counters and confusion tables."""
    jury_of(row, coders)
    for c in range(N_FONTES):
        confusion[c, row[0], coders[c]] += sign
    right = coders[4] == row[0]
    unanimous = row[1] == row[2] and row[1] == row[3]
    split = row[4] != row[5] and row[4] != row[6] and row[5] != row[6]
    if unanimous:
        counts[UNANIME] += sign
        if not right:
            counts[UNANIME_ERRADA] += sign
    elif split:
        counts[SEM_MAIORIA] += sign
        known = row[0] == row[4] or row[0] == row[5] or row[0] == row[6]
        if not known:
            counts[SEM_CANDIDATO] += sign
        if right:
            counts[SEM_MAIORIA_CERTA] += sign
        elif known:
            counts[CONSERTADA] += sign
    elif right:
        counts[DELIBERADA_CERTA] += sign
    if coders[3] != coders[4]:
        counts[MUDOU] += sign
    for m in range(3):
        before, after = row[1 + m] == row[0], row[4 + m] == row[0]
        if after and not before:
            counts[MOVES + 2 * m] += sign
        if before and not after:
            counts[MOVES + 2 * m + 1] += sign
        if row[1 + m] == special_b and row[0] != special_b:
            counts[FALSO_B] += sign
    if row[1] != row[0]:
        counts[PRINCIPAL_ERRADO] += sign
        if right:
            counts[SO_JURI] += sign
        if row[0] == special_b:
            counts[PRINCIPAL_ERRADO_EM_B] += sign
            if row[1] == special_a:
                counts[PAR_ESPECIAL] += sign
    elif not right:
        counts[SO_PRINCIPAL] += sign
    if row[1] == row[3] and row[1] != row[2]:
        counts[BLOCO_1] += sign
        if row[2] == row[0]:
            counts[BLOCO_1_GEMMA] += sign
    if row[4] == row[6] and row[4] != row[5]:
        counts[BLOCO_2] += sign
        if row[5] == row[0]:
            counts[BLOCO_2_GEMMA] += sign


@njit(cache=False)
def kappa_and_error(table: Array, k: int, skip: int) -> tuple[float, float]:
    """Cohen's kappa of a (k, k) count table without reference row `skip` (−1: none), and its standard error.

    The error is the large-sample one of Fleiss, Cohen and Everitt (1969).
    """
    n = 0.0
    diagonal = 0.0
    rows = np.zeros(MAX_CATEGORIAS)
    columns = np.zeros(MAX_CATEGORIAS)
    for i in range(k):
        if i == skip:
            continue
        diagonal += table[i, i]
        for j in range(k):
            rows[i] += table[i, j]
            columns[j] += table[i, j]
            n += table[i, j]
    po = diagonal / n
    pe = 0.0
    for i in range(k):
        rows[i] /= n
        columns[i] /= n
        pe += rows[i] * columns[i]
    if pe > 0.999:
        return 0.0, 1.0
    total = 0.0
    for i in range(k):
        if i == skip:
            continue
        for j in range(k):
            p = table[i, j] / n
            if i == j:
                total += p * ((1 - pe) - (rows[i] + columns[i]) * (1 - po)) ** 2
            else:
                total += p * ((1 - po) * (columns[i] + rows[j])) ** 2
    total -= (po * pe - 2 * pe + po) ** 2
    return (po - pe) / (1 - pe), np.sqrt(max(total, 0.0) / n) / (1 - pe) ** 2


@njit(cache=False)
def tabulate(decisions: Array, special: Array, coders: Array, counts: Array, confusion: Array) -> None:
    """Counters (6, N_CONTADORES) and confusion tables (5, 6, 8, 8) of all decisions."""
    counts[:] = 0
    confusion[:] = 0
    for i in range(len(decisions)):
        v = i // N_DOCUMENTOS
        add_row(decisions[i], special[v, 0], special[v, 1], 1, coders, counts[v], confusion[v])
    for v in range(N_VARIAVEIS):
        counts[N_VARIAVEIS] += counts[v]


@njit(cache=False)
def replace(
    decisions: Array,
    i: int,
    old: Array,
    new: Array,
    special: Array,
    coders: Array,
    counts: Array,
    confusion: Array,
) -> None:
    """Put `new` in the place of `old` as decision `i`, and keep the counters and tables in step."""
    v = i // N_DOCUMENTOS
    a, b = special[v]
    counts[N_VARIAVEIS] -= counts[v]
    add_row(old, a, b, -1, coders, counts[v], confusion[v])
    add_row(new, a, b, 1, coders, counts[v], confusion[v])
    counts[N_VARIAVEIS] += counts[v]
    decisions[i] = new
