import io
import json
import zipfile
from importlib import import_module

import pytest

from bncc.multilabel.model_files import TRUSTED
from bncc.multilabel.old_model_files import MOVED, with_present_names


def archive(schema):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("1.npy", b"numbers")
        made.writestr("schema.json", json.dumps(schema))
    return out.getvalue()


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_what_has_moved_is_there_and_trusted(old, new):
    assert hasattr(import_module(new[0]), new[1])
    assert ".".join(new) in TRUSTED
    assert ".".join(old) not in TRUSTED


def test_names_are_changed_wherever_they_stand_and_nothing_else():
    old = {"__module__": "bncc.multilabel.solve", "__class__": "Constant", "content": [1, "bncc.multilabel.solve"]}
    schema = {"a": [old, {"__module__": "other", "__class__": "Constant"}], "__class__": 3}
    with zipfile.ZipFile(io.BytesIO(with_present_names(archive(schema)))) as read:
        assert read.read("1.npy") == b"numbers"
        renamed = json.loads(read.read("schema.json"))
    assert renamed["a"][0] == {**old, "__module__": "bncc.multilabel.clones"}
    assert renamed["a"][1] == schema["a"][1]


def test_files_that_name_nothing_old_are_left_alone():
    content = archive({"__module__": "sklearn.svm", "__class__": "SVC"})
    assert with_present_names(content) is content


@pytest.mark.parametrize("names", [(["bncc.multilabel.solve"], "Constant"), ({}, {}), (None, None)])
def test_strange_names_are_passed_on(names):
    content = archive({"__module__": names[0], "__class__": names[1]})
    assert with_present_names(content) is content
