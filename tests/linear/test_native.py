import pytest

from bncc.linear import native


def test_the_instruction_set_comes_from_the_environment(monkeypatch):
    monkeypatch.delenv("BNCC_SIMD", raising=False)
    assert native.simd() == ""
    monkeypatch.setenv("BNCC_SIMD", "baseline")
    assert native.simd() == "baseline"


@pytest.mark.skipif(native.extension() is None, reason="the native engine is not built")
def test_the_extension_knows_what_it_can_run():
    assert native.extension().simd("baseline") == "baseline"
    assert native.extension().simd("") in ("baseline", "avx2", "avx512")
    assert native.extension().simd("mmx") is None
