import ast
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bncc._typing as typing
from bncc import learn_network
from bncc.metrics._inputs import AVERAGES
from bncc.structure import SCORES

Y = np.array([[1, 0], [1, 1], [0, 0], [0, 1]])


def test_every_name_is_exported():
    body = ast.parse(Path(typing.__file__).read_text("utf-8")).body
    aliases = {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
    assert aliases | {node.name for node in body if isinstance(node, ast.ClassDef)} == set(typing.__all__)


def test_words_are_those_that_the_code_takes():
    assert set(get_args(typing.ScoreName)) == set(SCORES)
    assert set(get_args(typing.Average)) == set(AVERAGES) - {None}
    for search in get_args(typing.SearchName):
        assert sorted(learn_network(Y, search=search).order) == [0, 1]
    with pytest.raises(ValueError, match="`search` must be 'paper', 'k2', 'tree', 'hill_climbing', 'ges'"):
        learn_network(Y, search="other")


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_are_what_the_protocol_says(library):
    frame = library.DataFrame({"rain": [1, 0], "wind": [0, 1]})
    assert list(frame.columns) == ["rain", "wind"]
    assert tuple(frame.shape) == (2, 2)
    np.testing.assert_array_equal(frame.to_numpy(), np.eye(2))
