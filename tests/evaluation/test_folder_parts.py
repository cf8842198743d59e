import json
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pandas")

from bncc.evaluation import Reading, read_labelled
from bncc.evaluation.folder_parts import find_parts


def write(folder, **files):
    """Files of JSON lines by name, with so many rows each; names have ``_`` for ``.`` at their end."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, n_rows in files.items():
        rows = [{"n": i, "kind": "ab"[i % 2], "labels": ["x"] if i % 2 else ["x", "y"]} for i in range(n_rows)]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")


def names(parts):
    return [file.name for file in parts.train], [file.name for file in parts.test]


def test_train_and_test_are_found_by_name(tmp_path):
    write(tmp_path, train=4, test=2)
    (tmp_path / "dataset_infos.json").write_text("{}")
    (tmp_path / "README.md").write_text("a card")
    assert names(find_parts(tmp_path)) == (["train.jsonl"], ["test.jsonl"])
    data = read_labelled(tmp_path, Reading("labels"))
    assert (data.name, data.n_rows, data.label_names) == (tmp_path.name, 6, ("x", "y"))
    assert (data.train.tolist(), data.test.tolist()) == ([0, 1, 2, 3], [4, 5])
    assert data.X["kind"].tolist() == list("ababab")


def test_shards_are_one_part_in_the_order_of_their_numbers(tmp_path):
    shards = {"train-00000-of-00002": 3, "train-00001-of-00002": 2, "test-00000-of-00001": 2}
    write(tmp_path / "data", **shards)
    data = read_labelled(tmp_path, Reading("labels"))
    assert data.X["n"].tolist() == [0, 1, 2, 0, 1, 0, 1]
    np.testing.assert_array_equal(data.train, np.arange(5))


def test_rows_for_validation_are_left_out_with_a_word(tmp_path):
    write(tmp_path, train=4, test=2, validation=3)
    with pytest.warns(UserWarning, match=r"validation\.jsonl in .* belong to neither part and are not read"):
        assert read_labelled(tmp_path, Reading("labels")).n_rows == 6


def test_a_word_that_only_looks_like_validation_says_nothing(tmp_path):
    write(tmp_path, **{"devices-train": 4, "devices-test": 2})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        find_parts(tmp_path)


def test_a_single_file_is_all_rows(tmp_path):
    write(tmp_path, posts=5)
    assert names(find_parts(tmp_path)) == (["posts.jsonl"], [])
    data = read_labelled(tmp_path, Reading("labels"))
    assert (data.n_rows, data.train) == (5, None)


@pytest.mark.parametrize("files", [{}, {"a": 2, "b": 2}, {"train": 2, "train2": 2, "test": 2}, {"train": 2, "b": 1}])
def test_other_folders_are_refused_with_what_is_there(tmp_path, files):
    write(tmp_path, **files)
    shown = ", ".join(f"{name}.jsonl" for name in sorted(files)) or "no data file"
    with pytest.raises(ValueError, match=f"must hold one data file with 'train'.*got {shown}"):
        find_parts(Path(tmp_path))
