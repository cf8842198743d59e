"""The web service of examples/serve.py: started as a process of its own, and called."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
httpx = pytest.importorskip("httpx")

from bncc import save_model  # noqa: E402
from bncc.evaluation import build_pipeline, read_labelled  # noqa: E402

EXAMPLES = Path(__file__).parents[1] / "examples"
PATIENCE = 60.0  # seconds for an answer, on a machine that does other things meanwhile


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Tickets, a model of them, and the address of the service that has it."""
    file = tmp_path_factory.mktemp("served") / "tickets.bncc"
    data = read_labelled("tickets")
    model = build_pipeline(data, "br", base="linear").fit(data.X, data.Y)
    save_model(model, file)
    command = [sys.executable, "-m", "uvicorn", "serve:app", "--port", "0", "--app-dir", str(EXAMPLES)]
    process = subprocess.Popen(command, env={**os.environ, "BNCC_MODEL": str(file)}, stderr=subprocess.PIPE, text=True)
    try:
        yield data, model, _address(process)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _address(process):
    """Where the service says that it listens, on a port that was free, once it does."""
    enough = threading.Timer(120, process.kill)
    enough.start()
    said = []
    try:
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"running on (http://127\.0\.0\.1:[1-9]\d*)", line):
                return found[1]
    finally:
        enough.cancel()
    pytest.fail("the service did not begin:\n" + "".join(said))


def test_it_says_what_it_takes_and_gives(served):
    data, _, address = served
    said = httpx.get(address, timeout=PATIENCE).json()
    assert said["labels"] == list(data.label_names)
    assert set(said["columns"]) == set(data.X.columns)


def test_answers_are_those_of_the_model(served):
    data, model, address = served
    rows = data.X.iloc[:20]
    rows = rows[rows.notna().all(axis=1)]
    sent = rows[rows.columns[::-1]].to_dict("records")
    answers = httpx.post(f"{address}/predict", json=sent, timeout=PATIENCE).raise_for_status().json()
    expected = [
        [name for name, holds in zip(data.label_names, row, strict=True) if holds] for row in model.predict(rows)
    ]
    assert [answer["tags"] for answer in answers] == expected
    assert any(expected)
    rates = [[answer["probabilities"][name] for name in data.label_names] for answer in answers]
    assert rates == pytest.approx(model.predict_proba(rows), abs=1e-4)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [([], "send 1 to 1000 rows"), ([{"body": "hello"}], "every row needs the columns"), ("no list", "")],
)
def test_wrong_requests_are_told_what_is_wrong(served, rows, problem):
    _, _, address = served
    answer = httpx.post(f"{address}/predict", json=rows, timeout=PATIENCE)
    assert answer.status_code == 422
    assert problem in answer.text
