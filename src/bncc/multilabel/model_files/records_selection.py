"""Records of searches: splitters, scorers and metrics, and the searches that hold them."""

from __future__ import annotations

import numpy as np

from bncc.multilabel.model_files.fields import Anything, Array, Either, Flag, Optional, Part, Text, Whole
from bncc.multilabel.model_files.registry import Fields, Record
from bncc.multilabel.model_files.scoring_fields import (
    Counted,
    Measure,
    MeasureOptions,
    Ranked,
    ResponseMethod,
    Scoring,
)

__all__ = ["SELECTION"]


def _random_fields(generator: np.random.RandomState) -> dict[str, object]:
    state = generator.get_state(legacy=False)
    assert isinstance(state, dict)
    inside = dict(state["state"])
    return {**inside, "bit_generator": "MT19937", "has_gauss": state["has_gauss"], "gauss": float(state["gauss"])}


def _random_state(fields: Fields) -> object:
    made = np.random.RandomState()
    made.set_state(("MT19937", fields["key"], fields["pos"], fields["has_gauss"], fields["gauss"]))
    return made


def _splitter(name: str, module: str) -> Record:
    return Record(name, f"{module}:{name}", loose=True)


_SEARCH_SKLEARN = ("GridSearchCV", "RandomizedSearchCV")
_SPLITTERS = (
    "GroupKFold",
    "KFold",
    "LeaveOneOut",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
)

SELECTION = (
    Record(
        "RandomState",
        "numpy.random.mtrand:RandomState",
        {
            "bit_generator": Text(("MT19937",)),
            "key": Array("u4", "624", in_order=True),
            "pos": Whole(0, 624),
            "has_gauss": Either((Flag(), Whole(0, 1))),
            "gauss": Anything(),
        },
        state=_random_fields,
        make=_random_state,
    ),
    *(
        _splitter(name, "bncc.datasets.splits")
        for name in (
            "MultilabelStratifiedKFold",
            "MultilabelStratifiedShuffleSplit",
            "RepeatedMultilabelStratifiedKFold",
        )
    ),
    *(_splitter(name, "sklearn.model_selection._split") for name in _SPLITTERS),
    Record(
        "AveragedMetric",
        "bncc.metrics.averaging:AveragedMetric",
        {"binary_metric": Counted(), "average": Optional(Text()), "name": Text()},
    ),
    Record("MetricAtK", "bncc.metrics.at_k:MetricAtK", {"function": Ranked(), "k": Whole(1, 10**6)}),
    Record(
        "Metric",
        "bncc.metrics.registry:Metric",
        {
            "name": Text(),
            "function": Measure(),
            "greater_is_better": Flag(),
            "needs": Text(("labels", "scores", "probabilities")),
            "description": Text(),
        },
    ),
    Record(
        "BatchSearchCV",
        "bncc.selection.search:BatchSearchCV",
        {"engine_": Optional(Part(("EngineChoice", "LinearChoice"))), "scorer_": Optional(Scoring())},
        loose=True,
        former=("bncc.svm.search:KernelSearchCV",),
    ),
    *(
        Record(name, f"sklearn.model_selection._search:{name}", {"scorer_": Optional(Scoring())}, loose=True)
        for name in _SEARCH_SKLEARN
    ),
    *(
        Record(
            name,
            where,
            {
                "_score_func": Measure(),
                "_sign": Whole(-1, 1),
                "_kwargs": MeasureOptions(),
                "_response_method": ResponseMethod(),
            },
            ignores=("_metadata_request",),
        )
        for name, where in (
            ("LabelScorer", "bncc.metrics.scorers:LabelScorer"),
            ("Scorer", "sklearn.metrics._scorer:_Scorer"),
        )
    ),
    Record(
        "PassthroughScorer",
        "sklearn.metrics._scorer:_PassthroughScorer",
        {"_estimator": Anything()},
        ignores=("_metadata_request",),
    ),
)
