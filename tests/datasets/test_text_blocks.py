import gzip
import json
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

from bncc.datasets import MalformedFile, line_blocks, read_text, read_text_blocks

TEXTS = ["a wet, windy day", 'it\'s "dry"\nand calm', "señal de lluvia", "", "wet again"]
TAGS = [["rain", "wind"], ["calm"], ["rain"], [], ["rain"]]


@pytest.fixture(params=["a.jsonl", "a.ndjson.gz", "a.csv", "a.tsv", "tags.jsonl"])
def file(request, tmp_path):
    path = tmp_path / request.param
    if "json" in request.param:
        as_text = request.param.startswith("tags")
        rows = zip(TEXTS, [",".join(tags) if as_text else tags for tags in TAGS], strict=True)
        content = "".join(json.dumps({"text": text, "labels": tags}) + "\n\n" for text, tags in rows).encode()
    else:
        mark = "\t" if request.param.endswith(".tsv") else ","
        quoted = ['"' + text.replace('"', '""') + '"' for text in TEXTS]
        rows = [f'{quote}{mark}x{mark}"{",".join(tags)}"' for quote, tags in zip(quoted, TAGS, strict=True)]
        content = "\r\n".join([mark.join(["text", "other", "labels"]), *rows]).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("block_rows", [1, 2, 100])
def test_blocks_are_the_documents(file, block_rows, monkeypatch):
    monkeypatch.setattr(line_blocks, "BLOCK_BYTES", 8)
    blocks = list(read_text_blocks(file, block_rows=block_rows))
    assert [text for block in blocks for text in block.texts] == TEXTS
    assert [tags for block in blocks for tags in block.tags] == TAGS
    assert all(len(block.texts) == block_rows for block in blocks[:-1])


@pytest.mark.parametrize("make", [TfidfVectorizer, lambda: HashingVectorizer(n_features=64), CountVectorizer])
def test_features_are_those_of_all_texts_at_once(file, make):
    data = read_text(file, make())
    np.testing.assert_array_equal(data.X.toarray(), make().fit_transform(TEXTS).toarray())
    assert data.X.indices.dtype == data.X.indptr.dtype == np.int32
    assert data.label_names == ("calm", "rain", "wind")
    assert data.Y.tolist() == [[0, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 0]]


def test_what_is_fitted_is_used_as_it_is(file):
    vectorizer = TfidfVectorizer().fit(["wet day", "dry day"])
    data = read_text(file, vectorizer, label_names=["wind", "fog", "rain"])
    assert data.feature_names == ("day", "dry", "wet")
    np.testing.assert_array_equal(data.X.toarray(), vectorizer.transform(TEXTS).toarray())
    assert data.label_names == ("wind", "fog", "rain")
    assert data.Y.tolist() == [[1, 0, 1], [0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 1]]


def test_the_default_hashes(file):
    data = read_text(file)
    assert data.X.shape == (5, 2**18)
    assert sparse.issparse(data.X)


def test_other_marks_between_cells_are_seen(tmp_path):
    (tmp_path / "a.csv").write_text("text;tags\n" + '"one; two";x,y\n' * 50)
    blocks = list(read_text_blocks(tmp_path / "a.csv", text="text", labels="tags"))
    assert [text for block in blocks for text in block.texts] == ["one; two"] * 50
    assert blocks[0].tags[0] == ["x", "y"]


def test_dense_features_stay_dense(file):
    assert read_text(file, make_pipeline(CountVectorizer(), TruncatedSVD(2, random_state=0))).X.shape == (5, 2)


def test_the_text_is_not_held(tmp_path):
    path = tmp_path / "a.jsonl"
    line = json.dumps({"text": "x" * 30_000, "labels": ["a"]}) + "\n"
    path.write_text(line * 1200)
    assert path.stat().st_size > 36_000_000
    tracemalloc.start()
    try:
        data = read_text(path, CountVectorizer())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert data.X.sum() == 1200
    assert peak < 25_000_000


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"text": "a", "labels": ["x"]}\n[1]\n', "line 2: expected a JSON object; got"),
        ("a.jsonl", '{"text": "a"', "line 1: expected a JSON object"),
        ("a.jsonl", "[" * 100_000, "line 1: expected a JSON object"),
        ("a.jsonl", '{"text": 3, "labels": []}', r"line 1: the field 'text' must be a text; got '3'\."),
        ("a.jsonl", '{"txt": "a", "labels": []}', "Did you mean 'txt'"),
        ("a.jsonl", '{"text": "a", "labels": {"x": 1}}', "must be a list of tags or one text"),
        ("a.jsonl", '{"text": "a", "labels": [["x"]]}', "must be a list of tags or one text"),
        ("a.jsonl", '{"text": "word", "labels": []}', "no document has a tag"),
        ("a.jsonl", "\n", "there is no document"),
        ("a.csv", "text,labels\n", "there is no document"),
        ("a.csv", "", "line 1: there must be one column 'text'"),
        ("a.csv", "text,tags\nb,c\n", "there must be one column 'labels'"),
        ("a.csv", "text,text,labels\nb,c,d\n", "there must be one column 'text'"),
        ("a.csv", "text,labels\nb,c\nb\n", "line 3: the row has 1 cells, not 2"),
        ("a.csv", 'text,labels\n"b,c\n', "the table cannot be read"),
        ("a.csv", "text,labels\na\0,b\n", "line 2: a text file must hold no NUL"),
    ],
)
def test_malformed(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(MalformedFile, match=message):
        read_text(tmp_path / name)


def test_other_mistakes(tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.jsonl"):
        read_text(tmp_path / "a.doc")
    with pytest.raises(FileNotFoundError, match="no file"):
        read_text(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("text,labels\nx,y\n")
    with pytest.raises(ValueError, match="`block_rows` must be at least 1"):
        read_text_blocks(tmp_path / "a.csv", block_rows=0)
    with pytest.raises(MalformedFile, match="more than 5 bytes"):
        read_text(tmp_path / "a.csv", max_bytes=5)
    (tmp_path / "b.jsonl").write_text('{"text": "", "labels": "x"}')
    with pytest.raises(MalformedFile, match="refused the documents"):
        read_text(tmp_path / "b.jsonl", CountVectorizer())
