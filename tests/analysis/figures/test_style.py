import subprocess
import sys

import matplotlib
import pytest

from bncc.analysis import nemenyi, paper, rank_diagram
from bncc.analysis.figures import rank_figure, save_figure
from bncc.analysis.figures.style import save_formats


def draw():
    printed = paper.results("MicF")
    return rank_figure(rank_diagram(nemenyi(printed.mean, printed.methods)), title="MicF")


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_files_are_the_same_every_time(tmp_path, suffix):
    one = save_figure(draw(), tmp_path / f"one.{suffix}").read_bytes()
    other = save_figure(draw(), tmp_path / f"other.{suffix}").read_bytes()
    assert one == other
    assert len(one) > 1000


def test_formats_written_together_are_those_written_alone(tmp_path):
    names = ("a.svg", "a.pdf", "a.png")
    together = save_formats(draw(), [tmp_path / f"together-{name}" for name in names])
    assert [path.stat().st_size > 1000 for path in together] == [True] * 3
    again = save_formats(draw(), [tmp_path / f"again-{name}" for name in names])
    assert [one.read_bytes() == other.read_bytes() for one, other in zip(together, again, strict=True)] == [True] * 3
    alone = save_figure(draw(), tmp_path / "alone.svg").read_text(encoding="utf-8")
    texts = together[0].read_text(encoding="utf-8")
    assert texts.count("<path") == alone.count("<path")
    with pytest.raises(ValueError, match="Figures are written as"):
        save_formats(draw(), [tmp_path / "a.bmp"])


def test_users_settings_change_nothing_and_are_not_changed(tmp_path):
    expected = save_figure(draw(), tmp_path / "a.svg").read_bytes()
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        before = dict(matplotlib.rcParams)
        assert save_figure(draw(), tmp_path / "b.svg").read_bytes() == expected
        assert dict(matplotlib.rcParams) == before


def test_other_suffixes_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"written as \.pdf, \.svg, \.png; got 'a.bmp'"):
        save_figure(draw(), tmp_path / "a.bmp")


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'bncc\[plot\]'"):
        draw()


def test_importing_the_room_loads_no_plotting_package():
    code = "import bncc.analysis, bncc.analysis.figures, sys; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
