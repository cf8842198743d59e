"""Label powerset: every set of labels is a class."""

from __future__ import annotations

from bncc._typing import Bools, Classifier, Random
from bncc.multilabel.powersets import PartitionClassifier
from bncc.multilabel.targets import Targets

__all__ = ["LabelPowerset"]


class LabelPowerset(PartitionClassifier):
    """Every set of labels that occurs in training is a class of one multiclass problem (LP).

    It aims at the whole set at once (subset accuracy), and predicts only sets that it has seen. Rows with an unknown
    label belong to no class and are left out.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier that takes several classes; it fits the multiclass problem in its own way. With
        `KernelSVC` (and None, which means `KernelSVC()`) the sets compete in pairs, all solved in one call.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Seeds the classifier if its own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    label_sets_ : array of shape (n_sets, n_labels), bool
        The sets that occur, in lexicographic order.

    Notes
    -----
    `predict` is the winning set: with `KernelSVC` the one with most votes, ties by the margins, then by the order of
    the sets. `predict_proba` is the marginal of each label, the sum over the sets that have it, but one half where it
    contradicts the winning set (the most probable set need not hold exactly the labels above one half);
    `decision_function` is one half less. Where the base has no probabilities, it is the score of the best set that has
    the label minus that of the best one that has not; so with `KernelSVC`, whose probabilities are calibrated on
    out-of-fold scores. In each case it is above 0 exactly for the labels of the winning set.

    S sets make S (S - 1) / 2 pairs with `KernelSVC`, on few rows each; from about a thousand sets on take
    `RandomKLabelsets`, or a base that is not pairwise.

    References
    ----------
    Boutell, Luo, Shen, Brown: Learning multi-label scene classification. Pattern Recognition 37 (2004).

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> powerset = LabelPowerset(DecisionTreeClassifier(random_state=0)).fit(data.X, data.Y)
    >>> powerset.label_sets_.shape, powerset.score(data.X, data.Y)
    ((82, 10), 1.0)
    """

    def __init__(
        self, estimator: Classifier = None, *, n_jobs: int | None = None, random_state: Random = None, verbose: int = 0
    ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def label_sets_(self) -> Bools:
        """The sets that occur in training."""
        return self._sets[0].sets

    def _labelsets(self, targets: Targets) -> list[tuple[int, ...]]:
        return [tuple(range(targets.n_labels))]
