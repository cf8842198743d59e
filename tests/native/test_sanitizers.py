"""The compiled code under the address, undefined-behaviour and thread sanitizers."""

from __future__ import annotations

import pytest

from native.building import build_drivers, run_drivers


@pytest.mark.slow
@pytest.mark.parametrize("sanitizers", ["", "address,undefined", "thread"])
def test_the_compiled_code_is_clean(sanitizers, tmp_path):
    build_drivers(tmp_path, f"-DSANITIZE={sanitizers}")
    run_drivers(tmp_path)
