"""The engines that tests of batches run with."""

from __future__ import annotations

import pytest

from bncc.linear import native

needs_extension = pytest.mark.skipif(native.extension() is None, reason="the native engine is not built")


@pytest.fixture(scope="module", params=["numpy", pytest.param("native", marks=needs_extension)])
def engine(request):
    """Each engine in turn."""
    return request.param
