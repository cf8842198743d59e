"""Tests of significance and effect sizes, straight from their definitions."""

from __future__ import annotations

import itertools
import math


def ranks(values):
    """Rank of each value, 1 is smallest, ties share the mean."""
    return [sum(v < value for v in values) + (1 + sum(v == value for v in values)) / 2 for value in values]


def signed_rank_sums(differences):
    """Sums of ranks of |d| over positive and negative differences, zeros left out."""
    used = [d for d in differences if d != 0]
    places = ranks([abs(d) for d in used])
    plus = sum(r for r, d in zip(places, used, strict=True) if d > 0)
    return plus, sum(places) - plus


def wilcoxon_exact(differences):
    """Two-sided p-value by going through all 2^n sign patterns."""
    used = [d for d in differences if d != 0]
    places = ranks([abs(d) for d in used])
    observed = min(signed_rank_sums(differences))
    sums = [
        sum(r for r, s in zip(places, signs, strict=True) if s) for signs in itertools.product((0, 1), repeat=len(used))
    ]
    return min(1.0, 2 * sum(s <= observed for s in sums) / len(sums))


def wilcoxon_asymptotic(differences):
    """Two-sided p-value by the normal approximation with the correction for ties."""
    used = [abs(d) for d in differences if d != 0]
    n = len(used)
    ties = sum(t**3 - t for t in (used.count(v) for v in set(used)))
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    z = (min(signed_rank_sums(differences)) - n * (n + 1) / 4) / math.sqrt(variance)
    return math.erfc(abs(z) / math.sqrt(2))


def average_ranks(rows, greater_is_better):
    signed = [[-v if greater_is_better else v for v in row] for row in rows]
    return [sum(column) / len(rows) for column in zip(*(ranks(row) for row in signed), strict=True)]


def friedman_chi_square(rows):
    """Friedman's statistic with the correction for ties (Conover 1999, section 5.8)."""
    n, k = len(rows), len(rows[0])
    sums = [n * r for r in average_ranks(rows, False)]
    squares = sum(r * r for row in rows for r in ranks(row))
    centre = n * k * (k + 1) ** 2 / 4
    return (k - 1) * (sum(s * s for s in sums) - n * centre) / (squares - centre)


def holm(p_values):
    """Step by step: the smallest p is tested at alpha/m, the next at alpha/(m-1), ..., until one fails."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    out, largest = [0.0] * len(p_values), 0.0
    for step, i in enumerate(order):
        largest = max(largest, (len(p_values) - step) * p_values[i])
        out[i] = min(1.0, largest)
    return out


def rank_biserial(gains):
    plus, minus = signed_rank_sums(gains)
    return (plus - minus) / (plus + minus) if plus + minus else 0.0


def cliffs_delta(first, second):
    return sum((a > b) - (a < b) for a in first for b in second) / (len(first) * len(second))


def rank_groups(ranks_, critical):
    """All runs of two or more within the critical difference that lie in no larger one."""
    runs = [(a, b) for a in range(len(ranks_)) for b in range(a + 1, len(ranks_)) if ranks_[b] - ranks_[a] < critical]
    return tuple(sorted((a, b) for a, b in runs if not any(c <= a and b <= d and (a, b) != (c, d) for c, d in runs)))
