"""Fitting a pipeline to labelled rows, so that whatever it chooses is chosen on whole groups, or on blocks of time."""

from __future__ import annotations

import inspect

from sklearn import config_context
from sklearn.pipeline import Pipeline

from bncc._typing import Longs
from bncc.evaluation.labelled import LabelledData
from bncc.evaluation.row_origin import check_groups, group_numbers, time_blocks

__all__ = ["fit_rows"]


def fit_rows(model: Pipeline, data: LabelledData) -> Pipeline:
    """Fit a pipeline of `build_pipeline` to all rows.

    Sigma and C, thresholds, weights of a blend: what is chosen on rows held out inside these rows is chosen on whole
    groups where the data have groups, and else on blocks of neighbouring moments where they have times.

    >>> from bncc.datasets import make_scenes
    >>> from bncc.evaluation import as_labelled, build_pipeline
    >>> data = as_labelled(make_scenes(60))
    >>> fit_rows(build_pipeline(data, "br", base="linear"), data).predict(data.X[:1]).shape
    (1, 10)
    """
    groups = _held_out_together(data)
    if groups is None or "groups" not in inspect.signature(model[-1].fit).parameters:
        return model.fit(data.X, data.Y)
    check_groups(groups)
    with config_context(enable_metadata_routing=False):  # parameters of a step go by its name
        return model.fit(data.X, data.Y, **{f"{model.steps[-1][0]}__groups": groups})


def _held_out_together(data: LabelledData) -> Longs | None:
    if data.groups is not None:
        return group_numbers(data.groups)
    return None if data.times is None else time_blocks(data.times)
