"""Probabilities of links given their context, from decisions for held-out rows under their true context.

At training time that is the context a link has learned from, and what conditional probabilities are about.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bncc._typing import Floats
from bncc.multilabel.backend import FitOptions, LinkBackend, TrainingRows
from bncc.multilabel.calibration import fit_slopes
from bncc.multilabel.crossval import deal_folds
from bncc.multilabel.links import Links

__all__ = ["slopes_of_links"]


def slopes_of_links(
    backend: LinkBackend, links: Links, rows: TrainingRows, options: FitOptions, prepared: Any = None
) -> Floats:
    """Slopes that turn the decisions of each link into probabilities given its context, by five folds: (n_links, 2)."""
    if rows.targets.n_rows < 2:
        return np.ones((len(links), 2))
    folds = deal_folds(rows.targets, groups=rows.groups)
    decisions = backend.decide_given_truth(links, rows, folds, options, prepared)
    out = np.empty((len(links), 2))
    for number, link in enumerate(links.links):
        known = link.training_rows()
        weight = None if rows.weight is None else rows.weight[known]
        out[number] = fit_slopes(decisions[known, number], link.target[known] == 1, weight)
    return out
