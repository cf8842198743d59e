"""`make test-lowest` installs what pyproject.toml declares, and nothing declared is without a lowest version."""

import importlib.util
import tomllib

import pytest

from absence import ROOT, needs_source_tree

pytestmark = needs_source_tree("tools")


@pytest.fixture(scope="module")
def lowest_versions():
    spec = importlib.util.spec_from_file_location("lowest_versions", ROOT / "tools" / "lowest_versions.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_everything_that_is_declared_has_its_lowest_version(lowest_versions):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = {line.split("==")[0] for line in lowest_versions.constraints(lowest_versions.declared(project), "bncc")}
    assert names >= {"numpy", "scipy", "scikit-learn", "joblib", "typer", "pandas", "skops", "pytest", "cupy-cuda13x"}
    assert not any(name.startswith("bncc") for name in names)


def test_bounds_become_versions(lowest_versions):
    assert lowest_versions.constraints(["b>=2", "own[x]", "a-b>=1.0.1", "b>=2"], "own") == ["a-b==1.0.1", "b==2"]


@pytest.mark.parametrize("requirement", ["numpy", "numpy>1", "numpy>=1,<3", "numpy==1.26", "numpy>=1; extra"])
def test_other_bounds_are_refused(lowest_versions, requirement):
    with pytest.raises(SystemExit, match="NAME>=VERSION; got"):
        lowest_versions.constraint(requirement)
