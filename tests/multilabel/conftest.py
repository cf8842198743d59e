"""Small problems are solved faster by one thread, most of all where the tests themselves run in parallel."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def _one_thread():
    with threadpool_limits(1):
        yield
