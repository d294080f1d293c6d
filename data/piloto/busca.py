"""Simulated annealing over the pilot's 1,000 categorical decisions, compiled with numba.

The cost is the distance of every printed figure from its target, so zero means that all of them are
met at once. New rows are drawn from a plain model of coding errors (a clear case that all members get
right, or a hard one in which they are tempted by the same wrong category), so what no figure fixes
stays ordinary.
"""

from __future__ import annotations

import numpy as np
from decisoes import (
    MAX_CATEGORIAS,
    N_CONTADORES,
    N_DOCUMENTOS,
    N_FONTES,
    N_VARIAVEIS,
    Z95,
    Array,
    kappa_and_error,
    replace,
    tabulate,
)
from numba import njit


@njit(cache=False)
def outside(x: float, low: float, high: float) -> float:
    return low - x if x < low else (x - high if x > high else 0.0)


@njit(cache=False)
def cost_of_all(counts: Array, low: Array, high: Array) -> float:
    """Distance of one row of counters from its bounds."""
    cost = 0.0
    for f in range(N_CONTADORES):
        cost += 3 * outside(counts[f], low[f], high[f])
    return cost


@njit(cache=False)
def cost_of_variable(
    v: int,
    k: int,
    special_b: int,
    counts: Array,
    confusion: Array,
    low: Array,
    high: Array,
    kappas: Array,
    tolerance: float,
    without_b: Array,
    ends: Array,
    slack: Array,
    offset: Array,
) -> float:
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
def draw(cumulative: Array) -> int:
    return int(np.searchsorted(cumulative, np.random.random(), side="right"))


@njit(cache=False)
def deliberate(row: Array) -> None:
    """Second votes: keep one's own with probability 3/4, else take another member's first vote."""
    for m in range(3):
        row[4 + m] = row[1 + m]
    if row[1] == row[2] and row[1] == row[3]:
        return
    for m in range(3):
        if np.random.random() < 0.25:
            row[4 + m] = row[1 + (m + 1 + np.random.randint(2)) % 3]


@njit(cache=False)
def fresh_row(v: int, row: Array, shares: Array, lures: Array, clear: Array) -> None:
    """One decision from the model of coding errors."""
    row[0] = draw(shares[v])
    lure = draw(lures[v, row[0]])
    easy = np.random.random() < clear[v]
    for m in range(3):
        u = np.random.random()
        row[1 + m] = row[0] if easy or u < 0.45 else (lure if u < 0.85 else draw(shares[v]))
    deliberate(row)


@njit(cache=False)
def changed_row(v: int, row: Array, shares: Array, lures: Array) -> None:
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
def recast(v: int, pattern: Array, row: Array, shares: Array, lures: Array) -> bool:
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
def propose(
    move: float, decisions: Array, picked: Array, rows: Array, shares: Array, lures: Array, clear: Array
) -> int:
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
def anneal(
    decisions: Array,
    steps: int,
    hot: float,
    cold: float,
    seed: int,
    sizes: Array,
    special: Array,
    shares: Array,
    lures: Array,
    clear: Array,
    low: Array,
    high: Array,
    kappas: Array,
    tolerance: float,
    without_b: Array,
    ends: Array,
    slack: Array,
    offset: Array,
) -> float:
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
