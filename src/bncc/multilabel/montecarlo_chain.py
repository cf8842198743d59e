"""A chain whose order is searched by random swaps, and whose label sets are found by sampling."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from bncc._typing import Classifier, Features, Floats, Matrix, Random
from bncc.graph import Parents
from bncc.multilabel.backend import FitOptions, SolvedLinks, TrainingRows
from bncc.multilabel.calibration import apply_slopes, fit_slopes
from bncc.multilabel.classifier_chain import ChainClassifier
from bncc.multilabel.crossval import deal_folds
from bncc.multilabel.links import Link, Links, links_of_chains
from bncc.multilabel.progress import Progress
from bncc.multilabel.targets import Targets

__all__ = ["MonteCarloChain"]

# A held-out row that a link was certain about, wrongly, costs this probability and not all.
_FLOOR = 1e-6


def _gives_marginals(chain: MonteCarloChain) -> bool:
    if chain.optimise != "hamming":
        raise AttributeError(
            f"MonteCarloChain has no `predict_proba` with optimise={chain.optimise!r}, whose predictions are not "
            "marginals above one half; set_params(optimise='hamming') for marginals."
        )
    return True


class MonteCarloChain(ChainClassifier):
    """A chain in a searched order that predicts by sampling (M2CC; Read, Martino and Luengo 2014).

    The order starts at random; two of its labels, drawn at random, change places, and the new order is kept when its
    payoff on held-out rows (a third of them) is better. Label sets are drawn along the chain, and the most probable of
    them, the greedy one included, is predicted.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier with `predict_proba`; None is `KernelSVC()`.
    n_swaps : int, default=50
        Swaps to try; 0 leaves the order random.
    payoff : "likelihood" or "exact_match", default="likelihood"
        What makes an order good: the mean log-probability of the true label sets, or the share of rows whose label
        set is predicted exactly (by greedy inference).
    optimise, n_samples
        As in `ClassifierChain`.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Draws the order, the swaps and the samples, and seeds classifiers whose own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    order_ : tuple of int
    payoffs_ : array of shape (n_swaps + 1,)
        Payoff of the order that is held after each swap.

    Notes
    -----
    The likelihood of an order is a sum over links, and a link depends only on its label and the set of labels before
    it, so a swap costs the links between the two places, and none that was tried before. "exact_match" solves the
    whole chain for every swap. Weights of rows do not count in the search.

    `decision_function` is above 0 where a label is in the predicted set. `predict_proba`, the marginal of each label
    estimated from the draws, is there with ``optimise="hamming"`` only (which may be set after `fit`): the most
    probable set is not the set of labels that are more probable than not.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> chain = MonteCarloChain(LogisticRegression(), n_swaps=10, random_state=0).fit(data.X, data.Y)
    >>> bool(chain.payoffs_[-1] >= chain.payoffs_[0])
    True
    """

    inference = "monte_carlo"
    _describes_by_features = True

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        n_swaps: int = 50,
        payoff: str = "likelihood",
        optimise: str = "joint",
        n_samples: int = 100,
        n_jobs: int | None = None,
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_swaps = n_swaps
        self.payoff = payoff
        self.optimise = optimise
        self.n_samples = n_samples
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @available_if(_gives_marginals)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Features) -> Floats:
        """Marginal probability of each label, estimated from the draws; for a one-dimensional y, of its classes."""
        return super().predict_proba(X)

    def _describe(self, X: Matrix, targets: Targets) -> Links:
        self._check_search()
        self._check_inference(targets.n_labels)
        random = check_random_state(self.random_state)
        order = random.permutation(targets.n_labels)
        n_swaps = int(self.n_swaps) if targets.n_labels > 1 and targets.n_rows > 2 else 0
        self.order_, self.payoffs_ = tuple(order.tolist()), np.zeros(1)
        if n_swaps:
            self._search(_Payoff(self, X, targets, random.randint(np.iinfo(np.int32).max)), n_swaps, random)
        return super()._describe(X, targets)

    def _chain(self, targets: Targets) -> tuple[tuple[int, ...], Parents | None]:
        return self.order_, None

    def _search(self, payoff: _Payoff, n_swaps: int, random: np.random.RandomState) -> None:
        order, best = self.order_, payoff(self.order_)
        held = [best]
        with Progress("swaps", n_swaps, self.verbose) as progress:
            for done in range(1, n_swaps + 1):
                first, second = random.choice(len(order), 2, replace=False)
                changed = list(order)
                changed[first], changed[second] = order[second], order[first]
                value = payoff(tuple(changed))
                if value > best:
                    order, best = tuple(changed), value
                held.append(best)
                progress(done)
        self.order_, self.payoffs_ = order, np.array(held)

    def _check_search(self) -> None:
        if not isinstance(self.n_swaps, int | np.integer) or self.n_swaps < 0:
            raise ValueError(f"`n_swaps` must be a whole number of at least 0; got {self.n_swaps!r}.")
        if self.payoff not in ("likelihood", "exact_match"):
            raise ValueError(f"`payoff` must be 'likelihood' or 'exact_match'; got {self.payoff!r}.")


class _Payoff:
    """How good an order is, on rows that its links have not learned from."""

    def __init__(self, chain: MonteCarloChain, X: Matrix, targets: Targets, seed: int) -> None:
        train, held = deal_folds(targets, 3)[0]
        self.chain = chain
        self.rows = TrainingRows(X, targets).take(train)
        self.X_held, self.held = X[held], targets.take(held)
        self.truth = self.held.positives.toarray()
        self.backend, self.options = chain._backend(), FitOptions(n_jobs=chain.n_jobs, random_state=seed)
        self.prepared = self.backend.prepare(self.rows.X, self.options)  # for all orders that are tried
        self.columns = [self.rows.targets.column(label) for label in range(targets.n_labels)]
        self.known: dict[tuple[int, frozenset[int]], float] = {}

    def __call__(self, order: tuple[int, ...]) -> float:
        return self._likelihood(order) if self.chain.payoff == "likelihood" else self._exact_match(order)

    def _likelihood(self, order: tuple[int, ...]) -> float:
        keys = [(label, frozenset(order[:position])) for position, label in enumerate(order)]
        new = [key for key in keys if key not in self.known]
        if new:
            names = self.chain.label_names_
            links = tuple(
                Link(names[label], self.columns[label], tuple(sorted(seen)), writes=label) for label, seen in new
            )
            rates = self._rates(Links(links, tuple((number,) for number in range(len(links)))))
            for (label, seen), rate in zip(new, rates, strict=True):
                self.known[label, seen] = self._log_probability(label, rate)
        return sum(self.known[key] for key in keys)

    def _log_probability(self, label: int, rate: Floats) -> float:
        column = self.held.column(label)
        rows = column >= 0
        right = np.where(column == 1, rate, 1.0 - rate)[rows]
        return float(np.log(np.clip(right, _FLOOR, 1.0)).mean()) if rows.any() else 0.0

    def _solve(self, links: Links) -> SolvedLinks:
        return self.backend.fit(links, self.rows, self.options, self.prepared)

    def _rates(self, links: Links) -> list[Floats]:
        """Probabilities for the held-out rows given their true context."""
        solved = self._solve(links)
        if self.backend.rates == "links":
            return solved.answer_all(self.X_held, self.truth, "probability")
        decisions = solved.answer_all(self.X_held, self.truth)
        return [self._calibrated(link, each) for link, each in zip(links.links, decisions, strict=True)]

    def _calibrated(self, link: Link, decision: Floats) -> Floats:
        # The two slopes come from the same rows: a constant advantage, shared by all orders.
        column = self.held.column(link.writes)
        rows = column >= 0
        slopes = np.array([fit_slopes(decision[rows], column[rows] == 1)])
        return apply_slopes(decision[:, None], slopes)[:, 0]

    def _exact_match(self, order: tuple[int, ...]) -> float:
        links = links_of_chains(self.columns, self.chain.label_names_, [order])
        answers = self._solve(links).walk(self.X_held, links.walks)[0]
        return float(((answers > 0) == self.truth[:, list(order)]).all(axis=1).mean())
