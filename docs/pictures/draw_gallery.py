"""Draws the pictures of the gallery pages, as PNG files beside this script: python docs/pictures/draw_gallery.py

Each function makes the picture of one page, from the same data and models as the page.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
from scipy import sparse
from sklearn.pipeline import make_pipeline

from bncc import (
    BinaryRelevance,
    LinearSVC,
    LogisticRegression,
    TableFeatures,
    TunedThresholds,
    learn_network,
    load,
    recommended,
)
from bncc.datasets import (
    FUNCTIONS,
    make_features,
    make_genes,
    make_power_law_labels,
    make_songs,
    make_tickets,
    multilabel_train_test_split,
)
from bncc.metrics import evaluate, example_f1, macro_f1
from bncc.multilabel import Blend, RangeScaler

mpl.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
BLUE, ORANGE, GREY = "#1f5fa8", "#d9730d", "#8a8f98"
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "figure.dpi": 130,
    "legend.frameon": False,
}


def f1_of_labels(truth, predicted):
    """F1 of each label."""
    both = (truth & predicted).sum(axis=0)
    return 2 * both / np.maximum(truth.sum(axis=0) + predicted.sum(axis=0), 1)


def linear(metric="example_f1", how="global"):
    return TunedThresholds(BinaryRelevance(LogisticRegression(C=1.0)), metric, how=how)


def draw_tickets(axes):
    tickets = make_tickets(1500, as_frame=True)
    tags = tickets.pop("tags").str.get_dummies(";").drop(columns="", errors="ignore")
    words, truth = ["subject", "body"], tags[1000:].to_numpy(bool)
    order = np.argsort(-truth.sum(axis=0))
    tables = {"words": tickets[words], "columns": tickets.drop(columns=words), "both": tickets}
    for (name, table), colour, mark in zip(tables.items(), (BLUE, GREY, ORANGE), "osD", strict=True):
        model = make_pipeline(TableFeatures(), RangeScaler(), linear()).fit(table[:1000], tags[:1000])
        scores = f1_of_labels(truth, np.asarray(model.predict(table[1000:]), bool))[order]
        axes.plot(scores, np.arange(len(order)), mark, color=colour, label=name, markersize=5)
    axes.set_yticks(range(len(order)), [f"{tags.columns[i]} ({truth[:, i].sum()})" for i in order])
    axes.invert_yaxis()
    axes.grid(axis="y", color="#e6e8eb")
    axes.set(xlabel="F1 on 500 tickets", xlim=(0, 1), title="Tags (and how many tickets have them)")
    axes.legend(loc="lower right")


def draw_songs(axes):
    songs = load("songs")
    X, X_test, Y, Y_test = multilabel_train_test_split(songs.X, songs.Y, test_size=0.3, random_state=0)
    board = recommended(random_state=0).fit(X, Y).leaderboard_.rows
    # Trees on top of the others are nothing by themselves; what was dropped has no score.
    rows = [row for row in board if row.score is not None and row.family != "stacked trees"]
    names = [row.family for row in rows]
    tested = []
    for name in names:
        model = recommended(random_state=0) if name == "blend" else Blend(families=[name], random_state=0)
        tested.append(example_f1(Y_test, model.fit(X, Y).predict(X_test)))
    place = np.arange(len(names))
    axes.barh(place - 0.18, [row.score for row in rows], 0.34, color=BLUE, label="held out, by which it was chosen")
    axes.barh(place + 0.18, tested, 0.34, color=ORANGE, label="180 test songs")
    axes.set_yticks(place, names)
    axes.invert_yaxis()
    axes.set(xlabel="example F1", xlim=(0.5, 0.85), title="Families of models on songs")
    axes.legend(loc="upper right", fontsize="small")


def draw_genes(axes):
    true = {frozenset((parent, child)) for child, parents in enumerate(FUNCTIONS.parents) for parent in parents}
    sizes = (50, 100, 200, 300, 500, 1000, 2000, 3000)
    right, wrong = [], []
    for n in sizes:
        nets = [learn_network(make_genes(n, seed).Y, max_children=None) for seed in range(10)]
        edges = [{frozenset(edge) for edge in net.edges} for net in nets]
        right.append(np.mean([len(found & true) for found in edges]))
        wrong.append(np.mean([len(found - true) for found in edges]))
    axes.plot(sizes, right, "o-", color=BLUE, label="true edges found")
    axes.plot(sizes, wrong, "s-", color=ORANGE, label="wrong edges")
    axes.axhline(len(true), color=GREY, linewidth=0.8, linestyle=":")
    axes.set(
        xscale="log", xlabel="genes", ylabel="edges, mean of 10 draws", ylim=(0, 13), title="The network of 12 edges"
    )
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axes.minorticks_off()
    axes.legend(loc="center right")


def draw_partial_labels(axes):
    songs = make_songs(1500)
    X, X_test, Y, Y_test = multilabel_train_test_split(songs.X, songs.Y, test_size=0.3, random_state=0)
    random, shares = np.random.default_rng(0), np.arange(0, 0.95, 0.1)

    def score(X, Y):
        model = make_pipeline(RangeScaler(), BinaryRelevance(LogisticRegression(C=1.0))).fit(X, Y)
        return macro_f1(Y_test, model.predict(X_test))

    lines = {"NaN: unknown": [], "whole rows alone": [], "taken for no": []}
    for share in shares:
        hidden = random.random(Y.shape) < share
        known, whole = np.where(hidden, np.nan, Y), ~hidden.any(axis=1)
        lines["NaN: unknown"].append(score(X, known))
        lines["whole rows alone"].append(score(X[whole], Y[whole]) if whole.sum() > 20 else np.nan)
        lines["taken for no"].append(score(X, np.nan_to_num(known)))
    for (name, values), colour, mark in zip(lines.items(), (BLUE, GREY, ORANGE), "osD", strict=True):
        axes.plot(100 * shares, values, f"{mark}-", color=colour, label=name)
    axes.set(xlabel="labels hidden, %", ylabel="macro F1", ylim=(0, 0.7), title="Songs, with labels that nobody gave")
    axes.legend(loc="lower left")


def draw_rare_labels(axes):
    Y = make_power_law_labels(4000, 40, cardinality=3.0, random_state=0).toarray()
    X = make_features(Y, n_features=60, noise=3.0, random_state=0)
    X, X_test, Y, Y_test = multilabel_train_test_split(X, Y, test_size=0.3, random_state=0)
    models = {
        "tuned thresholds": linear("macro_f1", "per_label"),
        "balanced weights": BinaryRelevance(LogisticRegression(C=1.0, class_weight="balanced")),
        "as it is": BinaryRelevance(LogisticRegression(C=1.0)),
    }
    for (name, model), colour, mark in zip(models.items(), (BLUE, GREY, ORANGE), "osD", strict=True):
        scores = f1_of_labels(Y_test.astype(bool), model.fit(X, Y).predict(X_test).astype(bool))
        axes.plot(100 * Y.mean(axis=0), scores, mark, color=colour, label=name, markersize=5)
    axes.set(xscale="log", xlabel="rows that have the label, %", ylabel="F1 of the label", title="40 labels")
    axes.set_xticks([2, 5, 10, 20, 40], ["2", "5", "10", "20", "40"])
    axes.minorticks_off()
    axes.legend(loc="upper left")


def draw_large_sparse(axes):
    random = np.random.default_rng(0)
    Y = make_power_law_labels(10_000, 200, cardinality=3.0, random_state=0)
    X = sparse.csr_array(Y @ sparse.random_array((200, 4000), density=0.003, rng=random))
    X.data[:] = random.random(X.nnz) < 0.25
    X = sparse.csr_array(X + sparse.random_array((10_000, 4000), density=0.008, rng=random).astype(bool))
    X.eliminate_zeros()
    model = BinaryRelevance(LinearSVC(C=0.1)).fit(X[:8000], Y[:8000])
    truth, scores, places = Y[8000:], model.decision_function(X[8000:]), range(1, 11)
    for kind, colour in (("precision", BLUE), ("recall", ORANGE)):
        names = [f"{kind}_at_{k}" for k in places]
        for shown, dashes, label in ((scores, "o-", kind), (truth.toarray().astype(float), ":", None)):
            found = evaluate(truth, None, shown, metrics=names)
            axes.plot(places, [found[name] for name in names], dashes, color=colour, label=label)
    axes.plot([], [], ":", color=GREY, label="a perfect ranking")
    axes.set(xlabel="k, best labels of each row", ylim=(0, 1.05), title="10,000 rows, 4,000 words, 200 labels")
    axes.set_xticks(places)
    axes.legend(loc="center right")


def draw_thresholds(axes):
    songs = make_songs(3000)
    X, X_test, Y, Y_test = multilabel_train_test_split(songs.X, songs.Y, test_size=0.5, random_state=0)
    sure = make_pipeline(RangeScaler(), BinaryRelevance(LogisticRegression(C=1.0))).fit(X, Y).predict_proba(X_test)
    left, right = axes
    edges = np.linspace(0, 1, 11)
    bins = np.clip(np.digitize(sure, edges) - 1, 0, 9)
    said, holds = zip(*[(sure[bins == b].mean(), Y_test[bins == b].mean()) for b in range(10)], strict=True)
    left.plot([0, 1], [0, 1], ":", color=GREY)
    left.plot(said, holds, "o-", color=BLUE)
    left.set(xlabel="said", ylabel="holds", title="Probabilities are right", aspect="equal")
    cuts = np.arange(0.05, 0.8, 0.05)
    found = [evaluate(Y_test, sure > cut, metrics=["example_f1", "hamming_loss", "subset_accuracy"]) for cut in cuts]
    for name, colour in (("example_f1", BLUE), ("subset_accuracy", GREY), ("hamming_loss", ORANGE)):
        values = [each[name] for each in found]
        best = int(np.argmin(values) if name == "hamming_loss" else np.argmax(values))
        right.plot(cuts, values, color=colour, label=name)
        right.plot(cuts[best], values[best], "o", color=colour)
    right.set(xlabel="cut", ylim=(0, 0.8), title="The best cut (dot) depends on the metric")
    right.legend(loc="upper right")


PICTURES = {
    "gallery-tickets": (draw_tickets, 1, (5.6, 4.2)),
    "gallery-songs": (draw_songs, 1, (5.6, 3.2)),
    "gallery-genes": (draw_genes, 1, (5.6, 3.2)),
    "gallery-partial-labels": (draw_partial_labels, 1, (5.6, 3.2)),
    "gallery-rare-labels": (draw_rare_labels, 1, (5.6, 3.2)),
    "gallery-large-sparse": (draw_large_sparse, 1, (5.6, 3.2)),
    "thresholds": (draw_thresholds, 2, (7.6, 3.4)),
}


def main(names):
    warnings.simplefilter("ignore")
    plt.rcParams.update(STYLE)
    for name in names or PICTURES:
        draw, n_axes, size = PICTURES[name]
        figure, axes = plt.subplots(1, n_axes, figsize=size, layout="constrained")
        draw(axes)
        figure.savefig(HERE / f"{name}.png", metadata={"Software": None})
        plt.close(figure)
        print(HERE / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
