from collections import OrderedDict, defaultdict

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from bncc import BNCC
from bncc.multilabel.model_files.registry import record_named
from bncc.multilabel.model_files.writing import Writer, state_of


def strange(value):
    writer = Writer(lambda name: False)
    writer.write(value)
    return writer.strange


def test_what_is_not_on_the_list_is_named():
    assert strange([print]) == {"builtins.print"}
    assert strange(np.zeros(2, complex)) == {"numpy.complex128"}
    assert strange(sparse.coo_array(np.eye(2))) == {"scipy.sparse.coo_array"}
    assert any("test_writing" in name for name in strange(lambda: 0))
    assert strange(2**70)
    assert strange([1, "a", LogisticRegression()]) == set()


def test_dicts_with_an_order_or_a_default_are_written_as_dicts():
    kept = defaultdict(list, a=OrderedDict(b=1))
    assert Writer(lambda name: False).write(kept) == Writer(lambda name: False).write({"a": {"b": 1}})
    assert strange(kept) == set()


def test_what_stands_in_several_places_is_written_once():
    base, array = LogisticRegression(), np.arange(3)
    writer = Writer(lambda name: False)
    first, second, third, fourth = writer.write([base, base, array, array])["list"]
    assert second == {"same": first["record"][2]}
    assert third == fourth
    assert len(writer.members) == 1


def test_what_holds_itself_is_refused():
    ring = []
    ring.append(ring)
    with pytest.raises(TypeError, match="nested too deeply"):
        Writer(lambda name: False).write(ring)


def test_new_fields_of_our_estimators_want_a_place_in_their_record():
    model = BNCC()
    model.new_ = 3
    with pytest.raises(TypeError, match="BNCC has fields that its record does not name: new_"):
        state_of(record_named("BNCC"), model)
