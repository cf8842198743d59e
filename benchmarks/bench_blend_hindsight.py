"""What a blend could gain at most by better weights and decisions, on answers that are kept in files.

    python benchmarks/bench_blend_hindsight.py [--metrics example_f1] [--splits 3] [--record]

`blend_answers.py` makes the files. Beside the blend stand what nobody can have: the family that turns out best on the
test rows, the blend with its decision chosen on the test rows themselves, and with its weights chosen there too. Means
over the sets of each half (`recommended_halves.json`), in points.
"""

from __future__ import annotations

import argparse

import numpy as np
from bench_blend_variants import Variant, answer, by_metric, choose_weights, decided, frequent, partial
from blend_answers import FOLDER, HALVES
from harness import finish

from bncc.metrics import evaluate, get_metric
from bncc.multilabel.blending.blend_weights import blend_rates, weights_of_labels
from bncc.multilabel.blending.families import FAMILIES
from bncc.multilabel.blending.stacking import STACKED

EVERY = (*FAMILIES, STACKED)
NOW = Variant(families=EVERY, likelihood_share=0.5)


def cheated(metric_name, kept, *, weights_too):
    """Value of a blend whose decision (and weights, if they are `weights_too`) come from the rows it is measured on."""
    metric, truth, test_truth = get_metric(metric_name), kept["truth"] != 0, kept["test_truth"] != 0
    names = [name for name in EVERY if f"held {name}" in kept]
    chosen_on, labels = ("test", test_truth) if weights_too else ("held", truth)
    seen = [kept[f"{chosen_on} {name}"].astype(float) for name in names]
    sets = frequent(labels) if metric_name == "subset_accuracy" else None
    weights = choose_weights(seen, partial(by_metric, metric, labels, sets), 0)
    matrix = weights_of_labels(seen, labels, None, weights)
    rates = blend_rates([kept[f"test {name}"].astype(float) for name in names], matrix)
    predicted = decided(metric, (rates, rates), test_truth, None, (None, None))[0]
    value = evaluate(test_truth, predicted, metrics=[metric_name])[metric_name]
    return 100 * value * (1 if metric.greater_is_better else -1)


def values_of(metric, kept):
    alone = [answer(Variant(families=(name,)), metric, kept) for name in EVERY if f"held {name}" in kept]
    return {
        "blend": answer(NOW, metric, kept),
        "best family in hindsight": max(alone),
        "decision from the test rows": cheated(metric, kept, weights_too=False),
        "weights and decision from the test rows": cheated(metric, kept, weights_too=True),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metrics", type=lambda text: text.split(","), default=["example_f1"])
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    rows = []
    for metric in options.metrics:
        for half, names in HALVES.items():
            of_sets: dict[str, list[float]] = {}
            for name in names:
                paths = [FOLDER / f"{name}-{split}.npz" for split in range(options.splits)]
                found = [values_of(metric, dict(np.load(path))) for path in paths if path.exists()]
                for what in found[0] if found else ():
                    of_sets.setdefault(what, []).append(float(np.mean([each[what] for each in found])))
            for what, values in of_sets.items():
                rows.append({"metric": metric, "half": half, "what": what, "sets": len(values),
                             "value": float(np.mean(values))})  # fmt: skip
    finish("blend_hindsight", rows, splits=options.splits)


if __name__ == "__main__":
    main()
