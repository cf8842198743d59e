"""`bncc analyse`: what the labels of a data set are like, and how they depend on each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from bncc._interrupt import stop_with_care
from bncc.cli.names import SCORES, SEARCHES, starting_with
from bncc.cli.options import (
    DataArgument,
    DropOption,
    FeaturesOption,
    LabelsOption,
    NoPageOption,
    PageOption,
    PartOption,
    SeparatorOption,
    TextOption,
)
from bncc.cli.output import JsonOption, QuietOption, Voice, printable

if TYPE_CHECKING:
    from bncc.evaluation import LabelledData
    from bncc.labels import LabelCounts, Relation
    from bncc.structure import EdgeTable, LabelNetwork

__all__ = ["EPILOG", "analyse", "in_words", "left_out_line", "order_line"]

EPILOG = """Examples:

bncc analyse photos.csv --labels -4

bncc analyse emotions --max-children 2

bncc analyse posts.csv --labels tags --drop body --json"""


def analyse(
    context: typer.Context,
    data: DataArgument,
    labels: LabelsOption = None,
    top: Annotated[int, typer.Option(min=1, help="How many labels and dependences to show.")] = 10,
    max_children: Annotated[
        int | None, typer.Option(min=1, help="Most children of a label in the network; no limit describes best.")
    ] = None,
    score: Annotated[
        str,
        typer.Option(help=f"Score of the network: {', '.join(SCORES)}.", autocompletion=starting_with(SCORES)),
    ] = "dependence",
    search: Annotated[
        str | None,
        typer.Option(
            help=f"Search of the network: {', '.join(SEARCHES)}; by default ges, hill_climbing beyond 400 labels, "
            "paper beyond 2,000.",
            autocompletion=starting_with(SEARCHES),
            show_default=False,
        ),
    ] = None,
    all_edges: Annotated[bool, typer.Option("--all-edges", help="Show also edges that chance would explain.")] = False,
    resamples: Annotated[
        int, typer.Option(min=0, help="Networks learned from rows drawn anew: how often does each edge come back?")
    ] = 0,
    given: Annotated[
        list[str] | None,
        typer.Option("--given", help="What if: a label and 1 or 0, as billing=1; the others move (repeatable)."),
    ] = None,
    text: TextOption = None,
    drop: DropOption = None,
    tag_separator: SeparatorOption = None,
    features: FeaturesOption = None,
    part: PartOption = "all",
    page: PageOption = Path("report.html"),
    no_page: NoPageOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show how the labels of a data set depend on each other.

    Counts, cardinality and imbalance; the strongest positive and negative dependences in words; the label network
    and the order in which a chain would take the labels; and a page with all of it, to look at in a browser.
    """
    from bncc.analysis.page import summarise_labels
    from bncc.cli.page import (
        about_data,
        check_page,
        command_line,
        data_fingerprint,
        leave_page,
        reading_options,
    )
    from bncc.evaluation import Reading, read_labelled
    from bncc.labels import strongest_relations
    from bncc.structure import count_known_labels, describing_search, learn_network
    from bncc.structure.local_scores import get_score

    stop_with_care()
    voice = Voice(as_json, quiet)
    page_path = check_page(page, no_page)
    reading = Reading(labels, text or (), drop or (), tag_separator, features, featureless=True)
    labelled = read_labelled(data, reading).part(part)
    counts = count_known_labels(labelled.known_labels, label_names=labelled.label_names)
    chosen = search or describing_search(counts.n_labels)
    if chosen not in SEARCHES:
        raise ValueError(f"`--search` must be one of {', '.join(SEARCHES)}; got {chosen!r}.")
    net = learn_network(counts, max_children=max_children, score=get_score(score), search=chosen)  # type: ignore[arg-type]
    net = net if all_edges else net.pruned()
    known = _given_labels(given or (), net.label_names)
    relations = strongest_relations(counts, top)
    table = net.edge_table(n_resamples=resamples)
    written = None
    if page_path is not None:
        settings = {
            "command": command_line(context),
            "fingerprint": data_fingerprint(labelled),
            "reading": reading_options(reading),
            "part": part,
            "max_children": "no limit" if max_children is None else max_children,
            "score": score,
            "search": chosen,
        }
        summary = summarise_labels(
            counts,
            net,
            title=f"Labels of {labelled.name}",
            note=labelled.unknown_note,
            settings=settings,
            n_strongest=top,
            evidence=table,
        )
        written = leave_page(page_path, about_data(summary, labelled))
    voice.show(*([labelled.unknown_note] if labelled.has_unknown else []))
    _show_labels(voice, labelled, counts, top)
    _show_relations(voice, relations, labelled.label_names)
    show_network(voice, net, top)
    _show_edges(voice, table, top)
    answers = _show_answers(voice, net, known, top) if known else None
    voice.show(*([f"Wrote {written}: open it in a browser."] if written else []))
    result = _result(labelled, counts, relations, net) | _edge_facts(net, table)
    voice.finish({**result, **({} if answers is None else {"given": answers}), "page": written})


def in_words(relation: Relation, names: Sequence[str]) -> str:
    """A relation as a sentence.

    >>> from bncc.labels import Relation
    >>> in_words(Relation(0, 1, 0.03, 0.41, 0.2), ["Rural", "High building"])
    'Rural makes High building less likely: 0.41 → 0.03'
    """
    way = "more" if relation.is_positive else "less"
    shift = f"{relation.without_parent:.2f} → {relation.with_parent:.2f}"
    return f"{names[relation.parent]} makes {names[relation.child]} {way} likely: {shift}"


def order_line(net: LabelNetwork, most: int = 100) -> Text:
    """The chain order in one line."""
    names = [printable(net.label_names[label]) for label in net.order[:most]]
    more = f" → ... ({net.n_labels - most} more)" if net.n_labels > most else ""
    return Text("Chain order: ") + Text(" → ".join(names) + more, style="bold")


def left_out_line(net: LabelNetwork) -> list[str]:
    """How many edges are not shown, where there are any."""
    from bncc.datasets.files import counted

    return [f"Left out: {counted(len(net.left_out), 'edge')} that chance would explain."] if net.left_out else []


def show_network(voice: Voice, net: LabelNetwork, top: int) -> None:
    """Parents of the first labels of the chain, then the whole order."""
    from bncc.datasets.files import counted

    rows = [
        (net.label_names[label], ", ".join(net.label_names[parent] for parent in net.parents[label]) or "-")
        for label in net.order
    ]
    shown = rows if len(rows) <= max(30, top) else rows[:top]
    more = f"the first {len(shown)} of {len(rows)} labels in chain order" if len(shown) < len(rows) else ""
    voice.rows(f"Label network ({counted(len(net.edges), 'edge')})", ["label", "parents"], shown, more)
    voice.show(*(f"{line} --all-edges shows them." for line in left_out_line(net)), order_line(net))


def _given_labels(given: Sequence[str], names: Sequence[str]) -> dict[str, int]:
    """What `--given` says, by label.

    >>> _given_labels(["billing=1", "a=b=0"], ["billing", "a=b"])
    {'billing': 1, 'a=b': 0}
    """
    out: dict[str, int] = {}
    for entry in given:
        name, equals, value = entry.rpartition("=")
        if not equals or value.strip() not in ("0", "1"):
            raise ValueError(f"`--given` must be a label and 1 or 0, as billing=1; got {entry!r}.")
        if name.strip() not in names:
            raise ValueError(f"`--given` names an unknown label {name.strip()!r}; labels are {list(names[:8])}.")
        if out.setdefault(name.strip(), int(value)) != int(value):
            raise ValueError(f"`--given` says that {name.strip()!r} is 0 and 1. Leave one of them out.")
    return out


def _show_edges(voice: Voice, table: EdgeTable, top: int) -> None:
    """The strongest edges and what speaks for them."""
    names = table.label_names
    shares = table.n_resamples > 0
    rows = [
        (
            f"{names[edge.parent]} → {names[edge.child]}",
            f"{edge.gain:.1f}",
            f"{edge.corrected_p_value:.1e}",
            *([f"{edge.share:.2f}"] if shares else []),
            "yes" if edge.sure else "no",
        )
        for edge in table.edges[:top]
    ]
    headings = ["edge", "gain in bits", f"p, of {table.n_pairs} pairs", *(["share"] if shares else []), "sure"]
    more = f"the {len(rows)} surest of {len(table)} edges" if len(table) > len(rows) else ""
    if rows:
        voice.rows("What speaks for the edges", headings, rows, more)


def _show_answers(voice: Voice, net: LabelNetwork, known: dict[str, int], top: int) -> dict[str, Any]:
    """How likely the labels are before and after some are given, those that move most first."""
    before, after = net.probabilities(), net.probabilities(known)
    moved = after.probabilities - before.probabilities
    names = net.label_names
    ranked = sorted((i for i in range(net.n_labels) if names[i] not in known), key=lambda i: -abs(moved[i]))
    rows = [
        (names[i], f"{before.probabilities[i]:.3f}", f"{after.probabilities[i]:.3f}", f"{moved[i]:+.3f}")
        for i in ranked[:top]
    ]
    condition = ", ".join(f"{name}={value}" for name, value in known.items())
    way = "" if after.exact else f"sampled; standard error up to {after.standard_errors.max():.3f}"
    voice.rows(f"Given {condition}", ["label", "before", "given", "moved"], rows, way)
    return {
        "labels": known,
        "exact": after.exact,
        "probabilities": {names[i]: float(after.probabilities[i]) for i in range(net.n_labels)},
        "before": {names[i]: float(before.probabilities[i]) for i in range(net.n_labels)},
    }


def _edge_facts(net: LabelNetwork, table: EdgeTable) -> dict[str, Any]:
    columns = table.columns()
    return {
        "edges": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
        "left_out": [[net.label_names[parent], net.label_names[child]] for parent, child in net.left_out],
    }


def _show_labels(voice: Voice, data: LabelledData, counts: LabelCounts, top: int) -> None:
    from bncc.datasets.files import counted
    from bncc.labels import imbalance, profile_labels

    profile = profile_labels(counts)
    voice.show(
        f"{data.name}: {counted(data.n_rows, 'row')}, {counted(data.X.shape[1], 'feature')}, "
        f"{counted(profile.n_labels, 'label')}. "
        f"Cardinality {profile.cardinality:.3f} labels per row, density {profile.density:.3f}, mean imbalance "
        f"{_figure(profile.mean_imbalance)}, {counted(profile.n_label_sets, 'different label set')}."
    )
    ratios = imbalance(counts)
    ranked = sorted(range(counts.n_labels), key=lambda label: -counts.positives[label])
    rows = [
        (data.label_names[i], counts.positives[i], f"{counts.positives[i] / counts.n_rows:.3f}", f"{ratios[i]:.2f}")
        for i in ranked[:top]
    ]
    more = f"the {top} most frequent of {counts.n_labels}" if counts.n_labels > top else ""
    voice.rows("Labels", ["label", "rows", "share", "imbalance"], rows, more)


def _figure(value: float) -> str:
    """Three decimals, or a dash where nothing is defined.

    >>> _figure(1.5), _figure(float("nan"))
    ('1.500', '–')
    """
    return "–" if math.isnan(value) else f"{value:.3f}"


def _show_relations(voice: Voice, relations: Sequence[Relation], names: Sequence[str]) -> None:
    for title, positive in (("Together more often than by chance", True), ("Together less often", False)):
        alike = [relation for relation in relations if relation.is_positive is positive]
        rows = [(in_words(relation, names), f"{relation.information:.3f}") for relation in alike]
        voice.rows(title, ["probability without → with", "bits"], rows or [("none", "")])


def _result(
    data: LabelledData, counts: LabelCounts, relations: Sequence[Relation], net: LabelNetwork
) -> dict[str, Any]:
    from bncc.labels import imbalance, profile_labels

    profile, names = profile_labels(counts), data.label_names
    ratios = imbalance(counts).tolist()
    return {
        "data": data.name,
        "rows": data.n_rows,
        "features": int(data.X.shape[1]),
        "cardinality": profile.cardinality,
        "density": profile.density,
        "mean_imbalance": profile.mean_imbalance,
        "label_sets": profile.n_label_sets,
        "labels": [
            {"name": name, "rows": int(counts.positives[i]), "imbalance": ratios[i]} for i, name in enumerate(names)
        ],
        "dependences": [
            {
                "parent": names[relation.parent],
                "child": names[relation.child],
                "without_parent": relation.without_parent,
                "with_parent": relation.with_parent,
                "bits": relation.information,
                "words": in_words(relation, names),
            }
            for relation in relations
        ],
        "network": {names[child]: [names[parent] for parent in net.parents[child]] for child in range(net.n_labels)},
        "order": [names[label] for label in net.order],
    }
