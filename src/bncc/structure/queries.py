"""Questions to a network: is a label independent of another, and how likely are labels once others are known?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bncc._checks import check_count, check_label
from bncc._typing import Floats, Random
from bncc.graph import d_separated
from bncc.structure.inference import (
    LabelProbabilities,
    Probability,
    eliminate,
    exact,
    weighted_rows,
)

if TYPE_CHECKING:
    from bncc.structure.network import LabelNetwork

__all__ = ["LabelValues", "independent", "label_probabilities", "probability"]

#: Labels by index or name, and whether each is there.
LabelValues = Mapping[int, bool | int] | Mapping[str, bool | int]


def independent(net: LabelNetwork, first: int | str, second: int | str, given: Sequence[int | str] = ()) -> bool:
    """Whether the graph of a network makes two labels independent given others (d-separation)."""
    labels = [check_label(label, net.n_labels, net.label_names) for label in (first, second, *given)]
    return d_separated(net.parents, labels[0], labels[1], labels[2:])


def label_probabilities(
    net: LabelNetwork, given: LabelValues, *, n_samples: int, smoothing: float, random_state: Random
) -> LabelProbabilities:
    """How likely every label is, given some."""
    known = _values(net, given, "given")
    plan = eliminate(net.parents, sorted(known))
    if plan.is_narrow:
        found, log_chance = exact(net.tables, plan.order, known, smoothing)
        _refuse_impossible(np.isfinite(log_chance), given)
        return LabelProbabilities(found, np.zeros(net.n_labels), True, net.label_names)
    rows, weights = _drawn(net, known, given, n_samples, smoothing, random_state)
    means = np.minimum(weights @ rows / weights.sum(), 1.0)
    errors = np.sqrt((weights**2) @ (rows - means) ** 2) / weights.sum()
    means[list(known)], errors[list(known)] = list(known.values()), 0.0
    return LabelProbabilities(means, errors, False, net.label_names)


def probability(
    net: LabelNetwork, of: LabelValues, given: LabelValues, *, n_samples: int, smoothing: float, random_state: Random
) -> Probability:
    """How likely labels have these values together, given others."""
    known, asked = _values(net, given, "given"), _values(net, of, "of")
    if not asked:
        raise ValueError("`of` must name at least one label; got none.")
    contradicted = [label for label in asked if label in known and known[label] != asked[label]]
    if contradicted:
        return Probability(0.0, 0.0, True)
    both = {**known, **asked}
    before, after = (eliminate(net.parents, sorted(labels)) for labels in (known, both))
    if before.is_narrow and after.is_narrow:
        log_given, log_both = (
            exact(net.tables, plan.order, values, smoothing)[1] for plan, values in ((before, known), (after, both))
        )
        _refuse_impossible(np.isfinite(log_given), given)
        return Probability(float(np.exp2(min(log_both - log_given, 0.0))), 0.0, True)
    rows, weights = _drawn(net, known, given, n_samples, smoothing, random_state)
    holds = (rows[:, list(asked)] == np.array(list(asked.values()))).all(axis=1)
    mean = float(weights @ holds / weights.sum())
    error = float(np.sqrt((weights**2) @ (holds - mean) ** 2) / weights.sum())
    return Probability(mean, error, False)


def _values(net: LabelNetwork, values: LabelValues, argument: str) -> dict[int, int]:
    if not isinstance(values, Mapping):
        raise ValueError(f"`{argument}` must map labels to 0 or 1, as {{'rain': 1}}; got {values!r}.")
    out: dict[int, int] = {}
    for label, value in values.items():
        place = check_label(label, net.n_labels, net.label_names, argument=argument)
        if value not in (0, 1):
            raise ValueError(f"`{argument}` must map labels to 0 or 1; got {value!r} for {label!r}.")
        if out.get(place, value) != value:
            raise ValueError(f"`{argument}` names label {net.label_names[place]!r} twice, with different values.")
        out[place] = int(value)
    return out


def _drawn(
    net: LabelNetwork, known: dict[int, int], given: LabelValues, n_samples: int, smoothing: float, random: Random
) -> tuple[Floats, Floats]:
    rows, weights = weighted_rows(
        net.tables, net.order, known, check_count("n_samples", n_samples, 1, 10**8), smoothing, random
    )
    _refuse_impossible(bool(weights.any()), given)
    return rows, weights


def _refuse_impossible(possible: bool | np.bool_, given: LabelValues) -> None:
    if not possible:
        raise ValueError(f"The network rules out what is given: {dict(given)}. Ask with `smoothing` above 0.")
