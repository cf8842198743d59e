"""Iterative stratification straight from its rules, with fractions and no shortcuts."""

from __future__ import annotations

from fractions import Fraction

TOLERANCE = Fraction(1, 2**20)


def deal(Y, shares):
    """Fold of each row of a 0/1 matrix (rows in the given order), sizes rounded up or down."""
    n, m, k = len(Y), len(Y[0]), len(shares)
    share = [Fraction(s, sum(shares)) for s in shares]
    count = [sum(row[j] for row in Y) for j in range(m)]
    fold = [None] * n

    def members(f):
        return [i for i in range(n) if fold[i] == f]

    def wanted(f, j):
        return share[f] - Fraction(sum(Y[i][j] for i in members(f)), count[j])

    def room(f):
        return n * share[f] - len(members(f))

    def is_open(f):
        over = [len(members(g)) - int(n * share[g]) for g in range(k)]
        spare = n - sum(int(n * s) for s in share) - sum(max(o, 0) for o in over)
        return over[f] < 0 or (over[f] == 0 and spare > 0 and room(f) > 0)

    def choose(i, j):
        folds = [f for f in range(k) if is_open(f)]
        folds = [f for f in folds if wanted(f, j) == max(wanted(g, j) for g in folds)]
        sums = {f: sum(wanted(f, other) for other in range(m) if Y[i][other]) for f in folds}
        folds = [f for f in folds if sums[f] >= max(sums.values()) - TOLERANCE]
        return next(f for f in folds if room(f) == max(map(room, folds)))

    while any(f is None and any(row) for f, row in zip(fold, Y, strict=True)):
        left = [sum(Y[i][j] for i in range(n) if fold[i] is None) for j in range(m)]
        j = min((j for j in range(m) if left[j]), key=lambda j: (left[j], j))
        for i in range(n):
            if fold[i] is None and Y[i][j]:
                fold[i] = choose(i, j)
    for i in range(n):
        if fold[i] is None:
            fold[i] = max(range(k), key=lambda f: (room(f), -f))
    return fold
