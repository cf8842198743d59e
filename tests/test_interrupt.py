import signal
import subprocess
import sys

import pytest

from bncc._interrupt import INTERRUPTED, STOPPED, stop_at_once, stop_with_care


@pytest.fixture
def handler():
    """Puts back what pytest does on Ctrl-C."""
    before = signal.getsignal(signal.SIGINT)
    yield lambda: signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)


def test_at_once_then_with_care_then_at_once(handler):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    stop_at_once()
    assert handler() is not signal.default_int_handler
    stop_with_care()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    stop_at_once()
    assert handler() is not signal.default_int_handler


@pytest.mark.parametrize("own", [signal.SIG_IGN, signal.SIG_DFL, lambda number, frame: None])
def test_what_others_have_set_stays(own, handler):
    """A process in the background of a shell has Ctrl-C ignored."""
    signal.signal(signal.SIGINT, own)
    stop_at_once()
    assert handler() == own
    stop_with_care()
    assert handler() == own


def stopped(code):
    code = f"import signal, sys; from bncc._interrupt import stop_at_once; stop_at_once()\n{code}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_the_process_ends_with_a_line_and_a_code():
    done = stopped("signal.raise_signal(signal.SIGINT)\nprint('still here', flush=True)")
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", f"{STOPPED}\n")


def test_nothing_on_the_way_can_hold_it_back():
    """What `KeyboardInterrupt` cannot do: an exception in a finaliser is dropped, and some catch all there are."""
    finaliser = """
class Last:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
last = Last()
del last
print('still here', flush=True)
"""
    catcher = """
try:
    signal.raise_signal(signal.SIGINT)
except BaseException:
    print('still here', flush=True)
"""
    for code in (finaliser, catcher):
        done = stopped(code)
        assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", f"{STOPPED}\n")


def test_a_closed_standard_error_changes_nothing_but_the_line():
    done = stopped("import os; os.close(2)\nsignal.raise_signal(signal.SIGINT)")
    assert (done.returncode, done.stderr) == (INTERRUPTED, "")
