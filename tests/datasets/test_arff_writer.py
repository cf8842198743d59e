import numpy as np
import pytest
from scipy import sparse

from bncc.datasets import load, make_dataset
from bncc.datasets.arff_writer import write_meka, write_mulan

X = np.array([[0.5, 1.0, 0.0], [np.nan, 0.0, 2.0]])
Y = [[1, 0], [0, 1]]
NAMES = {"feature_names": ["size", "hue", "n o"], "label_names": ["it's", "wet"]}


def toy(form=np.asarray, **options):
    kept = {"nominal": [False, True, True], "categories": {"hue": ("red", "dark blue")}}
    return make_dataset(form(X), Y, name="toy -C 9", **NAMES, **kept, **options)


def test_mulan_writes_features_first_and_the_labels_into_xml(tmp_path):
    arff, xml = write_mulan(toy(), tmp_path / "a.arff")
    header, rows = arff.read_text().split("@data\n")
    attributes = [line.removeprefix("@attribute ") for line in header.splitlines() if line.startswith("@attribute")]
    assert attributes == ["size numeric", "hue {red,'dark blue'}", "'n o' {0,2}", "'it\\'s' {0,1}", "wet {0,1}"]
    assert rows == "0.5,'dark blue',0,1,0\n?,red,2,0,1\n"
    assert xml == tmp_path / "a.xml"
    assert '<label name="it\'s"></label>' in xml.read_text()


def test_meka_writes_labels_first_and_counts_them_once(tmp_path):
    (arff,) = write_meka(toy(), tmp_path / "a.arff")
    assert arff.read_text().splitlines()[0] == "@relation 'toy : -C 2'"
    assert load(arff).label_names == ("it's", "wet")


@pytest.mark.parametrize("write", [write_mulan, write_meka])
def test_sparse_rows_leave_out_zeros_and_come_back(tmp_path, write):
    data = toy(sparse.csr_array)
    file = write(data, tmp_path / "a.arff")[0]
    rows = file.read_text().split("@data\n")[1].splitlines()
    assert all(row.startswith("{") and row.endswith("}") for row in rows)
    back = load(file)
    assert sparse.issparse(back.X)
    np.testing.assert_array_equal(back.X.toarray(), X)
    np.testing.assert_array_equal(back.Y, Y)


def test_meka_is_not_written_beside_an_xml_file_that_would_decide(tmp_path):
    write_mulan(toy(), tmp_path / "a.arff")
    with pytest.raises(ValueError, match=r"a\.xml stands beside a-train\.arff and would decide the labels"):
        write_meka(toy(), tmp_path / "a-train.arff")
