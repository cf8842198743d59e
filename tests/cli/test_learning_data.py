import warnings

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

from bncc.cli.learning_data import read_to_learn  # noqa: E402
from bncc.evaluation import LeakWarning, Reading  # noqa: E402
from leaking import leaking_columns  # noqa: E402


@pytest.mark.parametrize("quiet", [False, True])
def test_leaks_are_told_unless_it_is_to_be_quiet(tmp_path, quiet):
    columns, Y = leaking_columns(200, 20, np.random.default_rng(0))
    pd.DataFrame(columns).assign(y=Y[:, 0], z=Y[:, 1]).to_csv(tmp_path / "a.csv", index=False)
    told = []
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, category, *_: told.append((category, str(message)))
        data = read_to_learn(str(tmp_path / "a.csv"), Reading(-2, warn_of_leaks=True), quiet=quiet)
    assert data.n_rows == 200
    if quiet:
        assert told == []
    else:
        ((category, message),) = told
        assert category is LeakWarning
        assert "'patient' share their labels" in message
