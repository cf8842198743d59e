import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from bncc.multilabel import kept_scores
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.crossval import ScoredRows
from bncc.multilabel.kept_thresholds import CollectedCells
from bncc.multilabel.targets import read_targets
from bncc.multilabel.threshold_rules import RULES, HeldOut

METRICS = ("example_f1", "micro_f1", "macro_f1", "hamming_loss", "subset_accuracy")


def draw(seed, *, is_rounded=False, with_unknown=False, weighted=False, shift=1.5):
    random = np.random.default_rng(seed)
    truth = random.random((60, 5)) < [0.05, 0.1, 0.2, 0.02, 0.3]
    scores = truth + random.normal(scale=0.7, size=truth.shape) - shift
    y = np.where(random.random(truth.shape) < 0.1, np.nan, truth) if with_unknown else truth.astype(float)
    weight = random.uniform(0, 2, 60).round(1) if weighted else None
    return (scores.round(1) if is_rounded else scores), y, weight


def by_cells(how, metric, scores, y, weight, tested, shrinkage=7.0):
    rows = TrainingRows(np.zeros((len(y), 1)), read_targets(y), weight)
    collected = CollectedCells(rows, per_label=how == "per_label")
    blocks = [ScoredRows(part, scores[part]) for part in np.array_split(tested, 4)]
    passed = list(collected.watch(blocks))
    assert all(a is b for a, b in zip(passed, blocks, strict=True))
    return RULES[how](collected.held_out(metric, shrinkage))


def by_all(how, metric, scores, y, weight, tested, shrinkage=7.0):
    known = ~np.isnan(y[tested])
    return RULES[how](
        HeldOut(
            scores[tested],
            y[tested] == 1,
            None if weight is None else weight[tested],
            metric,
            shrinkage,
            None if known.all() and not np.isnan(y).any() else known,
        )
    )


@pytest.mark.parametrize("how", RULES)
@pytest.mark.parametrize("metric", METRICS)
@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.booleans(), st.sampled_from([0.2, 1.5]), st.booleans())
def test_thresholds_are_those_of_all_scores(metric, how, seed, is_rounded, with_unknown, weighted, shift, in_part):
    scores, y, weight = draw(seed, is_rounded=is_rounded, with_unknown=with_unknown, weighted=weighted, shift=shift)
    tested = np.arange(0, 60, 2) if in_part else np.arange(60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_scores, "_SLACK", 10)
        found = by_cells(how, metric, scores, y, weight, tested)
    np.testing.assert_allclose(found, by_all(how, metric, scores, y, weight, tested), rtol=1e-12, atol=1e-12)


def test_few_cells_are_looked_at():
    random = np.random.default_rng(0)
    Y = sparse.random_array((2000, 300), density=0.01, rng=random)
    y = sparse.csr_array(Y > 0, dtype=np.int8)
    rows = TrainingRows(np.zeros((2000, 1)), read_targets(y))
    collected = CollectedCells(rows, per_label=True)
    list(collected.watch([ScoredRows(np.arange(2000), random.normal(-4, 1, (2000, 300)))]))
    held_out = collected.held_out("micro_f1", 10.0)
    assert len(held_out._cells) < 2 * 8 * y.nnz + 2 * 300
    assert held_out.n_positive.sum() == y.nnz


def test_callables_want_all_cells():
    scores, y, weight = draw(0)
    assert np.isfinite(by_cells("counts", len, scores, y, weight, np.arange(60))).all()
    with pytest.raises(TypeError, match=r"`metric` must be one of `bncc\.metrics` where few scores are kept"):
        by_cells("global", len, scores, y, weight, np.arange(60))


def test_no_label_holds_anywhere():
    scores = np.random.default_rng(0).normal(-1, 1, (20, 3))
    y = np.zeros((20, 3))
    for how in RULES:
        found = by_cells(how, "micro_f1", scores, y, None, np.arange(20))
        np.testing.assert_allclose(found, by_all(how, "micro_f1", scores, y, None, np.arange(20)))
