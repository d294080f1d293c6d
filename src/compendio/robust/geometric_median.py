"""Geometric median of many small panels at once: exact batched solver, Weiszfeld's iteration, certificate.

The geometric median of judges' vectors y_1..y_N is the z that minimises sum_i |z - y_i|. Arrays here hold
only judges that count (no NaN); `compendio.robust.aggregate` masks and groups. Inside the solver the axes
are (judges, dimensions, queries), so that every operation runs along contiguous queries.

Sources: Weiszfeld (1937); Vardi and Zhang (2000, PNAS 97:1423) for the vertex test and the step that leaves
a vertex; Minsker (2015, Bernoulli 21:2308) for the bound under contamination; the 1/max(distance, eta)
weights are those that RoPoLL describes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

EPS = float(np.finfo(np.float64).eps)
# A vertex whose minimum subgradient is below this is taken as the median. Nearer to a judge's vector than
# about this share of the spread, the direction to it is lost in rounding (sqrt of EPS is 1.5e-8).
VERTEX_TOLERANCE = 1e-9
# Target for the norm of the gradient away from the judges' vectors.
GRADIENT_TOLERANCE = 1e-13
MAX_NEWTON = 200
SHORTENINGS = 8
SQRT3 = float(np.sqrt(3.0))


def subgradient_norm(scores: Floats, point: Floats) -> Floats:
    """Norm of the minimum subgradient of the sum of distances at `point`: 0 at a geometric median.

    Parameters
    ----------
    scores
        (queries, judges, dimensions). A judge with a NaN in a query does not count there.
    point
        (queries, dimensions).

    Returns
    -------
    (queries,) in judges: each judge pulls with force 1, so the value lies between 0 and N. A judge whose
    vector equals `point` up to rounding (8 units in the last place) pulls in whatever direction helps.
    NaN where no judge counts.
    """
    valid = counting(scores)
    x = np.where(valid[:, :, None], scores, 0.0).transpose(1, 2, 0)
    z = np.ascontiguousarray(point.T)
    r = z - x
    dist = _norm(r, axis=1)
    touching = dist <= _rounding(x, z)
    weight = np.where(touching | ~valid.T, 0.0, 1.0 / np.where(touching, 1.0, dist))
    pull = _norm((weight[:, None, :] * r).sum(axis=0), axis=0)
    residual = np.maximum(0.0, pull - (touching & valid.T).sum(axis=0))
    return np.where(valid.sum(axis=1) > 0, residual, np.nan)


def counting(scores: Floats) -> Bools:
    """(queries, judges): the judges that count in each query, those with a grade in every dimension."""
    valid: Bools = np.logical_and.reduce(np.isfinite(scores), axis=2)
    return valid


def exact(x: Floats) -> Floats:
    """Geometric median of `x` (judges, dimensions, queries), all finite: (dimensions, queries).

    One judge is itself, two give their midpoint, one dimension gives the ordinary median, three have a
    closed form, more go through the vertex test and a safeguarded Newton iteration. Where the minimum
    is a segment (judges on one line, even in number), its midpoint.
    """
    n, d, _ = x.shape
    if n == 1:
        return x[0].copy()
    if d == 1 or n == 2:
        ordered = np.sort(x, axis=0) if d == 1 else x
        return 0.5 * ordered[(n - 1) // 2] + 0.5 * ordered[n // 2]
    return _three(x) if n == 3 else _many(x)


def weiszfeld(x: Floats, eta: float, steps: int, tolerance: float) -> Floats:
    """RoPoLL's algorithm on `x` (judges, dimensions, queries): from the mean, weights 1/max(distance, eta).

    Stops after `steps`, or when no query moves by more than `tolerance` (0: never stops early).
    """
    z = x.mean(axis=0)
    for _ in range(steps):
        weight = 1.0 / np.maximum(_norm(x - z, axis=1), eta)
        new = (weight[:, None, :] * x).sum(axis=0) / weight.sum(axis=0)
        moved = float(np.abs(new - z).max(initial=0.0))
        z = new
        if moved <= tolerance:
            break
    return z


def _norm(v: Floats, axis: int) -> Floats:
    return np.sqrt(np.square(v).sum(axis=axis))


def _rounding(x: Floats, z: Floats) -> Floats:
    """Distance under which a judge's vector and `z` are the same point: 8 ulp. Shape (judges, queries)."""
    return 8 * EPS * (np.abs(x).max(axis=1) + np.abs(z).max(axis=0))


def _three(x: Floats) -> Floats:
    """The Fermat point of three vectors: barycentric weights 1/s, with s = |u x v| + sqrt(3) u.v at each.

    s = 2 |u||v| sin(angle + 60 degrees): not positive exactly when the angle is 120 degrees or more, and
    then that vertex is the median. The area |u x v| is taken at the largest angle, where nothing cancels.
    """
    a, b, c = x
    ab, ac, bc = b - a, c - a, c - b
    cc, bb, aa = (np.einsum("dq,dq->q", v, v) for v in (ab, ac, bc))
    dot_a = np.einsum("dq,dq->q", ab, ac)
    dot_b = -np.einsum("dq,dq->q", ab, bc)
    dot_c = np.einsum("dq,dq->q", ac, bc)
    largest_a, largest_b = (aa >= bb) & (aa >= cc), bb >= cc
    area2 = np.where(
        largest_a,
        bb * cc - dot_a * dot_a,
        np.where(largest_b, aa * cc - dot_b * dot_b, aa * bb - dot_c * dot_c),
    )
    area = np.sqrt(np.maximum(area2, 0.0))
    s_a, s_b, s_c = area + SQRT3 * dot_a, area + SQRT3 * dot_b, area + SQRT3 * dot_c
    # The minimum subgradient at a vertex is about s / (2 |u||v|) near 120 degrees.
    for s, squares in ((s_a, bb * cc), (s_b, aa * cc), (s_c, aa * bb)):
        s[s <= 2 * VERTEX_TOLERANCE * np.sqrt(squares)] = 0.0
    # Products instead of reciprocals: a vertex (s = 0) gets all the weight with no division by zero.
    w_a, w_b, w_c = s_b * s_c, s_a * s_c, s_a * s_b
    total = w_a + w_b + w_c
    # Two judges agree (all products are zero): they outvote the third.
    degenerate = total == 0.0
    if degenerate.any():
        pair_a = degenerate & ((cc == 0.0) | (bb == 0.0))
        w_a[pair_a] = 1.0
        w_b[degenerate & ~pair_a] = 1.0
        total[degenerate] = 1.0
    return (w_a / total) * a + (w_b / total) * b + (w_c / total) * c


def _many(x: Floats) -> Floats:
    """Four judges or more, two dimensions or more: vertex test, then Newton where no vertex is the median."""
    best, excess, z = _vertex_test(x)
    second = _other_optimum(x, best, excess)
    z_best = np.take_along_axis(x, best[None, None, :], axis=0)[0]
    done = excess.min(axis=0) <= VERTEX_TOLERANCE
    out = z_best.copy()
    segment = second >= 0
    if segment.any():
        other = np.take_along_axis(x, np.maximum(second, 0)[None, None, :], axis=0)[0]
        middle = 0.5 * z_best + 0.5 * other
        residual = subgradient_norm(x.transpose(2, 0, 1), middle.T)
        flat = segment & (residual <= VERTEX_TOLERANCE)
        out[:, flat] = middle[:, flat]
    rest = np.flatnonzero(~done)
    if rest.size:
        out[:, rest] = _newton(x[:, :, rest], z[:, rest])
        # The median may lie so near to a vertex that the vertex itself is the better point in floating point.
        found = subgradient_norm(x[:, :, rest].transpose(2, 0, 1), out[:, rest].T)
        nearer = excess.min(axis=0)[rest] < found
        out[:, rest[nearer]] = z_best[:, rest[nearer]]
    return out


def _vertex_test(x: Floats) -> tuple[NDArray[np.intp], Floats, Floats]:
    """At every judge's vector: minimum subgradient (judges, queries); the best vertex; the step leaving it.

    Vectors equal up to rounding are one vertex with their number as its weight. The step is Vardi and
    Zhang's: it lowers the sum of distances below that of the best vertex, hence of every vertex.
    """
    n, d, q = x.shape
    excess, total = np.empty((n, q)), np.empty((n, q))
    steps = np.empty((n, d, q))
    size = np.abs(x).max(axis=1)
    for k in range(n):
        r = x - x[k]
        dist = _norm(r, axis=1)
        same = dist <= 8 * EPS * (size + size[k])
        inverse = np.where(same, 0.0, 1.0 / np.where(same, 1.0, dist))
        pull = np.einsum("nq,ndq->dq", inverse, r)
        strength = _norm(pull, axis=0)
        weight = same.sum(axis=0)
        excess[k] = np.maximum(strength - weight, 0.0)
        total[k] = dist.sum(axis=0)
        factor = excess[k] / np.maximum(strength * inverse.sum(axis=0), np.finfo(float).tiny)
        steps[k] = factor * pull
    best = np.where(excess.min(axis=0) <= VERTEX_TOLERANCE, excess.argmin(axis=0), total.argmin(axis=0))
    pick = best[None, None, :]
    start = np.take_along_axis(x, pick, axis=0)[0] + np.take_along_axis(steps, pick, axis=0)[0]
    return best, excess, start


def _other_optimum(x: Floats, best: NDArray[np.intp], excess: Floats) -> NDArray[np.intp]:
    """The other end of the minimising segment, an optimal vertex apart from `best`; -1 if there is none."""
    optimal = excess <= VERTEX_TOLERANCE
    z = np.take_along_axis(x, best[None, None, :], axis=0)[0]
    dist = np.where(optimal, _norm(x - z, axis=1), -1.0)
    farthest = dist.argmax(axis=0)
    apart = dist.max(axis=0) > _rounding(x, z).max(axis=0)
    return np.where(apart & (optimal.sum(axis=0) > 1), farthest, -1)


def _newton(x: Floats, z: Floats) -> Floats:
    """Minimise from `z`, whose sum of distances is below that of every vertex, so that none is ever met.

    Newton's step is shortened until it lowers the sum of distances; where even the shortest does not,
    Weiszfeld's step is taken, which always does. Queries leave the batch as they converge.
    """
    out = z.copy()
    alive = np.arange(z.shape[1])
    r, dist, gradient = _at(x, z)
    for _ in range(MAX_NEWTON):
        step = -_solve(_hessian(r, dist), gradient)
        new_r, new_dist, new_gradient = _at(x, z + step)
        bad = np.arange(alive.size)
        for attempt in range(SHORTENINGS + 1):
            gain = _decrease(r[:, :, bad], dist[:, bad], new_r[:, :, bad], new_dist[:, bad], step[:, bad])
            # Close to the minimum the gain is below rounding, and a step is no worse than none.
            bad = bad[~(gain >= -8 * EPS * x.shape[0] * _norm(step[:, bad], axis=0))]
            if not bad.size:
                break
            if attempt < SHORTENINGS:
                step[:, bad] *= 0.25
            else:
                step[:, bad] = -gradient[:, bad] / (1.0 / dist[:, bad]).sum(axis=0)
            new_r[:, :, bad], new_dist[:, bad], new_gradient[:, bad] = _at(
                x[:, :, bad], z[:, bad] + step[:, bad]
            )
        z, r, dist, gradient = z + step, new_r, new_dist, new_gradient
        out[:, alive] = z
        small = np.abs(step).max(axis=0) <= EPS * np.abs(z).max(axis=0)
        going = np.flatnonzero((_norm(gradient, axis=0) > GRADIENT_TOLERANCE) & ~small)
        if not going.size:
            break
        if going.size < alive.size:
            alive, z, gradient, dist = alive[going], z[:, going], gradient[:, going], dist[:, going]
            x, r = x[:, :, going], r[:, :, going]
    return out


def _at(x: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
    """z - x, its norms and the gradient of the sum of distances."""
    r = z - x
    dist = np.maximum(_norm(r, axis=1), np.finfo(float).tiny)
    return r, dist, np.einsum("nq,ndq->dq", 1.0 / dist, r)


def _decrease(r: Floats, dist: Floats, new_r: Floats, new_dist: Floats, step: Floats) -> Floats:
    """Sum of distances before minus after, with no cancellation even when a judge is 10**12 away.

    |r| - |r'| = (|r|^2 - |r'|^2) / (|r| + |r'|) and r' = r + step, so the numerator is -step.(r + r').
    """
    along = np.einsum("dq,ndq->nq", step, r) + np.einsum("dq,ndq->nq", step, new_r)
    return -(along / (dist + new_dist)).sum(axis=0)


def _hessian(r: Floats, dist: Floats) -> Floats:
    """sum_i (I - u_i u_i') / dist_i: (dimensions, dimensions, queries)."""
    d = r.shape[1]
    inverse = 1.0 / dist
    v = r * (inverse * np.sqrt(inverse))[:, None, :]
    h = np.empty((d, d, r.shape[2]))
    trace = inverse.sum(axis=0)
    for i in range(d):
        for j in range(i, d):
            h[i, j] = h[j, i] = -np.einsum("nq,nq->q", v[:, i], v[:, j])
        h[i, i] += trace
    return h


def _solve(h: Floats, g: Floats) -> Floats:
    """Solve h x = g for every query by LDL' (h is positive definite; a pivot lost to rounding is lifted)."""
    d = g.shape[0]
    floor = 1e-14 * np.einsum("iiq->q", h)
    x = g.copy()
    for j in range(d):
        h[j, j] = np.maximum(h[j, j], floor)
        ratio = h[j + 1 :, j] / h[j, j]
        h[j + 1 :, j + 1 :] -= ratio[:, None] * h[j, j + 1 :]
        x[j + 1 :] -= ratio * x[j]
    for j in reversed(range(d)):
        x[j] = (x[j] - np.einsum("kq,kq->q", h[j, j + 1 :], x[j + 1 :])) / h[j, j]
    return x
