"""Candidates for the blend on the kernel engine: what they answer, and that each has its variant."""

from types import SimpleNamespace

import numpy as np
import pytest

from absence import needs_source_tree
from bncc.datasets import make_scenes
from bncc.metrics import get_metric
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.problem import BlendProblem, deal_held_out
from bncc.multilabel.targets import read_targets

pytestmark = needs_source_tree("benchmarks")
MODULES = ("bench_blend_variants", "blend_answers", "blend_candidates", "harness")


@pytest.fixture
def bench(benchmark_script):
    return SimpleNamespace(**{name: benchmark_script(name) for name in MODULES})


@pytest.fixture(scope="module")
def scenes():
    data = make_scenes(90)
    X, Y = np.asarray(data.X), np.asarray(data.Y)[:, :4]
    targets = read_targets(Y[:60].astype(float))
    folds = deal_held_out(targets, None, limited=False)
    problem = BlendProblem(TrainingRows(X[:60], targets, None), folds, get_metric("example_f1"), None, 0, None)
    return problem, Y[:60], X[60:]


def test_kernel_candidates_rate_held_out_and_new_rows(bench, scenes):
    for name, candidate in bench.blend_candidates.KERNEL_CANDIDATES.items():
        held, test = candidate(*scenes)
        assert held.shape == (60, 4), name
        assert test.shape == (30, 4), name
        assert 0.0 <= min(held.min(), test.min()) <= max(held.max(), test.max()) <= 1.0, name
        truth = scenes[1] > 0
        assert held[truth].mean() > held[~truth].mean() + 0.05, name


def test_data_that_do_not_suit_a_candidate_are_not_tried(bench, scenes, monkeypatch):
    monkeypatch.setattr(bench.blend_candidates, "MOST_SETS", 2)
    monkeypatch.setattr(bench.blend_candidates, "MOST_LABELS", 3)
    assert {candidate(*scenes) for candidate in bench.blend_candidates.KERNEL_CANDIDATES.values()} == {None}


def test_every_kernel_candidate_joins_what_is_shipped(bench):
    variants = bench.bench_blend_variants
    shipped = variants.VARIANTS[variants.SHIPPED].families
    for name in bench.blend_candidates.KERNEL_CANDIDATES:
        assert variants.VARIANTS[f"{variants.SHIPPED} and {name}"].families == (*shipped, name)
    assert set(bench.blend_answers.ALL_CANDIDATES) >= set(bench.blend_candidates.KERNEL_CANDIDATES)
