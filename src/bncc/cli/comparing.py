"""Methods compared by cross-validation: one record per method and fold, and the table that sums them up."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from bncc.cli.models import choose_base, make_model
from bncc.cli.output import Voice
from bncc.cli.source import Source, take
from bncc.datasets import MultilabelStratifiedKFold
from bncc.experiment import Record
from bncc.metrics import evaluate, get_metric
from bncc.multilabel.tuned_thresholds import label_scores
from bncc.svm import EngineChoice

__all__ = ["Fold", "chosen_engine", "chosen_values", "compare_methods", "deal", "show_comparison", "summarise"]

Fold = tuple[int, int, NDArray[np.int64], NDArray[np.int64]]
"""Number of the repeat, number of the fold, training rows, test rows."""


def deal(source: Source, n_folds: int, n_repeats: int, seed: int) -> list[Fold]:
    """Stratified folds, shuffled anew for each repeat."""
    Y = source.label_matrix
    return [
        (repeat, fold, train, test)
        for repeat in range(n_repeats)
        for fold, (train, test) in enumerate(MultilabelStratifiedKFold(n_folds, random_state=seed + repeat).split(Y, Y))
    ]


def compare_methods(
    source: Source,
    methods: Sequence[str],
    folds: Sequence[Fold],
    metrics: Sequence[str],
    *,
    base: str,
    metric: str,
    seed: int,
    voice: Voice,
    engine: str = "auto",
) -> list[Record]:
    """Fit and test every method on every fold; whatever is chosen is chosen inside the training rows."""
    kind = choose_base(base, source)
    out = []
    with voice.progress("Cross-validation", len(methods) * len(folds)) as begin:
        for method in methods:
            for repeat, fold, train, test in folds:
                begin(f"{method}, fold {fold + 1}" + (f" of repeat {repeat + 1}" if folds[-1][0] else ""))
                model = make_model(method, source, base=kind, metric=metric, seed=seed, engine=engine)
                facts = _test(model, source, train, test, metrics)
                out.append(Record(source.name, method, repeat, fold, seed=seed, **facts))
    return out


def _test(model: Any, source: Source, train: Any, test: Any, metrics: Sequence[str]) -> dict[str, Any]:
    start = time.perf_counter()
    model.fit(take(source.X, train), source.Y.iloc[train])
    fitted = time.perf_counter()
    X, truth = take(source.X, test), source.Y.iloc[test].to_numpy()
    predicted = np.asarray(model.predict(X)).reshape(truth.shape)
    scores = None
    if any(get_metric(name).needs == "scores" for name in metrics):
        scores = label_scores(model, X, truth.shape[1])
    values = evaluate(truth, predicted, scores, metrics=metrics)
    seconds = {"train_seconds": fitted - start, "test_seconds": time.perf_counter() - fitted}
    return {"scores": values, **chosen_values(model), **seconds}


def chosen_values(model: Any) -> dict[str, float]:
    """The sigma and C that a search inside a pipeline chose; empty where there was none."""
    best: Mapping[str, float] = getattr(model[-1], "best_params_", {})
    return {name: float(best[name]) for name in ("sigma", "C") if name in best}


def chosen_engine(model: Any) -> EngineChoice | None:
    """What solved the links of the last step of a pipeline, and why; None where it has no kernel links."""
    part = model[-1]
    while part is not None:
        if (found := getattr(part, "engine_", None)) is not None:
            return found
        part = getattr(part, "best_estimator_", getattr(part, "estimator_", None))
    return None


def summarise(records: Sequence[Record]) -> dict[str, dict[str, Any]]:
    """By method: scores with mean, standard deviation (ddof=1; None for one fold), values, and mean seconds."""
    out: dict[str, dict[str, Any]] = {}
    for method in dict.fromkeys(record.method for record in records):
        own = [record for record in records if record.method == method]
        scores = {name: [record.scores[name] for record in own] for name in own[0].scores}
        out[method] = {
            "scores": {
                name: {"mean": float(np.mean(values)), "std": _spread(values), "folds": values}
                for name, values in scores.items()
            },
            "train_seconds": float(np.mean([record.train_seconds for record in own])),
            "test_seconds": float(np.mean([record.test_seconds for record in own])),
        }
    return out


def _spread(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def show_comparison(voice: Voice, records: Sequence[Record], title: str) -> None:
    """The table for a person: a line per method, the best of each metric in bold."""
    table = summarise(records)
    metrics = list(records[0].scores)
    best = {}
    for name in metrics:
        means = [round(entry["scores"][name]["mean"], 4) for entry in table.values()]
        best[name] = max(means) if get_metric(name).greater_is_better else min(means)
    rows = []
    for method, entry in table.items():
        cells = [
            Text(_cell(value), "bold" if round(value["mean"], 4) == best[name] else "")
            for name, value in entry["scores"].items()
        ]
        rows.append([method, *cells, f"{entry['train_seconds']:.2f}"])
    arrows = [f"{name}{'↑' if get_metric(name).greater_is_better else '↓'}" for name in metrics]
    spread = "mean ± standard deviation over folds; " if len(records) > len(table) else ""
    caption = f"{spread}bold: best; s: seconds to train, per fold"
    voice.rows(title, ["method", *arrows, "s"], rows, caption)


def _cell(value: Mapping[str, Any]) -> str:
    return f"{value['mean']:.4f}" + (f"±{value['std']:.3f}" if len(value["folds"]) > 1 else "")
