"""Compiled code that several Python threads are in at once, as they are where there is no global lock."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bncc import BNCC, LinearSVC, learn_network
from bncc._native import load_extension
from bncc.datasets import make_scenes
from bncc.svm import KernelSVC

DATA = make_scenes(300, random_state=0)


def answer(number):
    """What one thread does: kernels, linear links, or the search for a network."""
    if number % 3 == 2:
        return np.array(learn_network(DATA.Y, search="ges").edges)
    base = KernelSVC(n_jobs=2) if number % 3 else LinearSVC(n_jobs=2)
    return BNCC(base).fit(DATA.X, DATA.Y).decision_function(DATA.X)


def test_threads_do_not_disturb_each_other():
    alone = [answer(number) for number in range(3)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(answer, range(18)))
    for number, found in enumerate(together):
        np.testing.assert_array_equal(found, alone[number % 3])


@pytest.mark.skipif(not hasattr(sys, "_is_gil_enabled"), reason="this Python always has the lock")
def test_the_extensions_do_not_ask_for_the_lock():
    before = sys._is_gil_enabled()
    for module in ("graph._cycles", "structure._search", "svm._smo", "linear._linear"):
        load_extension(f"bncc.{module}")
    assert sys._is_gil_enabled() == before
