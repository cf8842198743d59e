import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

pd = pytest.importorskip("pandas")

from bncc.cli import app  # noqa: E402
from bncc.cli.paced_lines import PacedLines  # noqa: E402
from bncc.datasets import load  # noqa: E402
from bncc.multilabel import load_model, open_model  # noqa: E402

LABELS = ["--labels", "rain,wind", "--drop", "id", "--drop", "note", "--drop", "tags"]


def test_a_table_becomes_a_model_that_python_can_use(as_json, weather):
    result = as_json(
        "fit", weather, "--labels", "rain,wind", "--drop", "id", "--drop", "note", "--drop", "tags", "-o", "m"
    )
    assert set(result) - {"engine", "engine_reason"} == {  # these two where kernel chains are in the blend
        "model", "bytes", "method", "base", "metric", "data", "rows", "labels", "seconds", "columns",
    }  # fmt: skip
    assert (result["labels"], result["rows"], result["base"]) == (["rain", "wind"], 80, "blend")
    frame = pd.read_csv(weather)
    predicted = load_model("m").predict(frame[["wind", "sky", "height"]])  # other order, other columns
    assert (predicted[:, 0] == frame["rain"]).mean() > 0.85
    assert open_model("m").notes["schema"] == {"kind": "table", "columns": {"height": "number", "sky": "category"}}


@pytest.mark.parametrize("mark", [";", "|", "\t"])
def test_other_marks_between_cells_are_seen(as_json, weather, mark):
    pd.read_csv(weather).to_csv("other.csv", sep=mark, index=False)
    result = as_json("fit", "other.csv", *LABELS, "--method", "br", "-o", "m.skops")
    assert (result["labels"], result["rows"]) == (["rain", "wind"], 80)
    predicted = as_json("predict", "m.skops", "other.csv", "-o", "p.csv")
    assert predicted["rows"] == 80


def test_text_is_vectorised_inside_the_model(as_json, weather):
    options = ["--labels", "tags", "--tag-separator", ";", "--text", "note"]
    drops = [word for name in ("id", "height", "sky", "rain", "wind") for word in ("--drop", name)]
    result = as_json("fit", weather, *options, *drops, "--time-limit", 20, "-o", "m.skops")
    assert result["base"] == "blend"
    model = load_model("m.skops")
    new = pd.DataFrame({"note": ["wet umbrella stormy", "dry calm", ""]})
    assert model.predict(new)[:2].tolist() == [[1, 1], [0, 0]]


@pytest.mark.parametrize("method", ["br", "bncc", "ecc", "mlknn", "recommended"])
@pytest.mark.parametrize("name", ["flags", "virusgo"])
def test_methods_on_real_data(method, name, as_json, data_folder):
    result = as_json("fit", name, "--method", method, "-o", "m.skops")
    data = load(name)
    assert result["labels"] == list(data.label_names)
    predicted = np.asarray(load_model("m.skops").predict(data.X))
    assert (predicted == data.Y).mean() > 0.7


def test_a_linear_base_on_the_training_part(as_json, data_folder):
    result = as_json("fit", "flags", "--method", "recommended", "--base", "linear", "--part", "train", "-o", "m.skops")
    assert (result["base"], result["rows"]) == ("linear", 129)
    assert "sigma" not in result


def test_people_are_told_what_was_done_and_what_comes_next(bncc, data_folder):
    shown = bncc("fit", "flags", "-m", "br", "-o", "m.skops").stdout
    assert "Learned br (kernel, sigma" in shown
    assert "bncc predict m.skops" in shown
    assert bncc("fit", "flags", "-m", "br", "-o", "m.skops", "--quiet").output == ""


def test_the_same_seed_gives_the_same_model(bncc, data_folder):
    for name in ("a", "b"):
        bncc("fit", "flags", "-m", "ecc", "-o", name, "--seed", 3)
    X = load("flags").X
    assert np.array_equal(load_model("a").decision_function(X), load_model("b").decision_function(X))


def test_mistakes_are_told_before_the_work(fails, weather):
    assert "there is no method 'bnc'. Did you mean bncc" in fails("fit", weather, "-l", "rain", "-m", "bnc", "-o", "m")
    assert "no folder nowhere to write m" in fails("fit", weather, "-l", "rain", "-o", "nowhere/m")
    assert "There is no metric 'f1'" in fails("fit", weather, "-l", "rain", "--metric", "f1", "-o", "m")
    assert "`--base` must be one of" in fails(
        "fit", weather, "-l", "rain", "--drop", "id", "--text", "note", "--base", "svm", "-o", "m"
    )
    said = fails("fit", weather, "-l", "rain", "--number", "sky", "-o", "m")
    assert "column 'sky': 80 of 80 cells are no number" in said
    assert "no column is named 'snow'" in fails("fit", weather, "-l", "snow", "-o", "m")
    assert "Did you mean 'rain'?" in fails("fit", weather, "-l", "rian", "-o", "m")
    Path("one.csv").write_text("x,a,b\n1.0,0,1\n")
    assert "one has 1 row; to learn from them takes at least 3" in fails("fit", "one.csv", "-l", "a,b", "-o", "m")
    assert "no file absent.csv" in fails("fit", "absent.csv", "-l", "rain", "-o", "m")


@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_the_engine_can_be_chosen(command, tmp_path, monkeypatch, data_folder):
    """Without a GPU, asking for one says what is missing; the CPU by name works."""
    output = ["-o", str(tmp_path / "m.skops")] if command == "fit" else []
    asked = [command, "flags", "--method" + ("s" if command == "evaluate" else ""), "br", *output, "--engine"]
    assert CliRunner().invoke(app, [*asked, "cpu"]).exit_code == 0
    result = CliRunner().invoke(app, [*asked, "gpu"])
    assert result.exit_code == 2
    assert '`engine` must be "auto", "cpu"' in result.stderr
    monkeypatch.setitem(sys.modules, "cupy", None)
    result = CliRunner().invoke(app, [*asked, "cuda"])
    assert result.exit_code == 2
    assert "CuPy" in result.stderr


def test_the_data_are_never_replaced_by_the_model(fails, weather, tmp_path):
    before = (tmp_path / weather).read_bytes()
    assert "would replace the file that is read" in fails("fit", weather, "--labels", "rain", "-o", weather)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "train.csv").write_bytes(before)
    assert "would replace" in fails("fit", "parts", "--labels", "rain", "-o", "parts/train.csv")
    assert (tmp_path / weather).read_bytes() == (tmp_path / "parts" / "train.csv").read_bytes() == before


def test_one_label_is_not_labels(bncc, weather):
    drops = [word for name in ("id", "note", "tags", "wind", "sky") for word in ("--drop", name)]
    shown = bncc("fit", weather, "--labels", "rain", *drops, "-m", "br", "--base", "linear", "-o", "m").stdout
    assert "from 80 rows with 1 label in" in shown
    assert " kB)" in shown
    shown = bncc("analyse", weather, "--labels", "rain", *drops, "--no-page").stdout
    assert "80 rows, 1 feature, 1 label. " in shown


def test_text_without_a_word_is_named(fails, tmp_path):
    (tmp_path / "a.csv").write_text("x,body,y\n1,a b,0\n2,?!,1\n3,c,1\n")
    said = fails("fit", "a.csv", "--labels", "y", "--text", "body", "-o", "m")
    assert "the text column 'body' holds no word of two letters or more in any row. Leave it out: --drop 'body'" in said


@pytest.mark.parametrize(
    "options",
    [["--seed", 2**32], ["--seed", -1], ["--time-limit", "inf"], ["--time-limit", 0], ["--time-limit", "nan"]],
)
def test_numbers_beyond_bounds_are_told_by_their_option(bncc, weather, options):
    run = bncc("fit", weather, "-l", "rain", "-m", "recommended", "-o", "m.bncc", *options, code=2)
    assert options[0] in run.stderr or "`time_limit` must be" in run.stderr
    assert not Path("m.bncc").exists()


@pytest.mark.filterwarnings("ignore:No family of models was done")  # a slow machine may try nothing in 0.3 s
def test_a_log_says_what_is_best_so_far_and_how_much_time_is_left(bncc, weather, monkeypatch):
    monkeypatch.setattr(PacedLines.__init__, "__defaults__", (0.0,))  # every line, not one in some seconds
    told = bncc("fit", weather, *LABELS, "--time-limit", 60, "-o", "m").stderr.splitlines()  # more than it takes
    assert any("trying extra trees" in line for line in told)
    assert all("s left] " in line for line in told if line.startswith("["))
    assert sum("best so far" in line for line in told) >= 1
    assert "best so far" not in bncc("fit", weather, *LABELS, "--time-limit", 0.3, "--quiet", "-o", "m").output


@pytest.mark.slow
def test_a_terminal_says_what_is_best_so_far_and_how_much_time_is_left(weather, tmp_path):
    pty = pytest.importorskip("pty")
    above, below = pty.openpty()
    command = [sys.executable, "-m", "bncc", "fit", weather, *LABELS, "--time-limit", "60", "-o", "m.bncc"]
    terminal = {"stdin": below, "stdout": below, "stderr": below, "env": {**os.environ, "TERM": "xterm"}}
    with subprocess.Popen([str(word) for word in command], cwd=tmp_path, **terminal) as process:
        os.close(below)
        told = b""
        while True:
            try:
                told += (part := os.read(above, 1 << 16))
            except OSError:  # how a terminal ends where nobody has it open any longer
                break
            if not part:
                break
    os.close(above)
    assert process.returncode == 0, told
    for words in (b"trying extra trees", b"best so far", b"s left]", b"Learned recommended"):
        assert words in told, told
