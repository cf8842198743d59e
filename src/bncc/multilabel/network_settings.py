"""The label network of a method: learned from the training labels under its settings, or handed over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias

from bncc._typing import Random, ScoreName, SearchName
from bncc.labels import count_labels
from bncc.multilabel.targets import Targets
from bncc.structure import CountScore, LabelNetwork, LocalScore, learn_network
from bncc.structure.learn import fill_labels

__all__ = ["NetworkScore", "NetworkSearch", "NetworkSettings", "given_network", "network_for", "with_strengths"]

NetworkScore: TypeAlias = ScoreName | CountScore | LocalScore
NetworkSearch: TypeAlias = SearchName | Sequence[Sequence[int]] | LabelNetwork


class NetworkSettings(Protocol):
    """A method that has read its labels and may ask for their network."""

    max_children: int | None
    max_parents: int | None
    network_score: NetworkScore
    network_search: NetworkSearch
    label_names_: tuple[str, ...]


def network_for(method: NetworkSettings, targets: Targets, random_state: Random = None) -> LabelNetwork:
    """The network that a method was given, else one learned from the targets; unknown labels are drawn for it."""
    if isinstance(method.network_search, LabelNetwork):
        return given_network(method.network_search, method.label_names_)
    return learn_network(
        fill_labels(targets.positives, targets.unknown),
        max_children=method.max_children,
        max_parents=method.max_parents,
        score=method.network_score,
        search=method.network_search,
        label_names=method.label_names_,
        random_state=random_state,
    )


def given_network(network: LabelNetwork, label_names: tuple[str, ...]) -> LabelNetwork:
    """A network that was handed over, if it is of these labels; one without names takes theirs."""
    if network.n_labels != len(label_names):
        raise ValueError(
            f"`network_search` must be a network of the {len(label_names)} labels of y; got one of {network.n_labels}. "
            "Learn it from labels with the same columns."
        )
    if network.label_names == label_names:
        return network
    unnamed = tuple(f"label{label}" for label in range(len(label_names)))
    if label_names == unnamed:
        return network
    if network.label_names != unnamed:
        label = next(label for label, name in enumerate(label_names) if name != network.label_names[label])
        raise ValueError(
            f"`network_search` must be a network of the labels of y, in the order of its columns; at {label} it has "
            f"{network.label_names[label]!r} and y has {label_names[label]!r}."
        )
    renamed = replace(network, label_names=label_names)
    if "dependence" in vars(network):
        vars(renamed)["dependence"] = network.dependence
    return renamed


def with_strengths(network: LabelNetwork, targets: Targets) -> LabelNetwork:
    """The network, or if it has neither rows nor dependence degrees (from a file) one that counts those of targets."""
    if network.counts is not None or "dependence" in vars(network):
        return network
    return replace(network, counts=count_labels(fill_labels(targets.positives, targets.unknown)))
