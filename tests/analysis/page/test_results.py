import math
from dataclasses import replace

import numpy as np
import pytest

from bncc.analysis import nemenyi
from bncc.analysis.page import summarise_results
from bncc.experiment import Record
from made_records import LEVELS, make_candidates, make_records


def scores_of(records, dataset, method, metric):
    return [r.scores[metric] for r in records if (r.dataset, r.method) == (dataset, method)]


def test_boxes_describe_the_folds():
    records = make_records(n_repeats=2, n_folds=5)
    results = summarise_results(records).results
    assert len(results.boxes) == 3 * 6 * 4
    box = results.boxes[5]
    values = np.array(scores_of(records, box.dataset, box.method, box.metric))
    assert box.n == 10
    assert (box.mean, box.std) == pytest.approx((values.mean(), values.std(ddof=1)))
    assert (box.lower, box.median, box.upper) == pytest.approx(tuple(np.percentile(values, [25, 50, 75])))
    assert box.low <= box.lower <= box.median <= box.upper <= box.high


def test_far_folds_are_outliers_and_not_whiskers():
    scores = [0.5, 0.51, 0.52, 0.53, 0.54, 0.9]
    records = [Record("a", "CC", 0, fold, {"micro_f1": score}) for fold, score in enumerate(scores)]
    box = summarise_results(records).results.boxes[0]
    assert box.outliers == (0.9,)
    assert box.high == 0.54


def test_ranks_over_data_sets_have_a_critical_difference():
    records = make_records()
    results = summarise_results(records).results
    for ranks in results.ranks:
        means = [[np.mean(scores_of(records, d, m, ranks.metric)) for m in LEVELS] for d in results.datasets]
        test = nemenyi(means, list(LEVELS), greater_is_better=ranks.metric != "hamming_loss")
        assert ranks.over == "data sets"
        assert ranks.n == 3
        assert ranks.critical_difference == pytest.approx(test.critical_difference)
        assert dict(zip(ranks.methods, ranks.ranks, strict=True)) == pytest.approx(
            dict(zip(LEVELS, test.ranks, strict=True))
        )
        assert list(ranks.ranks) == sorted(ranks.ranks)


def test_ranks_over_the_folds_of_one_data_set_have_none():
    ranks = summarise_results(make_records(("emotions",))).results.ranks[0]
    assert (ranks.over, ranks.n, ranks.critical_difference, ranks.groups) == ("folds", 6, None, ())


def test_a_partial_study_is_described_as_far_as_it_goes():
    records = [r for r in make_records() if not (r.dataset == "yeast" and r.method == "BNCC")]
    results = summarise_results(records).results
    assert results.ranks[0].n == 2
    assert len(results.boxes) == (3 * 6 - 1) * 4
    one_method = [r for r in records if r.method == "CC"]
    assert summarise_results(one_method).results.ranks == ()


def test_undefined_scores_are_left_out():
    records = [replace(r, scores={**r.scores, "macro_auc": math.nan}) for r in make_records()]
    results = summarise_results(records).results
    assert all(box.metric != "macro_auc" for box in results.boxes)
    single = summarise_results(records[:1]).results.boxes[0]
    assert (single.n, single.std) == (1, None)


def test_a_metric_that_is_not_known_gets_no_direction_and_no_ranks():
    results = summarise_results(make_records(metrics=("micro_f1", "profit"))).results
    assert [metric.greater_is_better for metric in results.metrics] == [True, None]
    assert [ranks.metric for ranks in results.ranks] == ["micro_f1"]


def test_surfaces_hold_every_candidate():
    candidates = make_candidates(metrics=("micro_f1",), sigmas=range(3), Cs=range(2))
    surface = summarise_results([], candidates[:-1]).results.surfaces[0]
    assert (surface.sigmas, surface.Cs) == ((1.0, 2.0, 4.0), (1.0, 2.0))
    for c in candidates[:-1]:
        value = surface.values[surface.Cs.index(c.C)][surface.sigmas.index(c.sigma)]
        assert value == pytest.approx(c.scores["micro_f1"])
    assert surface.values[1][2] is None


def test_seconds_are_means_per_fold():
    records = make_records(("emotions",), ("CC",))
    times = summarise_results(records).results.times[0]
    assert times.train == pytest.approx(np.mean([r.train_seconds for r in records]))
    untimed = [replace(r, select_seconds=0.0, train_seconds=0.0, test_seconds=0.0) for r in records]
    assert summarise_results(untimed).results.times == ()


def test_versions_are_those_of_the_records():
    records = make_records(("emotions",), ("CC",), n_folds=2, n_repeats=1)
    mixed = [records[0], replace(records[1], versions={"bncc": "0.2.0"}, engine="cuda")]
    assert summarise_results(mixed).versions == {"bncc": "0.1.0, 0.2.0", "engine": "native, cuda", "numpy": "2.0.0"}


def test_nothing_is_no_study():
    with pytest.raises(ValueError, match="Nothing to summarise"):
        summarise_results([])


def test_the_papers_names_of_metrics_are_understood():
    records = make_records(metrics=("HammingLoss", "MicF"))
    results = summarise_results(records, make_candidates(metrics=("MicF",))).results
    assert [metric.name for metric in results.metrics] == ["hamming_loss", "micro_f1"]
    assert [ranks.metric for ranks in results.ranks] == ["hamming_loss", "micro_f1"]
    assert results.surfaces[0].metric == "micro_f1"
