"""What tests of hostile model files do with them: open a changed one, and see it refused."""

import pytest

from bncc.datasets import MalformedFile
from bncc.multilabel import load_model
from model_attacks import npy, records_in, taken_apart, write_file
from model_cases import fitted


def opened(folder, structure, members):
    """The model of a structure and its arrays."""
    return load_model(write_file(folder / "changed", structure, {name: npy(array) for name, array in members.items()}))


def refused(folder, model, record, edit, words):
    """A file whose records of a type are edited (fields, members) is refused in these words, the sound one is not."""
    structure, members = taken_apart(fitted(model)[0] if isinstance(model, str) else model)
    opened(folder, structure, members)
    changed = list(records_in(structure, record))
    for fields in changed:
        edit(fields, members)
    assert changed
    with pytest.raises(MalformedFile, match=words):
        opened(folder, structure, members)
