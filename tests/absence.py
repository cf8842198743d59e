"""What happens where something that tests need is absent: data sets, a browser, the source tree."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

# The folder that tests, documents and examples lie in.
ROOT = Path(__file__).parents[1]


def absent(reason: str) -> NoReturn:
    """Skip the test, or fail it where BNCC_REQUIRE_DATA=1 says that data sets and a browser must be there."""
    if os.environ.get("BNCC_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def needs_source_tree(*paths: str) -> pytest.MarkDecorator:
    """Skip where an installed package is tested (BNCC_TEST_INSTALLED=1), beside which these paths do not lie."""
    installed = os.environ.get("BNCC_TEST_INSTALLED") == "1"
    return pytest.mark.skipif(installed, reason=f"an installed package is tested, without {', '.join(paths)}")
