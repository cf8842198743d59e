import numpy as np
import pytest

pytest.importorskip("pandas")

from bncc.analysis.page import summarise_results
from bncc.cli.comparing import compare_methods, deal, summarise
from bncc.cli.output import Voice
from bncc.cli.source import source_of
from bncc.datasets import make_scenes
from bncc.experiment import Record

SOURCE = source_of(make_scenes(80))
OPTIONS = {"base": "kernel", "metric": "micro_f1", "seed": 0, "voice": Voice(quiet=True)}


def test_folds_test_every_row_once_per_repeat():
    folds = deal(SOURCE, 4, 2, seed=5)
    assert [(repeat, fold) for repeat, fold, _, _ in folds] == [(r, f) for r in range(2) for f in range(4)]
    for repeat in range(2):
        tested = np.concatenate([test for r, _, _, test in folds if r == repeat])
        assert sorted(tested.tolist()) == list(range(80))
    assert not np.array_equal(folds[0][3], folds[4][3])


def test_records_say_what_was_chosen_and_how_long_it_took():
    records = compare_methods(SOURCE, ["br", "mlknn"], deal(SOURCE, 2, 1, 0), ["micro_f1", "macro_auc"], **OPTIONS)
    assert [(record.method, record.fold) for record in records] == [("br", 0), ("br", 1), ("mlknn", 0), ("mlknn", 1)]
    assert records[0].sigma > 0
    assert records[0].C in (1.0, 10.0)
    assert records[2].sigma is None
    assert all(record.train_seconds > 0 and record.test_seconds > 0 for record in records)
    table = summarise(records)
    means = np.mean([record.scores["micro_f1"] for record in records[:2]])
    assert table["br"]["scores"]["micro_f1"]["mean"] == pytest.approx(means)


def test_nothing_is_learned_from_test_rows():
    """Scores on shuffled labels are those of chance, whatever is chosen inside."""
    data = make_scenes(120)
    random = np.random.default_rng(0)
    shuffled = source_of(data)
    Y = shuffled.Y.sample(frac=1, random_state=random).reset_index(drop=True)
    from dataclasses import replace

    source = replace(shuffled, Y=Y)
    records = compare_methods(source, ["bncc"], deal(source, 3, 1, 0), ["macro_auc"], **OPTIONS)
    assert abs(np.mean([record.scores["macro_auc"] for record in records]) - 0.5) < 0.1


def test_the_spread_is_that_of_the_page():
    records = [Record("d", "br", 0, fold, scores={"macro_f1": value}) for fold, value in enumerate((0.2, 0.4, 0.9))]
    (box,) = summarise_results(records).results.boxes
    found = summarise(records)["br"]["scores"]["macro_f1"]
    assert found["std"] == pytest.approx(box.std, rel=1e-12)
    assert found["std"] == pytest.approx(np.sqrt(0.13))
    assert summarise(records[:1])["br"]["scores"]["macro_f1"]["std"] is None
