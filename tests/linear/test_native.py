import pytest

from bncc.linear import native


@pytest.mark.skipif(native.extension() is None, reason="the native engine is not built")
def test_the_extension_knows_what_it_can_run():
    assert native.extension().simd("baseline") == "baseline"
    assert native.extension().simd("") in ("baseline", "avx2", "avx512")
    assert native.extension().simd("mmx") is None
