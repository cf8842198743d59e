import math
from dataclasses import replace

import numpy as np
import pytest

from bncc.analysis import collect_scores, collect_seconds, metrics_in, on_common_folds, paired_scores
from bncc.experiment import WHOLE, Record
from made_records import make_records


def test_moments_are_those_of_the_folds():
    records = make_records(n_repeats=3, n_folds=4)
    folds = collect_scores(records, "macro_f1")
    repeats = collect_scores(records, "MacF", spread="repeats")
    values = np.array([r.scores["macro_f1"] for r in records if (r.dataset, r.method) == ("flags", "ECC")])
    assert folds.cell("flags", "ECC") == pytest.approx((values.mean(), values.std(ddof=1)))
    assert repeats.cell("flags", "ECC")[1] == pytest.approx(values.reshape(3, 4).mean(axis=1).std(ddof=1))
    assert np.array_equal(folds.mean, repeats.mean)


def test_order_of_records_does_not_matter_to_cells():
    records = make_records()
    shuffled = [records[i] for i in np.random.default_rng(0).permutation(len(records))]
    one, other = collect_scores(records, "micro_f1"), collect_scores(shuffled, "micro_f1")
    for dataset in one.datasets:
        for method in one.methods:
            assert one.cell(dataset, method) == other.cell(dataset, method)


def test_partial_studies_have_gaps():
    records = [r for r in make_records() if (r.dataset, r.method) != ("flags", "CC")]
    collected = collect_scores(records, "example_f1")
    assert math.isnan(collected.cell("flags", "CC")[0])
    assert collected.complete().datasets == ("emotions", "yeast")
    assert collected.select(["yeast", "nowhere"], ["CC"]).mean.shape == (2, 1)
    assert math.isnan(collected.select(["nowhere"], ["CC"]).mean[0, 0])
    assert collect_scores([], "example_f1").complete().mean.shape == (0, 0)


def test_undefined_scores_do_not_count():
    records = [Record("a", "m", 0, 0, {"macro_auc": math.nan}), Record("a", "m", 0, 1, {"macro_auc": 0.75})]
    mean, std = collect_scores(records, "macro_auc").cell("a", "m")
    assert mean == 0.75
    assert math.isnan(std)


def test_pooled_records_are_taken_on_request():
    folds = [Record("a", "m", 0, fold, {"macro_f1": 0.4}, train_seconds=1.0) for fold in (0, 1)]
    pooled = Record("a", "m", 0, WHOLE, {"macro_f1": 0.6}, train_seconds=9.0)
    assert collect_scores([*folds, pooled], "MacF").mean.item() == 0.4
    assert collect_scores([*folds, pooled], "MacF", pooled=True).mean.item() == 0.6
    assert collect_seconds([*folds, pooled], "train").mean.item() == 1.0


def test_pairs_are_matched_by_repeat_and_fold():
    records = make_records(n_repeats=2, n_folds=2)
    dropped = [r for r in records if (r.method, r.repeat, r.fold) != ("CC", 0, 1)]
    one, other = paired_scores(reversed(dropped), "MicF", "yeast", "BNCC", "CC")
    wanted = [(0, 0), (1, 0), (1, 1)]
    known = {(r.method, r.repeat, r.fold): r.scores["micro_f1"] for r in records if r.dataset == "yeast"}
    assert one.tolist() == [known["BNCC", *key] for key in wanted]
    assert other.tolist() == [known["CC", *key] for key in wanted]


def test_seconds_and_metrics():
    records = make_records()
    train = [r.train_seconds for r in records if (r.dataset, r.method) == ("yeast", "BR")]
    assert collect_seconds(records, "train").cell("yeast", "BR")[0] == pytest.approx(np.mean(train))
    assert not collect_seconds(records, "select").greater_is_better
    assert metrics_in(records) == ("hamming_loss", "example_f1", "macro_f1", "micro_f1")


def test_own_metrics_are_taken_as_they_are():
    collected = collect_scores([Record("a", "m", 0, 0, {"profit": 3.0})], "profit")
    assert (collected.mean.item(), collected.greater_is_better) == (3.0, True)


def test_bad_requests_are_refused():
    records = make_records(n_repeats=1)
    with pytest.raises(ValueError, match="no metric 'macf1'"):
        collect_scores(records, "macf1")
    with pytest.raises(ValueError, match="'folds' or 'repeats'; got 'rows'"):
        collect_scores(records, "MacF", spread="rows")
    with pytest.raises(ValueError, match="'select', 'train' or 'test'; got 'fit'"):
        collect_seconds(records, "fit")
    with pytest.raises(ValueError, match=r"of one study; got .*'emotions', 'BR', 0, 0.* twice"):
        collect_scores([*records, records[0]], "MacF")


def test_a_twin_ties_whatever_the_repeats():
    """A method tested on one repeat of ten is compared on that repeat."""
    records = make_records(datasets=("flags", "emotions", "yeast"), methods=("BNCC",), n_repeats=4)
    twin = [replace(record, method="twin") for record in records if record.repeat == 0]
    scores = collect_scores(on_common_folds([*records, *twin]), "example_f1")
    np.testing.assert_array_equal(scores.mean[:, 0], scores.mean[:, 1])
    uneven = collect_scores([*records, *twin], "example_f1")
    assert (uneven.mean[:, 0] != uneven.mean[:, 1]).all()
