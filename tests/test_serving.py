"""The web service of examples/serve.py: started as a process of its own, and called."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
httpx = pytest.importorskip("httpx")

from bncc import save_model  # noqa: E402
from bncc.evaluation import build_pipeline, read_labelled  # noqa: E402

EXAMPLES = Path(__file__).parents[1] / "examples"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Tickets, a model of them, and the address of the service that has it."""
    file = tmp_path_factory.mktemp("served") / "tickets.bncc"
    data = read_labelled("tickets")
    model = build_pipeline(data, "br", base="linear").fit(data.X, data.Y)
    save_model(model, file)
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "serve:app", "--port", str(port), "--app-dir", str(EXAMPLES)]
    process = subprocess.Popen(command, env={**os.environ, "BNCC_MODEL": str(file)}, stderr=subprocess.PIPE, text=True)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, process)
        yield data, model, address
    finally:
        process.terminate()
        process.communicate(timeout=30)


def _wait_for(address, process):
    for _ in range(300):
        assert process.poll() is None, process.stderr.read()
        try:
            httpx.get(address)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("the service did not answer within 30 seconds")


def test_it_says_what_it_takes_and_gives(served):
    data, _, address = served
    said = httpx.get(address).json()
    assert said["labels"] == list(data.label_names)
    assert set(said["columns"]) == set(data.X.columns)


def test_answers_are_those_of_the_model(served):
    data, model, address = served
    rows = data.X.iloc[:20]
    rows = rows[rows.notna().all(axis=1)]
    sent = rows[rows.columns[::-1]].to_dict("records")
    answers = httpx.post(f"{address}/predict", json=sent).raise_for_status().json()
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
    answer = httpx.post(f"{address}/predict", json=rows)
    assert answer.status_code == 422
    assert problem in answer.text
