"""What a file mentions often, or claims without holding it: each mention stands alone, and none is for free."""

import io
import json
import struct
import zipfile

import numpy as np
import pytest

from bncc.datasets import MalformedFile
from bncc.multilabel import load_model
from bncc.multilabel.model_files.archive import Archive
from bncc.multilabel.model_files.reading import Reader
from bncc.multilabel.model_files.refusals import Refused
from model_attacks import npy, records_in, taken_apart, write_file
from model_cases import answers, fitted
from stopwatch import Stopwatch


def read(structure, members):
    content = io.BytesIO(zipped(members))
    return Reader(Archive(content), lambda name: False).read(structure)


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def edited(path, case, edit):
    """A file of a fitted model whose structure, and arrays, were changed."""
    structure, arrays = taken_apart(fitted(case)[0])
    edit(structure, arrays)
    return write_file(path, structure, {name: npy(array) for name, array in arrays.items()})


def matrix(shape, data, indices, pointers):
    return {"sparse": ["csr_matrix", shape, *({"array": name} for name in (data, indices, pointers))]}


# ---- one member, several mentions


def test_matrices_that_mention_one_array_do_not_share_it():
    n, last = 30, 50
    both = np.repeat([0, last], n // 2).astype(np.int32)  # indices with repeats, and pointers that ascend
    members = {"both": both, "ones": np.ones(n), "two": np.array([0, n], np.int32), "data": np.ones(last)}
    members["column"] = np.full(last, 3, np.int32)
    first, second = read(
        {"list": [matrix([1, 60], "ones", "both", "two"), matrix([n - 1, 60], "data", "column", "both")]},
        {name: npy(array) for name, array in members.items()},
    )
    first.sum_duplicates()
    assert first.nnz == 2
    assert second.indptr.tolist() == both.tolist()


def test_every_mention_of_an_array_is_its_own():
    by_column = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    found = read({"list": [{"array": "a"}] * 3}, {"a": npy(by_column)})
    found[0][:] = found[2][:] = -1
    assert found[1].tolist() == by_column.tolist()
    assert found[1].flags.f_contiguous


def test_honest_models_that_mention_an_array_twice_answer_the_same(tmp_path):
    model, X = fitted("sparse svm")
    assert np.shares_memory(model.dual_coef_.data, model._dual_coef_.data)
    again = load_model(edited(tmp_path / "file", "sparse svm", lambda structure, arrays: None))
    assert not np.shares_memory(again.dual_coef_.data, again._dual_coef_.data)
    for name, answer in answers(model, X).items():
        assert np.array_equal(answers(again, X)[name], answer)


def test_copies_are_bounded_by_the_content():
    content = npy(np.zeros(10**6))
    assert len(read({"list": [{"array": "a"}] * 4}, {"a": content})) == 4
    with pytest.raises(Refused, match="many times what it holds"):
        read({"list": [{"array": "a"}] * 7}, {"a": content})
    with pytest.raises(Refused, match="many times what it holds"):
        read({"list": [{"bytes": "a"}] * 7}, {"a": npy(np.zeros(8 * 10**6, np.uint8))})


# ---- an archive in the archive


def stored(n):
    parts = {"shape": np.array([1, 1]), "data": np.zeros(n), "indices": np.zeros(n, np.int32)}
    parts["indptr"] = np.array([0, n], np.int64)
    return zipped({f"{name}.npy": npy(array) for name, array in parts.items()})


def test_an_archive_in_the_archive_does_not_pay_for_itself():
    with pytest.raises(Refused, match="many times what it holds"):
        read({"stored matrix": ["csr_matrix", "m.npz"]}, {"m.npz": stored(4 * 10**6)})


def test_mentions_of_an_archive_in_the_archive_are_counted():
    first, second = read({"list": [{"stored matrix": ["csr_matrix", "m.npz"]}] * 2}, {"m.npz": stored(3)})
    assert not np.shares_memory(first.data, second.data)
    with Stopwatch() as watch, pytest.raises(Refused, match="many times what it holds"):
        read({"list": [{"stored matrix": ["csr_matrix", "m.npz"]}] * 20_000}, {"m.npz": stored(3)})
    assert watch.processor < 5


# ---- shapes, types and widths that no content pays for


@pytest.mark.parametrize("shape", [(0, 2**17), (2**17, 0), (2**9, 0, 2**9)])
def test_empty_arrays_claim_little(shape):
    with pytest.raises(Refused, match="empty array"):
        read({"array": "a"}, {"a": npy(np.zeros(shape))})
    with pytest.raises(Refused, match="empty array"):
        read({"objects": [list(shape), []]}, {})


def test_empty_arrays_of_large_models_are_as_wide_as_these():
    points = npy(np.zeros((10**5, 8)))
    found = read(
        {"list": [{"array": "points"}, {"array": "none"}]}, {"points": points, "none": npy(np.zeros((0, 10**5)))}
    )
    assert found[1].shape == (0, 10**5)


WIDE = {"dtype": {"dtype": "<U9999"}, "text": "<U9999", "fields": {"dict": [["names", {"list": ["a"]}]]}}


@pytest.mark.parametrize("wide", WIDE)
@pytest.mark.parametrize(
    ("case", "record"),
    [
        ("ordinal", "OrdinalEncoder"),
        ("encoded", "OneHotEncoder"),
        ("bins", "KBinsDiscretizer"),
        ("counts", "CountVectorizer"),
        ("hashes", "HashingVectorizer"),
    ],
)
def test_types_of_answers_are_types_of_numbers(case, record, wide, tmp_path):
    def widen(structure, arrays):
        for fields in records_in(structure, record):
            fields["dtype"] = WIDE[wide]

    with pytest.raises(MalformedFile, match="type"):
        load_model(edited(tmp_path / "file", case, widen))


def test_types_of_functions_are_types_of_numbers():
    name = "sklearn.utils.validation.check_array"
    assert read({"partial": [name, [["dtype", "numeric"]]]}, {}).keywords == {"dtype": "numeric"}
    for dtype in ("<U9999", {"list": ["f8", "<U9999"]}, {"dtype": "<U9999"}, {"dtype of": "a"}):
        with pytest.raises(Refused, match="must be a type of numbers"):
            read({"partial": [name, [["dtype", dtype]]]}, {"a": npy(np.zeros(0, "U9999"))})


def test_text_has_a_width():
    assert read({"array": "a"}, {"a": npy(np.array(["a"], "U9999"))}).tolist() == ["a"]
    with pytest.raises(Refused, match="9999 characters"):
        read({"array": "a"}, {"a": npy(np.array(["a"], "U10000"))})
    assert read({"scalar": ["<U9999", "a"]}, {}) == "a"
    with pytest.raises(Refused, match="many times what it holds"):
        read({"list": [{"scalar": ["<U9999", "a"]}] * 1000}, {})


@pytest.mark.parametrize("field", ["_dtype", "_values"])
def test_labels_whose_values_are_wide_text(field, tmp_path):
    def widen(structure, arrays):
        (fields,) = records_in(structure, "BinaryRelevance")
        if field == "_values":
            arrays[fields["_values"]["array"]] = np.array(["no", "yes"], "U9999")
        else:
            fields["_dtype"] = {"dtype": "<U9999"}

    with pytest.raises(MalformedFile, match="with text of 39996 bytes each as values, more than 131072 a row"):
        load_model(edited(tmp_path / "file", "BinaryRelevance-logistic", widen))


def test_classes_of_huge_names(tmp_path):
    def widen(structure, arrays):
        (fields,) = records_in(structure, "LogisticRegression")
        arrays[fields["classes_"]["array"]] = np.array(["a", "b"], "U300000")

    with pytest.raises(MalformedFile, match="9999 characters"):
        load_model(edited(tmp_path / "file", "logistic", widen))


# ---- the directory of the archive


def directory(n, comment=b"", said=None):
    """An archive of empty members, none of which is there; `said` is what its end says of their number."""
    form, count = "<4s4B4HL2L5H2L", n if said is None else said
    head = (b"PK\1\2", 20, 3, 20, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, len(comment), 0, 0, 0, 0)
    entries = b"".join(struct.pack(form, *head) + b"%06x" % each + comment for each in range(n))
    end = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(entries), 0)
    place = struct.pack("<4sLQL", b"PK\6\7", 0, len(entries), 1)
    last = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return entries + end + place + last


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (directory(100_001), "100001 members, more than 100000"),
        (directory(100_001, said=1), "100001 members, more than 100000"),
        (directory(300_000), "directory of more than"),
        (directory(300, b"x" * 50_000), "directory of more than"),
    ],
    ids=["many", "many, said to be one", "very many", "long comments"],
)
def test_directories_that_are_too_long_are_not_read(content, problem, tmp_path):
    (tmp_path / "file").write_bytes(content)
    with Stopwatch() as watch, pytest.raises(MalformedFile, match=problem):
        load_model(tmp_path / "file")
    assert watch.processor < 1


def test_a_member_that_is_never_read_pays_nothing_by_what_it_says():
    content = zipped({"a": b"x"})
    place = content.rindex(b"PK\1\2") + 24
    lying = content[:place] + (2**31).to_bytes(4, "little") + content[place + 4 :]
    with pytest.raises(Refused, match="does not have the size that it says"):
        assert Archive(io.BytesIO(lying)).unpacked


# ---- collections and references


@pytest.mark.parametrize("kind", ["set", "frozenset", "dict", "objects"])
def test_collections_of_tuples_are_small(kind):
    def collection(n):
        tuples = [{"tuple": [each, 0]} for each in range(n)]
        content = {"dict": [[each, 1] for each in tuples], "objects": [[n], tuples]}
        return {kind: content.get(kind, tuples)}

    assert len(read(collection(1000), {})) == 1000
    with pytest.raises(Refused, match="5000 tuples, more than 4096"):
        read(collection(5000), {})


def test_a_step_that_stands_thousands_of_times(tmp_path):
    def repeat(structure, arrays):
        (fields,) = records_in(structure, "Pipeline")
        first, last = fields["steps"]["list"]
        number = first["tuple"][1]["record"][2]
        again = [{"tuple": [f"again {each}", {"same": number}]} for each in range(6000)]
        fields["steps"]["list"] = [first, *again, last]

    with pytest.raises(MalformedFile, match="refers to records 5003 times, those within them included, more than 5002"):
        load_model(edited(tmp_path / "file", "standard", repeat))


def test_references_to_what_has_many_records_count_as_many():
    inside = {"record": ["AdamOptimizer", {"ms": {"list": [{"record": ["AdamOptimizer", {}]}] * 500}}, 0]}
    assert len(read({"list": [inside, *[{"same": 0}] * 10]}, {"a": b"x" * 10**6})) == 11
    with pytest.raises(Refused, match="refers to records"):
        read({"list": [inside, *[{"same": 0}] * 20]}, {"a": b"x" * 10**6})


def test_ensembles_whose_parts_share_one_record_are_read():
    part = {"record": ["AdamOptimizer", {"ms": {"same": 0}}]}
    structure = {"list": [{"record": ["AdamOptimizer", {}, 0]}, *[part] * 20_000]}
    assert len(read(structure, {"structure.json": json.dumps(structure).encode()})) == 20_001
