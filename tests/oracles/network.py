"""Algorithms 1 to 3 straight from the paper's text and the reading of it: slow, obvious, no shared code."""

from __future__ import annotations

import math
from itertools import product

import numpy as np


def entropy(Y, j):
    n = len(Y)
    total = 0.0
    for value in (0, 1):
        p = sum(1 for row in Y if row[j] == value) / n
        if p > 0:
            total -= p * math.log2(p)
    return total


def conditional_entropy(Y, j, given):
    """H(l_j | L*) by the last line of Eq. 8, over all value configurations."""
    n = len(Y)
    total = 0.0
    for configuration in product((0, 1), repeat=len(given)):
        rows = [row for row in Y if all(row[k] == v for k, v in zip(given, configuration, strict=True))]
        for value in (0, 1):
            part = sum(1 for row in rows if row[j] == value)
            if part:
                total += part / n * math.log2(len(rows) / part)
    return total


def dependence(Y, child, parent):
    return 1.0 - conditional_entropy(Y, child, [parent])


def has_path(edges, start, goal):
    reached, frontier = {start}, [start]
    while frontier:
        node = frontier.pop()
        for a, b in edges:
            if a == node and b not in reached:
                reached.add(b)
                frontier.append(b)
    return goal in reached


def break_cycles(edges, weight, required=()):
    """Heaviest first; an edge that closes a cycle with the kept ones is dropped."""
    kept = list(required)
    for a, b in sorted(set(edges) - set(required), key=lambda e: (-round(weight[e], 10), e)):
        if a != b and not has_path(kept, b, a):
            kept.append((a, b))
    return sorted(kept)


def topological_order(edges, n_nodes, priority):
    place = {node: i for i, node in enumerate(priority)}
    left, order = set(range(n_nodes)), []
    while left:
        free = [v for v in left if not any(b == v and a in left for a, b in edges)]
        order.append(min(free, key=place.__getitem__))
        left.remove(order[-1])
    return tuple(order)


def paper_score(Y, child, parents):
    """Eq. 13 for one label: N + sum_q sum_y N_jq^y log2(N_jq^y / N_jq) - Q/2 log2 N."""
    n = len(Y)
    total = float(n)
    for configuration in product((0, 1), repeat=len(parents)):
        rows = [row for row in Y if all(row[k] == v for k, v in zip(parents, configuration, strict=True))]
        for value in (0, 1):
            count = sum(1 for row in rows if row[child] == value)
            if count:
                total += count * math.log2(count / len(rows))
    return total - 2 ** len(parents) / 2 * math.log2(n)


def initial_order(Y):
    """Algorithm 1 on the complete two-way graph, then Algorithm 2."""
    m = len(Y[0])
    edges = [(k, j) for k in range(m) for j in range(m) if j != k]
    weight = {(k, j): dependence(Y, j, k) for k, j in edges}
    return topological_order(break_cycles(edges, weight), m, range(m))


def algorithm_3(Y, order, max_children=None, max_parents=None, score=paper_score):
    n, m = len(Y), len(Y[0])
    children = [0] * m
    parents = [()] * m
    for child in order:
        candidates = [l for l in range(m) if l != child and (max_children is None or children[l] < max_children)]
        chosen, best = [], -math.inf
        while len(chosen) <= math.log2(n) and candidates and (max_parents is None or len(chosen) < max_parents):
            values = {l: round(score(Y, child, [*chosen, l]), 6) for l in candidates}
            star = min(candidates, key=lambda l: (-values[l], l))
            if not values[star] > best:
                break
            best = values[star]
            chosen.append(star)
            candidates.remove(star)
        parents[child] = tuple(chosen)
        for parent in chosen:
            children[parent] += 1
    return tuple(parents)


def learn(Y, max_children=None, max_parents=None):
    """Algorithm 4 up to the order: (initial order, cyclic parents, final parents, final order)."""
    Y = np.asarray(Y).tolist()
    m = len(Y[0])
    first = initial_order(Y)
    cyclic = algorithm_3(Y, first, max_children, max_parents)
    edges = [(p, child) for child in range(m) for p in cyclic[child]]
    weight = {(p, child): dependence(Y, child, p) for p, child in edges}
    kept = break_cycles(edges, weight)
    final = tuple(tuple(p for p in cyclic[child] if (p, child) in kept) for child in range(m))
    return first, cyclic, final, topological_order(kept, m, first)
