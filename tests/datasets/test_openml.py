"""`fetch` against a server on this machine that answers as OpenML does; nothing outside is asked."""

from __future__ import annotations

import hashlib
import io
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import arff
import numpy as np
import pytest
import sklearn.datasets

from bncc.datasets import catalogue, fetch, fetchable, fingerprint, load, openml, read_arff
from bncc.datasets.catalogue import Entry, Figures

TOY = """@relation toy
@attribute temperature numeric
@attribute protein {p1, p2, p3}
@attribute motif {YES, NO}
@attribute colour {red, green}
@attribute rain {FALSE, TRUE}
@attribute wind {FALSE, TRUE}
@data
1.5, p1, YES, red, TRUE, FALSE
?, p2, NO, green, TRUE, TRUE
3, p3, NO, ?, FALSE, TRUE
"""
SPARSE = """@relation toy
@attribute a numeric
@attribute protein {p1, p2}
@attribute motif {YES, NO}
@attribute rain {FALSE, TRUE}
@attribute wind {FALSE, TRUE}
@data
{0 1.5, 3 TRUE}
{2 NO, 3 TRUE, 4 TRUE}
{0 2, 4 TRUE}
"""


def answers(text, data_id, *, md5=None, sparse=False):
    """What OpenML answers about one ARFF file, by path."""
    content = arff.loads(text, return_type=arff.LOD if sparse else arff.DENSE)
    targets = [name for name, kind in content["attributes"] if isinstance(kind, list) and "TRUE" in kind]
    features = [
        {
            "index": str(i), "name": name, "data_type": "nominal" if isinstance(kind, list) else "numeric",
            "is_target": str(name in targets).lower(), "is_ignore": "false", "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }
        for i, (name, kind) in enumerate(content["attributes"])
    ]  # fmt: skip
    description = {
        "id": str(data_id), "name": "toy", "version": "1", "description": "a toy", "status": "active",
        "format": "Sparse_ARFF" if sparse else "ARFF", "default_target_attribute": ",".join(targets),
        "url": f"https://api.openml.org/data/v1/download/{data_id}/toy.arff",
        "md5_checksum": md5 or hashlib.md5(text.encode()).hexdigest(), "file_id": str(data_id),
    }  # fmt: skip
    rows = [{"name": "NumberOfInstances", "value": str(float(len(content["data"])))}]
    return {
        f"/api/v1/json/data/{data_id}": json.dumps({"data_set_description": description}),
        f"/api/v1/json/data/features/{data_id}": json.dumps({"data_features": {"feature": features}}),
        f"/api/v1/json/data/qualities/{data_id}": json.dumps({"data_qualities": {"quality": rows}}),
        f"/data/v1/download/{data_id}/toy.arff": text,
    }


@contextmanager
def serving(pages):
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            page = pages.get(self.path)
            self.send_response(404 if page is None else 200)
            self.end_headers()
            self.wfile.write((page or "").encode())

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def toy_entry(monkeypatch):
    entry = Entry("toy", "Toy", Figures(3, 3, 2, 1.333, 1.0), openml=77, options={"drop": ["protein"]})
    monkeypatch.setattr(openml, "catalogue", lambda: {"toy": entry})


@pytest.mark.usefixtures("toy_entry")
def test_values_are_coded_as_by_the_arff_reader_and_cached(tmp_path):
    with serving(answers(TOY, 77)) as (server, asked):
        first = fetch("toy", cache=tmp_path, server=server)
        n_asked = len(asked)
        assert n_asked == 4
        second = fetch("toy", cache=tmp_path, server=server)
        assert len(asked) == n_asked
    nan = np.nan
    assert np.array_equal(first.X, [[1.5, 1, 0], [nan, 0, 1], [3, 0, nan]], equal_nan=True)
    assert first.Y.tolist() == [[1, 0], [1, 1], [0, 1]]
    assert (first.feature_names, first.label_names) == (("temperature", "motif", "colour"), ("rain", "wind"))
    assert first.nominal.tolist() == [False, True, True]
    assert fingerprint(first) == fingerprint(second)
    assert first.source == "https://www.openml.org/d/77"
    assert fingerprint(fetch("toy", cache=tmp_path, server=server)) == fingerprint(first)  # the server is gone


@pytest.mark.usefixtures("toy_entry")
def test_sparse_files(tmp_path, monkeypatch):
    entry = Entry("toy", "Toy", Figures(3, 2, 2, 1.333, 1.0), openml=77, options={"drop": ["protein"]})
    monkeypatch.setattr(openml, "catalogue", lambda: {"toy": entry})
    with serving(answers(SPARSE, 77, sparse=True)) as (server, _):
        data = fetch("toy", cache=tmp_path, server=server)
    assert data.X.toarray().tolist() == [[1.5, 1], [0, 0], [2, 1]]
    assert data.Y.tolist() == [[1, 0], [1, 1], [0, 1]]


@pytest.mark.usefixtures("toy_entry")
def test_the_server_may_come_from_the_environment(tmp_path, monkeypatch):
    with serving(answers(TOY, 77)) as (server, asked):
        monkeypatch.setenv("BNCC_OPENML", server + "/")
        assert fetch("toy", cache=tmp_path).n_rows == 3
    assert asked


@pytest.mark.usefixtures("toy_entry")
def test_a_file_that_does_not_match_its_checksum(tmp_path):
    with (
        serving(answers(TOY, 77, md5="0" * 32)) as (server, _),
        pytest.warns(RuntimeWarning, match="Invalid cache"),
        pytest.raises(ValueError, match=r"cannot be used.*md5 checksum"),
    ):
        fetch("toy", cache=tmp_path, server=server)


@pytest.mark.usefixtures("toy_entry")
def test_figures_and_first_fingerprint_are_checked(tmp_path):
    fewer = TOY.replace("3, p3, NO, ?, FALSE, TRUE\n", "")
    with serving(answers(fewer, 77)) as (server, _), pytest.raises(ValueError, match=r"\(2, 3, 2, .* catalogue says"):
        fetch("toy", cache=tmp_path / "a", server=server)
    other = TOY.replace("1.5", "1.6")
    pages = answers(TOY, 77)
    with serving(pages) as (server, _):
        fetch("toy", cache=tmp_path / "b", server=server)
        for file in (tmp_path / "b").glob("mirror-*/openml/**/*.gz"):
            file.unlink()
        pages.update(answers(other, 77))
        with pytest.raises(ValueError, match=r"not those of the first fetch.*remove .*77.sha256"):
            fetch("toy", cache=tmp_path / "b", server=server)


@pytest.mark.usefixtures("toy_entry")
def test_labels_that_are_no_labels(tmp_path):
    text = TOY.replace("{FALSE, TRUE}", "{FALSE, TRUE, MAYBE}")
    text = text.replace("TRUE, FALSE\n", "MAYBE, FALSE\n")
    with (
        serving(answers(text, 77)) as (server, _),
        pytest.raises(ValueError, match=r"label 'rain' must be 0/1 .* got 2"),
    ):
        fetch("toy", cache=tmp_path, server=server)


@pytest.mark.usefixtures("toy_entry")
def test_nonsense_and_absence(tmp_path):
    with serving({"/api/v1/json/data/77": "{}"}) as (server, _), pytest.raises(ValueError, match="cannot be used"):
        fetch("toy", cache=tmp_path, server=server)
    with pytest.raises(ValueError, match="must be an http or https address"):
        fetch("toy", cache=tmp_path, server="file:///etc")


@pytest.mark.usefixtures("toy_entry")
def test_offline_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(ConnectionError, match=r"cannot fetch 'toy' from http://127.0.0.1:9 .*use load\('toy'\)"):
        fetch("toy", cache=tmp_path, server="http://127.0.0.1:9")
    with pytest.raises(ConnectionError, match=r"If this machine is offline, copy the cache") as caught:
        fetch("birds", cache=tmp_path, server="http://127.0.0.1:9")
    assert "load(" not in str(caught.value)  # the catalogue does not know it


def test_names():
    assert {"emotions", "enron", "genbase", "scene", "yeast"} <= set(fetchable())
    with pytest.raises(ValueError, match=r"known at OpenML: birds, emotions, .*; got 'bibtex'"):
        fetch("bibtex")


def test_the_first_rows_of_emotions_at_openml_are_those_of_the_mulan_file(data_folder, tmp_path):
    """scikit-learn's own tests carry the head of OpenML's file, which shows what `fetch` will meet."""
    folder = Path(sklearn.datasets.__file__).parent / "tests" / "data" / "openml" / "id_40589"
    head = next(folder.glob("data-*.arff.gz"), None)
    if head is None:
        pytest.skip("this scikit-learn comes without its test data")
    theirs, ours = read_arff(head, labels=-6), load("emotions")
    assert theirs.n_rows > 5
    assert np.array_equal(theirs.X, ours.X[: theirs.n_rows])
    assert np.array_equal(theirs.Y, ours.Y[: theirs.n_rows])
    assert theirs.label_names == tuple(name.replace("-", ".") for name in ours.label_names)


def test_a_real_set_in_the_manner_of_openml(data_folder, tmp_path):
    """Names made for R and labels TRUE/FALSE, as OpenML's copy of emotions has them."""
    data = load("emotions")
    lines = ["@relation emotions"]
    lines += [f"@attribute {name} numeric" for name in data.feature_names]
    lines += [f"@attribute {name.replace('-', '.')} {{FALSE,TRUE}}" for name in data.label_names]
    body = io.StringIO()
    for x, y in zip(data.X.tolist(), data.Y.tolist(), strict=True):
        body.write(",".join([*map(repr, x), *("TRUE" if label else "FALSE" for label in y)]) + "\n")
    text = "\n".join([*lines, "@data", body.getvalue()])
    with serving(answers(text, catalogue()["emotions"].openml)) as (server, _):
        found = fetch("emotions", cache=tmp_path, server=server)
    assert np.array_equal(found.X, data.X)
    assert np.array_equal(found.Y, data.Y)


@pytest.mark.usefixtures("toy_entry")
def test_what_was_fetched_once_is_loaded_by_name(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "cache"))
    monkeypatch.delenv("BNCC_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    assert not openml.is_fetched("toy")
    with pytest.raises(ValueError, match="no data set or file 'toy'"):
        load("toy")
    with serving(answers(TOY, 77)) as (server, asked):
        monkeypatch.setenv("BNCC_OPENML", server)
        first = fetch("toy")
        n_asked = len(asked)
        assert openml.is_fetched("toy")
        assert fingerprint(load("toy")) == fingerprint(first)
        assert len(asked) == n_asked
