"""Records of blends: their parts, what calibrates them, how they decide, and what they tell of themselves."""

from __future__ import annotations

from collections.abc import Mapping

from bncc.multilabel.blending.stacking import STACKED
from bncc.multilabel.model_files.fields import (
    Anything,
    Array,
    Either,
    Flag,
    Kind,
    Many,
    Number,
    Optional,
    Part,
    Sizes,
    Sparse,
    Text,
    Values,
    held,
)
from bncc.multilabel.model_files.records_methods import FEATURE_FIELDS, LABEL_FIELDS, TRAINING_ROWS
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Record

__all__ = ["BLENDS"]

_ROOM = "bncc.multilabel.blending"
_PARTS = ("ForestPart", "KernelRidgePart", "LabelSetPart", "LinkedPart", "PriorPart")
_DECISIONS = ("Half", "Thresholds", "ExpectedF1", "JointMode")
_PLANNED_DECISIONS = ("half", "thresholds", "expected F1", "joint mode")
_SIGMOIDS = Part(("RateSigmoids",), same="L")
_TO_NUMBERS = Optional(Part(("Pipeline",)))
_SHARE = Number(0.0, 1.0)
_MOST_PARTS = 64  # several times as many as there are families: each is asked for every answer


def _check_blend(values: Values, sizes: Sizes) -> None:
    """Every part answers for all labels, and has its row of weights."""
    parts = held(values, "parts_", dict)
    if len(parts) > _MOST_PARTS:
        raise Refused(f"Blend of {len(parts)} parts where at most {_MOST_PARTS} can be")
    for name, part in parts.items():
        Part(_PARTS, same="L").check(part, f"Blend.parts_[{name!r}]", sizes)
    weights = held(values, "weights_", dict)
    if not parts or sizes.named["parts"] != len(parts) or weights.keys() != parts.keys():
        raise Refused("Blend with other weights than parts")
    _check_stacked(parts)
    decision = sizes.part_of(values["decision_"])
    if decision is not None and decision.name == "JointMode":
        chosen: float = values["decision_"].mix
        if chosen > 0 and values.get("_set_part") is None:
            raise Refused("Blend that decides by label sets without a part that knows them")


def _check_stacked(parts: dict[str, object]) -> None:
    """Stacked trees come last, after those that they learned from."""
    if STACKED not in parts:
        return
    if len(parts) < 2 or list(parts)[-1] != STACKED or type(parts[STACKED]).__name__ != "ForestPart":
        raise Refused("Blend whose stacked trees are no trees on top of other parts")


def _piece(name: str, module: str, fields: Mapping[str, Kind]) -> Record:
    return Record(name, f"{_ROOM}.{module}:{name}", fields)


BLENDS = (
    Record(
        "Blend",
        f"{_ROOM}.blend:Blend",
        {
            **LABEL_FIELDS,
            **FEATURE_FIELDS,
            "parts_": Anything(),
            "weights_": Anything(),
            "_label_weights": Array("f8", "parts L", finite=True),
            "_calibration_": Optional(_SIGMOIDS),
            "decision_": Part(_DECISIONS, same="L"),
            "_set_part": Optional(Part(("LabelSetPart",), same="L")),
            "leaderboard_": Part(("Leaderboard",)),
            "plan_": Part(("BlendPlan",)),
            "table_features_": Optional(Part(("TableFeatures",))),
        },
        check=_check_blend,
        ignores=TRAINING_ROWS,
    ),
    _piece("RateSigmoids", "rate_sigmoids", {"slopes": Array("f8", "L"), "offsets": Array("f8", "L")}),
    _piece(
        "ForestPart",
        "tree_family",
        {
            "forest": Part(("ExtraTreesRegressor", "RandomForestRegressor")),
            "sigmoids": _SIGMOIDS,
            "to_numbers": _TO_NUMBERS,
        },
    ),
    _piece(
        "KernelRidgePart",
        "kernel_ridge_family",
        {"model": Part(("KernelRidge",), same="L"), "sigmoids": _SIGMOIDS, "to_numbers": Part(("Pipeline",))},
    ),
    _piece(
        "KernelRidge",
        "kernel_ridge",
        {
            "rows": Either((Array("f8 f4", "r f", finite=True), Sparse("csr", "f8 f4", "r f"))),
            "coefficients": Array("f8", "r L", finite=True),
            "width": Number(1e-280, 1e300),
        },
    ),
    _piece(
        "LabelSetPart",
        "label_set_family",
        {
            "forest": Part(("ExtraTreesClassifier",), same="c"),
            "sets": Array("?", "c L"),
            "sigmoids": _SIGMOIDS,
            "to_numbers": _TO_NUMBERS,
        },
    ),
    _piece(
        "LinkedPart",
        "linked_family",
        {
            "model": Part(("BinaryRelevance", "EnsembleClassifierChain"), same="L"),
            "sigmoids": _SIGMOIDS,
            "to_numbers": _TO_NUMBERS,
        },
    ),
    _piece("PriorPart", "prior_part", {"shares": Array("f8", "L")}),
    _piece("Half", "decisions", {}),
    _piece("Thresholds", "decisions", {"cuts": Array("f8", "L")}),
    _piece(
        "ExpectedF1",
        "decisions",
        {"shift": Number(-50.0, 50.0), "size_factors": Optional(Array("f8", "k", least=0, finite=True))},
    ),
    _piece(
        "JointMode",
        "decisions",
        {"sets": Array("?", "s L"), "log_shares": Array("f8", "s"), "mix": _SHARE, "prior": Number(0.0, 100.0)},
    ),
    _piece(
        "PlannedFamily",
        "leaderboard",
        {"family": Text(), "settings": Many(Many(Anything(), "2")), "weight": _SHARE, "below": Optional(Flag())},
    ),
    _piece("PlannedDecision", "leaderboard", {"kind": Text(_PLANNED_DECISIONS), "values": Many(Number())}),
    _piece(
        "BlendPlan",
        "leaderboard",
        {
            "families": Many(Part(("PlannedFamily",))),
            "limited": Flag(),
            "weighs_labels": Optional(Flag()),
            "calibrates": Optional(Flag()),
            "decision": Optional(Part(("PlannedDecision",))),
        },
    ),
    _piece(
        "LeaderboardRow",
        "leaderboard",
        {
            "family": Text(),
            "settings": Text(),
            "score": Optional(Number()),
            "seconds": Number(),
            "weight": _SHARE,
            "note": Text(),
        },
    ),
    _piece("Leaderboard", "leaderboard", {"metric": Text(), "rows": Many(Part(("LeaderboardRow",)))}),
)
