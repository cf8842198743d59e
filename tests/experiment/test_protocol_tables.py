"""Tables of a protocol: what is usual, what is refused, and with which words."""

import pytest

pytest.importorskip("pydantic")

from bncc.experiment import ProtocolError
from bncc.experiment.protocol import PAPER_GRID
from bncc.experiment.protocol_file import read_protocol

SMALL = {"datasets": ["flags"], "methods": {"BR": {"estimator": "BinaryRelevance"}}}


def test_defaults_are_leak_free():
    protocol = read_protocol(SMALL)
    assert protocol.selection.mode == "nested"
    assert protocol.scaling.fit == "training"
    assert protocol.selection.sigma == PAPER_GRID
    assert protocol.metrics == ("hamming_loss", "example_f1", "macro_f1", "micro_f1")


def test_the_metric_that_chooses_is_one_of_the_metrics():
    assert read_protocol(SMALL | {"metrics": ["MicF", "MacF"]}).selection.metric == "micro_f1"
    assert read_protocol(SMALL | {"metrics": ["MicF", "Fscore"]}).selection.metric == "example_f1"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": {}}, "`methods` is missing"),
        ({"datasets": []}, "`datasets` is missing"),
        ({"dataset": ["x"]}, "no setting 'dataset'; did you mean 'datasets'"),
        ({"datasets": ["flags", "flags"]}, "got twice: flags"),
        ({"datasets": [{"name": "x"}]}, "a table with `name` and `path`"),
        ({"methods": {"BR": {}}}, "methods.BR needs `estimator`"),
        ({"methods": {"BR": 3}}, "methods.BR must be a table"),
        ({"methods": {"BR": {"estimator": "BNCC", "on": {"flag": {}}}}}, "no data set 'flag'; did you mean 'flags'"),
        ({"metrics": ["macro_f2"]}, "no metric 'macro_f2'"),
        ({"metrics": []}, "at least one metric"),
        ({"zero_division": 0.5}, "zero_division must be one of 'empty', 0.0, 1.0"),
        ({"engine": "gpu"}, "engine must be one of 'auto', 'cpu', 'cuda'; got 'gpu'"),
        ({"methods": ["BR"]}, "methods must be a table"),
        ({"methods": "BR"}, "methods must be a table"),
        ({"methods": {"BR": {"estimator": "BNCC", "on": 3}}}, "methods.BR.on must be a table"),
        ({"metrics": [["a"]]}, "metrics must be names"),
        ({"datasets": [{"name": "x", "path": "y", "labels": {"a": 1}}]}, "`labels` must be text, a number or a list"),
        ({"datasets": [{"name": "x", "path": "y", "labels": [["a"]]}]}, "`labels` must be text, a number or a list"),
        ({"selection": {"sigma": [10**400]}}, "selection.sigma must be positive numbers"),
        ({"selection": {"sigma": [1e-200]}}, "selection.sigma must be positive numbers"),
        ({"selection": {"rows": 3, "folds": 5}}, "selection.rows must be at least 5"),
        ({"selection": {"metric": "macro_auc"}}, "selection.metric must be one of `metrics`"),
        ({"name": "../evil"}, "name must be letters"),
        ({"name": ""}, "name must be letters"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"seed": True}, "seed must be int; got True"),
        ({"folds": {"n": 1}}, "folds.n must be at least 2"),
        ({"folds": {"k": 5}}, "folds has no setting 'k'"),
        ({"folds": {"stratified": "yes"}}, "folds.stratified must be bool"),
        ({"scaling": {"method": "minmax"}}, "scaling.method must be one of 'none', 'range', 'standard'"),
        ({"selection": {"mode": "all"}}, "selection.mode must be one of"),
        ({"selection": {"sigma": []}}, "selection.sigma must be positive numbers"),
        ({"selection": {"sigma": [1, -1]}}, "selection.sigma must be positive numbers"),
        ({"selection": {"C": [1, 1.0]}}, "selection.C must not repeat"),
        ({"selection": {"metric": "nonsense"}}, "no metric 'nonsense'"),
        ({"selection": {"rows": 1}}, "selection.rows must be at least 5"),
        ({"selection": {"rows_on": {"flags": 1}}}, "selection.rows_on.flags must be at least 5; got 1"),
        ({"selection": {"rows_on": {"flag": 9}}}, "selection.rows_on has no data set 'flag'; did you mean 'flags'"),
        ({"selection": {"shared_by": "BR"}}, 'selection.shared_by needs mode = "whole"; got mode = "nested"'),
        ({"selection": {"shared_by": "CC", "mode": "whole"}}, "selection.shared_by has no method 'CC'"),
    ],
)
def test_what_is_wrong_is_said(change, message):
    with pytest.raises(ProtocolError, match=message.replace("(", r"\(")):
        read_protocol(SMALL | change)


@pytest.mark.parametrize(("said", "meant"), [("none", None), ("mean", "mean"), ("BR", "BR")])
def test_who_shares_sigma(said, meant):
    assert read_protocol(SMALL | {"selection": {"mode": "whole", "shared_by": said}}).selection.shared_by == meant


def test_everything_that_is_wrong_is_said_at_once():
    with pytest.raises(ProtocolError) as caught:
        read_protocol(SMALL | {"seed": -1, "folds": {"n": 1, "k": 2}})
    assert str(caught.value) == (
        "seed must be at least 0; got -1. folds.n must be at least 2; got 1. "
        "folds has no setting 'k'; known: n, repeats, stratified."
    )
