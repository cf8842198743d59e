"""JSON of a model file is read within the budget of the file."""

import pytest

from bncc.multilabel.model_files.json_content import parse_json
from bncc.multilabel.model_files.refusals import Refused


def test_json_within_a_budget():
    assert parse_json(b"[1, 2]", 0) == [1, 2]
    with pytest.raises(Refused, match="more parts"):
        parse_json(b"[" + b"[]," * 400_000 + b"[]]", 10)
    assert len(parse_json(b"[" + b"[]," * 400_000 + b"[]]", 10**8)) == 400_001
    for content in (b"{", b"\xff", b'{"a": 1, "a": 2}', b"[" * 10**5):
        with pytest.raises(Refused, match=r"JSON|parts"):
            parse_json(content, 10**9)
