import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from bncc.datasets import fingerprint, formats, load, make_dataset, save
from bncc.datasets.alike import read_features_like
from bncc.datasets.file_format import FileFormat
from bncc.datasets.formats import FORMATS, format_of, frame_reader, known_suffixes, writers
from bncc.evaluation import Reading, read_labelled

DATA = make_dataset([[0.5, 0.0], [0.0, 2.0], [1.5, 1.0]], [[1, 0], [0, 1], [1, 1]], name="toy")


def read_toy(path, *, scale=1.0, max_bytes=2**20):
    content = json.loads(Path(path).read_text("utf-8")[:max_bytes])
    return make_dataset(np.array(content["X"]) * scale, content["Y"], name="toy", source=str(path))


def write_toy(data, path):
    Path(path).write_text(json.dumps({"X": data.X.tolist(), "Y": data.Y.tolist()}), "utf-8")
    return [path]


TOY = FileFormat(
    name="Toy",
    suffixes=(".toy",),
    read=read_toy,
    labels="matrix",
    writers={"toy": write_toy},
    read_features=lambda path: sparse.csr_array(read_toy(path).X),
)


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setattr(formats, "FORMATS", (*FORMATS, TOY))


@pytest.mark.usefixtures("toy")
class TestOneMoreFormat:
    """A record in `FORMATS` is all that a format needs to be read and written everywhere."""

    def test_is_saved_and_loaded_by_its_suffix(self, tmp_path):
        assert save(DATA, tmp_path / "a.toy") == [tmp_path / "a.toy"]
        assert fingerprint(load(tmp_path / "a.toy")) == fingerprint(DATA)

    def test_is_saved_by_its_name_whatever_the_suffix(self, tmp_path):
        save(DATA, tmp_path / "a.csv", format="toy")
        assert "X" in json.loads((tmp_path / "a.csv").read_text())

    def test_takes_its_options_and_no_others(self, tmp_path):
        save(DATA, tmp_path / "a.toy")
        np.testing.assert_array_equal(load(tmp_path / "a.toy", scale=2.0).X, DATA.X * 2)
        with pytest.raises(TypeError, match=r"for \.toy files the options \['max_bytes', 'scale'\]; got \['drop'\]"):
            load(tmp_path / "a.toy", drop=["x0"])

    def test_gives_features_to_a_model_that_learned_from_others(self, tmp_path):
        save(DATA, tmp_path / "a.toy")
        X = read_features_like(tmp_path / "a.toy", ["x0", "x1", "x2"], {})
        np.testing.assert_array_equal(X.toarray(), np.column_stack([DATA.X, np.zeros(3)]))

    def test_is_found_in_a_folder_by_the_command_line(self, tmp_path):
        save(DATA, tmp_path / "a.toy")
        assert read_labelled(str(tmp_path), Reading()).n_rows == 3

    def test_is_named_where_formats_are_listed(self, tmp_path):
        assert known_suffixes()[-1] == known_suffixes(written=True)[-1] == ".toy"
        (tmp_path / "a.other").write_text("")
        with pytest.raises(ValueError, match=r"known are .*, \.toy\."):
            load(tmp_path / "a.other")
        with pytest.raises(ValueError, match=r"`format` must be one of \[.*'toy'\]; got None for 'a\.other'"):
            save(DATA, tmp_path / "a.other")


def test_without_it_the_suffix_says_nothing(tmp_path):
    assert format_of(Path("a.toy")) is None
    with pytest.raises(ValueError, match="`format` must be one of"):
        save(DATA, tmp_path / "a.toy")


def test_suffixes_and_writers_are_told_apart():
    suffixes = [suffix for known in FORMATS for suffix in known.suffixes]
    names = [name for known in FORMATS for name in known.writers]
    assert len(set(suffixes)) == len(suffixes)
    assert len(set(names)) == len(names)
    assert list(writers()) == names
    assert all(suffix == suffix.lower() and suffix.startswith(".") and suffix != ".gz" for suffix in suffixes)


def test_tables_that_do_not_say_their_labels_are_frames():
    for known in FORMATS:
        assert known.needs_labels == (known.read_frame is not None) == (known.read_names is not None)
        assert (frame_reader(Path(f"a{known.suffixes[0]}")) is None) == (known.read_frame is None)
        assert known.read_frame is None or known.read_table is not None


@pytest.mark.parametrize("name", ["Yeast.ARFF.gz", "b.arff", "c.TSV", "d.svmlight"])
def test_case_and_packing_do_not_matter(name):
    assert format_of(Path("folder.mat") / name) in FORMATS
