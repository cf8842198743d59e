"""Multi-label methods written straight from their definitions, with plain loops over rows, labels and classifiers.

Y is a 0/1 array without unknown entries; a base classifier is cloned for each problem. A problem whose rows have one
class answers that class.
"""

import numpy as np
from sklearn.base import clone


def fit_binary(base, X, y):
    """A function from rows to decisions (above 0: class 1)."""
    if len(set(y)) < 2:
        return lambda rows: np.full(len(rows), 1.0 if len(y) and y[0] == 1 else -1.0)
    fitted = clone(base).fit(X, y)
    if hasattr(fitted, "decision_function"):
        return fitted.decision_function
    if hasattr(fitted, "predict_proba"):
        return lambda rows: fitted.predict_proba(rows)[:, 1] - 0.5
    return lambda rows: fitted.predict(rows) - 0.5


def calibrated_label_ranking(base, X, Y, test, *, one_class_pairs="vote"):
    """Votes of each label minus those of the calibration label."""
    n_labels = Y.shape[1]
    calibration = [fit_binary(base, X, Y[:, label]) for label in range(n_labels)]
    out = np.zeros((len(test), n_labels))
    votes = np.zeros((len(test), n_labels + 1))
    for label in range(n_labels):
        holds = calibration[label](test) > 0
        votes[holds, label] += 1
        votes[~holds, n_labels] += 1
    for first in range(n_labels):
        for second in range(first + 1, n_labels):
            rows = [row for row in range(len(X)) if Y[row, first] + Y[row, second] == 1]
            if not rows or (one_class_pairs == "abstain" and len(set(Y[rows, first])) == 1):
                continue
            wins = fit_binary(base, X[rows], Y[rows, first])(test) > 0
            votes[wins, first] += 1
            votes[~wins, second] += 1
    for label in range(n_labels):
        out[:, label] = votes[:, label] - votes[:, n_labels]
    return out


def ranking_among_neighbours(base, X, Y, test, pairs, *, one_class_pairs="vote"):
    """By how many contests each label leads the calibration label, of its own with the neighbours it has a pair with.

    Divided by the number of contests that each of the two has.
    """
    n_labels = Y.shape[1]
    beats_calibration = [fit_binary(base, X, Y[:, label])(test) > 0 for label in range(n_labels)]
    out = np.zeros((len(test), n_labels))
    for label in range(n_labels):
        neighbours, wins = [], beats_calibration[label].astype(int)
        for first, second in pairs:
            rows = [row for row in range(len(X)) if Y[row, first] + Y[row, second] == 1]
            one_class = len({Y[row, first] for row in rows}) == 1
            if label not in (first, second) or not rows or (one_class and one_class_pairs == "abstain"):
                continue
            first_wins = fit_binary(base, X[rows], Y[rows, first])(test) > 0
            neighbours.append(second if label == first else first)
            wins += first_wins if label == first else ~first_wins
        of_calibration = sum((~beats_calibration[each]).astype(int) for each in [label, *neighbours])
        out[:, label] = (wins - of_calibration) / (1 + len(neighbours))
    return out


def chain_decisions(base, X, Y, test, order, context):
    """Decisions of one chain, columns by label; `context(label)` lists the labels that its link sees."""
    out = np.zeros((len(test), Y.shape[1]))
    known = np.zeros((len(test), Y.shape[1]))
    for label in order:
        seen = list(context(label))
        decide = fit_binary(base, np.hstack([X, Y[:, seen]]), Y[:, label])
        out[:, label] = decide(np.hstack([test, known[:, seen]]))
        known[:, label] = out[:, label] > 0
    return out


def full_chain(base, X, Y, test, order):
    """A chain in which every label sees all labels before it."""
    return chain_decisions(base, X, Y, test, order, lambda label: order[: list(order).index(label)])


def cooccurrence_order(Y):
    """Edges k -> j of weight p(j=1 | k=1) above 0, from heaviest to lightest unless they close a cycle; then sorted."""
    n_labels = Y.shape[1]
    edges = []
    for k in range(n_labels):
        for j in range(n_labels):
            both = int((Y[:, j] * Y[:, k]).sum())
            if j != k and both:
                edges.append((round(-both / int(Y[:, k].sum()), 10), k, j))
    above = {label: set() for label in range(n_labels)}  # all labels before a label
    for _, k, j in sorted(edges):
        if j in above[k]:
            continue
        below = {label for label in range(n_labels) if label == j or j in above[label]}
        for label in below:
            above[label] |= above[k] | {k}
    order = []
    while len(order) < n_labels:
        order.append(min(label for label in range(n_labels) if label not in order and above[label] <= set(order)))
    return tuple(order)


def group_sensitive_chain(base, X, Y, test, groups, centres):
    """A chain per group; a test row goes to the nearest centre."""
    out = np.zeros((len(test), Y.shape[1]))
    nearest = np.array([np.argmin([((row - centre) ** 2).sum() for centre in centres]) for row in test])
    for group in range(len(centres)):
        own, asked = groups == group, nearest == group
        if asked.any():
            out[asked] = full_chain(base, X[own], Y[own], test[asked], cooccurrence_order(Y[own]))
    return out


def label_powerset(base, X, Y, test):
    """The predicted label sets: one class per set that occurs, in lexicographic order."""
    sets = sorted({tuple(row) for row in Y.tolist()})
    if len(sets) == 1:
        return np.tile(sets[0], (len(test), 1))
    codes = np.array([sets.index(tuple(row)) for row in Y.tolist()])
    return np.array([sets[code] for code in clone(base).fit(X, codes).predict(test)])


def label_powerset_marginals(base, X, Y, test):
    """Probability of each label: the sum over the sets that have it."""
    sets = sorted({tuple(row) for row in Y.tolist()})
    codes = np.array([sets.index(tuple(row)) for row in Y.tolist()])
    chances = clone(base).fit(X, codes).predict_proba(test)
    out = np.zeros((len(test), Y.shape[1]))
    for code, own in enumerate(sets):
        for label, has in enumerate(own):
            out[:, label] += chances[:, code] * has
    return out


def block_powerset(base, X, Y, test, blocks, *, chain):
    """A powerset per block; in a chain, it sees the labels of the blocks before: true ones, then predicted ones."""
    out = np.zeros((len(test), Y.shape[1]), int)
    before = []
    for block in blocks:
        seen = before if chain else []
        rows, asked = np.hstack([X, Y[:, seen]]), np.hstack([test, out[:, seen]])
        out[:, list(block)] = label_powerset(base, rows, Y[:, list(block)], asked)
        before = [*before, *block]
    return out


def random_k_labelsets(base, X, Y, test, labelsets):
    """The share of the labelsets of each label whose powerset predicts it."""
    votes, asked = np.zeros((len(test), Y.shape[1])), np.zeros(Y.shape[1])
    for labels in labelsets:
        predicted = label_powerset(base, X, Y[:, list(labels)], test)
        for place, label in enumerate(labels):
            votes[:, label] += predicted[:, place]
            asked[label] += 1
    return votes / asked


def mlknn(X, Y, test, k, smoothing):
    """Posterior of each label (Zhang and Zhou 2007, Figure 1); ties between neighbours by row number."""
    n_rows, n_labels = Y.shape

    def nearest(row, among):
        return sorted(among, key=lambda other: (round(float(((row - X[other]) ** 2).sum()), 12), other))[:k]

    out = np.zeros((len(test), n_labels))
    around = [nearest(X[row], [other for other in range(n_rows) if other != row]) for row in range(n_rows)]
    for label in range(n_labels):
        prior = (smoothing + sum(Y[:, label])) / (2 * smoothing + n_rows)
        with_label, without = [0] * (k + 1), [0] * (k + 1)
        for row in range(n_rows):
            delta = sum(Y[other, label] for other in around[row])
            if Y[row, label]:
                with_label[delta] += 1
            else:
                without[delta] += 1
        for place, row in enumerate(test):
            count = sum(Y[other, label] for other in nearest(row, range(n_rows)))
            yes = prior * (smoothing + with_label[count]) / (smoothing * (k + 1) + sum(with_label))
            no = (1 - prior) * (smoothing + without[count]) / (smoothing * (k + 1) + sum(without))
            out[place, label] = yes / (yes + no)
    return out


def correlation_order(correlation):
    """Start with the label of the largest sum over all others; append the one of the largest sum over those placed."""
    n_labels = len(correlation)

    def best(label, among):
        return (-round(sum(correlation[label][other] for other in among if other != label), 10), label)

    order = [min(range(n_labels), key=lambda label: best(label, range(n_labels)))]
    while len(order) < n_labels:
        rest = [label for label in range(n_labels) if label not in order]
        order.append(min(rest, key=lambda label: best(label, order)))
    return tuple(order)


def spanning_tree(weight):
    """All edges of the maximum spanning tree, by trying every edge from heaviest to lightest (Kruskal)."""
    n = len(weight)
    part = list(range(n))
    edges = set()
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    for a, b in sorted(pairs, key=lambda pair: -weight[pair[0]][pair[1]]):
        if part[a] != part[b]:
            edges.add((a, b))
            old = part[b]
            part = [part[a] if own == old else own for own in part]
    return edges


def hang(edges, root, n_labels):
    """Parents of each label when the tree hangs from the root."""
    parents, reached = {root: ()}, [root]
    for label in reached:
        for a, b in edges:
            for other in (b,) if a == label else (a,) if b == label else ():
                if other not in parents:
                    parents[other] = (label,)
                    reached.append(other)
    return tuple(parents[label] for label in range(n_labels)), reached


def bayesian_chain(base, X, Y, test, edges, roots):
    """Mean of the squashed decisions of the chains from each root; a link sees its parent."""
    total = np.zeros((len(test), Y.shape[1]))
    for root in roots:
        parents, order = hang(edges, root, Y.shape[1])
        total += np.tanh(chain_decisions(base, X, Y, test, order, parents.__getitem__) / 2)
    return total / len(roots)


def quantile_bin(column, value, n_bins):
    """The bin of a value: the first quantile that is not below it; a bin per value where there are few."""
    values = sorted(set(column))
    if len(values) <= n_bins:
        return min(range(len(values)), key=lambda place: abs(values[place] - value))
    ordered = sorted(column)
    cuts = sorted({ordered[-(-share * len(ordered) // n_bins) - 1] for share in range(1, n_bins)} - {ordered[-1]})
    return sum(value > cut for cut in cuts)


def conditional_information(a, b, c):
    """I(A; B | C) in nats, from the joint frequencies."""
    n, total = len(a), 0.0
    triples = list(zip(a, b, c, strict=True))
    for x, y, z in set(triples):
        joint = triples.count((x, y, z))
        with_z = sum(own == z for own in c)
        x_z = sum(own == (x, z) for own in zip(a, c, strict=True))
        y_z = sum(own == (y, z) for own in zip(b, c, strict=True))
        total += joint / n * np.log(joint * with_z / (x_z * y_z))
    return total


def augmented_naive_bayes(X, y, test, n_bins, smoothing):
    """Class probabilities of the tree-augmented naive Bayes classifier."""
    n_features, classes = X.shape[1], sorted(set(y))
    bins = [[quantile_bin(X[:, f].tolist(), value, n_bins) for value in X[:, f]] for f in range(n_features)]
    asked = [[quantile_bin(X[:, f].tolist(), value, n_bins) for value in test[:, f]] for f in range(n_features)]
    weight = [[conditional_information(a, b, list(y)) for b in bins] for a in bins]
    parents, _ = hang(spanning_tree(weight), 0, n_features)
    out = np.zeros((len(test), len(classes)))
    for row in range(len(test)):
        for place, label in enumerate(classes):
            p = np.mean(y == label)
            for f in range(n_features):
                above = parents[f]
                rows = [r for r in range(len(y)) if y[r] == label and all(bins[q][r] == asked[q][row] for q in above)]
                hits = sum(bins[f][r] == asked[f][row] for r in rows)
                p *= (hits + smoothing) / (len(rows) + smoothing * len(set(bins[f])))
            out[row, place] = p
    return parents, out / out.sum(axis=1, keepdims=True)
