"""Protocol files: which one is read, and what comes out of it."""

import subprocess
import sys

import pytest

pytest.importorskip("pydantic")

from bncc.experiment import ProtocolError, load_protocol


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


def test_missing_and_broken_files(tmp_path):
    with pytest.raises(ProtocolError, match=r"no protocol 'nothing'.*paper, .*quick"):
        load_protocol("nothing")
    broken = tmp_path / "broken.toml"
    broken.write_text("datasets = [")
    with pytest.raises(ProtocolError, match="no TOML file"):
        load_protocol(broken)
    broken.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProtocolError, match="no TOML file"):
        load_protocol(broken)


def test_without_pydantic_the_room_loads_and_reading_says_what_to_install():
    code = (
        "import sys; sys.modules['pydantic'] = None\n"
        "import bncc.experiment\n"
        "try: bncc.experiment.load_protocol('quick')\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == 'Protocol files are checked by pydantic: pip install "bncc[experiment]".'


def test_a_protocol_extends_another(tmp_path):
    (tmp_path / "base.toml").write_text(
        'datasets = ["flags", "yeast"]\nseed = 3\n[selection]\nmode = "whole"\nfolds = 4\nrows_on = { yeast = 99 }\n'
        '[methods.BR]\nestimator = "BinaryRelevance"\n'
        '[methods.ECC]\nestimator = "EnsembleClassifierChain"\nn_chains = 3\n'
    )
    (tmp_path / "other.toml").write_text(
        'extends = "base.toml"\n# because\ndatasets = ["yeast"]\n[selection]\nshared_by = "BR"\nrows_on = {}\n'
        '[methods.ECC]\nestimator = "EnsembleClassifierChain"\naggregate = "votes"\n'
    )
    protocol = load_protocol(tmp_path / "other.toml")
    assert (protocol.name, protocol.seed, [source.name for source in protocol.datasets]) == ("other", 3, ["yeast"])
    assert (protocol.selection.folds, protocol.selection.shared_by, protocol.selection.rows_on) == (4, "BR", None)
    assert protocol.method("ECC").params == {"aggregate": "votes"}
    assert [method.name for method in protocol.methods] == ["BR", "ECC"]
    assert "# because" in protocol.text
    assert "n_chains = 3" in protocol.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extends = "mine.toml"', "extends itself"),
        ("extends = 3", "`extends` must be the name of a protocol"),
        ('extends = "nothing"', "no protocol 'nothing'"),
    ],
)
def test_what_cannot_be_extended(tmp_path, text, message):
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(ProtocolError, match=message):
        load_protocol(tmp_path / "mine.toml")
