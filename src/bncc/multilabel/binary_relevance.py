"""Binary relevance: one classifier per label."""

from __future__ import annotations

from typing import Any

from bncc._typing import Classifier, Floats, Matrix, Random
from bncc.multilabel.links import Links, label_links
from bncc.multilabel.routed_fit import RoutedFit
from bncc.multilabel.targets import Targets

__all__ = ["BinaryRelevance"]


class BinaryRelevance(RoutedFit):
    """One classifier per label, each on the features alone (BR).

    The baseline: fast, and blind to how labels depend on each other.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier; None is `KernelSVC()`, solved for all labels in one call.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0
        Show progress with an estimate of the time left.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> BinaryRelevance(LogisticRegression()).fit(data.X, data.Y).predict(data.X[:1]).tolist()
    [[0, 0, 1, 0, 0, 1, 0, 1, 0, 1]]
    """

    _passes_unrouted = True

    def __init__(
        self, estimator: Classifier = None, *, n_jobs: int | None = None, random_state: Random = None, verbose: int = 0
    ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _describe(self, X: Matrix, targets: Targets) -> Links:
        return label_links([targets.column(label) for label in range(targets.n_labels)], self.label_names_)

    def _assemble(self, answers: Floats, X: Any) -> Floats:
        return answers[0]
