from dataclasses import FrozenInstanceError

import pytest

from bncc.svm import SolverSettings, make_batch, solve, squared_distances


def test_settings_are_frozen_and_changed_by_name():
    settings = SolverSettings()
    assert settings.changed() is settings
    assert settings.changed(tol=1e-5, engine="cpu") == SolverSettings(tol=1e-5, engine="cpu")
    with pytest.raises(FrozenInstanceError):
        settings.tol = 1.0
    with pytest.raises(TypeError, match="tolerance"):
        settings.changed(tolerance=1.0)


@pytest.mark.parametrize("tol", [0.0, -1.0, float("nan")])
def test_a_tolerance_that_is_none_is_refused(tol):
    with pytest.raises(ValueError, match="`tol` must be a positive number; got"):
        SolverSettings(tol=tol)


def test_unknown_keywords_of_solve_are_refused():
    batch = make_batch(squared_distances([[0.0], [1.0]]), [1, -1], gamma=1.0, C=1.0)
    with pytest.raises(TypeError, match="toll"):
        solve(batch, toll=1e-3)
    with pytest.raises(TypeError, match="gama"):
        make_batch(squared_distances([[0.0], [1.0]]), [1, -1], gama=1.0, C=1.0)
