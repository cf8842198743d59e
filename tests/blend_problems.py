"""Small problems that every family is tried on."""

import numpy as np
from scipy import sparse

from bncc.datasets import make_scenes
from bncc.metrics import get_metric
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.problem import BlendProblem, deal_held_out
from bncc.multilabel.targets import read_targets

DATA = make_scenes(400, noise=2.0, random_state=2)
X = np.asarray(DATA.X)
Y = np.asarray(DATA.Y.toarray() if sparse.issparse(DATA.Y) else DATA.Y)


def problem_of(n_rows=160, *, make=np.asarray, once=False, missing=False, unknown=False, groups=None, weight=None):
    features, labels = X[:n_rows].copy(), Y[:n_rows].astype(float)
    rng = np.random.default_rng(0)
    if missing:
        features[rng.random(features.shape) < 0.1] = np.nan
    if unknown:
        labels[rng.random(labels.shape) < 0.2] = np.nan
    targets = read_targets(labels)
    folds = deal_held_out(targets, groups, limited=False)
    rows = TrainingRows(make(features), targets, weight)
    return BlendProblem(rows, folds[:1] if once else folds, get_metric("macro_auc"), groups, 0, 1)
