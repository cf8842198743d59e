"""A label powerset per block of labels, alone or in a chain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.utils import check_random_state

from bncc._rows import row_blocks
from bncc._typing import Array, Classifier, Floats, Longs, Matrix, Random
from bncc.multilabel.block_chains import BlockChain, ChainAnswers, contexts_of_blocks
from bncc.multilabel.links import Predecessors
from bncc.multilabel.network_settings import NetworkScore, NetworkSearch, network_for
from bncc.multilabel.powersets import PartitionClassifier
from bncc.multilabel.targets import Targets
from bncc.structure import LabelNetwork, label_communities

__all__ = ["BlockPowerset"]

# Answers of links that are held at a time.
_ANSWERS = 1 << 24


class BlockPowerset(PartitionClassifier):
    """The labels are split into blocks, and every set of a block's labels that occurs is a class.

    Blocks are communities of the label network: labels that tell much about each other are decided together, and a
    block of b labels has at most 2^b classes, where one powerset of all labels may have as many as there are rows. In
    a chain, a block also sees the labels of the blocks before it, as a label of a classifier chain does.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier that takes several classes. With `KernelSVC` (and None, which means `KernelSVC()`)
        the sets of a block compete in pairs, those of all blocks solved in one call.
    blocks : "network", "random" or a partition, default="network"
        "network": communities of the label network, in its order (`bncc.structure.label_communities`). "random": blocks
        of the same sizes with labels dealt at random, to see what the network adds. Or the labels of each block, by
        their columns: every label in one block.
    max_size : int, default=5
        The most labels of a block; not used for blocks that are given.
    chain : bool, default=True
        Whether blocks see the labels of those before them: true ones in training, predicted ones in prediction.
    max_children, max_parents, network_score, network_search
        How the network is learned, as in `BNCC`; or a `LabelNetwork` as `network_search`.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Deals the labels of random blocks, and seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    blocks_ : tuple of tuples of int
        In the order of the chain.
    network_ : LabelNetwork or None
        None for blocks that were given.

    Notes
    -----
    A block predicts its winning set, as `LabelPowerset` does: only sets that were seen within a block, but any
    combination of them. `predict_proba` and `decision_function` are those of `LabelPowerset`, block by block; in a
    chain they are conditional on the labels that the blocks before have predicted. With `KernelSVC` probabilities are
    calibrated on out-of-fold scores.

    Rows with an unknown label are left out of the block that has this label; where other blocks see it, it counts as 0.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> tree = DecisionTreeClassifier(max_depth=5, random_state=0)
    >>> chain = BlockPowerset(tree, max_size=4).fit(data.X, data.Y)
    >>> [[data.label_names[label] for label in block] for block in chain.blocks_][:2]
    [['High building', 'Technology', 'Office', 'Crowd'], ['River']]
    """

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        blocks: str | Sequence[Sequence[int]] = "network",
        max_size: int = 5,
        chain: bool = True,
        max_children: int | None = 2,
        max_parents: int | None = None,
        network_score: NetworkScore = "dependence",
        network_search: NetworkSearch = "paper",
        n_jobs: int | None = None,
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.blocks = blocks
        self.max_size = max_size
        self.chain = chain
        self.max_children = max_children
        self.max_parents = max_parents
        self.network_score = network_score
        self.network_search = network_search
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _labelsets(self, targets: Targets) -> list[tuple[int, ...]]:
        self.network_: LabelNetwork | None = None
        if not isinstance(self.blocks, str):
            self.blocks_ = _read_partition(self.blocks, targets.n_labels)
        elif self.blocks in ("network", "random"):
            self.network_ = network_for(self, targets)
            self.blocks_ = label_communities(self.network_, self.max_size)
            if self.blocks == "random":
                self.blocks_ = _deal(list(map(len, self.blocks_)), self.random_state)
        else:
            raise ValueError(f"`blocks` must be 'network', 'random' or the labels of each block; got {self.blocks!r}.")
        return list(self.blocks_)

    def _group_contexts(self) -> Sequence[tuple[int, ...] | Predecessors]:
        return contexts_of_blocks(self.blocks_) if self.chain else super()._group_contexts()

    def _shares_folds(self) -> bool:
        # A chain of blocks is no walk of links: what a block settles takes the votes of all its links.
        return not self.chain and super()._shares_folds()

    def _scores(self, X: Matrix) -> Floats:
        if not self.chain:
            return super()._scores(X)
        answers = self._follow(X)
        return answers.scores if answers.rates is None else answers.rates - 0.5

    def _link_rates(self, X: Matrix) -> Floats:
        if not self.chain:
            return super()._link_rates(X)
        rates = self._follow(X, with_rates=True).rates
        assert rates is not None
        return rates

    def _follow(self, X: Matrix, *, with_rates: bool | None = None, plane: Array | None = None) -> ChainAnswers:
        """The chain's answers, some rows at a time; with rates where links give those of sets."""
        chain = BlockChain(self._solved, self._sets, self._backend().takes_classes)
        wanted = self._has_set_rates() if with_rates is None else with_rates
        step = max(1, _ANSWERS // max(1, len(self._solved.writes)))
        starts = range(0, X.shape[0], step)
        parts = [
            chain.answer(rows, with_rates=wanted, plane=None if plane is None else plane[start : start + step])
            for start, rows in zip(starts, row_blocks(X, step), strict=True)
        ]
        rates = [part.rates for part in parts if part.rates is not None]
        return ChainAnswers(np.concatenate([part.scores for part in parts]), np.concatenate(rates) if rates else None)

    def _label_planes(self, X: Matrix) -> tuple[Array, ...]:
        return ((self._scores(X) > 0).astype(np.int8),) if self.chain else super()._label_planes(X)

    def _scores_given(self, X: Matrix, planes: Sequence[Array], labels: Longs) -> Floats:
        if not self.chain or not planes:
            return super()._scores_given(X, planes, labels)
        answers = self._follow(X, plane=planes[0])
        return (answers.scores if answers.rates is None else answers.rates - 0.5)[:, labels]


def _deal(sizes: list[int], random_state: Random) -> tuple[tuple[int, ...], ...]:
    """Blocks of these sizes with labels at random."""
    dealt = np.split(check_random_state(random_state).permutation(sum(sizes)), np.cumsum(sizes)[:-1])
    return tuple(tuple(sorted(block.tolist())) for block in dealt)


def _read_partition(blocks: Sequence[Sequence[int]], n_labels: int) -> tuple[tuple[int, ...], ...]:
    """Blocks that were given, if every label is in exactly one of them."""
    read = tuple(tuple(sorted(int(label) for label in block)) for block in blocks)
    if () in read or sorted(label for block in read for label in block) != list(range(n_labels)):
        raise ValueError(f"`blocks` must have each of the labels 0..{n_labels - 1} in one block; got {list(blocks)}.")
    return read
