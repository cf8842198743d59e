"""Links on the kernel engine: one call solves them all on shared distances."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from bncc.multilabel.calibration import apply_slopes
from bncc.multilabel.decode import Answer
from bncc.multilabel.links import Links, ground
from bncc.multilabel.progress import Progress
from bncc.multilabel.solve import Response
from bncc.multilabel.targets import Targets
from bncc.svm import (
    EngineChoice,
    KernelSVC,
    Model,
    choose_engine,
    context_mask,
    keep_support,
    make_batch,
    pack_labels,
    resolve_gamma,
    solve,
    squared_distances,
    work_of,
)
from bncc.svm import Links as KernelProblems

__all__ = ["KernelLinks", "kernel_problems", "solve_links"]


@dataclass(frozen=True, eq=False)
class KernelLinks:
    """Solved links on the kernel engine; the same interface as `FittedLinks`."""

    model: Model
    writes: NDArray[np.int32]
    n_labels: int
    cache_size: float
    n_jobs: int | None
    engine: str = "auto"
    choice: EngineChoice | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A model that was learned on a GPU answers on any machine."""
        return {**self.__dict__, "engine": "auto" if self.engine == "cuda" else self.engine}

    def walk(self, X: Any, walks: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Decisions along walks, each link's own label being context to the later ones: (n_walks, n_rows, length)."""
        problems = np.asarray(walks, np.int32)
        options: dict[str, Any] = {"cache_size": self.cache_size, "n_jobs": self.n_jobs, "engine": self.engine}
        return np.array(self.model.decide(X, problems, writes=self.writes[problems], **options))

    def answer(
        self,
        link: int,
        X: Any,
        known: NDArray[np.int8],
        response: Response = "decision",
        slopes: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """One link's decision given the labels known so far, or its probability under slopes (n_links, 2)."""
        options: dict[str, Any] = {"cache_size": self.cache_size, "n_jobs": self.n_jobs, "engine": self.engine}
        decision = self.model.decide(X, [[link]], words=pack_labels(known), **options)[0]
        if response == "decision":
            return decision[:, 0]
        if slopes is None:
            raise ValueError("Decisions become probabilities by `slopes`; got none.")
        return apply_slopes(decision, slopes[[link]])[:, 0]

    def conditionals(self, X: Any, slopes: NDArray[np.float64]) -> Answer:
        """Probabilities of links for rows of X in any states (see `decode`); distances are computed once."""
        decide = self.model.states(X, cache_size=self.cache_size, n_jobs=self.n_jobs, engine=self.engine)

        def answer(link: int, rows: NDArray[np.int64], known: NDArray[np.int8]) -> NDArray[np.float64]:
            return apply_slopes(decide(link, rows, pack_labels(known))[:, None], slopes[[link]])[:, 0]

        return answer


def kernel_problems(all_links: Sequence[Links], n_labels: int) -> tuple[list[KernelProblems], NDArray[np.int8]]:
    """Links as the engine takes them, and the targets that all of them choose from (+1/-1, equal ones stored once)."""
    known: dict[bytes, int] = {}
    table: list[NDArray[np.int8]] = []
    # Links share arrays of targets and contexts by the thousand, and keep them alive: look at each once.
    places: dict[int, int] = {}
    masks: dict[tuple[int, ...], NDArray[np.uint32]] = {}

    def place(target: NDArray[np.int8]) -> int:
        if id(target) not in places:
            signs = np.where(target > 0, 1, -1).astype(np.int8)
            places[id(target)] = known.setdefault(signs.tobytes(), len(table))
            if places[id(target)] == len(table):
                table.append(signs)
        return places[id(target)]

    def mask(context: tuple[int, ...]) -> NDArray[np.uint32]:
        if context not in masks:
            masks[context] = context_mask(context, n_labels)
        return masks[context]

    problems = [
        KernelProblems(
            target=np.asarray([place(link.target) for link in links.links], np.int32),
            context=np.stack([mask(link.context) for link in links.links]),
            chains=np.asarray(links.walks, np.int32),
            writes=np.asarray([link.writes for link in links.links], np.int32),
            rows=_row_sets(links),
        )
        for links in all_links
    ]
    return problems, np.stack(table)


def _row_sets(links: Links) -> tuple[NDArray[np.int64], ...] | None:
    rows = tuple(link.training_rows() for link in links.links)
    whole = all(own.size == link.target.size for own, link in zip(rows, links.links, strict=True))
    return None if whole else rows


def link_weights(
    links: Links, class_weight: Any, sample_weight: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Factors of C: one row per link, a single one where all links have the same, None where there are none."""
    if class_weight is None:
        return None if sample_weight is None else sample_weight[None, :]
    out = np.ones((len(links), links.links[0].target.size))
    for row, link in zip(out, links.links, strict=True):
        rows = link.training_rows()
        present = np.unique(link.target[rows])
        if present.size:
            factors = compute_class_weight(class_weight, classes=present, y=link.target[rows])
            row[rows] = factors[np.searchsorted(present, link.target[rows])]
        if sample_weight is not None:
            row *= sample_weight
    return out


def solve_links(
    links: Links,
    X: Any,
    targets: Targets,
    svc: KernelSVC,
    *,
    sample_weight: NDArray[np.float64] | None = None,
    n_jobs: int | None = None,
    verbose: int | bool = 0,
) -> KernelLinks:
    """Solve all links in one call; gamma is settled once, from X."""
    jobs = svc.n_jobs if n_jobs is None else n_jobs
    links = Links(tuple(ground(link, 0) for link in links.links), links.walks)
    gamma = resolve_gamma(X, sigma=svc.sigma, gamma=svc.gamma)
    distances = squared_distances(X, cache_size=svc.cache_size, n_jobs=jobs)
    (problems,), table = kernel_problems([links], targets.n_labels)
    weights = link_weights(links, svc.class_weight, sample_weight)
    batch = make_batch(
        distances,
        table,
        gamma=gamma,
        C=svc.C,
        kernel=svc.kernel,  # type: ignore[arg-type]
        rows=problems.rows,
        row_set=0 if problems.rows is None else np.arange(len(links)),
        target=problems.target,
        words=pack_labels(targets.positives),
        context=problems.context,
        weights=weights,
        weight=None if weights is None else np.arange(len(links)) % len(weights),
    )
    choice = choose_engine(svc.engine, work=work_of(batch.sizes()))
    options: dict[str, Any] = {"tol": svc.tol, "max_iter": svc.max_iter, "cache_size": svc.cache_size, "n_jobs": jobs}
    if verbose:
        sys.stderr.write(f"engine {choice.name}: {choice.reason}\n")
    with Progress(f"links on {choice.name}", len(links), verbose) as progress:
        solutions = solve(batch, engine=choice.name, progress=progress, **options)
    model = keep_support(batch, solutions)
    return KernelLinks(model, problems.writes, targets.n_labels, svc.cache_size, jobs, svc.engine, choice)
