"""Prints, as constraints for pip, the lowest versions that pyproject.toml declares for users and for tests."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

PROJECT_FILE = Path(__file__).parents[1] / "pyproject.toml"


def constraint(requirement: str) -> str:
    """The lowest version that a requirement allows, alone.

    >>> constraint("numpy>=1.26")
    'numpy==1.26'
    """
    bound = re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement)
    if bound is None:
        raise SystemExit(f"A dependency must read NAME>=VERSION; got {requirement!r}. Declare its lowest version.")
    return f"{bound[1]}=={bound[2]}"


def constraints(requirements: Iterable[str], own_name: str) -> list[str]:
    """One constraint per package, sorted; extras that name the project's own extras declare nothing themselves.

    >>> constraints(["scipy>=1.15", "here[data]", "joblib>=1.3"], "here")
    ['joblib==1.3', 'scipy==1.15']
    """
    return sorted({constraint(each) for each in requirements if not each.startswith(f"{own_name}[")})


def declared(project: Mapping[str, Any]) -> list[str]:
    """What a project file asks for: its dependencies, those of every extra, and the group `test`."""
    table = project["project"]
    extras = [each for extra in table["optional-dependencies"].values() for each in extra]
    return [*table["dependencies"], *extras, *project["dependency-groups"]["test"]]


if __name__ == "__main__":
    project = tomllib.loads(PROJECT_FILE.read_text(encoding="utf-8"))
    print("\n".join(constraints(declared(project), project["project"]["name"])))
