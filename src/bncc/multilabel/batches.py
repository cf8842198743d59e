"""Learning batch after batch: a batch of y read against the classes that all batches share, and clones that go on."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import clone, is_classifier

from bncc._checks import is_missing
from bncc._typing import Array, Classifier, FitParams, Floats, Matrix, Rowwise
from bncc.multilabel.backend import FitOptions, TrainingRows, params_of_rows
from bncc.multilabel.clones import Constant, FittedLinks, link_seeds, seeded
from bncc.multilabel.links import Link, Links
from bncc.multilabel.targets import Targets, read_targets

__all__ = ["classes_of_columns", "learn_batch", "read_batch"]


def classes_of_columns(y: Rowwise, classes: Rowwise | None) -> tuple[Array, ...] | None:
    """What `classes` says of the columns of y: the values of each, or None where they are labels of 0 and 1.

    `classes` lists the values of a one-dimensional y; of a matrix, those of every column, or its columns, or nothing.

    >>> classes_of_columns(np.zeros((3, 2)), [[0, 1], ["low", "mid", "high"]])[1].tolist()
    ['high', 'low', 'mid']
    >>> classes_of_columns(np.zeros((3, 2)), [0, 1]) is None
    True
    """
    n_dimensions = getattr(y, "ndim", None) or np.ndim(y)
    if classes is None:
        if n_dimensions == 1 or read_targets(y, many_classes=True).classes is not None:
            raise ValueError(
                "classes must be passed on the first call to partial_fit. Give the values of y, or a list with those "
                "of each column; a matrix of 0 and 1 needs none."
            )
        return None
    if n_dimensions == 1:
        return (np.unique(np.asarray(classes)),)
    n_columns = int(y.shape[1] if hasattr(y, "shape") else np.shape(y)[1])
    if len(classes) != n_columns:
        raise ValueError(f"`classes` must have one entry per column of y ({n_columns}); got {len(classes)}.")
    if np.ndim(classes[0]) == 0:
        return None
    return tuple(np.unique(np.asarray(values)) for values in classes)


def read_batch(y: Rowwise, classes: tuple[Array, ...] | None) -> Targets:
    """A batch of y, in which classes may be missing.

    >>> read_batch(np.array(["low", "low"]), (np.array(["high", "low"]),)).column(0).tolist()
    [1, 1]
    """
    if classes is None:
        targets = read_targets(y, many_classes=True)
        if targets.classes is not None or targets.exclusive is not None:
            raise ValueError("`y` must be a matrix of 0 and 1, as on the first call; got other values.")
        return targets
    values = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y.toarray() if sparse.issparse(y) else y)
    if values.ndim == 2 and values.shape[1] != len(classes):
        raise ValueError(f"`y` must have {len(classes)} column(s), as on the first call; got {values.shape[1]}.")
    _check_known(values, classes)
    examples = _examples(classes, flat=values.ndim == 1)
    targets = read_targets(np.concatenate([values, examples]), many_classes=True)
    names = tuple(map(str, y.columns)) if hasattr(y, "columns") else targets.label_names
    return replace(targets.take(np.arange(len(values))), label_names=names)


def _examples(classes: Sequence[Array], *, flat: bool) -> Array:
    """Rows in which every class of every column stands."""
    rows = np.arange(max(map(len, classes)))
    columns = [values[np.minimum(rows, len(values) - 1)] for values in classes]
    return columns[0] if flat else np.column_stack(columns)


def _check_known(values: Array, classes: Sequence[Array]) -> None:
    """Refuse values that `classes` does not list."""
    for column, known in zip(values.reshape(len(values), -1).T, classes, strict=True):
        present = {value for value in column.tolist() if not is_missing(value)}
        if not present <= set(known.tolist()):
            listed = sorted(present, key=str)
            raise ValueError(f"Mini-batch contains {listed} while classes must be subset of {known.tolist()}.")


def learn_batch(
    base: Classifier, links: Links, rows: TrainingRows, learned: FittedLinks | None, options: FitOptions
) -> FittedLinks:
    """Links that have learned the rows too, after those of earlier batches; links see features alone.

    `learned` is not changed, but for what its classifiers share with the copies that go on.
    """
    before: Sequence[Any] = [None] * len(links) if learned is None else learned.estimators
    seeds = link_seeds(options.random_state, len(links))
    tasks = (
        delayed(_learn_link)(_next(base, seed, earlier), link, rows.X, rows.weight, rows.fit_params, n_classes)
        for link, seed, earlier, n_classes in zip(links.links, seeds, before, _class_counts(rows.targets), strict=True)
    )
    fitted = Parallel(n_jobs=options.n_jobs)(tasks)
    n_links = len(links)
    return FittedLinks(tuple(fitted), ((),) * n_links, tuple(range(n_links)), (None,) * n_links, n_links)


def _class_counts(targets: Targets) -> list[int]:
    if targets.classes is None:
        return [2] * targets.n_labels
    return [len(values) for values in targets.classes]


def _next(base: Classifier, seed: int | None, earlier: Classifier | None) -> Classifier:
    """What learns the next batch: a copy of what has learned the earlier ones, or else a clone of the base."""
    if earlier is None or isinstance(earlier, Constant):
        return seeded(clone(base), seed)
    return copy(earlier)


def _learn_link(
    estimator: Classifier, link: Link, X: Matrix, weight: Floats | None, params: FitParams, n_classes: int
) -> Classifier:
    rows = link.training_rows()
    if n_classes < 2:
        return Constant(int(link.target[rows].max(initial=0)))
    if rows.size == 0 and hasattr(estimator, "classes_"):
        return estimator
    options = dict(params_of_rows(params, rows, X.shape[0]))
    if weight is not None:
        options["sample_weight"] = weight[rows]
    if is_classifier(estimator):
        options["classes"] = np.arange(n_classes)
    return estimator.partial_fit(X[rows], link.target[rows], **options)
