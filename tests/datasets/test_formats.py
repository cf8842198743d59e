import inspect

from bncc.datasets.formats import NEEDS_LABELS, READERS


def test_the_formats_that_need_labels_are_those_whose_readers_do():
    for suffix, reader in READERS.items():
        labels = inspect.signature(reader).parameters.get("labels")
        needed = labels is not None and labels.default is inspect.Parameter.empty
        assert needed == (suffix in NEEDS_LABELS)
