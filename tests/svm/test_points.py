import numpy as np
import pytest
from scipy import sparse

from bncc.svm import points
from bncc.svm.points import prepare_points

rng = np.random.default_rng(0)


def test_panels_hold_the_centred_rows():
    X = rng.normal(5.0, 1.0, (40, 3))
    held = prepare_points(X)
    np.testing.assert_allclose(held.values(), X - X.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(held.norms[:40], ((X - X.mean(axis=0)) ** 2).sum(axis=1), rtol=1e-5)
    assert held.panels.shape == (2, 3, 32)
    assert not held.norms[40:].any()


def test_panels_without_the_extension_are_the_same(monkeypatch):
    X = rng.normal(size=(70, 5)).astype(np.float32)
    native = prepare_points(X)
    monkeypatch.setattr(points, "extension", lambda: None)
    plain = prepare_points(X)
    np.testing.assert_array_equal(native.panels, plain.panels)
    np.testing.assert_allclose(native.norms, plain.norms, rtol=1e-6)


def test_the_data_decide_between_dense_and_sparse_not_the_container():
    thin = sparse.random_array((200, 400), density=0.01, rng=rng, format="csr")
    for X in (thin, thin.tocoo(), thin.toarray()):
        assert prepare_points(X).by_row is not None
    thick = rng.normal(size=(50, 4))
    for X in (thick, sparse.csc_array(thick)):
        assert prepare_points(X).panels is not None


def test_take_and_like_keep_the_form():
    X = rng.normal(size=(10, 3))
    held = prepare_points(X)
    np.testing.assert_array_equal(held.take(np.array([4, 2])).values(), held.values()[[4, 2]])
    np.testing.assert_allclose(held.like(X[:2]).values(), held.values()[:2], atol=1e-6)
    with pytest.raises(ValueError, match="3 features; got 2"):
        held.like(X[:, :2])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_what_is_not_finite_is_refused(bad, container):
    X = np.eye(40)
    X[3, 3] = bad
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="must be finite"):
        prepare_points(container(X))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_what_double_precision_cannot_square_is_refused(scale, container):
    with pytest.raises(ValueError, match=r"must lie in 1e-140..1e.140 in size, so that double precision holds"):
        prepare_points(container(np.eye(40) * scale))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("scale", [1e-100, 1e-15, 1e20, 1e100])
def test_what_single_precision_cannot_square_is_kept_as_it_came(scale, container):
    X = np.random.default_rng(0).standard_normal((40, 5)) * scale
    points = prepare_points(container(X))
    assert points.exponent == np.frexp(np.abs(X).max())[1]
    assert np.isfinite(points.norms).all()
    kept = points.exact_rows([3, 1])
    assert ((kept if container is np.asarray else kept.toarray()) == X[[3, 1]]).all()
    assert points.take([3, 1]).exact is None
    assert points.take([3, 1], exact=True).exact.shape == (2, 5)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_indices_out_of_range_are_refused_before_anything_reads_them(form):
    X = sparse.random_array((30, 200), density=0.02, rng=np.random.default_rng(0), format=form)
    (X.coords[1] if form == "coo" else X.indices)[3] = 2**30
    with pytest.raises(ValueError, match="indices of `X` must lie in"):
        prepare_points(X)
    good = prepare_points(sparse.csr_array((30, 200)))
    with pytest.raises(ValueError, match="indices of `X` must lie in"):
        good.like(X)


def test_what_is_no_matrix_of_numbers_is_refused():
    with pytest.raises(ValueError, match="2-D"):
        prepare_points([1.0, 2.0])
    with pytest.raises(ValueError, match="real numbers"):
        prepare_points(np.array([["a"], ["b"]]))
