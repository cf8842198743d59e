"""Files whose arrays are sound one by one but do not belong together are refused."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from bncc import BNCC, ClassifierChain, KernelSVC, LinearSVC
from bncc.datasets import MalformedFile, make_scenes
from bncc.multilabel import load_model, save_model
from bncc.svm.landmarks import learn_landmarks

DATA = make_scenes(60, random_state=0)
X, Y = DATA.X, np.asarray(DATA.Y)[:, :4]


def refuses(model, folder):
    """Saving reads what it has written, as a stranger would."""
    with pytest.raises(TypeError, match="cannot be kept in a file") as refusal:
        save_model(model, folder / "broken.bncc")
    assert isinstance(refusal.value.__cause__, MalformedFile)


def beyond(matrix):
    """The matrix with an index that its width does not have."""
    broken = sparse.csr_array(matrix).copy()
    broken.indices[0] = 10**6
    return broken


LINEAR = {
    "indices beyond the width": lambda solved: with_solutions(solved, weights=beyond(solved.solutions.weights)),
    "weights of other problems": lambda solved: with_solutions(solved, weights=np.ones((3, 4))),
    "other features": lambda solved: with_solutions(solved, n_features=1),
    "links without problems": lambda solved: replace(solved, first=solved.first[:-1]),
    "labels that do not exist": lambda solved: replace(solved, writes=solved.writes + 90),
}


def with_solutions(solved, **changes):
    return replace(solved, solutions=replace(solved.solutions, **changes))


@pytest.mark.parametrize("broken", LINEAR)
def test_linear_links_hold_together(broken, tmp_path):
    model = ClassifierChain(LinearSVC(), random_state=0).fit(X, Y)
    save_model(model, tmp_path / "whole.bncc")
    load_model(tmp_path / "whole.bncc")
    model._solved = LINEAR[broken](model._solved)
    refuses(model, tmp_path)


@pytest.mark.parametrize("n_landmarks", [None, 7])
def test_links_have_the_features_of_their_landmarks(n_landmarks, tmp_path):
    model = BNCC(KernelSVC(approximation="nystroem", n_components=20)).fit(X, Y)
    other = None if n_landmarks is None else learn_landmarks(X, 0.1, n_landmarks)
    model._solved = replace(model._solved, landmarks=other)
    refuses(model, tmp_path)


@pytest.mark.parametrize("rows", [sparse.csr_array(X), X], ids=["sparse", "dense"])
def test_landmarks_hold_together(rows, tmp_path):
    model = KernelSVC(approximation="nystroem", n_components=20).fit(rows, Y[:, 0])
    whole = model._mapped
    model._mapped = replace(whole, features=replace(whole.features, projection=whole.features.projection[:3]))
    refuses(model, tmp_path)
    model._mapped = replace(whole, features=replace(whole.features, landmarks=beyond(whole.features.landmarks)))
    refuses(model, tmp_path)
    fewer = replace(whole.solutions, weights=whole.solutions.weights[:, :3])
    model._mapped = replace(whole, solutions=fewer)
    refuses(model, tmp_path)


def with_points(model, **changes):
    distances = model.batch.distances
    return with_batch(model, distances=replace(distances, points=replace(distances.points, **changes)))


def with_batch(model, **changes):
    return replace(model, batch=replace(model.batch, **changes))


KERNEL = {
    "support beyond the rows": lambda model: with_solutions(model, support=model.solutions.support + 60),
    "pointers beyond": lambda model: with_solutions(model, support_ptr=model.solutions.support_ptr + 1),
    "coefficients too few": lambda model: with_solutions(model, coef=model.solutions.coef[:-1]),
    "bias in single precision": lambda model: with_solutions(model, bias=model.solutions.bias.astype(np.float32)),
    "gammas of other problems": lambda model: with_batch(model, gamma=np.ones(9)),
    "contexts of other words": lambda model: with_batch(model, context=np.zeros((1, 3), np.uint32)),
    "no distances": lambda model: with_batch(model, distances=None),
    "no batch": lambda model: replace(model, batch=None),
    "rows that are not there": lambda model: with_points(model, n_rows=model.batch.n_rows + 32),
    "norms too few": lambda model: with_points(model, norms=model.batch.distances.points.norms[:-1]),
}


@pytest.mark.parametrize("broken", KERNEL)
def test_kernel_models_hold_together(broken, tmp_path):
    svc = KernelSVC().fit(X, Y[:, 0])
    svc._model = KERNEL[broken](svc._model)
    refuses(svc, tmp_path)
