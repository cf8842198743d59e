import pytest

from bncc._threads import n_threads


def test_none_and_minus_one_are_all_cores(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    everything = n_threads(None)
    assert n_threads(-1) == everything >= 1
    assert n_threads(-2) == max(1, everything - 1)
    assert n_threads(-999) == 1


def test_the_share_of_a_worker_process_is_respected(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert n_threads(None) == 1
    assert n_threads(3) == 3


def test_zero_is_refused():
    with pytest.raises(ValueError, match="got 0"):
        n_threads(0)
