"""The files that a page is made of, and the tool that checks them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import bncc.analysis.page
from absence import needs_source_tree
from bncc.analysis.page.drawing import Constants
from bncc.analysis.page.script import join_modules

ASSETS = Path(bncc.analysis.page.__file__).parent / "assets"
SCRIPTS = sorted(ASSETS.glob("*.js"))
CHECK = Path(__file__).parents[3] / "tools" / "page-script" / "check"
posix = pytest.mark.skipif(os.name != "posix", reason="the check is a script for a POSIX shell")


@pytest.mark.parametrize("file", sorted(ASSETS.iterdir()), ids=lambda file: file.name)
def test_lines_have_at_most_120_characters(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [number for number, line in enumerate(lines, 1) if len(line) > 120] == []


def test_every_module_is_part_of_the_script():
    script = join_modules("main.js", lambda name: (ASSETS / name).read_text(encoding="utf-8"))
    assert set(re.findall(r'^modules\["([\w-]+\.js)"\] = ', script, re.MULTILINE)) == {file.name for file in SCRIPTS}


def test_modules_are_short():
    assert {file.name: n for file in SCRIPTS if (n := len(file.read_text(encoding="utf-8").splitlines())) > 200} == {}


@pytest.mark.parametrize("field", sorted(Constants.__dataclass_fields__))
def test_shared_constants_are_said_by_python_alone(field):
    scripts = {file.name: file.read_text(encoding="utf-8") for file in SCRIPTS}
    assert any(f"constants.{field}" in text for text in scripts.values())
    value = getattr(Constants(), field)
    said = str(value).strip() if isinstance(value, str) or value != int(value) else None
    if field != "whisker":  # 1.5 is a width elsewhere
        assert [name for name, text in scripts.items() if said and said in text] == []


def test_the_numbers_of_the_layout_are_not_said_again():
    text = "".join(file.read_text(encoding="utf-8") for file in SCRIPTS)
    for number in ("3.84", "7.4 ", "6.5 "):  # chi-square, and the widths of letters and digits
        assert number not in text


@posix
@pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
def test_without_node_the_check_is_left_out_but_never_in_ci(tmp_path, ci, status):
    (tmp_path / "dirname").symlink_to(shutil.which("dirname"))
    sh = shutil.which("sh")
    done = subprocess.run([sh, CHECK], env={"PATH": str(tmp_path), "CI": ci}, capture_output=True, text=True)
    assert done.returncode == status
    assert "not checked: Node and npm are not installed" in done.stdout


@posix
@needs_source_tree("tools/page-script/node_modules")
def test_a_function_of_more_than_60_lines_is_refused(tmp_path):
    biome = CHECK.parent / "node_modules" / ".bin" / "biome"
    if not biome.exists():
        reason = "Biome is not installed: run tools/page-script/check"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    long, short = tmp_path / "long.js", tmp_path / "short.js"
    for file, n_lines in ((long, 61), (short, 60)):
        lines = "".join(f"  use({i});\n" for i in range(n_lines))
        file.write_text(f"export function draw(use) {{\n{lines}}}\n")
    for file, status in ((long, 1), (short, 0)):
        done = subprocess.run([biome, "ci", file], cwd=CHECK.parent, capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        assert ("noExcessiveLinesPerFunction" in done.stdout + done.stderr) == bool(status)
