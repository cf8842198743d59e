"""Records of the multi-label estimators: labels, links and orders that belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

import numpy as np

from bncc.multilabel.chain_contexts import ChainMethod
from bncc.multilabel.crossval import Calibration
from bncc.multilabel.model_files.column_fields import Distinct
from bncc.multilabel.model_files.fields import (
    Anything,
    Array,
    Either,
    Flag,
    Indices,
    Kind,
    Many,
    Names,
    Nothing,
    Number,
    ObjectTable,
    Optional,
    Part,
    Sizes,
    Text,
    Values,
    Whole,
    held,
)
from bncc.multilabel.model_files.records_kernel import ANSWERS, FEATURE_NAMES, FEATURES
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Fields, Record
from bncc.multilabel.model_files.settings import Scalar
from bncc.multilabel.model_files.walk_checks import (
    check_all_sets,
    check_blocks,
    check_chain,
    check_contests,
    check_draws,
    check_labels,
    check_labelsets,
    check_layers,
    check_one_chain,
    check_orders,
    check_relevance,
    check_trees,
)
from bncc.structure import LabelNetwork
from bncc.structure.factor_graph import MOST_CELLS_OF_ROW
from bncc.structure.inference import Elimination, eliminate_graph

__all__ = [
    "FEATURE_FIELDS",
    "LABEL_FIELDS",
    "LINKS",
    "METHODS",
    "TRAINING_ROWS",
    "check_labels",
    "check_messages",
]

#: Records that solved links may be: a new backend adds its own.
LINKS = ("FittedLinks", "KernelLinks", "LinearLinks", "MappedLinks")

_MOST_LABELS = 2**24
# Of networks that labels inform each other by. Beyond what can be summed up, messages go round a hundred times.
_MOST_JOINED = 2048
_MOST_EDGES = 2**14
_MOST_SPEAKERS = 2**12
_MOST_SPOKEN = 2**17  # numbers of all tables, each as often as it has labels
_LITTLE = 3  # effort of reading what a network has for each label, and more
_COLUMN = Either((Array("*", "_"), ObjectTable(Scalar(), "_")))
_ORDER = Indices("L", "L", distinct=True)
_REAL = Either((Number(), Anything()))
_LABELS = Indices("L", distinct=True)
_CONTEXTS = Many(_LABELS, "L")
# No link twice in a walk, and several walks are of one length: all is laid out for the longest.
_ONE_WALK = Many(Indices("p", "steps", distinct=True), "1")
_WALKS = Many(Indices("p", "L", distinct=True), "walks")

LABEL_FIELDS: Mapping[str, Kind] = {
    "n_labels_": Whole(1, _MOST_LABELS, "L"),
    "label_names_": Names("L"),
    "_values": Either((Array("*", "values"), ObjectTable(Scalar(), "values"))),
    "_column_values": Optional(Many(_COLUMN, "L")),
    "classes_": Either((Array("*", "_"), ObjectTable(Scalar(), "_"), Many(_COLUMN))),
    "_flat": Flag(),
    "_dtype": Anything(),
    "_layout": Optional(Anything()),
    "_output": Optional(Text(("default", "pandas", "polars"))),
}
FEATURE_FIELDS: Mapping[str, Kind] = {"n_features_in_": FEATURES, "feature_names_in_": FEATURE_NAMES}
#: Training rows that are kept for `explain`: they do not travel.
TRAINING_ROWS = ("_background",)
_LINKED: Mapping[str, Kind] = {
    **LABEL_FIELDS,
    **FEATURE_FIELDS,
    "_solved": Part(LINKS, same="L d p"),
    "_walks": _ONE_WALK,
    "engine_": Optional(Part(("EngineChoice", "LinearChoice"))),
    "_calibration": Optional(Part(("Calibration",))),
    "_category_levels": Optional(Anything()),
}
_CHAIN: Mapping[str, Kind] = {
    **_LINKED,
    "order_": _ORDER,
    "_contexts": Optional(_CONTEXTS),
    "_link_calibration": Optional(Part(("Calibration",))),
    "_seed": Optional(Whole(0, 2**32 - 1)),
}
_CHAINS: Mapping[str, Kind] = {**_LINKED, "_walks": _WALKS, "orders_": Many(_ORDER, "walks")}


def _check_decoder(values: Values, sizes: Sizes) -> None:
    check_labels(values, sizes)
    edges = held(values, "network_", LabelNetwork).edges
    if len(held(values, "pair_terms_", np.ndarray)) != len(edges):
        raise Refused("NetworkDecoder.pair_terms_ must be of the edges of its network")
    check_messages("NetworkDecoder", sizes.named["L"], len(edges), 8 * len(edges), lambda: _joined_by(edges, sizes))


def _joined_by(edges: Sequence[tuple[int, int]], sizes: Sizes) -> Elimination:
    joined: dict[int, set[int]] = {label: set() for label in range(sizes.named["L"])}
    for one, other in edges:
        joined[one].add(other)
        joined[other].add(one)
    return eliminate_graph(joined)


def check_messages(name: str, n_labels: int, n_tables: int, spoken: int, plan: Callable[[], Elimination]) -> None:
    """What a network says of a row is summed up quickly, or takes few enough messages."""
    if n_labels > _MOST_JOINED:
        raise Refused(f"{name} with a network of {n_labels} labels where at most {_MOST_JOINED} can be")
    if n_tables > _MOST_EDGES:
        raise Refused(f"{name} with a network of {n_tables} edges where at most {_MOST_EDGES} can be")
    if n_tables <= _MOST_SPEAKERS and spoken <= _MOST_SPOKEN:
        return
    found = plan()
    if found.is_narrow and found.n_cells <= MOST_CELLS_OF_ROW:
        return
    if n_tables > _MOST_SPEAKERS:
        raise Refused(f"{name} with a wide network of {n_tables} tables where at most {_MOST_SPEAKERS} can be")
    raise Refused(f"{name} with a wide network whose tables take {spoken} steps where at most {_MOST_SPOKEN} can be")


def _check_network(values: Values, sizes: Sizes) -> None:
    """Parents stand before their children: what follows edges comes to an end. Tables are of these parents."""
    order, parents = held(values, "order", tuple), held(values, "parents", tuple)
    place = {label: position for position, label in enumerate(order)}
    if any(place[parent] >= place[child] for child, group in enumerate(parents) for parent in group):
        raise Refused("LabelNetwork.order must have parents before their children")
    tables = values.get("_tables")
    if tables is not None and any(
        tuple(table.parents) != tuple(group) for table, group in zip(tables, parents, strict=True)
    ):
        raise Refused("LabelNetwork._tables must be of the parents of their labels")


def _check_table(values: Values, sizes: Sizes) -> None:
    parents, configurations = held(values, "parents", tuple), held(values, "configurations", np.ndarray)
    if len(parents) > 62 or not sizes.named["q"]:
        raise Refused("ConditionalTable with too many parents, or without rows")
    if (np.diff(configurations) <= 0).any():
        raise Refused("ConditionalTable.configurations must ascend")


def _check_bayes(values: Values, sizes: Sizes) -> None:
    """Each table has the bins of its feature and of the feature's parent."""
    cuts, parents, tables = (held(values, name, tuple) for name in ("cuts_", "parents_", "tables_"))
    for own, group, table in zip(cuts, parents, tables, strict=True):
        above = 1 if not group else cuts[group[0]].size + 1
        if len(group) > 1 or table.shape != (sizes.named["c"], above, own.size + 1):
            raise Refused("AugmentedNaiveBayes.tables_ must have the bins of their features")


def _check_groups(values: Values, sizes: Sizes) -> None:
    """A chain for each group that a row may belong to."""
    check_orders(values, sizes)
    if sizes.named["clusters"] != sizes.named["walks"]:
        raise Refused(f"GroupSensitiveChain of {sizes.named['clusters']} groups with {sizes.named['walks']} chains")


def _settled(values: Fields) -> object:
    """A calibration that has been settled, whatever it was settled from."""
    made = object.__new__(Calibration)
    made.__dict__.update(_slopes=values["_slopes"], _settle=None)
    return made


def _linked(
    name: str,
    module: str,
    *,
    base: Mapping[str, Kind] = _LINKED,
    check: Callable[[Values, Sizes], None] = check_labels,
    **fields: Kind,
) -> Record:
    path = f"bncc.multilabel.{module}:{name}"
    return Record(name, path, {**base, **fields}, check=check, ignores=TRAINING_ROWS)


_NETWORK = Optional(Part(("LabelNetwork",), same="L"))
_NETWORKS = Many(Part(("LabelNetwork",), same="L"), "walks")
_SETS = Many(Part(("LabelSets",)))

METHODS = (
    _linked(
        "BinaryRelevance",
        "binary_relevance",
        check=check_relevance,
        _has_many_classes=Optional(Flag()),
        _exclusive=Optional(Anything()),
    ),
    _linked(
        "ClassifierChain", "classifier_chain", base=_CHAIN, check=check_chain, chain_method_=Optional(Text(ANSWERS))
    ),
    _linked("BNCC", "bncc", base=_CHAIN, check=check_chain, network_=Part(("LabelNetwork",), same="L")),
    _linked("KMeansChain", "kmeans_chain", base=_CHAIN, check=check_one_chain, correlation_=Array("f8", "L L")),
    _linked("MonteCarloChain", "montecarlo_chain", base=_CHAIN, check=check_draws, payoffs_=Array("f8", "_")),
    _linked("EnsembleClassifierChain", "ensemble", base=_CHAINS, check=check_orders),
    _linked("EnsembleBNCC", "ensemble_bncc", base=_CHAINS, check=check_orders, networks_=_NETWORKS),
    _linked(
        "BayesianChain",
        "bayesian_chain",
        base=_CHAINS,
        check=check_trees,
        roots_=Indices("L", "walks", distinct=True),
        trees_=Many(_CONTEXTS, "walks"),
    ),
    _linked(
        "GroupSensitiveChain",
        "group_sensitive_chain",
        base=_CHAINS,
        check=_check_groups,
        groups_=Part(("KMeans",), same="d clusters"),
    ),
    _linked(
        "StackedBinaryRelevance",
        "stacked_binary_relevance",
        check=check_layers,
        network_=_NETWORK,
        contexts_=_CONTEXTS,
        stack_method_=Text(get_args(ChainMethod)),
    ),
    _linked("LabelPowerset", "label_powerset", check=check_all_sets, _sets=_SETS),
    _linked(
        "BlockPowerset",
        "block_powerset",
        check=check_blocks,
        _sets=_SETS,
        blocks_=Many(_LABELS),
        network_=_NETWORK,
    ),
    _linked(
        "RandomKLabelsets",
        "random_k_labelsets",
        check=check_labelsets,
        _sets=_SETS,
        labelsets_=Many(_LABELS),
        threshold=Number(0, 1),
        network_=_NETWORK,
    ),
    _linked(
        "CalibratedLabelRanking",
        "calibrated_label_ranking",
        check=check_contests,
        pairs_=Array("i8", "_ 2", least=0, below="L"),
        _certain=Array("f8", "_"),
        _absent=Array("?", "L"),
        network_=_NETWORK,
    ),
    Record(
        "NetworkDecoder",
        "bncc.multilabel.network_decoder:NetworkDecoder",
        {
            **LABEL_FIELDS,
            "estimator_": Anything(),
            "network_": Part(("LabelNetwork",), same="L"),
            "strength_": Number(0, 100),
            "pair_terms_": Array("f8", "_ 2 2", finite=True),
            "held_out_": Many(Many(Number(), "_")),
        },
        check=_check_decoder,
        ignores=TRAINING_ROWS,
    ),
    Record(
        "TunedThresholds",
        "bncc.multilabel.tuned_thresholds:TunedThresholds",
        {**LABEL_FIELDS, "estimator_": Anything(), "thresholds_": Array("f8", "L")},
        check=check_labels,
    ),
    Record(
        "AugmentedNaiveBayes",
        "bncc.multilabel.augmented_naive_bayes:AugmentedNaiveBayes",
        {
            **FEATURE_FIELDS,
            "classes_": Either((Array("*", "c"), ObjectTable(Scalar(), "c"))),
            "class_prior_": Array("f8", "c"),
            "cuts_": Many(Array("f8", "_"), "d"),
            "parents_": Many(Indices("d"), "d"),
            "tables_": Many(Array("f8", "_ _ _"), "d"),
        },
        check=_check_bayes,
    ),
    Record(
        "RangeScaler",
        "bncc.multilabel.scaling:RangeScaler",
        {"n_features_in_": FEATURES, "scale_": Array("f8", "d")},
        loose=True,
    ),
    Record(
        "FittedLinks",
        "bncc.multilabel.clones:FittedLinks",
        {
            "estimators": Many(Anything(), "p"),
            "n_labels": Whole(1, _MOST_LABELS, "L"),
            "contexts": Many(_LABELS, "p"),
            "writes": Indices("L", "p", least=-1),
            "features": Many(Optional(Distinct()), "p"),
        },
        inner=True,
        former=("bncc.multilabel.solve:FittedLinks",),
    ),
    Record(
        "Constant",
        "bncc.multilabel.clones:Constant",
        {"value": Whole(0, _MOST_LABELS)},
        effort=_LITTLE,
        former=("bncc.multilabel.solve:Constant",),
    ),
    Record(
        "Calibration",
        "bncc.multilabel.crossval:Calibration",
        {"_slopes": Array("f8", "_ 2"), "_settle": Optional(Nothing()), "_source": Optional(Nothing())},
        make=_settled,
        former=("bncc.multilabel.conditional:LinkCalibration",),
    ),
    Record(
        "LabelSets",
        "bncc.multilabel.powersets:LabelSets",
        {"labels": Indices(str(_MOST_LABELS), "k", distinct=True), "sets": Array("?", "_ k")},
    ),
    Record(
        "LabelNetwork",
        "bncc.structure.network:LabelNetwork",
        {
            "label_names": Names("L"),
            "order": _ORDER,
            "initial_order": _ORDER,
            "parents": _CONTEXTS,
            "cyclic_parents": _CONTEXTS,
            "scores": Many(_REAL, "L"),
            "traces": Many(Part(("Trace",)), "L"),
            "counts": Nothing(),
            "_tables": Optional(Many(Part(("ConditionalTable",)), "L")),
            "dependence": Optional(Array("f8", "L L")),
        },
        check=_check_network,
        state=lambda network: dict(network.without_rows().__dict__),
        ignores=("edges", "dropped_edges", "tables", "recipe", "left_out"),
    ),
    Record(
        "Trace",
        "bncc.structure.network:Trace",
        {"start_score": _REAL, "steps": Many(Part(("Step",))), "stop": Text()},
        effort=_LITTLE,
    ),
    Record(
        "Step",
        "bncc.structure.parent_search:Step",
        {"parent": Whole(0, _MOST_LABELS), "score": _REAL},
        effort=_LITTLE,
        former=("bncc.structure.search:Step",),
    ),
    Record(
        "ConditionalTable",
        "bncc.structure.tables:ConditionalTable",
        {
            "parents": Many(Whole(0, _MOST_LABELS)),
            "configurations": Array("i8", "q", least=0),
            "totals": Array("f8", "q"),
            "positives": Array("f8", "q"),
        },
        check=_check_table,
        effort=2 * _LITTLE,
    ),
)
