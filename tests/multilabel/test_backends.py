import pytest

from bncc import KernelSVC, LinearSVC, LogisticRegression
from bncc.multilabel.backends import backend_of, register_backend
from centroid_backend import CentroidBackend, Centroids


def test_classes_that_are_registered_go_to_their_backend_and_subclasses_do_not():
    class Other(KernelSVC):
        pass

    assert type(backend_of(Centroids())) is CentroidBackend
    assert type(backend_of(KernelSVC())).__name__ == "KernelBackend"
    for need in ("feature_subsets", "real_contexts", "classes"):
        assert type(backend_of(KernelSVC(), **{need: True})).__name__ == "CloneBackend"
    assert type(backend_of(Other())).__name__ == "CloneBackend"
    assert type(backend_of(KernelSVC(approximation="nystroem"))).__name__ == "NystroemBackend"
    assert {type(backend_of(base)).__name__ for base in (LinearSVC(), LogisticRegression())} == {"LinearBackend"}
    assert type(backend_of(LogisticRegression(), classes=True)).__name__ == "LinearBackend"
    for need in ("feature_subsets", "real_contexts", "classes"):
        assert type(backend_of(LinearSVC(), **{need: True})).__name__ == "CloneBackend"
    with pytest.raises(TypeError, match="`backend` must be a subclass of LinkBackend; got <class 'int'>"):
        register_backend(Other, int)
