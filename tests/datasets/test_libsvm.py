import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from bncc.datasets import MalformedFile, read_libsvm, sparse_text


def read(tmp_path, text, **options):
    path = tmp_path / "a.svm"
    path.write_text(text)
    return read_libsvm(path, **options)


def test_labels_features_comments(tmp_path):
    data = read(tmp_path, "1,3 1:0.5 3:2 # note\n\n 2:1\n10 1:1\n3\n")
    assert data.label_names == ("1", "3", "10")
    assert data.Y.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert data.X.toarray().tolist() == [[0.5, 0, 2], [0, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_first_feature_number(tmp_path):
    assert read(tmp_path, "1 0:1 2:1").n_features == 3
    assert read(tmp_path, "1 1:1 2:1").n_features == 2
    assert read(tmp_path, "1 1:1 2:1", zero_based=True).n_features == 3
    with pytest.raises(MalformedFile, match="zero_based=True"):
        read(tmp_path, "1 0:1", zero_based=False)


def test_size_line(tmp_path):
    data = read(tmp_path, "2 5 4\n0,3 0:1 4:2\n 1:1\n")
    assert data.X.toarray().tolist() == [[1, 0, 0, 0, 2], [0, 1, 0, 0, 0]]
    assert data.Y.tolist() == [[1, 0, 0, 1], [0, 0, 0, 0]]


def test_text_labels_and_agreement_with_scikit_learn(tmp_path):
    assert read(tmp_path, "rain,wind 1:1\nsun 1:2").label_names == ("rain", "sun", "wind")
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(200):
        labels = ",".join(map(str, sorted(rng.choice(9, rng.integers(1, 4), replace=False))))
        features = " ".join(f"{j + 1}:{rng.normal():.6g}" for j in sorted(rng.choice(30, 5, replace=False)))
        rows.append(f"{labels} {features}")
    data = read(tmp_path, "\n".join(rows))
    X, labels = load_svmlight_file(str(tmp_path / "a.svm"), multilabel=True)
    assert np.array_equal(data.X.toarray(), X.toarray())
    names = np.array([float(name) for name in data.label_names])
    assert [set(names[row.astype(bool)]) for row in data.Y] == [set(row) for row in labels]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:1\n1 2", "line 2: expected 'number:value'; got '2'"),
        ("1 1:x", "expected 'number:value'"),
        ("1 1:1:1", "expected 'number:value'"),
        ("1 qid:3 1:1", r"expected 'number:value'; got 'qid:3'\. .* no queries of a ranking: take the words"),
        ("1, 3 1:1", "got '3'. Separate labels by commas"),
        ("1 1:1 1:2", "feature number '1' appears twice"),
        ("1 1152921504606846976:1", "feature number '1152921504606846976' is above 4194304, the most that"),
        ("1 4194305:1", "the most that are read. Number the features that occur anew, or hash them to fewer"),
        ("1 -1:1", "feature number '-1' is below 0"),
        ("1 1.5:1", "expected 'number:value'"),
        ("", "no data row"),
        (" 1:1", "no row has a label"),
        ("1\n2", "does not fit 0 features"),
        ("2 5 4\n0 0:1", "line 1: the size line says 2 rows, the file has 1"),
        ("1 5 4\n9 0:1", "line 2: label '9' is not between 0 and 3"),
        ("1 5 4\nx 0:1", "label 'x' is not between"),
        ("1 5 4\n1 5:1", "does not fit 5 features"),
        ("1 99999999999 4\n1 5:1", "must number from 1 to"),
    ],
)
def test_malformed(tmp_path, text, message):
    with pytest.raises(MalformedFile, match=message):
        read(tmp_path, text)


WORD = st.sampled_from(
    ["1:1", "2:0.5", "3:-1e3", "0:2", "1:", ":1", "1:2:3", "5", "4:?", "7:1e", "9999999999:1", "2:+1", "1.0:1"]
)
LINE = st.tuples(st.sampled_from(["1", "1,2", "", "a", "1:1"]), st.lists(WORD, max_size=4)).map(
    lambda p: " ".join([p[0], *p[1]])
)


@settings(max_examples=200, deadline=None)
@given(st.lists(LINE, min_size=1, max_size=3))
def test_the_fast_way_agrees_with_the_careful_one(tmp_path_factory, lines):
    folder = tmp_path_factory.getbasetemp()

    def outcome():
        try:
            data = read(folder, "\n".join(lines))
        except MalformedFile as error:
            return str(error)
        return data.X.toarray().tolist(), data.Y.tolist()

    fast = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_text, "_plain_features", lambda features: None)
        assert outcome() == fast
