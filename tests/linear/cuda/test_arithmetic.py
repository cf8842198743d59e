"""The device code, run thread by thread on the CPU, against NumPy; tests/linear/test_engines.py solves with it."""

from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from scipy import sparse

from bncc.linear import make_batch
from bncc.linear.block_arithmetic import host_arithmetic
from bncc.linear.block_engine import signed_costs
from bncc.linear.cuda.arithmetic import EntryCurve, TableCurve, device_arithmetic
from linear_problems import text_like

TEXT, LABELS = text_like(60, 40, 5)


def both(loss="squared_hinge", dense=False, dtype=np.float64):
    """The arithmetic of the host and of the device for problems that see labels, and their costs."""
    context = np.arange(5)[None, :] < np.arange(5)[:, None]
    X = TEXT.toarray() if dense else sparse.csr_array(TEXT)
    batch = make_batch(X, LABELS, loss=loss, labels=LABELS, context=context, class_weights=(1.0, 2.5))
    batch = replace(batch, features=batch.features.astype(dtype))
    costs = signed_costs(batch, np, np.arange(5))
    host, device = (make(batch).seeing(batch.context) for make in (host_arithmetic, device_arithmetic))
    return host, device, costs, batch


def tables(batch, dtype=np.float64):
    random = np.random.default_rng(0)
    weights = random.normal(size=(batch.n_columns + 1, 5)).astype(dtype)
    return weights, random.normal(size=(60, 5)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.usefixtures("emulated")
def test_products(dense, dtype):
    host, device, _, batch = both(dense=dense, dtype=dtype)
    weights, rows = tables(batch, dtype)
    close = {"rtol": 1e-4, "atol": 1e-4} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(device.times(weights), host.times(weights), **close)
    for squared in (False, True):
        found, known = (each.collect(rows, squared=squared) for each in (device, host))
        np.testing.assert_allclose(found, known, **close)
    np.testing.assert_allclose(device.dots(weights, weights), host.dots(weights, weights), rtol=1e-6)


@pytest.mark.parametrize("width", [1, 31, 129, 200])
@pytest.mark.usefixtures("emulated")
def test_blocks_wider_and_narrower_than_a_warp(width):
    batch = make_batch(TEXT, LABELS)
    weights = np.random.default_rng(1).normal(size=(batch.n_columns + 1, width))
    host, device = host_arithmetic(batch), device_arithmetic(batch)
    np.testing.assert_allclose(device.times(weights), host.times(weights), atol=1e-12)
    np.testing.assert_allclose(device.dots(weights, weights), host.dots(weights, weights), rtol=1e-12)


@pytest.mark.usefixtures("emulated")
def test_long_columns_are_cut():
    """A column with more entries than a warp takes."""
    X = sparse.csr_array(np.ones((700, 2)))
    batch = make_batch(X, np.arange(700) % 2)
    rows = np.random.default_rng(0).normal(size=(700, 3))
    np.testing.assert_allclose(device_arithmetic(batch).collect(rows), host_arithmetic(batch).collect(rows), atol=1e-9)


@pytest.mark.parametrize(
    ("loss", "shift", "kind"),
    [("squared_hinge", 3.0, EntryCurve), ("squared_hinge", 0.0, TableCurve), ("logistic", 0.0, TableCurve)],
)
@pytest.mark.usefixtures("emulated")
def test_curves(loss, shift, kind):
    host, device, costs, batch = both(loss)
    weights, scores = tables(batch)
    scores = scores + shift * np.sign(costs)  # beyond their margins few rows matter
    known, found = host.curve(scores, costs), device.curve(scores, costs)
    assert type(found) is kind
    np.testing.assert_allclose(device.losses(scores, costs), host.losses(scores, costs), rtol=1e-12)
    hidden = device.hide(weights)
    for name, arguments in (("gradient", ()), ("diagonal", ()), ("bend", (hidden,))):
        np.testing.assert_allclose(getattr(found, name)(*arguments), getattr(known, name)(*arguments), atol=1e-9)
    kept = np.array([3, 0])
    np.testing.assert_allclose(found.narrow(kept).gradient(), known.narrow(kept).gradient(), atol=1e-9)


def test_the_device_code_travels_with_the_package():
    for name in ("products", "descent"):
        assert "__global__" in (files("bncc.linear.cuda") / f"{name}.cu").read_text()
