import subprocess
import sys
import warnings

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

from bncc.cli import learning_data  # noqa: E402
from bncc.cli.learning_data import read_to_learn, telling_of_reading  # noqa: E402
from bncc.cli.output import Voice  # noqa: E402
from bncc.evaluation import LeakWarning, Reading  # noqa: E402
from leaking import leaking_columns  # noqa: E402


@pytest.mark.parametrize("quiet", [False, True])
def test_leaks_are_told_unless_it_is_to_be_quiet(tmp_path, quiet):
    columns, Y = leaking_columns(200, 20, np.random.default_rng(0))
    pd.DataFrame(columns).assign(y=Y[:, 0], z=Y[:, 1]).to_csv(tmp_path / "a.csv", index=False)
    told = []
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, category, *_: told.append((category, str(message)))
        data = read_to_learn(str(tmp_path / "a.csv"), Reading(-2, warn_of_leaks=True), Voice(False, quiet))
    assert data.n_rows == 200
    if quiet:
        assert told == []
    else:
        ((category, message),) = told
        assert category is LeakWarning
        assert "'patient' share their labels" in message


@pytest.mark.parametrize(
    ("voice", "long", "told"), [(Voice(), True, True), (Voice(), False, False), (Voice(quiet=True), True, False)]
)
def test_reading_that_may_take_long_is_told_at_once(tmp_path, monkeypatch, capsys, voice, long, told):
    monkeypatch.setattr(learning_data, "_LONG_BYTES", 10 if long else 10**6)
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,0\n2,1\n3,0\n")
    with telling_of_reading(str(path), voice):
        pass
    assert capsys.readouterr().err.startswith(f"Reading {path}\n") == told


@pytest.mark.parametrize("command", [["fit", "-o", "a.bncc"], ["evaluate"]])
def test_it_is_told_before_anything_that_takes_long_is_imported(tmp_path, command):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "1,0\n2,1\n" * 200_000)
    code = f"""
import sys
def write(text):
    print("sklearn" in sys.modules, "numpy" in sys.modules, text, end="")
    sys.exit()
sys.stderr.write = write
from bncc.cli.app import app
app([*{command}, {str(path)!r}, "--labels", "-1"])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout == f"False False Reading {path}\n"
