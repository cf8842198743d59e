"""What a backend of links is: it learns the binary problems that a method describes, and answers for new rows.

`LinkBackend` learns, `SolvedLinks` answers. A backend must say how to fit links (`fit`) and how one solved link answers
(`SolvedLinks.answer`); the rest has defaults that work for any, and that a faster backend replaces: many links along
walks, all folds and settings in one call, conditional probabilities, cost. One file per backend (`clones`, `kernel`);
`backends` says which base classifier goes to which.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from joblib import effective_n_jobs

from bncc._rows import take_rows
from bncc._typing import (
    CSR,
    Array,
    Classifier,
    EngineName,
    FitParams,
    Floats,
    Fold,
    Integers,
    Longs,
    Matrix,
    Pulse,
    Random,
    Rows,
    Signs,
)
from bncc.multilabel.calibration import apply_slopes
from bncc.multilabel.decode import Answer
from bncc.multilabel.links import Links
from bncc.multilabel.row_widths import rows_at_a_time
from bncc.multilabel.targets import Targets
from bncc.selection import EngineUsed
from bncc.selection.tasks import Candidate

__all__ = [
    "FitOptions",
    "FoldedAnswers",
    "FoldedLinks",
    "LinkBackend",
    "Response",
    "SolvedLinks",
    "TrainingRows",
    "params_of_rows",
]

Response = Literal["decision", "probability"]

#: Where probabilities of labels come from: links give them, or scores are calibrated on held-out rows, or nowhere.
Rates = Literal["links", "scores", "none"]

# To say what a fit will cost, fits of so many rows and more are timed, until one takes so long.
_FIRST_ROWS = 200
_TIMED_SECONDS = 0.1


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """What links learn from: checked features, labels and weights of the same rows.

    Attributes
    ----------
    X : features
    targets : Targets
        Its labels are what links see as context; their own targets are in the links.
    weight : array of shape (n_rows,) or None
    contexts : array of shape (n_rows, n_labels) or None
        Numbers that links see as context in the place of labels; for backends with `takes_real_contexts`.
    fit_params : mapping
        What else goes to `fit` of each classifier; for backends with `takes_fit_params`. A value with one entry per
        row is cut to the rows that a classifier learns from.
    groups : array of shape (n_rows,) or None
        Rows of one value are held out together, wherever rows are held out within a fit.
    """

    X: Matrix
    targets: Targets
    weight: Floats | None = None
    contexts: Floats | None = None
    fit_params: FitParams = field(default_factory=dict)
    groups: Array | None = None

    def detached(self) -> TrainingRows:
        """The same rows, without a larger array that theirs are a part of."""
        whole = getattr(self.X, "base", None)
        if not isinstance(self.X, np.ndarray) or not isinstance(whole, np.ndarray) or whole.size <= self.X.size:
            return self
        return replace(self, X=self.X.copy())

    def take(self, rows: Rows) -> TrainingRows:
        """Some of them."""
        return TrainingRows(
            self.X[rows],
            self.targets.take(rows),
            None if self.weight is None else self.weight[rows],
            None if self.contexts is None else self.contexts[rows],
            params_of_rows(self.fit_params, rows, self.targets.n_rows),
            None if self.groups is None else self.groups[rows],
        )


def params_of_rows(fit_params: FitParams, rows: Rows, n_rows: int) -> FitParams:
    """Parameters of a fit on some of the rows: values with one entry per row are cut to them, others stay.

    >>> params_of_rows({"groups": ["a", "b", "c"], "epochs": 2}, np.array([2, 0]), 3)
    {'groups': ['c', 'a'], 'epochs': 2}
    """
    return {
        name: take_rows(value, rows) if _has_entry_per_row(value, n_rows) else value
        for name, value in fit_params.items()
    }


def _has_entry_per_row(value: object, n_rows: int) -> bool:
    if isinstance(value, list | tuple):
        return len(value) == n_rows
    return tuple(getattr(value, "shape", ()))[:1] == (n_rows,)


@dataclass(frozen=True)
class FitOptions:
    """How links are to be fitted; None leaves a choice to the base classifier."""

    n_jobs: int | None = None
    random_state: Random = None
    verbose: int = 0
    engine: EngineName | None = None
    tol: float | None = None
    pulse: Pulse | None = None


@dataclass(frozen=True, eq=False)
class FoldedLinks:
    """The links of a method on folds of some rows; those of a fold are described on its training rows alone."""

    rows: TrainingRows
    folds: tuple[Fold, ...]
    links: tuple[Links, ...]

    def with_all_rows(self, links: Links) -> FoldedLinks:
        """With one more fold, the last, which learns these links from all rows and tests none."""
        every_row = np.arange(self.rows.targets.n_rows)
        return replace(self, folds=(*self.folds, (every_row, every_row[:0])), links=(*self.links, links))


@dataclass(frozen=True, eq=False)
class FoldedAnswers:
    """Answers along the walks for the test rows of folds: (candidate, fold, array of (n_walks, n_rows, length))."""

    answers: Iterable[tuple[int, int, Floats]]
    train_seconds: float
    test_seconds: float
    engine: EngineUsed | None = None


class SolvedLinks(ABC):
    """Links that can answer.

    Attributes
    ----------
    writes : sequence of int
        The label that each link settles for those after it in a walk; -1 for none.
    n_labels : int
    estimators : tuple of classifiers
        One per link, where a backend fits them one by one.
    engine : EngineUsed or None
        What solved the links, for backends that have a choice.
    """

    writes: Sequence[int] | Integers
    n_labels: int
    estimators: tuple[Classifier, ...]

    @property
    def engine(self) -> EngineUsed | None:
        """What solved the links."""
        return None

    @abstractmethod
    def answer(self, link: int, X: Matrix, known: Array, response: Response = "decision") -> Floats:
        """One link's decision (positive: the label holds) or probability, given what is known so far."""

    def walk(self, X: Matrix, walks: Sequence[Sequence[int]], response: Response = "decision") -> Floats:
        """Answers along walks, with each link's own label as context to the later ones: (n_walks, n_rows, length)."""
        out = np.zeros((len(walks), X.shape[0], max((len(walk) for walk in walks), default=0)))
        for number, walk in enumerate(walks):
            known = np.zeros((X.shape[0], self.n_labels), np.int8)
            for position, link in enumerate(walk):
                answer = self.answer(link, X, known, response)
                out[number, :, position] = answer
                if self.writes[link] >= 0:
                    known[:, self.writes[link]] = answer > (0.0 if response == "decision" else 0.5)
        return out

    def answer_all(self, X: Matrix, known: Signs, response: Response = "decision") -> list[Floats]:
        """Answers of every link, all with the same labels known."""
        return [self.answer(link, X, known, response) for link in range(len(self.writes))]

    def sparse_positives(self, X: Matrix, walk: Sequence[int], places: Longs) -> CSR | None:
        """Ones where decisions along a walk are positive, for places in it; None where it takes all decisions."""
        return None

    def sparse_top(self, X: Matrix, walk: Sequence[int], places: Longs, k: int) -> tuple[Longs, Floats] | None:
        """The k highest decisions of each row, as `top_scores` has them; None where it takes all decisions.

        What is returned are numbers in `places`, which are places in the walk.
        """
        return None

    def answer_some(self, links: Sequence[int], X: Matrix, known: Array) -> list[Floats]:
        """Decisions of some links, all with the same known."""
        return [self.answer(link, X, known) for link in links]

    def numbers_of(self, link: int) -> int:
        """Numbers that a link lays out for a row, beside its features."""
        return 0

    def conditionals(self, X: Matrix, slopes: Floats | None = None) -> Answer:
        """Probabilities of links for rows of X in any states (see `decode`): their own, or decisions under slopes."""
        steps: dict[int, int] = {}

        def ask(link: int, rows: Longs, known: Signs) -> Floats:
            response: Response = "probability" if slopes is None else "decision"
            if link not in steps:  # a row of X may have come in thousands of states
                steps[link] = max(X.shape[0], rows_at_a_time(X.shape[1] + known.shape[1] + self.numbers_of(link)))
            step = steps[link]
            parts = [slice(start, start + step) for start in range(0, rows.size, step)]
            answers = np.concatenate([self.answer(link, X[rows[part]], known[part], response) for part in parts])
            return answers if slopes is None else apply_slopes(answers[:, None], slopes[[link]])[:, 0]

        return ask


class LinkBackend(ABC):
    """Learns links over one base classifier.

    Attributes
    ----------
    rates : "links", "scores" or "none"
        Whether links give probabilities; else those of labels are calibrated on held-out scores, or there are none.
    takes_classes : bool
        Whether a link may have a target of several classes; solved links then have `estimators`.
    takes_feature_subsets : bool
        Whether a link may see some of the features only.
    takes_weights : bool
        Whether ``weight`` of the rows counts in the fit; else weights are refused.
    takes_real_contexts : bool
        Whether contexts may be numbers (``contexts`` of the rows, ``known`` of solved links) instead of 0/1.
    takes_fit_params : bool
        Whether ``fit_params`` of the rows reach the classifiers.
    shares_folds : bool
        Whether there is a `decide_folds`, which costs less than fitting fold by fold.
    fits_with_folds : bool
        Whether folds start from a fit to all rows, which `fit_with_folds` then gives for nothing.
    calibrates_large : bool
        With `rates` of "scores": whether these are calibrated on data that are too large to be kept until
        probabilities are asked for. It takes several fits within `fit`.
    """

    rates: Rates = "scores"
    takes_classes: ClassVar[bool] = False
    takes_feature_subsets: ClassVar[bool] = False
    takes_weights: ClassVar[bool] = False
    takes_real_contexts: ClassVar[bool] = False
    takes_fit_params: ClassVar[bool] = False
    shares_folds: ClassVar[bool] = False
    fits_with_folds: ClassVar[bool] = False
    calibrates_large: ClassVar[bool] = True

    def __init__(self, base: Classifier) -> None:
        self.base = base

    @abstractmethod
    def fit(self, links: Links, rows: TrainingRows, options: FitOptions, prepared: Any = None) -> SolvedLinks:
        """Learn all links; contexts are the labels of the rows, and unknown context counts as 0."""

    def prepare(self, X: Matrix, options: FitOptions) -> Any:
        """What all fits, folds and settings on these features share; handed back as `prepared`."""
        return None

    def rough_tol(self) -> float | None:
        """A tolerance at which nearly the same labels are had much sooner; None where there is none."""
        return None

    def search_names(self) -> tuple[str, ...]:
        """Parameters of the base that a search may try."""
        return tuple(sorted(self.base.get_params()))

    def changes_for(self, candidate: Candidate) -> Candidate:
        """Parameters of the base to set for a candidate of a search."""
        return candidate

    def decide_folds(
        self, folded: FoldedLinks, candidates: Sequence[Candidate], options: FitOptions, prepared: Any = None
    ) -> Iterator[FoldedAnswers]:
        """Answers of every candidate for the test rows of every fold; for backends with `shares_folds`."""
        raise TypeError(f"{type(self).__name__} shares nothing between folds; fit them one by one.")

    def fit_with_folds(
        self, links: Links, folded: FoldedLinks, options: FitOptions, prepared: Any = None
    ) -> tuple[SolvedLinks, Iterator[FoldedAnswers]]:
        """Links learned from all rows, and answers for the test rows of folds.

        Backends for which both together cost less than one by one have one of their own.
        """
        solved = self.fit(links, folded.rows, options, prepared)
        return solved, self.decide_folds(folded, [{}], replace(options, verbose=0), prepared)

    def decide_folds_in_blocks(
        self, folded: FoldedLinks, options: FitOptions, prepared: object, n_rows: int
    ) -> Iterator[tuple[int, slice, Floats]]:
        """Folds, places among their test rows and answers along the walks, for up to so many rows at a time.

        Backends that do not hold answers of all rows at once have one of their own.
        """
        for part in self.decide_folds(folded, [{}], options, prepared):
            for _, fold, walked in part.answers:
                yield fold, slice(0, walked.shape[1]), walked

    def decide_given_truth(
        self, links: Links, rows: TrainingRows, folds: Sequence[Fold], options: FitOptions, prepared: Any = None
    ) -> Floats:
        """Decisions of links for rows held out by the folds, given the true labels as context: (n_rows, n_links).

        NaN for rows that no fold tests.
        """
        out = np.full((rows.targets.n_rows, len(links)), np.nan)
        truth = rows.targets.positives.toarray()
        for train, test in folds:
            solved = self.fit(links.within(train), rows.take(train), replace(options, verbose=0))
            out[test] = np.column_stack(solved.answer_all(rows.X[test], truth[test]))
        return out

    def seconds(self, links: Links, rows: TrainingRows, options: FitOptions) -> float:
        """What fitting the links will take, about: some of them are fitted to more and more of the rows, and timed.

        That takes a fifth of a second or so. Time is carried on by its growth with the number of rows; a machine that
        does other things meanwhile, or a device that takes over when there is enough work, make it another.
        """
        some, n_rows = _typical(links), rows.targets.n_rows
        timed = [self._time(some, rows, min(n_rows, _FIRST_ROWS), options)]
        while timed[-1].n_rows < n_rows and timed[-1].spent < _TIMED_SECONDS:
            timed.append(self._time(some, rows, min(n_rows, 2 * timed[-1].n_rows), options))
        sizes = np.array([link.training_rows().size for link in links.links], np.float64)
        of_links = timed[-1].of_a_link * float(((sizes / timed[-1].n_rows) ** _growth(timed)).sum())
        return timed[-1].shared * (n_rows / timed[-1].n_rows) ** 2 + of_links / self.n_workers(options)

    def n_workers(self, options: FitOptions) -> int:
        """How many links are learned at a time."""
        return int(effective_n_jobs(options.n_jobs))

    def _time(self, links: Links, rows: TrainingRows, n_rows: int, options: FitOptions) -> _Timed:
        """Seconds on some rows: what is prepared is used twice, so that what is shared shows."""
        kept = np.linspace(0, rows.targets.n_rows - 1, n_rows).astype(np.int64)
        part, cut = rows.take(kept), links.within(kept)
        alone = replace(options, n_jobs=1, verbose=0, pulse=None)
        prepared = self.prepare(part.X, alone)
        seconds = []
        for _ in range(2):
            begin = time.perf_counter(), time.process_time()
            self.fit(cut, part, alone, prepared)
            # Of a machine that does other things too, only what this took counts.
            seconds.append(min(time.perf_counter() - begin[0], time.process_time() - begin[1]))
        shared = 0.0 if prepared is None else max(0.0, seconds[0] - seconds[1])
        return _Timed(n_rows, shared, min(seconds) / len(links), sum(seconds))


@dataclass(frozen=True)
class _Timed:
    """Seconds of fits on some rows: what all links share, each of them, and what the timing took."""

    n_rows: int
    shared: float
    of_a_link: float
    spent: float


def _typical(links: Links) -> Links:
    """Three links: with few, with middling and with many positives."""
    positives = [int((link.target > 0).sum()) for link in links.links]
    order = sorted(range(len(links)), key=positives.__getitem__)
    taken = sorted({order[(2 * part + 1) * len(order) // 6] for part in range(3)})
    return Links(tuple(links.links[number] for number in taken), (tuple(range(len(taken))),))


def _growth(timed: Sequence[_Timed]) -> float:
    """The power of the number of rows by which the time of a link grows, over the last doublings."""
    if len(timed) < 2:
        return 1.0
    first, last = timed[max(0, len(timed) - 3)], timed[-1]
    power = np.log(max(last.of_a_link, 1e-9) / max(first.of_a_link, 1e-9)) / np.log(last.n_rows / first.n_rows)
    return float(np.clip(power, 0.5, 3.0))
