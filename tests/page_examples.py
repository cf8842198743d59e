"""Pages to look at, small and large: ``python tests/page_examples.py FOLDER`` writes them."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from bncc import learn_network
from bncc.analysis.page import (
    join_summaries,
    summarise_labels,
    summarise_quality_part,
    summarise_results,
    write_page,
)
from bncc.analysis.page.reasons_part import ImportancePart, LabelReasonsPart, ReasonPart, RowReasonsPart
from bncc.analysis.quality import read_predictions, summarise_methods
from bncc.datasets import TrueNetwork, make_network_data, make_power_law_labels
from made_records import make_candidates, make_records
from quality_examples import made_scores

HOSTILE = (
    "</script><script>document.title = 'owned'</script>",
    "\"'><img src=x onerror=\"document.title='owned'\">",
    "{{script}} ${1} \\u003c &lt; <!--",
    "\u202eright to left\u2066 \u0000\u0007",
    "",
    "two\nlines\tand a tab",
    "very long " * 60,
    "\ud800 a lone surrogate",
    "العربية 标签 🏞️",
)
VILLAGE = TrueNetwork(
    label_names=("Rural", "Village", "Paddy", "High building", "Traffic jam", "Market"),
    parents=((), (0,), (0,), (0,), (3,), (1, 3)),
    probabilities=((0.45,), (0.05, 0.7), (0.02, 0.6), (0.65, 0.04), (0.06, 0.75), (0.05, 0.5, 0.4, 0.9)),
)


@cache
def small_summary(n_rows=800):
    """Six labels with a known network, and a study over five data sets."""
    data = make_network_data(VILLAGE, n_rows, random_state=0, name="village")
    labels = summarise_labels(
        data,
        title="Village and city",
        note="Labels drawn from a known network, and a made-up study.",
        true_parents=VILLAGE.parents,
        settings={"rows": n_rows, "seed": 0, "max_children": None, "score": "dependence"},
    )
    sets = ("emotions", "flags", "scene", "yeast", "medical")
    return join_summaries(labels, summarise_results(make_records(sets), make_candidates(sets[:2], ("BNCC", "CC"))))


@cache
def large_summary(n_labels=374, n_rows=5000, max_children=None):
    """Many labels with falling frequencies, as in pictures tagged by people; results on one data set."""
    Y = make_power_law_labels(n_rows, n_labels, cardinality=4.0, random_state=1)
    parts = ["sky", "water", "tree", "people", "street", "snow", "bird", "stone", "night market", "flower bed"]
    names = [f"{parts[i % 10]} {parts[(i // 10) % 10]} {i}" if i >= 10 else parts[i] for i in range(n_labels)]
    net = learn_network(Y, max_children=max_children, label_names=names)
    labels = summarise_labels(Y, net, title=f"{n_labels} labels", label_names=names, settings={"labels": n_labels})
    records = make_records(("tags",), (*"ABCDEFGHIJKLMNOPQ", "a method with a long name"), n_folds=5)
    return join_summaries(labels, summarise_results(records, make_candidates(("tags",), Cs=[7])))


@cache
def alike_summary(n_labels=12):
    """Wide names that differ at their ends alone, and a study without a selection."""
    Y = np.random.default_rng(0).random((300, n_labels)) < np.linspace(0.004, 0.9, n_labels)
    names = [f"WWWW/photographs of the countryside/{i}" for i in range(n_labels)]
    labels = summarise_labels(Y.astype(int), title="Alike", label_names=names, settings={"max_children": 3})
    records = [replace(r, select_seconds=0.0) for r in make_records(("one",), ("BR", "CC", "recommended"))]
    return join_summaries(labels, summarise_results(records))


@cache
def hostile_summary():
    """Names of every bad sort, in labels, data sets, methods, metrics and settings."""
    Y = np.random.default_rng(0).random((60, len(HOSTILE))) < np.linspace(0.2, 0.7, len(HOSTILE))
    labels = summarise_labels(
        Y.astype(int), title=HOSTILE[0], note=HOSTILE[1], label_names=HOSTILE, settings={HOSTILE[0]: HOSTILE[6]}
    )
    records = make_records(HOSTILE[:2], HOSTILE[:4], metrics=("micro_f1", HOSTILE[0]))
    candidates = make_candidates(HOSTILE[:2], HOSTILE[:2], metrics=("micro_f1", HOSTILE[1]), Cs=[0, 1])
    return join_summaries(labels, summarise_results(records, candidates))


@cache
def quality_summary(n_labels=5, n_rows=600):
    """Labels, results, the quality of two methods, reasons of two rows, and edges with evidence."""
    Y, scores = made_scores(n_rows, n_labels, signal=4.0)
    _, others = made_scores(n_rows, n_labels, signal=3.0)
    words = ["billing", "refund", "shipping", "account", "night market", "snow bird", "praise"]
    names = [f"{words[i % 7]}{f' {i // 7}' if i >= 7 else ''}" for i in range(n_labels)]
    found = {"bncc": read_predictions(Y, scores), "br": read_predictions(Y, others - 0.5, probabilities=others)}
    quality = summarise_methods(found, names)
    net = learn_network(Y.astype(int), max_children=None, label_names=names)
    labels = summarise_labels(Y.astype(int), net, title=f"Quality of {n_labels} labels", label_names=names)
    records = make_records(("tickets",), ("bncc", "br"), n_folds=5)
    part = summarise_quality_part(
        quality, reasons=[_reasons(row, names) for row in (3, 17)], importance=_importance(names)
    )
    return join_summaries(_with_evidence(labels), summarise_results(records), part)


def _reasons(row, names):
    told = [
        ReasonPart("text: word 'money'", "feature", 1.2, "", 0.02),
        ReasonPart(names[0], "label", 0.8, "predicted"),
        ReasonPart("weekday", "feature", -0.45, "Monday"),
        *(ReasonPart(f"text: word 'w{i}'", "feature", 0.3 / (i + 1)) for i in range(12)),
    ]
    total = sum(reason.value for reason in told)
    first = LabelReasonsPart(1, True, total - 0.5, -0.5, tuple(told), 0.0, total - 0.8, 0.8)
    second = LabelReasonsPart(2, False, -0.3, 0.1, (ReasonPart("priority", "feature", -0.4, "3"),), 0.0, -0.4)
    return RowReasonsPart(row, (first, second), "bncc", "I want my money back, the second parcel never came.")


def _importance(names):
    spread = [("text: word 'money'", 0.12), ("weekday", 0.03), ("priority", 0.01)]
    return [
        ImportancePart(name, "feature", label, value, value - 0.01, value + 0.01)
        for label in (None, 1)
        for name, value in spread
    ] + [ImportancePart(names[0], "label", 1, 0.05, 0.02, 0.08)]


def _with_evidence(summary):
    """Edges with p-values and shares, of which the first two beat chance."""
    edges = [
        replace(edge, corrected_p_value=0.001 if i < 2 else 0.4, share=0.97 if i < 2 else 0.3, sure=i < 2)
        for i, edge in enumerate(summary.network.edges)
    ]
    return replace(summary, network=replace(summary.network, edges=tuple(edges)))


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
    folder.mkdir(parents=True, exist_ok=True)
    print(write_page(small_summary(), folder / "small.html"))
    print(write_page(large_summary(), folder / "large.html"))
    print(write_page(large_summary(983, 8000, max_children=2), folder / "largest.html"))
    print(write_page(alike_summary(), folder / "alike.html"))
    print(write_page(hostile_summary(), folder / "hostile.html"))
    for n_labels, n_rows in ((5, 600), (30, 1500), (400, 5000)):
        print(write_page(quality_summary(n_labels, n_rows), folder / f"quality-{n_labels}.html"))
