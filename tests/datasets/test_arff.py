import gzip

import numpy as np
import pytest

from bncc.datasets import MalformedFile, read_arff

TEXT = """% a toy
@RELATION 'toy: -C -2'

@attribute temperature numeric
@attribute sky {sunny, grey, 'dark grey'}
@attribute id string
@attribute 'wind y' {0,1}
@attribute señal {false, true}

@DATA
20.5, sunny, 'a, b', 0, true
?, 'dark grey', c, 1, false
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "toy.arff"
    file.write_text(TEXT, encoding="utf-8")
    return file


def check(data):
    assert data.feature_names == ("temperature", "sky")
    assert data.label_names == ("wind y", "señal")
    assert np.array_equal(data.X, [[20.5, 0], [np.nan, 2]], equal_nan=True)
    assert data.Y.tolist() == [[0, 1], [1, 0]]
    assert data.nominal.tolist() == [False, True]


def test_meka_count_latin1_gzip_and_crlf(path, tmp_path):
    check(read_arff(path, drop=["id"]))
    latin = tmp_path / "latin.arff.gz"
    latin.write_bytes(gzip.compress(TEXT.replace("\n", "\r\n").encode("latin-1")))
    data = read_arff(latin, drop=["id"])
    check(data)
    assert data.name == "latin"


def test_xml_decides_over_meka_and_keeps_the_order_of_the_file(path, tmp_path):
    xml = tmp_path / "toy.xml"
    xml.write_text('<labels><label name="señal"/></labels>', encoding="utf-8")
    assert read_arff(path, drop=["id"]).label_names == ("señal",)
    xml.write_text('<labels><label name="señal"/><label name="wind y"/></labels>', encoding="utf-8")
    check(read_arff(path, drop=["id"]))


def test_labels_by_names_count_and_xml_path(path, tmp_path):
    check(read_arff(path, drop=["id"], labels=["señal", "wind y"]))
    check(read_arff(path, drop=["id"], labels=-2))
    other = tmp_path / "other.xml"
    other.write_text('<labels><label name="wind y"/></labels>')
    assert read_arff(path, drop=["id"], labels=other).label_names == ("wind y",)
    assert read_arff(path, drop=["id"], labels=str(other)).label_names == ("wind y",)


def test_part_files_find_the_xml_of_the_whole(path, tmp_path):
    (tmp_path / "toy.xml").write_text('<labels><label name="wind y"/></labels>')
    part = tmp_path / "toy-train.arff"
    path.rename(part)
    assert read_arff(part, drop=["id"]).label_names == ("wind y",)


def test_xml_names_may_carry_the_escapes_of_the_arff_file(tmp_path):
    file = tmp_path / "a.arff"
    file.write_text("@relation a\n@attribute x real\n@attribute 'it\\'s' {0,1}\n@data\n1,1\n2,0\n")
    (tmp_path / "a.xml").write_text('<labels><label name="it\\\'s"/></labels>')
    assert read_arff(file).label_names == ("it's",)


def test_one_hot(path):
    data = read_arff(path, drop=["id"], one_hot=True)
    assert data.feature_names == ("temperature", "sky=sunny", "sky=grey", "sky=dark grey")
    assert data.X[:, 1:].tolist() == [[1, 0, 0], [0, 0, 1]]


def test_errors(path, tmp_path):
    with pytest.raises(MalformedFile, match=r"text columns 'id' .* `drop=`: 'id'"):
        read_arff(path)
    file = tmp_path / "b.arff"
    file.write_text(TEXT.replace(": -C -2", ""))
    with pytest.raises(MalformedFile, match=r"nothing says which attributes are labels.*Pass `labels=`"):
        read_arff(file)
    (tmp_path / "b.xml").write_text('<labels><label name="absent"/></labels>')
    with pytest.raises(MalformedFile, match=r"b.xml: 1 label\(s\) are no attributes of .*b.arff: 'absent'"):
        read_arff(file)
    with pytest.raises(MalformedFile, match="more than 20 bytes"):
        read_arff(file, max_bytes=20)
    file.write_text(TEXT.replace("0, true", "2, true"))
    with pytest.raises(MalformedFile, match="line 11: attribute 'wind y' has no value '2'"):
        read_arff(file, labels=-2)


def test_one_name_is_not_taken_for_a_missing_file(path):
    with pytest.raises(ValueError, match=r"taken for the path of an XML file.* write labels=\['wind y'\]"):
        read_arff(path, labels="wind y", drop=["id"])
    assert read_arff(path, labels=np.array(["wind y"]), drop=iter(["id"])).label_names == ("wind y",)
