"""How the links of a method belong to its labels: each walk decides every label once, by a link of its own.

What walks repeat is asked for again and again, and costs a file next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bncc._typing import Longs
from bncc.multilabel.backends import backend_of
from bncc.multilabel.decode import EXHAUSTIVE_LIMIT
from bncc.multilabel.model_files.fields import Sizes, Values, held
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.row_widths import sum_over_parts
from bncc.svm import KernelSVC

__all__ = [
    "check_all_sets",
    "check_blocks",
    "check_chain",
    "check_contests",
    "check_draws",
    "check_labels",
    "check_labelsets",
    "check_layers",
    "check_one_chain",
    "check_orders",
    "check_relevance",
    "check_trees",
]

_MOST_FOLLOWED = 5 * 10**6  # numbers that a chain copies for every row, over all its labels
_MOST_LABELS_FOLLOWED = 2048  # of chains that follow label sets: what each link sees is laid out for all of them
_USUAL_BEAM, _USUAL_DRAWS = 10, 100
_PER_LABEL = 16  # numbers for each label set, beside its labels
_MOST_CHAINS = 2048  # of an ensemble: each is gone along by itself
_MOST_NEIGHBOURS = 2**28  # of label sets that a row becomes
_MOST_SHARED = 2**18  # answers of links that chains share, for a block of rows
_MOST_SHARED_CLONES = 2**16  # where each is asked by itself


def check_labels(values: Values, sizes: Sizes) -> None:
    """Labels have values."""
    if sizes.named.get("values", 2) < 1:
        raise Refused("labels without values")


def check_relevance(values: Values, sizes: Sizes) -> None:
    """A link for each label, which settles that one or none."""
    check_labels(values, sizes)
    _check_links(sizes, sizes.named["L"])
    settled = _writes(values)
    if ((settled >= 0) & (settled != np.arange(settled.size))).any():
        raise Refused("links that settle labels of others")


def check_one_chain(values: Values, sizes: Sizes) -> None:
    """A link for each label, in the order of the chain."""
    check_labels(values, sizes)
    _check_links(sizes, sizes.named["L"])
    _check_walks(values, (values["order_"],))


def check_orders(values: Values, sizes: Sizes) -> None:
    """Each chain of several has links of its own."""
    check_labels(values, sizes)
    walks = held(values, "_walks", tuple)
    if len(walks) > _MOST_CHAINS:
        raise Refused(f"an ensemble of {len(walks)} chains where at most {_MOST_CHAINS} can be")
    _check_links(sizes, len(walks) * sizes.named["L"])
    _check_walks(values, values["orders_"])
    if len({link for walk in walks for link in walk}) < sizes.named["p"]:
        raise Refused("chains that share links")


def check_trees(values: Values, sizes: Sizes) -> None:
    """Chains along trees share links, as far as their answers can be waited for."""
    check_labels(values, sizes)
    _check_walks(values, values["orders_"])
    part = sizes.part_of(values["_solved"])
    limit = _MOST_SHARED_CLONES if part is not None and part.name == "FittedLinks" else _MOST_SHARED
    answers, most = len(values["_walks"]) * sizes.named["L"], max(limit, sizes.named["p"])
    if answers > most:
        raise Refused(f"chains that take {answers} answers of shared links where at most {most} can be")


def check_layers(values: Values, sizes: Sizes) -> None:
    """One walk, through the links of the first layer and then through those of the second."""
    check_labels(values, sizes)
    (walk,), n_labels = held(values, "_walks", tuple), sizes.named["L"]
    if list(walk) != list(range(2 * n_labels)) or sizes.named["p"] != 2 * n_labels:
        raise Refused("StackedBinaryRelevance must have two links per label, and one walk through all of them")
    if not np.array_equal(_writes(values), [*range(n_labels), *[-1] * n_labels]):
        raise Refused("StackedBinaryRelevance must settle each label once, in the first layer")


def check_contests(values: Values, sizes: Sizes) -> None:
    """A link per label and per pair; what training decided is known of each."""
    check_labels(values, sizes)
    _check_silent(values)
    n_links = sizes.named["L"] + len(held(values, "pairs_", np.ndarray))
    if sizes.named["p"] != n_links or held(values, "_certain", np.ndarray).size != n_links:
        raise Refused("CalibratedLabelRanking with links of other pairs")


def check_all_sets(values: Values, sizes: Sizes) -> None:
    """One group, of all labels."""
    _check_sets(values, sizes, [tuple(range(sizes.named["L"]))])


def check_blocks(values: Values, sizes: Sizes) -> None:
    """Every label is in one block, and the links are those of the sets of the blocks."""
    blocks = held(values, "blocks_", tuple)
    if sorted(label for block in blocks for label in block) != list(range(sizes.named["L"])):
        raise Refused("BlockPowerset.blocks_ must have each label in one block")
    _check_sets(values, sizes, blocks)


def check_labelsets(values: Values, sizes: Sizes) -> None:
    """The groups are the labelsets."""
    _check_sets(values, sizes, held(values, "labelsets_", tuple))


def check_chain(values: Values, sizes: Sizes) -> None:
    """A chain that follows few enough label sets."""
    check_one_chain(values, sizes)
    if values.get("inference") == "beam":
        width = int(values.get("beam_width", _USUAL_BEAM))
        _check_followed(min(width, 2 ** min(sizes.named["L"], 20)), _USUAL_BEAM, values, sizes)
    elif values.get("inference") == "exhaustive":
        _check_followed(2 ** min(sizes.named["L"], 20), 2**EXHAUSTIVE_LIMIT, values, sizes)
    elif values.get("inference") == "monte_carlo":
        check_draws(values, sizes)


def check_draws(values: Values, sizes: Sizes) -> None:
    """A chain that draws few enough label sets."""
    check_one_chain(values, sizes)
    _check_followed(int(values.get("n_samples", _USUAL_DRAWS)), _USUAL_DRAWS, values, sizes)


def _check_followed(width: int, usual: int, values: Values, sizes: Sizes) -> None:
    """Every label set that is followed is copied at every label, for every row."""
    n_labels = sizes.named["L"]
    if n_labels > _MOST_LABELS_FOLLOWED:
        raise Refused(
            f"a chain that follows label sets of {n_labels} labels where at most {_MOST_LABELS_FOLLOWED} can be"
        )
    most = max(_MOST_FOLLOWED // (n_labels * (n_labels + _PER_LABEL)), usual)
    if width > most:
        raise Refused(f"a chain of {n_labels} labels that follows {width} label sets where at most {most} can be")

    if width > _USUAL_DRAWS:
        _check_neighbours(width, values, sizes)


def _check_neighbours(width: int, values: Values, sizes: Sizes) -> None:
    """Links that look for neighbours do so for every label set that reaches them."""
    part = sizes.part_of(values["_solved"])
    if part is None or part.name != "FittedLinks":
        return
    links = enumerate(values["_solved"].estimators)
    looked = sum(min(width, 2 ** min(place, 20)) * sum_over_parts(link, _kept_rows) for place, link in links)
    if looked > _MOST_NEIGHBOURS:
        raise Refused(
            f"a chain that looks at {looked} neighbours for the label sets of a row "
            f"where at most {_MOST_NEIGHBOURS} can be"
        )


def _kept_rows(part: object) -> int:
    rows = (vars(part).get(name) for name in ("_fit_X", "_rows"))
    return sum(int(each.shape[0]) for each in rows if each is not None)


def _check_links(sizes: Sizes, needed: int) -> None:
    if sizes.named["p"] != needed:
        raise Refused(f"labels and chains that need {needed} links, with {sizes.named['p']}")


def _check_walks(values: Values, orders: Iterable[Sequence[int]]) -> None:
    """Links settle the labels in the order of their chain."""
    settled = _writes(values)
    for walk, order in zip(values["_walks"], orders, strict=True):
        if not np.array_equal(settled[list(walk)], order):
            raise Refused("a walk whose links settle labels in another order than that of its chain")


def _check_silent(values: Values) -> None:
    if (_writes(values) >= 0).any():
        raise Refused("links that settle labels for others, where none hands labels on")


def _check_sets(values: Values, sizes: Sizes, groups: Sequence[Sequence[int]]) -> None:
    """A link for each group of label sets, or for each pair of its sets where the base is asked about pairs."""
    check_labels(values, sizes)
    _check_silent(values)
    found, base = held(values, "_sets", tuple), values.get("estimator")
    if [tuple(each.labels) for each in found] != [tuple(group) for group in groups]:
        raise Refused("label sets of other groups of labels")
    n_links = len(found)
    if not backend_of(KernelSVC() if base is None else base).takes_classes:
        n_links = max(1, sum(len(each.sets) * (len(each.sets) - 1) // 2 for each in found))
    if sizes.named["p"] != n_links:
        raise Refused(f"label sets that need {n_links} links, with {sizes.named['p']}")


def _writes(values: Values) -> Longs:
    """The label that each link settles; -1 for none."""
    return np.asarray(values["_solved"].writes, np.int64)
