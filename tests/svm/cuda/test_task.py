import re

import numpy as np
import pytest

from bncc.svm.cuda.task import FIELDS, pack_task, source_of
from emulator import EmulatedDevice


def test_fields_are_those_of_the_struct_in_order():
    struct = re.search(r"struct Task \{(.*?)\n\};", source_of("solve"), re.DOTALL)[1]
    declared = re.findall(r"^\s+(?:const )?([\w ]+?)(\*?) (\w+);", struct, re.MULTILINE)
    assert tuple(name for _, _, name in declared) == FIELDS
    assert all(pointer or kind in ("long long", "double") for kind, pointer, _ in declared)


def test_arrays_numbers_and_nothing_take_one_slot_each():
    device, array = EmulatedDevice(), np.zeros(3)
    slots = pack_task(device, d2=array, known=None, n_rows=7, max_iter=-1, tol=0.5)
    assert slots[FIELDS.index("d2")] == array.ctypes.data
    assert slots[FIELDS.index("known")] == 0
    assert slots[FIELDS.index("n_rows")] == 7
    assert slots.view(np.int64)[FIELDS.index("max_iter")] == -1
    assert slots.view(np.float64)[FIELDS.index("tol")] == 0.5


def test_whole_numbers_take_eight_bytes_whatever_the_platform_says(monkeypatch):
    slots = pack_task(EmulatedDevice(), max_iter=2**40, n_items=-3)
    assert slots.view(np.int64)[FIELDS.index("max_iter")] == 2**40
    assert slots.view(np.int64)[FIELDS.index("n_items")] == -3


def test_unknown_fields_are_refused():
    with pytest.raises(TypeError, match="no fields"):
        pack_task(EmulatedDevice(), distance=1)
