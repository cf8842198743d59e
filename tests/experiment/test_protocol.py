"""Protocols: what is read, what is refused, and with which words."""

import json
from dataclasses import asdict

import pytest

from bncc.experiment import ProtocolError, load_protocol
from bncc.experiment.protocol import PAPER_GRID, plain, read_protocol, restore_protocol

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


def test_the_papers_study():
    protocol = load_protocol("paper")
    assert [method.name for method in protocol.methods] == ["BR", "CLR", "CC", "GCC", "ECC", "BNCC"]
    assert (protocol.folds.n, protocol.folds.repeats) == (10, 10)
    assert protocol.selection.sigma == tuple(2.0**k for k in range(-3, 10))
    assert protocol.selection.C == (100.0,)
    assert protocol.selection.mode == "whole"
    assert protocol.method("ECC").on["bibtex"] == {"n_chains": 5}


def test_own_data_beside_the_catalogue(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'datasets = ["flags", { name = "mine", path = "x.csv", labels = ["a", "b"] }]\n'
        '[methods.T]\nestimator = "TunedThresholds"\nbase = { estimator = "BinaryRelevance", base = "GaussianNB" }\n'
    )
    protocol = load_protocol(path)
    assert protocol.name == "mine"
    assert protocol.source("mine").path == str(tmp_path / "x.csv")
    assert dict(protocol.source("mine").options) == {"labels": ("a", "b")}
    assert protocol.method("T").base.base.estimator == "GaussianNB"


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
        ({"zero_division": 0.5}, "zero_division must be one of 0.0, 1.0"),
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
    ],
)
def test_what_is_wrong_is_said(change, message):
    with pytest.raises(ProtocolError, match=message.replace("(", r"\(")):
        read_protocol(SMALL | change)


def test_missing_and_broken_files(tmp_path):
    with pytest.raises(ProtocolError, match=r"no protocol 'nothing'.*paper, quick"):
        load_protocol("nothing")
    broken = tmp_path / "broken.toml"
    broken.write_text("datasets = [")
    with pytest.raises(ProtocolError, match="no TOML file"):
        load_protocol(broken)
    broken.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProtocolError, match="no TOML file"):
        load_protocol(broken)


def test_protocols_survive_json(write_protocol):
    for source in ("paper", "quick", "beyond", "mediamill", "sensitivity", write_protocol()):
        protocol = load_protocol(source)
        assert protocol.text
        assert restore_protocol(json.loads(json.dumps(plain(asdict(protocol))))) == protocol


def test_settings_leave_out_what_may_grow():
    one = read_protocol(SMALL)
    more = read_protocol(SMALL | {"datasets": ["flags", "yeast"], "folds": {"repeats": 7}, "engine": "cpu"})
    assert one.settings() == more.settings()
    assert one.settings() != read_protocol(SMALL | {"seed": 1}).settings()
