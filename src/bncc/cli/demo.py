"""`bncc demo`: the embedded data end to end: the label network beside the true one, and methods compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from bncc._interrupt import stop_with_care
from bncc.cli.analyse import left_out_line, order_line
from bncc.cli.options import NoPageOption, PageOption, TotalTimeOption
from bncc.cli.output import JsonOption, QuietOption, Voice, plain_table

if TYPE_CHECKING:
    from bncc.datasets import Dataset
    from bncc.graph import Parents
    from bncc.structure import LabelNetwork

__all__ = ["demo"]

METHODS = ("br", "cc", "bncc", "recommended")
METRIC = "example_f1"
RESAMPLES = 100
EXPLAINED = 3  # rows on the page
METRICS = ("hamming_loss", "example_f1", "macro_f1", "micro_f1")


def demo(
    context: typer.Context,
    rows: Annotated[int, typer.Option(min=10, help="How many rows to draw.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of the generator.")] = 0,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    time_limit: TotalTimeOption = None,
    page: PageOption = Path("report.html"),
    no_page: NoPageOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """See it all on data that come with the package, in less than a minute.

    Draws labelled rows from a known label network, learns the network back from them, and compares binary relevance
    (br), a classifier chain (cc), the chain ordered by the network (bncc) and the recommended method; then says which
    label is predicted worst. Tables, figures and an interactive network go to a page to look at in a browser.
    """
    from bncc.analysis.best_models import BestModels
    from bncc.analysis.page import summarise_labels, summarise_quality_part, summarise_results
    from bncc.analysis.quality import KeptAnswers, best_method
    from bncc.cli.page import check_page, command_line, leave_page
    from bncc.cli.quality_table import quality_result, show_quality
    from bncc.cli.score_table import lead_result, show_comparison, show_lead
    from bncc.cli.why import show_reasons
    from bncc.datasets import SCENES, fingerprint, make_scenes
    from bncc.evaluation import EvaluationPlan, as_labelled, compare_methods, summarise_records
    from bncc.structure import describing_search, learn_network

    stop_with_care()
    voice = Voice(as_json, quiet)
    page_path = check_page(page, no_page)
    data = make_scenes(rows, random_state=seed)
    search = describing_search(len(data.label_names))
    net = learn_network(data.Y, max_children=None, search=search, label_names=data.label_names).pruned()
    voice.show(repr(data), _dependence_table(net), _network_table(net, SCENES.parents), *left_out_line(net))
    voice.show(order_line(net))
    plan = EvaluationPlan(
        METHODS, METRICS, min(folds, rows), metric=METRIC, seed=seed, time_limit=time_limit, verbose=voice.tells
    )
    kept, models = KeptAnswers(), BestModels(METRIC)
    with voice.progress("Cross-validation", len(METHODS) * plan.folds) as begin:
        records = compare_methods(
            data, plan, report=lambda method, _, fold: begin(f"{method}, fold {fold + 1}"), keep=kept, keep_model=models
        )
    show_comparison(voice, records, f"Methods compared on {folds} folds")
    lead = kept.lead(records, data.Y, METRIC)
    show_lead(voice, lead)
    quality = kept.judge(data.Y, data.label_names, first=best_method(records, METRIC))
    show_quality(voice, quality)
    if voice.tells:
        show_reasons(voice, models.settle(), as_labelled(data))
    settings = {"rows": rows, "seed": seed, "folds": folds}
    labels = summarise_labels(
        data, net, title="Scenes of village and city", true_parents=SCENES.parents, n_resamples=RESAMPLES
    )
    made_by = {
        "command": command_line(context),
        "fingerprint": fingerprint(data),
        "methods": METHODS,
        "metrics": METRICS,
        "base": "auto",
        "metric": METRIC,
    }
    results = summarise_results(records, settings={**made_by, **settings})
    explained = () if page_path is None else models.settle().reasons(as_labelled(data), range(EXPLAINED))
    written = leave_page(page_path, labels, results, summarise_quality_part(quality, reasons=explained))
    voice.show(*([f"Wrote {written}: open it in a browser."] if written else []))
    facts = _network_facts(data, net, SCENES.parents)
    judged = {"methods": summarise_records(records), "lead": lead_result(lead), "quality": quality_result(quality)}
    voice.finish({**facts, **settings, **judged, "page": written})


def _network_facts(data: Dataset, net: LabelNetwork, true_parents: Parents) -> dict[str, Any]:
    names = net.label_names

    def named(parents: Any) -> dict[str, list[str]]:
        return {names[child]: [names[parent] for parent in group] for child, group in enumerate(parents)}

    return {
        "data": data.name,
        "rows": data.n_rows,
        "order": [names[label] for label in net.order],
        "network": named(net.parents),
        "true_network": named(true_parents),
    }


def _dependence_table(net: LabelNetwork) -> Table:
    """Dependence degrees; the sign tells whether the parent makes the child more or less likely."""
    from bncc.labels import count_labels

    counts = count_labels(net.counts)
    together = counts.pairs.toarray() / counts.n_rows
    shares = counts.positives / counts.n_rows
    table = plain_table("Dependence degree I(parent → child)", "bold: an edge of the network, −: less likely together")
    table.add_column("child", no_wrap=True)
    for parent in range(net.n_labels):
        table.add_column(str(parent + 1), justify="right", no_wrap=True)
    for child, name in enumerate(net.label_names):
        cells = []
        for parent in range(net.n_labels):
            sign = "−" if together[child, parent] < shares[child] * shares[parent] else ""
            style = "dim" if child == parent else "bold" if parent in net.parents[child] else ""
            weight = f"{net.dependence[child, parent]:.2f}".removeprefix("0")
            cells.append(Text(sign + weight, style=style))
        table.add_row(f"{child + 1} {name}", *cells)
    return table


def _network_table(net: LabelNetwork, true_parents: Parents) -> Table:
    """True parents beside learned ones; an edge found in the other direction is marked."""
    table = plain_table("Label network: parents of each label", "= true, ↔ true in the other direction, + not true")
    for heading in ("label", "true", "learned"):
        table.add_column(heading)
    true = {(parent, child) for child, group in enumerate(true_parents) for parent in group}
    for child in net.order:
        learned = Text()
        for parent in net.parents[child]:
            mark, style = ("=", "green") if (parent, child) in true else ("+", "yellow")
            if (child, parent) in true:
                mark, style = "↔", "cyan"
            learned.append(f"{mark} {net.label_names[parent]}  ", style=style)
        known = ", ".join(net.label_names[parent] for parent in true_parents[child])
        table.add_row(net.label_names[child], known or "-", learned or Text("-"))
    return table
