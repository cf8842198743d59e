"""Types that a file names are types of numbers, or of objects."""

import numpy as np
import pytest

from bncc.multilabel.model_files.number_types import check_types_of_answers, is_number_type, named_type, plain_type
from bncc.multilabel.model_files.refusals import Refused


def test_types_of_numbers():
    assert all(map(is_number_type, ("i4", "float64", "bool", "O", np.dtype("f2"), np.float32, ("f4", None), "numeric")))
    assert not any(map(is_number_type, ("U5", "S5", "no type", "M8[s]", "f8,U5", ">f8", np.dtype("V8"), 5, {}, ["U5"])))
    assert named_type(np.dtype("i4")) == np.dtype("i4")
    assert named_type(np.dtype("U5")) == np.dtype("U5")
    with pytest.raises(Refused, match="not plain"):
        named_type(np.dtype("M8[s]"))


def test_plain_types():
    assert plain_type("<U5") == np.dtype("U5")
    for name in ("O", "U99999", "no type", 3, "f8" * 10):
        with pytest.raises(Refused, match="type of numbers"):
            plain_type(name)


def test_fields_that_mean_a_type():
    check_types_of_answers({"dtype": None, "_fit_dtype": np.dtype(object), "other": "U5"})
    for name in ("dtype", "_dtype"):
        with pytest.raises(Refused, match="must be a type of numbers; got 'U5'"):
            check_types_of_answers({name: "U5"})


def test_text_of_labels_has_a_width_for_all_of_them():
    column = np.array(["no", "yes"])
    fields = {"n_labels_": 1000, "_values": column, "_column_values": (column,), "_dtype": column.dtype}
    check_types_of_answers(fields)
    for wide in (
        {"_dtype": np.dtype("U40")},
        {"_values": column.astype("U40")},
        {"_column_values": [column.astype("U40"), np.arange(2)]},
    ):
        with pytest.raises(Refused, match="1000 labels with text of 160 bytes each as values, more than 131072 a row"):
            check_types_of_answers(fields | wide)
