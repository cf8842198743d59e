import pytest

from bncc.datasets.file_format import FileFormat


def read_plain(path, *, max_bytes=1, flavour="plain"):
    raise NotImplementedError


def read_labelled(path, *, labels, max_bytes=1):
    raise NotImplementedError


def first(data, path):
    return [path]


def second(data, path):
    return []


def test_options_are_those_of_the_reader():
    assert FileFormat("Plain", (".p",), read_plain, "rows").options == ["flavour", "max_bytes"]
    assert FileFormat("Labelled", (".l",), read_labelled, "columns").options == ["labels", "max_bytes"]


def test_labels_are_needed_where_the_reader_has_no_default_for_them():
    assert not FileFormat("Plain", (".p",), read_plain, "rows").needs_labels
    assert FileFormat("Labelled", (".l",), read_labelled, "columns").needs_labels


def test_the_first_writer_is_the_one_for_the_suffix():
    both = FileFormat("Both", (".b",), read_plain, "rows", writers={"one": first, "two": second})
    assert both.write is first
    assert FileFormat("Plain", (".p",), read_plain, "rows").write is None


def test_what_is_not_installed_is_named_with_the_remedy():
    FileFormat("Known", (".k",), read_plain, "rows", needs=("numpy",)).check_installed()
    absent = FileFormat("Odd", (".o",), read_plain, "rows", needs=("numpy", "no_such_package"))
    with pytest.raises(ImportError, match=r"Odd files need no_such_package: pip install 'bncc\[data\]'\."):
        absent.check_installed()
