"""Links on the kernel engine: one call solves them all on shared distances."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bncc._checks import check_number
from bncc._threads import n_threads
from bncc._typing import Floats, Fold, Longs, Matrix, Signs
from bncc.multilabel.backend import (
    FitOptions,
    FoldedAnswers,
    FoldedLinks,
    LinkBackend,
    Response,
    SolvedLinks,
    TrainingRows,
)
from bncc.multilabel.calibration import apply_slopes
from bncc.multilabel.decode import Answer
from bncc.multilabel.kernel_problems import link_weights, problems_of_folds, table_of_links
from bncc.multilabel.links import Links, grounded
from bncc.multilabel.progress import Progress, both
from bncc.selection.tasks import BatchOptions, Candidate
from bncc.svm import (
    Distances,
    EngineChoice,
    FoldProblems,
    KernelSVC,
    Model,
    SolverSettings,
    choose_engine,
    decide_candidates,
    engine_for,
    keep_support,
    kernel_grid,
    make_batch,
    pack_labels,
    resolve_gamma,
    squared_distances,
    work_of,
)
from bncc.svm.engines import anywhere
from bncc.svm.fold_fits import fit_last_fold
from bncc.svm.fold_problems import disjoint_runs
from bncc.svm.walk_plan import plan_walks

__all__ = ["KernelBackend", "KernelLinks"]


@dataclass(frozen=True, eq=False)
class KernelLinks(SolvedLinks):
    """Solved links on the kernel engine."""

    model: Model
    writes: NDArray[np.int32]
    n_labels: int
    settings: SolverSettings
    choice: EngineChoice | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A model that was learned on a GPU answers on any machine."""
        return {**self.__dict__, "settings": self.settings.changed(engine=anywhere(self.settings.engine))}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Files of the first release hold settings one by one."""
        held = dict(state)
        if "settings" not in held:
            names = ("cache_size", "n_jobs", "engine")
            held["settings"] = SolverSettings(**{name: held.pop(name) for name in names if name in held})
        self.__dict__.update(held)

    @property
    def engine(self) -> EngineChoice | None:
        """The engine that solved the links, and why it was chosen."""
        return self.choice

    def walk(self, X: Matrix, walks: Sequence[Sequence[int]], response: Response = "decision") -> Floats:
        """Decisions along walks, each link's own label being context to the later ones: (n_walks, n_rows, length)."""
        _decisions_only(response)
        problems = np.asarray(walks, np.int32)
        return np.array(self.model.decide(X, problems, writes=self.writes[problems], settings=self.settings))

    def answer(self, link: int, X: Matrix, known: Signs, response: Response = "decision") -> Floats:
        """One link's decision given the labels known so far."""
        _decisions_only(response)
        return self.model.decide(X, [[link]], words=pack_labels(known), settings=self.settings)[0][:, 0]

    def answer_all(self, X: Matrix, known: Signs, response: Response = "decision") -> list[Floats]:
        """Decisions of every link, all with the same labels known."""
        _decisions_only(response)
        problems = np.arange(len(self.writes))[:, None]
        decisions = self.model.decide(X, problems, words=pack_labels(known), settings=self.settings)
        return [decision[:, 0] for decision in decisions]

    def answer_some(self, links: Sequence[int], X: Matrix, known: Signs) -> list[Floats]:
        """Decisions of some links, all with the same labels known, on distances computed once."""
        problems = np.asarray(links, np.int64)[:, None]
        if not problems.size:
            return []
        decisions = self.model.decide(X, problems, words=pack_labels(known), settings=self.settings)
        return [decision[:, 0] for decision in decisions]

    def conditionals(self, X: Matrix, slopes: Floats | None = None) -> Answer:
        """Probabilities of links for rows of X in any states (see `decode`); distances are computed once."""
        if slopes is None:
            raise ValueError("Decisions become probabilities by `slopes`; got none.")
        decide = self.model.states(X, self.settings)

        def answer(link: int, rows: Longs, known: Signs) -> Floats:
            return apply_slopes(decide(link, rows, pack_labels(known))[:, None], slopes[[link]])[:, 0]

        return answer


def _decisions_only(response: Response) -> None:
    if response != "decision":
        raise ValueError("Links of a KernelSVC give decisions; probabilities are calibrated. Fit the estimator again.")


class KernelBackend(LinkBackend):
    """All links of a `KernelSVC` in one batch, on distances that every fit, fold and setting shares."""

    shares_folds = True
    fits_with_folds = True
    takes_weights = True
    base: KernelSVC

    def search_names(self) -> tuple[str, ...]:
        """Sigma (or gamma) and C."""
        return self.base.search_names()

    def rough_tol(self) -> float | None:
        """That of the base."""
        return self.base.rough_tol()

    def changes_for(self, candidate: Candidate) -> Candidate:
        """A sigma takes the place of a gamma."""
        return self.base.changes_for(candidate)

    def prepare(self, X: Matrix, options: FitOptions) -> Distances:
        """Squared distances between all rows, computed when first needed."""
        settings = self._settings(options)
        return squared_distances(X, cache_size=settings.cache_size, n_jobs=settings.n_jobs)

    def _settings(self, options: FitOptions) -> SolverSettings:
        return self.base.settings(BatchOptions(n_jobs=options.n_jobs, engine=options.engine, tol=options.tol))

    def fit(self, links: Links, rows: TrainingRows, options: FitOptions, prepared: Any = None) -> KernelLinks:
        """Solve all links in one call; gamma is settled once, from X."""
        settings = self._settings(options)
        links = Links(tuple(grounded(link, 0) for link in links.links), links.walks)
        (table,), targets = table_of_links([links], rows.targets.n_labels)
        weights = link_weights(links, self.base.class_weight, rows.weight)
        batch = make_batch(
            self.prepare(rows.X, options) if prepared is None else prepared,
            targets,
            gamma=resolve_gamma(rows.X, sigma=self.base.sigma, gamma=self.base.gamma),
            C=check_number("C", self.base.C, 1e-300, 1e300),
            kernel=self.base.kernel,
            rows=table.rows,
            row_set=0 if table.rows is None else np.arange(len(links)),
            target=table.target,
            words=pack_labels(rows.targets.positives),
            context=table.context,
            weights=weights,
            weight=None if weights is None else np.arange(len(links)) % len(weights),
        )
        choice = choose_engine(settings.engine, work=work_of(batch.sizes()))
        if options.verbose:
            sys.stderr.write(f"engine {choice.name}: {choice.reason}\n")
        with Progress(f"links on {choice.name}", len(links), options.verbose) as progress:
            solutions = choice.engine().solve(batch, settings, both(progress, options.pulse))
        solutions.warn_of_limits(stacklevel=4)
        return KernelLinks(keep_support(batch, solutions), table.writes, rows.targets.n_labels, settings, choice)

    def decide_folds(
        self, folded: FoldedLinks, candidates: Sequence[Candidate], options: FitOptions, prepared: Any = None
    ) -> Iterator[FoldedAnswers]:
        """All folds and candidates in one batch, or as few as memory asks for, and as test other rows."""
        distances = self.prepare(folded.rows.X, options) if prepared is None else prepared
        for run in disjoint_runs(folded.folds, folded.rows.targets.n_rows):
            part = replace(folded, folds=folded.folds[run], links=folded.links[run])
            yield from self._decide_run(part, run.start, candidates, options, distances)

    def _decide_run(
        self,
        folded: FoldedLinks,
        first: int,
        candidates: Sequence[Candidate],
        options: FitOptions,
        distances: Distances,
    ) -> Iterator[FoldedAnswers]:
        problems = problems_of_folds(folded, distances, self.base)
        pairs = [self.base.gamma_and_cost(candidate, folded.rows.X) for candidate in candidates]
        for part in decide_candidates(problems, pairs, self._settings(options), options.pulse):
            answers = (
                (candidate, first + fold, walked)
                for candidate, decisions in part.decisions.items()
                for fold, walked in _fold_answers(problems, folded.folds, decisions)
            )
            yield FoldedAnswers(answers, part.train_seconds, part.test_seconds, part.engine)

    def fit_with_folds(
        self, links: Links, folded: FoldedLinks, options: FitOptions, prepared: Any = None
    ) -> tuple[SolvedLinks, Iterator[FoldedAnswers]]:
        """In one batch: the folds start from the solutions on all rows, which are the fit."""
        settings, rows = self._settings(options), folded.rows
        problems = problems_of_folds(
            folded.with_all_rows(links), self.prepare(rows.X, options) if prepared is None else prepared, self.base
        )
        choice, places = choose_engine(settings.engine, work=problems.work()), _first_places(links)
        if places is None or not choice.engine().starts_warm:
            return super().fit_with_folds(links, folded, options, prepared)
        if options.verbose:
            sys.stderr.write(f"engine {choice.name}: {choice.reason}\n")
        n_problems = problems.n_links * len(problems.folds)
        with Progress(f"links and folds on {choice.name}", n_problems, options.verbose) as progress:
            fit = fit_last_fold(
                choice.engine(),
                problems,
                kernel_grid(*self.base.gamma_and_cost({}, rows.X)),
                places,
                settings,
                both(progress, options.pulse),
            )
        fit.model.solutions.warn_of_limits(stacklevel=4)
        writes = np.array([link.writes for link in links.links], np.int32)
        answers = ((0, *each) for each in _fold_answers(problems, folded.folds, fit.decided.decisions[0, 0]))
        seconds = fit.decided.train_seconds, fit.decided.test_seconds
        solved = KernelLinks(fit.model, writes, rows.targets.n_labels, settings, choice)
        return solved, iter([FoldedAnswers(answers, *seconds, choice)])

    def decide_given_truth(
        self, links: Links, rows: TrainingRows, folds: Sequence[Fold], options: FitOptions, prepared: Any = None
    ) -> Floats:
        """Decisions of links for rows held out by the folds, given the true labels as context: (n_rows, n_links).

        Every link is solved on all its rows first; its folds share kernel rows and start from that solution. NaN for
        rows that no fold tests.
        """
        settings = self._settings(options)
        links = Links(tuple(grounded(link, 0) for link in links.links), links.walks)
        (table,), targets = table_of_links([links], rows.targets.n_labels)
        weights = link_weights(links, self.base.class_weight, rows.weight)
        sets = _rows_and_folds(links, folds)
        size = len(folds) + 1
        index = np.repeat(np.arange(len(links)), size)
        batch = make_batch(
            self.prepare(rows.X, options) if prepared is None else prepared,
            targets,
            gamma=resolve_gamma(rows.X, sigma=self.base.sigma, gamma=self.base.gamma),
            C=check_number("C", self.base.C, 1e-300, 1e300),
            kernel=self.base.kernel,
            rows=sets,
            row_set=np.arange(len(sets)),
            target=table.target[index],
            words=pack_labels(rows.targets.positives),
            context=table.context[index],
            weights=weights,
            weight=None if weights is None else index % len(weights),
            group=index,
            start=np.where(np.arange(len(sets)) % size == 0, -1, index * size),
        )
        engine = engine_for(settings.engine, work_of(batch.sizes()))
        solutions = engine.solve(batch, settings)
        out = np.full((rows.targets.n_rows, len(links)), np.nan)
        for fold, (_, test) in enumerate(folds):
            numbers = np.asarray(test, np.int64)
            problems = (np.arange(len(links)) * size + fold + 1)[:, None]
            walks = plan_walks(batch, problems, numbers.size, words=batch.words[:, numbers])
            out[numbers] = engine.walk_known(batch, solutions, numbers, walks, settings)[:, :, 0].T
        return out

    def n_workers(self, options: FitOptions) -> int:
        """Threads of the engine."""
        return n_threads(self._settings(options).n_jobs)


def _fold_answers(problems: FoldProblems, folds: Sequence[Fold], decisions: Floats) -> Iterator[tuple[int, Floats]]:
    """Folds, and decisions (n_rows, n_links) as answers along the walks for their test rows."""
    for fold, (_, test) in enumerate(folds):
        yield fold, np.moveaxis(decisions[test][:, problems.links[fold].chains], 1, 0)


def _first_places(links: Links) -> Longs | None:
    """Where each link first comes in the walks, laid end to end; None where some link comes in none of them."""
    walked = [link for walk in links.walks for link in walk]
    first = {link: place for place, link in reversed(list(enumerate(walked)))}
    return np.array([first[link] for link in range(len(links))]) if len(first) == len(links) else None


def _rows_and_folds(links: Links, folds: Sequence[Fold]) -> list[Longs]:
    """For each link all its rows, then those of each fold's training rows (all, where a fold has none of them)."""
    sets: list[Longs] = []
    for link in links.links:
        rows = link.training_rows()
        sets.append(rows)
        for train, _ in folds:
            part = rows[np.isin(rows, train)]
            sets.append(part if part.size else rows)
    return sets
