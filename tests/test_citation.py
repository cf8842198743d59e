"""What CITATION.cff says of the software is true of it."""

import re

import bncc
from absence import ROOT

TEXT = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_version_is_the_package_version():
    assert re.findall(r"^version: (.+)$", TEXT, re.MULTILINE) == [bncc.__version__]


def test_the_paper_is_the_one_that_the_readme_names():
    (title,) = re.findall(r"^  title: (.+)$", TEXT, re.MULTILINE)
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert title in readme
    names = re.findall(r"family-names: (\w+)", TEXT)
    assert f"{', '.join(names[:-1])} and {names[-1]}" in readme
