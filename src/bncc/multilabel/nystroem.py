"""Links over a `KernelSVC` with landmarks: rows are mapped once, then the linear engine learns all links over them.

The features of a link are those of the landmarks and, beside them, the labels of its context as they are: the kernel
is that of the rows plus the number of labels in common, and not the product that the exact kernel has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import clone

from bncc._typing import Array, Floats, Fold, Integers, Matrix, Signs
from bncc.linear import LinearSVC
from bncc.multilabel.backend import (
    FitOptions,
    FoldedAnswers,
    FoldedLinks,
    LinkBackend,
    Response,
    SolvedLinks,
    TrainingRows,
)
from bncc.multilabel.decode import Answer
from bncc.multilabel.linear import LinearBackend
from bncc.multilabel.linear_links import LinearChoice, LinearLinks
from bncc.multilabel.links import Links
from bncc.selection.tasks import BatchOptions, Candidate
from bncc.svm import KernelSVC, resolve_gamma
from bncc.svm.approximation import linear_settings, map_of
from bncc.svm.landmarks import LandmarkMap

__all__ = ["MappedLinks", "NystroemBackend"]


@dataclass(frozen=True, eq=False)
class MappedLinks(SolvedLinks):
    """Solved links over the features of landmarks."""

    landmarks: LandmarkMap
    links: LinearLinks

    @property
    def writes(self) -> Integers:  # type: ignore[override]
        """The label that each link settles."""
        return self.links.writes

    @property
    def n_labels(self) -> int:  # type: ignore[override]
        """Number of labels."""
        return self.links.n_labels

    @property
    def engine(self) -> LinearChoice:
        """The engine that solved the links."""
        return self.links.engine

    def answer(self, link: int, X: Matrix, known: Array, response: Response = "decision") -> Floats:
        """One link's decision given the labels known so far."""
        return self.links.answer(link, self.landmarks.transform(X), known, response)

    def answer_all(self, X: Matrix, known: Signs, response: Response = "decision") -> list[Floats]:
        """Decisions of every link, all with the same labels known."""
        return self.links.answer_all(self.landmarks.transform(X), known, response)

    def answer_some(self, links: Sequence[int], X: Matrix, known: Array) -> list[Floats]:
        """Decisions of some links, all with the same labels known; rows are mapped once."""
        return self.links.answer_some(links, self.landmarks.transform(X), known)

    def walk(self, X: Matrix, walks: Sequence[Sequence[int]], response: Response = "decision") -> Floats:
        """Decisions along walks, each link's own label being context to the later ones: (n_walks, n_rows, length)."""
        return self.links.walk(self.landmarks.transform(X), walks, response)

    def conditionals(self, X: Matrix, slopes: Floats | None = None) -> Answer:
        """Probabilities of links for rows of X in any states (see `decode`); rows are mapped once."""
        return self.links.conditionals(self.landmarks.transform(X), slopes)


class NystroemBackend(LinkBackend):
    """All links of a `KernelSVC` with an approximation in one batch, on features that are made once."""

    shares_folds = True
    takes_weights = True
    base: KernelSVC

    def search_names(self) -> tuple[str, ...]:
        """Sigma (or gamma), C and the number of components."""
        return self.base.search_names()

    def changes_for(self, candidate: Candidate) -> Candidate:
        """A sigma takes the place of a gamma."""
        return self.base.changes_for(candidate)

    def fit(self, links: Links, rows: TrainingRows, options: FitOptions, prepared: object = None) -> MappedLinks:
        """Draw landmarks, map the rows and solve all links in one call; gamma is settled once, from X."""
        gamma = resolve_gamma(rows.X, sigma=self.base.sigma, gamma=self.base.gamma)
        landmarks = map_of(self.base, rows.X, gamma, rows.weight)
        mapped = replace(rows, X=landmarks.transform(rows.X))
        return MappedLinks(landmarks, self._linear(options).fit(links, mapped, options))

    def _linear(self, options: FitOptions) -> LinearBackend:
        settings = self.base.settings(BatchOptions(n_jobs=options.n_jobs, engine=options.engine))
        return LinearBackend(LinearSVC(self.base.C, class_weight=self.base.class_weight, **linear_settings(settings)))

    def decide_folds(
        self, folded: FoldedLinks, candidates: Sequence[Candidate], options: FitOptions, prepared: object = None
    ) -> Iterator[FoldedAnswers]:
        """One map per fold, gamma and number of components, drawn from training rows; all values of C in one batch."""
        groups: dict[tuple[float, int], list[int]] = {}
        costs: list[float] = []
        for number, candidate in enumerate(candidates):
            gamma, cost = self.base.gamma_and_cost(candidate, folded.rows.X)
            groups.setdefault((gamma, candidate.get("n_components", self.base.n_components)), []).append(number)
            costs.append(cost)
        for fold in range(len(folded.folds)):
            for (gamma, n_components), members in groups.items():
                mapped = self._mapped(folded.rows, folded.folds[fold], gamma, n_components)
                part = FoldedLinks(mapped, (folded.folds[fold],), (folded.links[fold],))
                values = [{"C": costs[member]} for member in members]
                for solved in self._linear(options).decide_folds(part, values, options):
                    answers = [(members[place], fold, walked) for place, _, walked in solved.answers]
                    yield replace(solved, answers=answers)

    def _mapped(self, rows: TrainingRows, fold: Fold, gamma: float, n_components: int) -> TrainingRows:
        """All rows, by landmarks among the training rows of a fold."""
        train = fold[0]
        base = clone(self.base).set_params(n_components=n_components)
        weight = None if rows.weight is None else rows.weight[train]
        return replace(rows, X=map_of(base, rows.X[train], gamma, weight).transform(rows.X))

    def decide_given_truth(
        self, links: Links, rows: TrainingRows, folds: Sequence[Fold], options: FitOptions, prepared: object = None
    ) -> Floats:
        """Decisions of links for rows held out by the folds, given the true labels as context: (n_rows, n_links).

        NaN for rows that no fold tests.
        """
        gamma = resolve_gamma(rows.X, sigma=self.base.sigma, gamma=self.base.gamma)
        out = np.full((rows.targets.n_rows, len(links)), np.nan)
        for fold in folds:
            mapped = self._mapped(rows, fold, gamma, self.base.n_components)
            decisions = self._linear(options).decide_given_truth(links, mapped, [fold], options)
            out[fold[1]] = decisions[fold[1]]
        return out

    def seconds(self, links: Links, rows: TrainingRows, options: FitOptions) -> float:
        """As of linear links over that many dense features."""
        shape = (rows.targets.n_rows, min(self.base.n_components, rows.targets.n_rows))
        unmapped = replace(rows, X=np.broadcast_to(np.float32(0), shape))
        return self._linear(options).seconds(links, unmapped, options)
