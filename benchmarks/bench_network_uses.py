"""Where the label network pays: each method on the network against two twins, without it and with one of no meaning.

The protocol is `network_uses_protocol.json`: what is compared, on which folds, how settings are chosen, what counts.
Uses are settled on one half of the sets and reported on the other (`recommended_halves.json`). Every answer is one line
of a file, and what is there is not done again, so that the whole can be done in many sittings and on several machines
(join their files).

    python benchmarks/bench_network_uses.py [--sets emotions,flags] [--uses stack,decoder] [--repeats 2] [--draws 10]
        [--engine cuda] [--minutes 60] [--runs FILE] [--record]

On a machine without the compiled extension: ``PYTHONPATH=src python benchmarks/bench_network_uses.py --engine cuda``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from harness import ROOT, finish
from paired_study import (
    HALVES,
    PROTOCOL,
    Cell,
    SetReader,
    corrected,
    effect_over_sets,
    effects_of_sets,
    fold_means,
    record_lines,
    seed_of,
    work_off,
)
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import ParameterGrid

import bncc.multilabel as methods
from bncc import learn_network
from bncc.datasets import MultilabelStratifiedKFold
from bncc.metrics import evaluate, get_scorer
from bncc.selection import BatchSearchCV
from bncc.structure import permute_network
from bncc.svm import KernelSVC

KEYS = ("set", "repeat", "fold", "use", "form", "draw")
FORMS = ("network", "without", "permuted")
METRICS = tuple(PROTOCOL["metrics"])
READ = SetReader()


@dataclass(frozen=True)
class Plan:
    """What a method is made from: its settings, whether it has a network and which, the metric, and a seed."""

    settings: dict[str, Any]
    form: str
    search: Any
    metric: str
    seed: int
    engine: str

    @property
    def base(self) -> KernelSVC:
        return KernelSVC(engine=self.engine, **self.settings)

    def named(self, on_network: str, without: str) -> str:
        return without if self.form == "without" else on_network


def decoder(plan: Plan, inner: Any, **options: Any) -> Any:
    if plan.form == "without":
        return inner
    return methods.NetworkDecoder(inner, metric=plan.metric, network_search=plan.search, **options)


def chain_of_parents(plan: Plan) -> Any:
    if plan.form == "without":
        return methods.ClassifierChain(plan.base, random_state=plan.seed)
    return methods.BNCC(plan.base, context="parents", network_search=plan.search)


def neighbours(plan: Plan) -> Any:
    if plan.form == "without":
        return methods.MLkNN(**plan.settings)
    return methods.NetworkMLkNN(network_search=plan.search, **plan.settings)


def trees(plan: Plan) -> Any:
    return decoder(plan, ExtraTreesClassifier(200, n_jobs=-1, random_state=plan.seed))


def stack(plan: Plan, context: str) -> Any:
    return methods.StackedBinaryRelevance(
        plan.base, context=plan.named(context, "all"), network_search=plan.search, random_state=plan.seed
    )


def blocks(plan: Plan, chain: bool) -> Any:
    return methods.BlockPowerset(
        plan.base,
        blocks=plan.named("network", "random"),
        chain=chain,
        network_search=plan.search,
        random_state=plan.seed,
    )


USES: dict[str, Callable[[Plan], Any]] = {
    "rakel": lambda plan: methods.RandomKLabelsets(
        plan.base,
        labelsets=plan.named("network", "random"),
        network_search=plan.search,
        random_state=plan.seed,
    ),
    "blocks": lambda plan: blocks(plan, False),
    "block_chain": lambda plan: blocks(plan, True),
    "clr": lambda plan: methods.CalibratedLabelRanking(
        plan.base, pairs=plan.named("network", "random"), network_search=plan.search, random_state=plan.seed
    ),
    "stack": lambda plan: stack(plan, "network"),
    "stack_parents": lambda plan: stack(plan, "parents"),
    "chain_parents": chain_of_parents,
    "mlknn": neighbours,
    "decoder": lambda plan: decoder(plan, methods.BinaryRelevance(plan.base)),
    "decoder_marginals": lambda plan: decoder(plan, methods.BinaryRelevance(plan.base), optimise="hamming"),
    "decoder_trees": trees,
}
DECODERS = ("decoder", "decoder_marginals")


def choose_settings(use: str, plan: Plan, X: Any, Y: Any) -> dict[str, dict[str, Any]]:
    """The settings that are best for each metric on inner folds."""
    folds = list(MultilabelStratifiedKFold(PROTOCOL["inner_folds"], shuffle=False).split(X, Y))
    if use == "decoder_trees":
        return {metric: {} for metric in METRICS}
    if use == "mlknn":
        return _choose_by_fits(USES[use], plan, X, Y, folds)
    # A decoder takes the settings of what it decodes, whatever its network.
    estimator = methods.BinaryRelevance(plan.base) if use in DECODERS else USES[use](plan)
    grid, scorers = PROTOCOL["kernel_grid"], {metric: get_scorer(metric) for metric in METRICS}
    search = BatchSearchCV(estimator, grid, scoring=scorers, cv=folds, refit=False, engine=plan.engine).fit(X, Y)
    results = search.cv_results_
    best = {metric: int(np.argmin(results[f"rank_test_{metric}"])) for metric in METRICS}
    return {metric: results["params"][place] for metric, place in best.items()}


def _choose_by_fits(make: Callable[[Plan], Any], plan: Plan, X: Any, Y: Any, folds: Sequence[Any]) -> Any:
    candidates = list(ParameterGrid(PROTOCOL["neighbours_grid"]))
    values = {metric: np.zeros(len(candidates)) for metric in METRICS}
    for place, candidate in enumerate(candidates):
        for train, test in folds:
            model = make(Plan(candidate, plan.form, plan.search, METRICS[0], plan.seed, plan.engine))
            found = scores(model.fit(X[train], Y[train]), X[test], Y[test])
            for metric in METRICS:
                values[metric][place] += found[metric]
    return {metric: candidates[int(values[metric].argmax())] for metric in METRICS}


def scores(model: Any, X: Any, Y: Any) -> dict[str, float]:
    return dict(evaluate(Y, np.asarray(model.predict(X)), metrics=list(METRICS)))


def answer(cell: Cell, lines: Sequence[Cell], engine: str) -> Cell | None:
    """The values of one form of one use on one fold, in one draw."""
    X, Y, X_test, Y_test = READ.rows(cell)
    of_draw = seed_of(cell["set"], cell["repeat"], cell["fold"], cell["draw"])
    search: Any = "paper"
    if cell["form"] == "permuted":
        permutation = np.random.default_rng(of_draw).permutation(Y.shape[1])
        search = permute_network(learn_network(Y), permutation.tolist())
    plan = Plan({}, cell["form"], search, METRICS[0], of_draw, engine)
    start = time.perf_counter()
    settings = _settings_before(cell, lines) or choose_settings(cell["use"], plan, X, Y)
    values: dict[str, float] = {}
    fitted: dict[Any, dict[str, float]] = {}
    for metric in METRICS:
        # Decoders choose their strength for the metric; for all others, equal settings are equal models.
        key = (tuple(sorted(settings[metric].items())), metric if cell["use"].startswith("decoder") else "")
        if key not in fitted:
            model = USES[cell["use"]](Plan(settings[metric], plan.form, search, metric, of_draw, engine))
            fitted[key] = scores(model.fit(X, Y), X_test, Y_test)
        values[metric] = fitted[key][metric]
    return {**cell, "values": values, "settings": settings, "seconds": time.perf_counter() - start}


def _settings_before(cell: Cell, lines: Sequence[Cell]) -> dict[str, dict[str, Any]] | None:
    """The settings that the first draw has chosen; for decoders, those of the classifier that they share."""
    for line in lines:
        same_method = (
            line["use"] in DECODERS
            if cell["use"] in DECODERS
            else (line["use"], line["form"]) == (cell["use"], cell["form"])
        )
        if same_method and all(line[key] == cell[key] for key in ("set", "repeat", "fold")):
            return dict(line["settings"])
    return None


def cells_of(options: argparse.Namespace) -> Iterator[Cell]:
    for repeat in range(options.repeats):
        for name in options.sets:
            for fold in range(PROTOCOL["folds"]):
                for use in options.uses:
                    for form in FORMS:
                        for draw in range(min(options.draws, PROTOCOL["uses"][use]["draws"][form])):
                            yield {"set": name, "repeat": repeat, "fold": fold, "use": use, "form": form, "draw": draw}


def sum_up(lines: Sequence[Cell], uses: Sequence[str]) -> tuple[list[Cell], list[Cell]]:
    """Effects over the sets of each half, and those on each set."""
    rows, of_sets = [], []
    for metric in METRICS:
        for use in uses:
            own = fold_means(lines, metric, use=use, form="network")
            for twin in FORMS[1:]:
                other = fold_means(lines, metric, use=use, form=twin)
                for half, names in {**HALVES, "both": [*HALVES["A"], *HALVES["B"]]}.items():
                    each = effects_of_sets(own, other, names)
                    what = {"half": half, "metric": metric, "use": use, "twin": twin}
                    if each:
                        rows.append({**what, **effect_over_sets(each)})
                    if half == "both":
                        of_sets += [{"metric": metric, "use": use, "twin": twin, **row} for row in each]
    settle(rows)
    return rows, of_sets


def settle(rows: Sequence[Cell]) -> None:
    """Say which uses half A has settled for a metric, and correct their p-values on half B."""
    ahead: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["half"] == "A":
            ahead.setdefault((row["metric"], row["use"]), []).append(row["difference"])
    for row in rows:
        row["settled"] = "yes" if all(gain > 0 for gain in ahead.get((row["metric"], row["use"]), [-1.0])) else "no"
    for metric in METRICS:
        for twin in FORMS[1:]:
            corrected([
                row for row in rows
                if (row["half"], row["metric"], row["twin"], row["settled"]) == ("B", metric, twin, "yes")
            ])  # fmt: skip


def usable(names: Sequence[str]) -> list[str]:
    """The uses whose methods this version of the package has."""
    kept = []
    for use in names:
        try:
            USES[use](Plan({}, "network", "paper", METRICS[0], 0, "auto"))
        except (AttributeError, TypeError) as error:
            print(f"{use} is left out: {error}")
            continue
        kept.append(use)
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, known in (("sets", [*HALVES["A"], *HALVES["B"]]), ("uses", list(USES))):
        parser.add_argument(f"--{name}", type=lambda text: text.split(","), default=known)
    parser.add_argument("--repeats", type=int, default=PROTOCOL["repeats"])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--runs", default=str(ROOT / "out" / "network_uses_runs.jsonl"))
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    options.uses = usable(options.uses)
    lines = work_off(
        cells_of(options),
        KEYS,
        lambda cell, before: answer(cell, before, options.engine),
        Path(options.runs),
        options.minutes,
    )
    rows, of_sets = sum_up(lines, options.uses)
    if rows:
        finish("network_uses", rows, of_sets=of_sets, halves=HALVES, protocol=PROTOCOL, runs=len(lines))
    if options.record:
        record_lines(Path(options.runs))


if __name__ == "__main__":
    main()
