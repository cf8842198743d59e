"""Ways to blend families and to decide, compared on answers that are kept in files (`blend_answers.py` makes them).

    python benchmarks/bench_blend_variants.py [--only "NAME;NAME"] [--sets SET,SET] [--metrics METRIC,METRIC]
        [--splits 2] [--name blend_variants] [--record]

Every variant chooses weights, calibration and the decision on held-out answers of the training rows and is measured on
test rows, for five metrics. Shown are differences to the blend as it was, without wide extra trees (three tenths of the
features, leaves of three rows) and with weights by the metric alone: points, means over the sets of half A and of half
B (`recommended_halves.json`), and on how many sets it is ahead and behind.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from blend_answers import FOLDER, HALVES
from blend_candidates import CANDIDATES, KERNEL_CANDIDATES, STACKS
from harness import finish

from bncc import learn_network
from bncc.metrics import evaluate, get_metric
from bncc.multilabel.blending import blend_weights, decisions
from bncc.multilabel.blending.blend_weights import blend_rates, choose_weights, weights_of_labels
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.decisions import Answers, LabelSets, choose_decision
from bncc.multilabel.blending.families import FAMILIES
from bncc.multilabel.blending.rate_sigmoids import fit_sigmoids, log_odds
from bncc.multilabel.blending.selection_score import score_rates
from bncc.multilabel.blending.stacking import STACKED
from bncc.multilabel.network_decoder import STRENGTHS
from bncc.multilabel.network_factors import pair_terms
from bncc.multilabel.targets import read_targets
from bncc.structure import FactorGraph, LabelFactor

METRICS = ("example_f1", "macro_f1", "micro_f1", "hamming_loss", "subset_accuracy")
PLAIN = tuple(name for name in FAMILIES if name not in ("wide extra trees", "kernel ridge"))
WIDE = (*PLAIN, "extra trees, leaf 3, 0.3")
NOW = tuple(FAMILIES)
SHIPPED = "with kernel ridge and stacked trees"


def sigmoid(scores):
    return 1.0 / (1.0 + np.exp(-scores))


def mean_in_log_odds(rates, weights):
    return sigmoid(sum(log_odds(each) * weight for each, weight in zip(rates, weights, strict=True)))


def by_metric(metric, truth, sets, blended, rows):
    return score_rates(metric, blended - 0.5, truth[rows], None, None, sets)


def by_likelihood(metric, truth, sets, blended, rows):
    kept = np.clip(blended, 1e-4, 1 - 1e-4)
    return float(np.where(truth[rows], np.log(kept), np.log(1 - kept)).mean())


@dataclass(frozen=True)
class Variant:
    """What differs from the blend as it was."""

    families: tuple[str, ...] = PLAIN
    mix: Callable[..., Any] = blend_rates
    score: Callable[..., float] = by_metric
    plain_average: bool = False
    prior_rows: float = 100.0
    rate_again: bool = True
    constants: dict[str, Any] = field(default_factory=dict)
    likelihood_share: float = 0.0
    even_share: float = 0.0
    even_rows: float = 0.0
    decodes: bool = False


def constants(**changed):
    """Constants of modules, as MODULE__NAME."""
    return Variant(constants=changed)


VARIANTS = {
    "as it was": Variant(),
    "plain average": Variant(plain_average=True, prior_rows=1e12),
    "weights by likelihood": Variant(score=by_likelihood),
    "weights half by likelihood": Variant(likelihood_share=0.5),
    "mean in log-odds": Variant(mix=mean_in_log_odds),
    "same weights for all labels": Variant(prior_rows=1e12),
    "own weights from 30 rows on": Variant(prior_rows=30.0),
    "12 bags": constants(blend_weights___BAGS=12),
    "30 rounds": constants(blend_weights___ROUNDS=30),
    "no family left out": constants(blend_weights___LEAST_WEIGHT=0.0),
    "thresholds shrunk by 30": constants(decisions___SHRINKAGE=30.0),
    "thresholds shrunk by 300": constants(decisions___SHRINKAGE=300.0),
    "no calibration of the blend": Variant(rate_again=False),
    "finer mixes of sets": constants(decisions___MIXES=(0.0, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0)),
    "extra trees with leaves of 3": Variant(families=("extra trees, leaf 3", *PLAIN[1:])),
    "extra trees with 0.3 of the features": Variant(families=("extra trees, 0.3", *PLAIN[1:])),
    "all extra trees": Variant(
        families=(*PLAIN, "extra trees, leaf 3", "extra trees, 0.3", "extra trees, leaf 3, 0.3")
    ),
    "with extra trees of 0.3": Variant(families=(*PLAIN, "extra trees, 0.3")),
    "with wide extra trees": Variant(families=WIDE),
    "without kernel ridge and stacked trees": Variant(families=WIDE, likelihood_share=0.5),
    "with kernel ridge": Variant(families=NOW, likelihood_share=0.5),
    "with kernel ridge for kernel chains": Variant(
        families=tuple(name for name in NOW if name != "kernel chains"), likelihood_share=0.5
    ),
    **{f"with kernel ridge and {name}": Variant(families=(*NOW, name), likelihood_share=0.5) for name in STACKS},
    **{f"with {name}": Variant(families=(*WIDE, name), likelihood_share=0.5) for name in CANDIDATES},
    **{
        f"{SHIPPED} and {name}": Variant(families=(*NOW, STACKED, name), likelihood_share=0.5)
        for name in KERNEL_CANDIDATES
    },
    **{
        f"with wide extra trees, {share:.0%} even": Variant(families=WIDE, likelihood_share=0.5, even_share=share)
        for share in (0.25, 0.5, 1.0)
    },
    **{
        f"with wide extra trees, even by {rows} rows": Variant(families=WIDE, likelihood_share=0.5, even_rows=rows)
        for rows in (100, 300)
    },
    "with wide extra trees and neighbours": Variant(families=(*WIDE, "neighbours"), likelihood_share=0.5),
    "with wide extra trees and neighbours on the network": Variant(
        families=(*WIDE, "neighbours on the network"), likelihood_share=0.5
    ),
    "with wide extra trees, decoded on the network": Variant(families=WIDE, likelihood_share=0.5, decodes=True),
    "without random forest": Variant(families=tuple(name for name in PLAIN if name != "random forest")),
    "without label sets": Variant(families=tuple(name for name in PLAIN if name != "label sets")),
    "without linear chains": Variant(families=tuple(name for name in PLAIN if name != "linear chains")),
    **{f"{name} alone": Variant(families=(name,)) for name in PLAIN if name != "boosted trees"},
}


def weigh(variant, metric, held, truth, sets):
    if variant.plain_average:
        return np.full(len(held), 1.0 / len(held))
    weights = choose_weights(held, partial(variant.score, metric, truth, sets), 0)
    if variant.likelihood_share:
        other = choose_weights(held, partial(by_likelihood, metric, truth, sets), 0)
        weights = (1 - variant.likelihood_share) * weights + variant.likelihood_share * other
    even = max(variant.even_share, variant.even_rows / (variant.even_rows + len(truth)))
    return (1 - even) * weights + even / len(held)


def frequent(truth):
    sets, count = np.unique(truth, axis=0, return_counts=True)
    kept = np.argsort(-count, kind="stable")[:500]
    return sets[np.sort(kept)]


def answer(variant, metric_name, kept):
    metric, truth = get_metric(metric_name), kept["truth"] != 0
    names = [name for name in variant.families if f"held {name}" in kept]
    if not names:
        return None
    held, test = [kept[f"held {name}"] for name in names], [kept[f"test {name}"] for name in names]
    knows_sets = "held sets" in kept and "label sets" in names
    sets = None
    if metric_name == "subset_accuracy":
        sets = kept["sets"] if knows_sets else frequent(truth)
    weights = weigh(variant, metric, held, truth, frequent(truth) if sets is not None else None)
    matrix = weights_of_labels(held, truth, None, weights, variant.prior_rows)
    blended, blended_test = variant.mix(held, matrix), variant.mix(test, matrix)
    if variant.rate_again:
        sigmoids = fit_sigmoids(log_odds(blended), truth)
        blended, blended_test = sigmoids(log_odds(blended)), sigmoids(log_odds(blended_test))
    label_sets, set_rates, test_set_rates = None, None, None
    if sets is not None:
        count = (truth[:, None, :] == sets).all(axis=2).sum(axis=0) + 1.0
        label_sets = LabelSets(sets, np.log(count / count.sum()))
        if knows_sets:
            set_rates, test_set_rates = kept["held sets"], kept["test sets"]
    decide = decoded if variant.decodes else decided
    predicted = decide(metric, (blended, blended_test), truth, label_sets, (set_rates, test_set_rates))[0]
    value = evaluate(kept["test_truth"] != 0, predicted, metrics=[metric_name])[metric_name]
    return 100 * value * (1 if metric.greater_is_better else -1)


def decided(metric, rates, truth, label_sets, set_rates):
    """Labels of the test rows, and the value of the metric on the rows that the decision was chosen on."""
    decision = choose_decision(metric, Answers(rates[0], truth, None, None, set_rates[0]), label_sets, Clock(None))
    found = [
        decision.decide(*each) for each in zip(rates, set_rates if decision.needs_sets else (None, None), strict=True)
    ]
    return found[1], held_value(metric, truth, found[0])


def held_value(metric, truth, predicted):
    value = evaluate(truth, predicted, metrics=[metric.name])[metric.name]
    return value * (1 if metric.greater_is_better else -1)


def decoded(metric, rates, truth, label_sets, set_rates):
    """The same over the marginals of the label network, or its likeliest label sets: the best on held-out rows."""
    network = learn_network(truth, max_children=2)
    terms = pair_terms(read_targets(truth.astype(float)), network.edges, None)
    best = decided(metric, rates, truth, label_sets, set_rates)
    for strength in STRENGTHS[1:]:
        factors = tuple(LabelFactor(edge, strength * each) for edge, each in zip(network.edges, terms, strict=True))
        graph = FactorGraph(truth.shape[1], factors)
        held, test = (graph.infer(log_odds(each)) for each in rates)
        tried = [decided(metric, (held.marginals, test.marginals), truth, label_sets, set_rates)]
        if metric.name == "subset_accuracy":
            tried.append((test.mode, held_value(metric, truth, held.mode)))
        best = max([best, *tried], key=lambda found: found[1])
    return best


def with_constants(variant, work):
    """Work with some constants of the modules changed."""
    modules = {"blend_weights": blend_weights, "decisions": decisions}
    places = {name: name.split("__", 1) for name in variant.constants}
    before = {name: getattr(modules[module], constant) for name, (module, constant) in places.items()}
    try:
        for name, (module, constant) in places.items():
            setattr(modules[module], constant, variant.constants[name])
        return work()
    finally:
        for name, (module, constant) in places.items():
            setattr(modules[module], constant, before[name])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=lambda text: text.split(";"), default=list(VARIANTS))
    parser.add_argument("--metrics", type=lambda text: text.split(","), default=list(METRICS))
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=[*HALVES["A"], *HALVES["B"]])
    parser.add_argument("--name", default="blend_variants", help="of the file with the results")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    values: dict[tuple[str, str, str], list[float]] = {}
    paths = sorted(path for name in options.sets for split in range(options.splits)
                   for path in FOLDER.glob(f"{name}-{split}.npz"))  # fmt: skip
    for path in paths:
        kept = dict(np.load(path))
        for name in dict.fromkeys(["as it was", *options.only]):
            for metric in options.metrics:
                value = with_constants(VARIANTS[name], partial(answer, VARIANTS[name], metric, kept))
                if value is not None:
                    values.setdefault((name, metric, path.stem.rsplit("-", 1)[0]), []).append(value)
        print(path.stem, flush=True)
    rows = []
    for name in options.only:
        row: dict[str, Any] = {"variant": name}
        for metric in options.metrics:
            for half, names in HALVES.items():
                gaps = [
                    np.mean(values[name, metric, each]) - np.mean(values["as it was", metric, each])
                    for each in names
                    if (name, metric, each) in values
                ]
                row[f"{metric} {half}"] = float(np.mean(gaps)) if gaps else float("nan")
                row[f"+/- {metric} {half}"] = f"{sum(gap > 0.05 for gap in gaps)}/{sum(gap < -0.05 for gap in gaps)}"
        rows.append(row)
    sets = sorted({path.stem.rsplit("-", 1)[0] for path in paths})
    finish(options.name, rows, sets=sets, splits=len(paths) / max(len(sets), 1))


if __name__ == "__main__":
    main()
