import re

import numpy as np
import pytest
from scipy import sparse

from bncc.multilabel.model_files.fields import (
    Anything,
    Array,
    BuiltPart,
    Either,
    Flag,
    Indices,
    Many,
    Names,
    Nothing,
    Number,
    ObjectTable,
    Optional,
    Part,
    Pointers,
    Rows,
    Sizes,
    Sparse,
    Text,
    Whole,
    held,
    takes_parts,
)
from bncc.multilabel.model_files.refusals import Refused

PART = object()
WIDE = BuiltPart("Points", {"d": 3})
CSR = sparse.csr_array(np.eye(3))

GOOD = [
    (Nothing(), None),
    (Flag(), True),
    (Flag(only=False), False),
    (Whole(0, 5), 5),
    (Whole(0, 5), np.int64(5)),
    (Whole(0, 5, "d"), 3),
    (Number(0, 1), 0.5),
    (Number(0, 1), 1),
    (Text(("a", "b")), "b"),
    (Names("d"), ("x", "y", "z")),
    (Array("f8", "d"), np.zeros(3)),
    (Array("f8 f4", "_ d"), np.zeros((7, 3), np.float32)),
    (Array("*", "d"), np.array(["a", "b", "c"])),
    (Array("i4", "_", least=0, below="d"), np.array([0, 2], np.int32)),
    (Indices("d"), (0, 2, 2)),
    (Indices("d", least=-1), [-1, 2]),
    (Pointers("p", of="d"), np.array([0, 1, 3])),
    (Sparse("csr", "f8", "d d"), CSR),
    (Many(Text(), "d"), ["a", "b", "c"]),
    (Either((Text(), Nothing())), None),
    (Optional(Text()), None),
    (Part(("Points",), same="d"), PART),
    (ObjectTable(Text(), "d"), np.array(["a", "b", "c"], object)),
    (Rows("a b", "d"), np.zeros(3, [("a", "f8"), ("b", "i4"), ("c", "i4")])),
    (Anything(), object()),
]
BAD = [
    (Nothing(), 0),
    (Flag(), 1),
    (Flag(only=False), True),
    (Whole(0, 5), 6),
    (Whole(0, 5), -1),
    (Whole(0, 5), True),
    (Whole(0, 5), 1.0),
    (Whole(0, 5, "d"), 4),
    (Number(0, 1), float("nan")),
    (Number(0, 1), 2.0),
    (Number(), "1"),
    (Text(("a", "b")), "c"),
    (Text(), 3),
    (Names("d"), ("x", "y")),
    (Names("d"), ["x", "y", "z"]),
    (Array("f8", "d"), np.zeros(4)),
    (Array("f8", "d"), np.zeros((3, 1))),
    (Array("f8", "d"), np.zeros(3, np.float32)),
    (Array("f8", "d"), [0.0, 0.0, 0.0]),
    (Array("f8", "d"), np.ma.MaskedArray(np.zeros(3))),
    (Array("f8", "d"), np.zeros((1, 3)).view(np.matrix)),
    (Array("*", "d"), np.zeros(3, object)),
    (Array("f8", "d", finite=True), np.array([0, 0, np.inf])),
    (Array("f8", "d d", in_order=True), np.asfortranarray(np.arange(9.0).reshape(3, 3))),
    (Array("i4", "_", least=0, below="d"), np.array([0, 3], np.int32)),
    (Array("i4", "_", least=0, below="d"), np.array([0, -1], np.int32)),
    (Array("i4", "_", below="unknown"), np.array([0], np.int32)),
    (Indices("d"), (3,)),
    (Indices("d"), (-1,)),
    (Indices("d"), (True,)),
    (Indices("d"), 3),
    (Indices("d", distinct=True), (1, 1)),
    (Pointers("p", of="d"), np.array([0, 2, 1, 3])),
    (Pointers("p", of="d"), np.array([0, 4])),
    (Pointers("p", of="d"), np.array([1, 3])),
    (Pointers("p", of="d"), np.array([], np.int64)),
    (Pointers("p", of="d"), np.array([0, 3], np.int32)),
    (Sparse("csr", "f8", "d d"), CSR.tocsc()),
    (Sparse("csr", "f4", "d d"), CSR),
    (Sparse("csr", "f8", "_ d"), sparse.csr_array((2, 4))),
    (Sparse("csr", "f8", "d d"), np.eye(3)),
    (Many(Text(), "d"), ["a", "b", 3]),
    (Many(Text(), "d"), ["a"]),
    (Many(Text()), "abc"),
    (Either((Text(), Nothing())), 3),
    (Optional(Text()), 3),
    (Part(("Batch",)), PART),
    (Part(("Points",)), object()),
    (ObjectTable(Text(), "d"), np.array(["a", "b", 3], object)),
    (ObjectTable(Text(), "d"), np.array(["a", "b", "c"])),
    (Rows("a b", "d"), np.zeros(3, [("a", "f8")])),
    (Rows("a", "d"), np.zeros((3, 1), [("a", "f8")])),
    (Rows("a", "d"), np.zeros(3)),
]


def sizes():
    return Sizes(lambda value: WIDE if value is PART else None, {"d": 3})


def named(value):
    """A name that is the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


@pytest.mark.parametrize(("kind", "value"), GOOD, ids=named)
def test_values_of_their_kind_pass(kind, value):
    kind.check(value, "x", sizes())


@pytest.mark.parametrize(("kind", "value"), BAD, ids=named)
def test_values_of_another_kind_are_refused(kind, value):
    with pytest.raises(Refused, match=r"^x"):
        kind.check(value, "x", sizes())


def test_parts_share_sizes_with_what_holds_them():
    known = Sizes(lambda value: WIDE, {"d": 4})
    with pytest.raises(Refused, match="3 where 4 are needed"):
        Part(("Points",), same="d").check(PART, "x", known)
    Part(("Points",)).check(PART, "x", known)


def test_what_did_not_fit_leaves_no_size_behind():
    known = sizes()
    Either((Array("f8", "new 2"), Array("f8", "other 5"))).check(np.zeros((4, 5)), "x", known)
    assert known.named == {"d": 3, "other": 4}


def test_inner_records_are_asked_for_by_name():
    assert takes_parts(Optional(Many(Part(("Tree",)))))
    assert takes_parts(Either((Anything(), Rows("a", "n"))))
    assert not takes_parts(Many(Anything()))
    assert not takes_parts(None)


def test_fields_are_of_a_type():
    with pytest.raises(Refused, match="order must be of type tuple"):
        held({"order": [1]}, "order", tuple)
