"""Links as one batch of the linear engine: labels as targets, contexts as bits, folds as sets of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from bncc._checks import check_flag, check_number
from bncc._typing import CSC, Floats, Longs, Rows, Words
from bncc.linear import Batch, Features, LinearSVC, LogisticRegression, make_batch
from bncc.multilabel.class_weights import factors_of_classes
from bncc.multilabel.linear_tables import RowSets, TargetColumns
from bncc.multilabel.links import LabelColumn, Link, Links

__all__ = ["ClassWeight", "LinearBase", "LinkBatch", "Part", "PenaltyPath", "batch_of_links", "checked_cost"]

LinearBase: TypeAlias = LinearSVC | LogisticRegression
ClassWeight: TypeAlias = Mapping[int, float] | str | None

_TWO_CLASSES = np.arange(2)
_WORD = 32
# Links whose contexts are packed at a time.
_STEP = 1024


@dataclass(frozen=True, eq=False)
class Part:
    """Links that were described on some of the rows (None: on all)."""

    links: Links
    rows: Rows | None = None


@dataclass(frozen=True, eq=False)
class PenaltyPath:
    """Values of C with class weights that are solved in one batch, each starting from the one before."""

    costs: tuple[float, ...]
    class_weights: tuple[ClassWeight, ...]

    @staticmethod
    def of(base: LinearBase) -> PenaltyPath:
        """The one setting of a base."""
        return PenaltyPath((checked_cost(base.C),), (base.class_weight,))

    def __len__(self) -> int:
        return len(self.costs)


@dataclass(frozen=True, eq=False)
class LinkBatch:
    """The problems of links: those of all parts with the first setting of a path, then with the second, and so on.

    Attributes
    ----------
    batch : Batch
    first : (n_links + 1,), int64
        Where the problems of each link begin, for the first setting; links of all parts are counted through.
    classes : tuple of arrays, or None
        The classes of each link; None where all are 0 and 1.
    """

    batch: Batch
    first: Longs
    classes: tuple[Longs, ...] | None


@dataclass(frozen=True, eq=False)
class _Problems:
    """One entry per problem of a single setting: its target, its rows, and its line of `weights`."""

    target: Longs
    row_set: Longs
    line: Longs
    columns: CSC
    sets: tuple[Longs, ...]
    weights: Floats | None


def checked_cost(C: object) -> float:
    """A value of C, as the classifiers alone take it; the engine takes what NumPy makes of it."""
    return check_number("C", C, 1e-300, 1e300)


def batch_of_links(
    parts: Sequence[Part],
    features: Features,
    positives: CSC,
    weight: Floats | None,
    base: LinearBase,
    path: PenaltyPath,
) -> LinkBatch:
    """The links of all parts as one batch over the same rows; X is held once, whatever their number.

    `positives` has the labels that links see as context, `weight` a factor of C per row. Several settings are for links
    of two classes.
    """
    links = [link for part in parts for link in part.links.links]
    classes = [_classes_of(link, weight) for link in links]
    sizes = np.array([1 if own.size < 3 else own.size for own in classes], np.int64)
    problems = _problems(parts, classes, sizes, features.n_rows, weight, path.class_weights[0])
    sees_labels = any(link.context_labels().size for link in links)
    batch = _assemble(problems, features, positives if sees_labels else None, base, path)
    if sees_labels:
        words = np.repeat(_context_words(links, positives.shape[1]), sizes, axis=0)
        batch = replace(batch, context=np.tile(words, (len(path), 1)))
    plain = all(own is _TWO_CLASSES for own in classes)
    return LinkBatch(batch, np.concatenate([[0], np.cumsum(sizes)]), None if plain else tuple(classes))


def _classes_of(link: Link, weight: Floats | None) -> Longs:
    """The classes of a target; one alone where no other has a row that counts."""
    source = link.source
    if source.targets.codes is None if isinstance(source, LabelColumn) else source.dtype == np.int8:
        return _TWO_CLASSES
    rows = link.training_rows()
    codes = link.target[rows].astype(np.int64)
    present = np.unique(codes)
    counted = present if weight is None else np.unique(codes[weight[rows] > 0])
    if counted.size == 1 and counted[0] > 1:
        return counted
    return _TWO_CLASSES if present.size < 2 or present[-1] == 1 else present


def _problems(
    parts: Sequence[Part],
    classes: Sequence[Longs],
    sizes: Longs,
    n_rows: int,
    weight: Floats | None,
    class_weight: ClassWeight,
) -> _Problems:
    columns, sets = TargetColumns(), RowSets()
    target: list[int] = []
    row_set: list[int] = []
    described = [(link, part.rows) for part in parts for link in part.links.links]
    for (link, rows), own in zip(described, classes, strict=True):
        target += [columns.of_class(link, int(number), rows) for number in (own if own.size > 2 else own[-1:])]
        row_set.append(sets.of_link(link, rows))
    line, weights = _weight_lines([link for link, _ in described], classes, weight, class_weight)
    return _Problems(
        np.array(target, np.int64),
        np.repeat(row_set, sizes),
        np.repeat(line, sizes),
        columns.matrix(n_rows),
        tuple(sets.sets),
        weights,
    )


def _weight_lines(
    links: Sequence[Link], classes: Sequence[Longs], weight: Floats | None, class_weight: ClassWeight
) -> tuple[Longs, Floats | None]:
    """The line of each link among factors of C per row (-1: none), and these: first the weights of the rows.

    Links of several classes that are weighed have a line of their own.
    """
    line = np.full(len(links), -1 if weight is None else 0)
    several = [number for number, own in enumerate(classes) if own.size > 2 and class_weight is not None]
    if not several:
        return line, None if weight is None else weight[None, :]
    shared = np.ones(links[0].target.size) if weight is None else weight
    line[several] = np.arange(1, len(several) + 1)
    return line, np.array(
        [shared, *(_weigh_rows(links[each], classes[each], shared, class_weight) for each in several)]
    )


def _weigh_rows(link: Link, classes: Longs, weight: Floats, class_weight: ClassWeight) -> Floats:
    rows = link.training_rows()
    codes = np.searchsorted(classes, link.target[rows])
    out = np.zeros(weight.size)
    sums = np.bincount(codes, weights=weight[rows], minlength=classes.size).astype(np.float64)
    out[rows] = weight[rows] * _factors(class_weight, classes, sums[:, None])[codes, 0]
    return out


def _factors(class_weight: ClassWeight, classes: Longs, sums: Floats) -> Floats:
    """Factors of C of each class: (n_classes, n_problems), from the sums of weights of the same shape."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        return np.asarray(sums.sum(axis=0) / (len(classes) * np.where(sums > 0, sums, 1.0)), np.float64)
    given = factors_of_classes(class_weight, classes, classes)
    if not (np.isfinite(given) & (given > 0)).all():
        raise ValueError(f"`class_weight` must leave every class some weight, a finite one; got {class_weight!r}.")
    return np.repeat(given[:, None], sums.shape[1], axis=1)


def _assemble(
    problems: _Problems, features: Features, labels: CSC | None, base: LinearBase, path: PenaltyPath
) -> Batch:
    """The problems once per setting."""
    n = problems.target.size
    factors = [_two_factors(problems, each) for each in path.class_weights]
    number = np.arange(n * len(path))
    return make_batch(
        features,
        problems.columns,
        C=np.repeat(np.asarray(path.costs, np.float64), n),
        class_weights=(np.concatenate([each[0] for each in factors]), np.concatenate([each[1] for each in factors])),
        target=np.tile(problems.target, len(path)),
        rows=problems.sets or None,
        row_set=np.tile(problems.row_set, len(path)),
        labels=labels,
        weights=problems.weights,
        weight=np.tile(problems.line, len(path)),
        start=np.where(number < n, -1, number - n),
        loss=base._loss(),
        intercept_scaling=_constant_feature(base),
    )


def _constant_feature(base: LinearBase) -> float:
    scaling = check_number("intercept_scaling", base.intercept_scaling, 1e-150, 1e150)
    return scaling if check_flag("fit_intercept", base.fit_intercept) else 0.0


def _two_factors(problems: _Problems, class_weight: ClassWeight) -> Floats:
    """Factors of C of both classes of every problem: (2, n_problems)."""
    n = problems.target.size
    if class_weight is None:
        return np.ones((2, n))
    balanced = isinstance(class_weight, str) and class_weight == "balanced"
    sums = _class_sums(problems) if balanced else np.ones((2, n))
    return np.where(problems.line > 0, 1.0, _factors(class_weight, _TWO_CLASSES, sums))


def _class_sums(problems: _Problems) -> Floats:
    """Sums of the weights of the negative and of the positive rows of every problem: (2, n_problems)."""
    n_rows = problems.columns.shape[0]
    weight = np.ones(n_rows) if problems.weights is None else problems.weights[0]
    pointer, rows = problems.columns.indptr, problems.columns.indices
    out = np.zeros((2, problems.target.size))
    order = np.argsort(problems.row_set, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(problems.row_set[order])) + 1):
        row_set = problems.row_set[group[0]]
        counted = weight
        if row_set >= 0:
            counted = np.zeros(n_rows)
            counted[problems.sets[row_set]] = weight[problems.sets[row_set]]
        for problem in group:
            column = problems.target[problem]
            out[1, problem] = counted[rows[pointer[column] : pointer[column + 1]]].sum()
        out[0, group] = counted.sum() - out[1, group]
    return out


def _context_words(links: Sequence[Link], n_labels: int) -> Words:
    """Which labels each link sees, 32 to a word: (n_links, n_words)."""
    n_words = -(-n_labels // _WORD)
    out = np.zeros((len(links), n_words), np.uint32)
    for start in range(0, len(links), _STEP):
        part = links[start : start + _STEP]
        seen = np.zeros((len(part), n_words * _WORD), bool)
        for line, link in zip(seen, part, strict=True):
            line[link.context_labels()] = True
        out[start : start + _STEP] = np.packbits(seen, axis=1, bitorder="little").view(np.uint32)
    return out
