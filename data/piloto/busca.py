"""Simulated annealing over the pilot's 1,000 categorical decisions, compiled with numba.

A decision is a row of seven category numbers: the reference, three votes of round 1 and three of
round 2 (members in the order main, gemma, small). The rows follow the jury's ordinary rules:
strict majority of three, fallback to the main model's first vote, and a second vote that is always
one of the values somebody gave in round 1. The cost is the distance of every printed figure from
its target, so zero means that all of them are met at once.

New rows are drawn from a plain model of coding errors (a clear case that all members get right, or
a hard one in which they are tempted by the same wrong category), so what no figure fixes stays
ordinary.
"""

from __future__ import annotations

import numpy as np
from numba import njit

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
def jury_of(row, out):
    """Votes of one decision → values of the six coders, written into `out` (6,)."""
    main, gemma, small = row[1], row[2], row[3]
    first = gemma if gemma == small else main
    second = row[5] if row[5] == row[6] else (row[4] if row[4] == row[5] or row[4] == row[6] else main)
    out[0], out[1], out[2], out[3], out[4] = main, gemma, small, first, second
    split = row[4] != row[5] and row[4] != row[6] and row[5] != row[6]
    known = row[0] == row[4] or row[0] == row[5] or row[0] == row[6]
    out[5] = row[0] if split and known else second


@njit(cache=False)
def add_row(row, special_a, special_b, sign, coders, counts, confusion):
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
def kappa_and_error(table, k, skip):
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
def outside(x, low, high):
    return low - x if x < low else (x - high if x > high else 0.0)


@njit(cache=False)
def cost_of_all(counts, low, high):
    """Distance of one row of counters from its bounds."""
    cost = 0.0
    for f in range(N_CONTADORES):
        cost += 3 * outside(counts[f], low[f], high[f])
    return cost


@njit(cache=False)
def cost_of_variable(v, k, special_b, counts, confusion, low, high, kappas, tolerance, without_b, ends, slack, offset):
    """Distance of one variable's figures from their targets; kappas and interval ends in steps of 0.001."""
    cost = cost_of_all(counts, low[v], high[v])
    for c in range(N_FONTES):
        if kappas[v, c] > 0:
            value, error = kappa_and_error(confusion[c], k, -1)
            cost += 1000 * outside(value, kappas[v, c] - tolerance, kappas[v, c] + tolerance)
            if c == 4:
                for e in range(2):
                    end = value + (2 * e - 1) * Z95 * error + offset[v, e]
                    cost += 2000 * outside(end, ends[v, e] - slack[v], ends[v, e] + slack[v])
    if without_b[v] > 0:
        value, error = kappa_and_error(confusion[0], k, special_b)
        cost += 1000 * outside(value, without_b[v] - tolerance, without_b[v] + tolerance)
    for i in range(k):  # every category is used by the reference at least twice
        cost += 3 * outside(confusion[0, i, :].sum(), 2, 1000)
    return cost


@njit(cache=False)
def draw(cumulative):
    return np.searchsorted(cumulative, np.random.random(), side="right")


@njit(cache=False)
def deliberate(row):
    """Second votes: keep one's own with probability 3/4, else take another member's first vote."""
    for m in range(3):
        row[4 + m] = row[1 + m]
    if row[1] == row[2] and row[1] == row[3]:
        return
    for m in range(3):
        if np.random.random() < 0.25:
            row[4 + m] = row[1 + (m + 1 + np.random.randint(2)) % 3]


@njit(cache=False)
def fresh_row(v, row, shares, lures, clear):
    """One decision from the model of coding errors."""
    row[0] = draw(shares[v])
    lure = draw(lures[v, row[0]])
    easy = np.random.random() < clear[v]
    for m in range(3):
        u = np.random.random()
        row[1 + m] = row[0] if easy or u < 0.45 else (lure if u < 0.85 else draw(shares[v]))
    deliberate(row)


@njit(cache=False)
def changed_row(v, row, shares, lures):
    """A small change of one decision: one first vote or the second votes."""
    if np.random.random() < 0.6:
        m = np.random.randint(3)
        u = np.random.random()
        if u < 0.4:
            row[1 + m] = row[0]
        elif u < 0.7:
            row[1 + m] = row[1 + np.random.randint(3)]
        else:
            row[1 + m] = draw(lures[v, row[0]])
    deliberate(row)


@njit(cache=False)
def recast(v, pattern, row, shares, lures):
    """Copy who agrees with whom from `pattern` into `row`, with the categories of variable v drawn anew.

    It changes no counter but those of named categories; gives false where v has too few categories.
    """
    row[0] = draw(shares[v])
    for place in range(1, 7):
        seen = -1
        for earlier in range(place):
            if pattern[earlier] == pattern[place]:
                seen = earlier
        if seen >= 0:
            row[place] = row[seen]
            continue
        for attempt in range(11):
            if attempt == 10:
                return False
            row[place] = draw(lures[v, row[0]])
            if not np.any(row[:place] == row[place]):
                break
    return True


@njit(cache=False)
def propose(move, decisions, picked, rows, shares, lures, clear):
    """Fill `rows` (2, 2, 7) with each picked decision before and after; gives how many change (0: none)."""
    for c in range(2):
        picked[c] = np.random.randint(len(decisions))
        rows[c, 0] = decisions[picked[c]]
        rows[c, 1] = rows[c, 0]
    v, w = picked[0] // N_DOCUMENTOS, picked[1] // N_DOCUMENTOS
    if picked[0] == picked[1]:
        return 0
    if move < 0.25:
        return 1 if recast(v, rows[0, 0], rows[0, 1], shares, lures) else 0
    if move < 0.5:  # two decisions exchange their patterns: what is summed over variables stays
        first = recast(v, rows[1, 0], rows[0, 1], shares, lures)
        second = recast(w, rows[0, 0], rows[1, 1], shares, lures)
        return 2 if first and second else 0
    changes = 1 if move < 0.75 else 2
    for c in range(changes):
        u = picked[c] // N_DOCUMENTOS
        if np.random.random() < 0.5:
            fresh_row(u, rows[c, 1], shares, lures, clear)
        else:
            changed_row(u, rows[c, 1], shares, lures)
    return changes


@njit(cache=False)
def tabulate(decisions, special, coders, counts, confusion):
    """Counters (6, N_CONTADORES) and confusion tables (5, 6, 8, 8) of all decisions."""
    counts[:] = 0
    confusion[:] = 0
    for i in range(len(decisions)):
        v = i // N_DOCUMENTOS
        add_row(decisions[i], special[v, 0], special[v, 1], 1, coders, counts[v], confusion[v])
    for v in range(N_VARIAVEIS):
        counts[N_VARIAVEIS] += counts[v]


@njit(cache=False)
def replace(decisions, i, old, new, special, coders, counts, confusion):
    """Put `new` in the place of `old` as decision `i`, and keep the counters and tables in step."""
    v = i // N_DOCUMENTOS
    a, b = special[v]
    counts[N_VARIAVEIS] -= counts[v]
    add_row(old, a, b, -1, coders, counts[v], confusion[v])
    add_row(new, a, b, 1, coders, counts[v], confusion[v])
    counts[N_VARIAVEIS] += counts[v]
    decisions[i] = new


@njit(cache=False)
def anneal(
    decisions, steps, hot, cold, seed, sizes, special, shares, lures, clear,
    low, high, kappas, tolerance, without_b, ends, slack, offset,
):  # fmt: skip
    """Anneal `decisions` (1000, 7) in place; gives the cost reached. Stops at zero."""
    np.random.seed(seed)
    coders = np.zeros(N_FONTES, np.int64)
    counts = np.zeros((N_VARIAVEIS + 1, N_CONTADORES), np.int64)
    confusion = np.zeros((N_VARIAVEIS, N_FONTES, MAX_CATEGORIAS, MAX_CATEGORIAS), np.int64)
    tabulate(decisions, special, coders, counts, confusion)
    costs = np.zeros(N_VARIAVEIS + 1)
    for v in range(N_VARIAVEIS):
        costs[v] = cost_of_variable(
            v, sizes[v], special[v, 1], counts[v], confusion[v],
            low, high, kappas, tolerance, without_b, ends, slack, offset,
        )  # fmt: skip
    costs[N_VARIAVEIS] = cost_of_all(counts[N_VARIAVEIS], low[N_VARIAVEIS], high[N_VARIAVEIS])
    rows = np.zeros((2, 2, 7), np.int64)  # two changes, each before and after
    picked = np.zeros(2, np.int64)
    trial = costs.copy()
    for step in range(steps):
        if costs.sum() < 1e-9:
            break
        temperature = hot * (cold / hot) ** (step / steps)
        changes = propose(np.random.random(), decisions, picked, rows, shares, lures, clear)
        for c in range(changes):
            replace(decisions, picked[c], rows[c, 0], rows[c, 1], special, coders, counts, confusion)
        trial[:] = costs
        for c in range(changes):
            v = picked[c] // N_DOCUMENTOS
            trial[v] = cost_of_variable(
                v, sizes[v], special[v, 1], counts[v], confusion[v],
                low, high, kappas, tolerance, without_b, ends, slack, offset,
            )  # fmt: skip
        trial[N_VARIAVEIS] = cost_of_all(counts[N_VARIAVEIS], low[N_VARIAVEIS], high[N_VARIAVEIS])
        change = trial.sum() - costs.sum()
        if change <= 0 or np.random.random() < np.exp(-change / temperature):
            costs[:] = trial
        else:
            for c in range(changes - 1, -1, -1):
                replace(decisions, picked[c], rows[c, 1], rows[c, 0], special, coders, counts, confusion)
    return costs.sum()
