"""Files of formats 1 and 2, which skops wrote, give the same answers through our own reader."""

import copy
import json

import numpy as np
import pytest

from bncc.datasets import MalformedFile
from bncc.multilabel import load_model, open_model
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import record_of
from bncc.multilabel.model_files.skops_files import structure_of_schema
from bncc.structure import LabelNetwork
from model_attacks import nodes_in, old_file
from model_cases import BASES, CASES, answers, fitted

QUICK = (
    "BinaryRelevance",
    "TunedThresholds",
    "MLkNN",
    "trees",
    "words",
    "sparse kernel svm",
    "encoded",
    "rare",
    "network",
)
# Objects of compiled code, which skops could not write, or not read, without a word of the caller.
NOT_OF_SKOPS = ("histogram boosting", "boosting", "isotonic", "neighbours kd", "tf-idf", "counts", "hashes", "table")


def as_written_then(model):
    """The model as format 2 had it: networks without their rows."""
    memo = {}

    def networks(part, seen):
        if isinstance(part, LabelNetwork):
            memo[id(part)] = part.without_rows()
        elif isinstance(part, tuple | list):
            for each in part:
                networks(each, seen)
        elif id(part) not in seen and hasattr(part, "__dict__"):
            seen.add(id(part))
            networks(list(vars(part).values()), seen)

    networks(model, set())
    return copy.deepcopy(model, memo)


def check(case, path):
    pytest.importorskip("skops")
    model, X = fitted(case)
    saved = open_model(old_file(path, as_written_then(model)))
    assert saved.format == 2
    found = answers(saved.model, X)
    for name, answer in answers(model, X).items():
        assert np.array_equal(found[name], answer, equal_nan=answer.dtype.kind == "f"), name


@pytest.mark.parametrize("case", QUICK)
def test_answers_are_identical(case, tmp_path):
    check(case, tmp_path / "m.skops")


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in (*CASES, *BASES) if not case.startswith(NOT_OF_SKOPS)])
def test_answers_of_every_model_are_identical(case, tmp_path):
    check(case, tmp_path / "m.skops")


@pytest.mark.parametrize("module", ["numpy.ma", "numpy.ma.core"])
def test_masked_arrays_go_by_the_name_of_either_numpy(module, tmp_path):
    """NumPy 2 gives the type another module than NumPy 1 does."""
    pytest.importorskip("skops")

    def edit(schema, members):
        masked = list(nodes_in(schema, "MaskedArray"))
        assert masked
        for node in masked:
            node["__module__"] = module

    model, X = fitted("KernelSearchCV")
    again = load_model(old_file(tmp_path / "m.skops", as_written_then(model), edit))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.cv_results_["param_C"].tolist() == model.cv_results_["param_C"].tolist()


@pytest.mark.parametrize(
    ("old", "new"),
    {
        "bncc.multilabel.conditional:LinkCalibration": "bncc.multilabel.crossval:Calibration",
        "bncc.multilabel.solve:Constant": "bncc.multilabel.clones:Constant",
        "bncc.multilabel.solve:FittedLinks": "bncc.multilabel.clones:FittedLinks",
        "bncc.structure.search:Step": "bncc.structure.parent_search:Step",
        "bncc.svm.search:KernelSearchCV": "bncc.selection.search:BatchSearchCV",
    }.items(),
)
def test_what_has_moved_is_found_by_its_old_name(old, new):
    assert record_of(old) is record_of(new) is not None


def test_archives_of_skops_that_are_none_of_ours(tmp_path):
    skops = pytest.importorskip("skops.io")
    skops.dump(fitted("gaussian")[0], tmp_path / "other.skops")
    with pytest.raises(MalformedFile, match="no model file of bncc"):
        load_model(tmp_path / "other.skops")


@pytest.mark.parametrize("change", [{"__class__": "Moved"}, {"content": None}])
def test_a_model_that_changed_names_its_versions(change, tmp_path):
    pytest.importorskip("skops")
    head = json.dumps({"format": 2, "versions": {"bncc": "0.0.1"}, "notes": {}})
    file = old_file(
        tmp_path / "m.skops",
        fitted("BinaryRelevance")[0],
        lambda schema, members: next(nodes_in(schema, "Solutions")).update(change),
        head,
    )
    with pytest.raises(MalformedFile, match=r"written with bncc 0\.0\.1 \(here .*Install those versions"):
        load_model(file)


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {"__loader__": "JsonNode", "content": "[1]"},
        {"__loader__": "JsonNode", "content": 3},
        {"__loader__": "DictNode", "content": {"a": 1}, "key_types": {"content": []}},
        {"__loader__": "NdArrayNode", "__class__": "ndarray", "type": "pickle"},
        {"__loader__": "CachedNode", "__id__": 3},
    ],
)
def test_schemas_of_another_form_are_refused(schema):
    with pytest.raises(Refused):
        structure_of_schema(schema, lambda name: False)


def test_sparse_arrays_by_their_attributes():
    """Until skops 0.13 a sparse array was an object with attributes; nothing of it is called."""

    def array(name):
        return {
            "__class__": "ndarray",
            "__module__": "numpy",
            "__loader__": "NdArrayNode",
            "type": "numpy",
            "file": name,
        }

    sizes = [{"__class__": "int", "__module__": "builtins", "__loader__": "JsonNode", "content": "2"}] * 2
    shape = {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode", "content": sizes}
    parts = {"_shape": shape, **{name: array(f"{name}.npy") for name in ("data", "indices", "indptr")}}
    state = {"__class__": "dict", "__module__": "builtins", "__loader__": "DictNode", "content": parts}
    schema = {"__class__": "csr_array", "__module__": "scipy.sparse._csr", "__loader__": "ObjectNode", "content": state}
    arrays = [{"array": f"{name}.npy"} for name in ("data", "indices", "indptr")]
    assert structure_of_schema(schema, lambda name: False) == {"sparse": ["csr_array", [2, 2], *arrays]}
    for name in parts:
        broken = {**state, "content": {each: part for each, part in parts.items() if each != name}}
        with pytest.raises(Refused):
            structure_of_schema({**schema, "content": broken}, lambda name: False)
    with pytest.raises(Refused):
        structure_of_schema({**schema, "__class__": "bsr_array"}, lambda name: False)
