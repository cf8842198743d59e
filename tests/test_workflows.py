"""The workflows of the hosted runners test what the package promises; `make check` holds them against actionlint."""

import re
import tomllib

from absence import ROOT, needs_source_tree

WORKFLOWS = ROOT / ".github" / "workflows"
pytestmark = needs_source_tree(".github")


def test_every_python_that_is_promised_is_tested_and_built():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    classifiers = "\n".join(project["project"]["classifiers"])
    promised = re.findall(r"^Programming Language :: Python :: (3\.\d+)$", classifiers, re.MULTILINE)
    matrix = re.search(r"python: \[(.*)\]", (WORKFLOWS / "tests.yml").read_text(encoding="utf-8"))
    assert re.findall(r'"(3\.\d+)"', matrix[1]) == promised
    builds = project["tool"]["cibuildwheel"]["build"].split()
    assert builds == [f"cp{version.replace('.', '')}-*" for version in promised]
    assert project["project"]["requires-python"] == f">={promised[0]}"


def test_wheels_are_set_to_work_before_they_are_kept():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    script = project["tool"]["cibuildwheel"]["test-command"].removeprefix("python {project}/")
    assert (ROOT / script).is_file()
