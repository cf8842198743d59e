"""A real Dask scheduler with two workers on loopback: the same weights as here, whatever happens to the workers."""

import signal
import subprocess
import sys
import threading
import time
from functools import partial

import numpy as np
import pytest
from scipy import sparse

import bncc
from bncc.linear import (
    Features,
    LinearSVC,
    LogisticRegression,
    chain_context,
    dask_blocks,
    make_batch,
    native,
    solve,
)
from bncc.linear.dask_blocks import ShareStopped, _stop_once_cancelled, active_cluster, solve_share
from bncc.linear.engine_native import NativeSettings
from bncc.linear.label_shares import share_out, without_problems
from bncc.linear.plans import plan_blocks
from bncc.linear.sent_records import SentRecord
from dask_processes import start, started_cluster, wait_for
from linear_problems import LOSSES, text_like
from tls import make_authority, make_certificate, tls_options

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(native.extension() is None, reason="the native engine is not built")
TEXT, LABELS = text_like(400, 200, 60)


def connect(address, n_workers=2, **options):
    client = distributed.Client(address, set_as_default=False, **options)
    if n_workers:
        client.wait_for_workers(n_workers, timeout=120)
    return client


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Of a cluster with two workers, which no test kills."""
    with started_cluster(tmp_path_factory.mktemp("cluster")) as (address, _), connect(address) as connected:
        yield connected


def dense(weights):
    return weights.toarray() if sparse.issparse(weights) else weights


def check_same(there, here):
    """To the last bit, with costs block by block (but for seconds)."""
    assert type(there.weights) is type(here.weights)
    assert dense(there.weights).tobytes() == dense(here.weights).tobytes()
    for name in ("bias", "objective", "dual_objective", "iterations", "status"):
        assert getattr(there, name).tobytes() == getattr(here, name).tobytes()
    for name in ("updates", "checks", "active"):
        assert getattr(there.costs, name).tobytes() == getattr(here.costs, name).tobytes()
    assert there.costs.seconds.shape == here.costs.seconds.shape


def everything(loss):
    """Contexts, row sets, weights, several values of C, labels that are constant."""
    random = np.random.default_rng(1)
    labels = LABELS.copy()
    labels[:, 3], labels[:, 5] = 0, 1
    n = labels.shape[1]
    return make_batch(
        TEXT,
        labels,
        loss=loss,
        C=np.repeat([0.3, 3.0], n),
        target=np.tile(np.arange(n), 2),
        rows=[np.flatnonzero(random.random(len(labels)) < 0.8)],
        row_set=np.tile(np.arange(n) % 2 - 1, 2),
        labels=sparse.csr_array(labels),
        context=np.tile(chain_context(np.arange(n)), (2, 1)),
        weights=random.uniform(0, 2, (1, len(labels))),
        weight=np.tile(np.arange(n) % 3 // 2 - 1, 2),
        start=np.concatenate([np.full(n, -1), np.arange(n)]),
    )


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("tol", "drop"), [(1e-3, None), (1e-6, 0.01)])
def test_same_solutions_as_on_one_machine(client, loss, tol, drop):
    batch = everything(loss)
    done = []
    with bncc.cluster(client):
        there = solve(batch, tol=tol, drop=drop, progress=done.append)
    check_same(there, solve(batch, tol=tol, drop=drop))
    assert done == sorted(done)
    assert done[-1] == len(batch)


@pytest.mark.parametrize("base", [LinearSVC(), LogisticRegression(), LinearSVC(drop_below=0.01)])
@pytest.mark.parametrize("method", [bncc.BinaryRelevance, partial(bncc.ClassifierChain, order=None), bncc.BNCC])
def test_same_methods_as_on_one_machine(client, base, method):
    with bncc.cluster(client):
        there = method(base).fit(TEXT, LABELS)
    here = method(base).fit(TEXT, LABELS)
    check_same(there._solved.solutions, here._solved.solutions)
    assert (there.engine_.name, there.engine_.reason) == ("native", "on the workers of a cluster")
    assert here.engine_.reason == "the compiled extension is there"
    assert (there.predict(TEXT) == here.predict(TEXT)).all()


def test_the_features_are_sent_once(client, monkeypatch):
    """Two methods and a search on the same features; others are sent when they come, and the first may go."""
    client.amm.stop()  # between fits Dask drops copies that nothing waits for, every two seconds
    sent = []
    scatter = client.scatter
    monkeypatch.setattr(client, "scatter", lambda data, **how: sent.append(data) or scatter(data, **how))

    def sent_features():
        return sum(isinstance(data.record, Features) for data in sent)

    with bncc.cluster(client):
        bncc.BinaryRelevance(LinearSVC()).fit(TEXT, LABELS)
        bncc.BNCC(LogisticRegression()).fit(TEXT, LABELS)
        bncc.BatchSearchCV(bncc.BNCC(LinearSVC()), {"estimator__C": [0.1, 1.0]}, cv=2).fit(TEXT, LABELS)
        assert sent_features() == 1
        key = active_cluster()._features[1].key
        assert len(client.who_has()[key]) == 2
        LinearSVC().fit(2 * TEXT, LABELS[:, 0])
        assert sent_features() == 2
        LinearSVC().fit(2 * TEXT, LABELS[:, 1])
    assert sent_features() == 2
    assert active_cluster() is None
    client.amm.start()


def test_what_progress_raises_stops_the_fit(client):
    def stop(done):
        raise KeyboardInterrupt

    with bncc.cluster(client), pytest.raises(KeyboardInterrupt):
        solve(everything("hinge"), progress=stop)
    with bncc.cluster(client):  # the cluster goes on
        assert LinearSVC().fit([[-1.0], [1.0]], [0, 1]).predict([[2.0]]) == [1]


def busy(client):
    """Threads of the workers that run something."""
    return sum(client.run(lambda dask_worker: len(dask_worker.active_threads)).values())


def test_shares_of_a_fit_that_was_stopped_stop_soon(client):
    X, Y = text_like(40_000, 8000, 64)
    seen = []

    def stop(done):
        seen.append(busy(client) if done == 0 else "too short a fit")
        if seen[-1]:
            raise KeyboardInterrupt

    with bncc.cluster(client), pytest.raises(KeyboardInterrupt):
        solve(make_batch(X, Y, C=1e4, loss="hinge"), tol=1e-12, max_iter=10**9, progress=stop)
    assert seen[-1] in (1, 2)
    wait_for("idle worker", lambda: busy(client) == 0, seconds=10)


def test_a_share_stops_once_it_has_been_cancelled_for_a_while(monkeypatch):
    class Task:
        state = "executing"

    class Worker:
        class state:
            tasks = {"share": Task()}  # noqa: RUF012

        def get_current_task(self):
            return "share"

    monkeypatch.setattr(distributed, "get_worker", Worker)
    clock = iter([0.0, 0.2, 5.0, 5.2, 5.4])
    monkeypatch.setattr(dask_blocks.time, "monotonic", lambda: next(clock))
    look = _stop_once_cancelled()
    look(0)
    Task.state = "cancelled"
    look(0)
    look(1)
    Task.state = "executing"  # it was taken up again
    look(1)
    Task.state = "cancelled"
    look(2)
    look(2)
    with pytest.raises(ShareStopped):
        look(2)
    del Worker.state.tasks["share"]
    look(2)


def test_what_is_no_task_of_dask_is_not_watched():
    assert _stop_once_cancelled() is None


def test_errors_of_workers_arrive(client, monkeypatch):
    with bncc.cluster(client), monkeypatch.context() as patch:
        patch.setattr(bncc, "__version__", "9.9")
        with pytest.raises(RuntimeError, match=r"this worker has bncc .*, and the fit is of bncc 9\.9; install the"):
            LinearSVC().fit([[-1.0], [1.0]], [0, 1])


def test_other_engines_are_refused(client):
    with bncc.cluster(client), pytest.raises(ValueError, match=r"solves on the compiled engine; here .* 'numpy'"):
        LinearSVC(engine="numpy").fit([[-1.0], [1.0]], [0, 1])


def test_a_batch_without_problems(client):
    with bncc.cluster(client):
        assert len(solve(make_batch(TEXT, LABELS[:, :0]))) == 0


def test_other_threads_stay_here(client):
    found = []
    with bncc.cluster(client):
        thread = threading.Thread(target=lambda: found.append(active_cluster()))
        thread.start()
        thread.join()
        assert active_cluster() is not None
    assert found == [None]


def test_a_worker_without_the_extension_says_so(monkeypatch):
    batch = make_batch(TEXT.astype(np.float32), LABELS)
    features, common = map(SentRecord, without_problems(batch))
    share = share_out(batch, plan_blocks(batch), 2)[1]
    arguments = features, common, share, NativeSettings.here(1e-3, 1000, None), 1
    part = solve_share(*arguments, bncc.__version__)
    assert part.weights.tobytes() == solve(batch).weights[share.problems].tobytes()
    monkeypatch.setattr(dask_blocks, "extension", lambda: None)
    with pytest.raises(ImportError, match="This worker has bncc without the compiled linear engine"):
        solve_share(*arguments, bncc.__version__)


def test_only_clients_are_taken(client):
    for other in ("tcp://127.0.0.1:8786", None):
        with pytest.raises(TypeError, match=r"`client` must be a distributed\.Client"), bncc.cluster(other):
            pass
    with distributed.Client(client.scheduler.address, set_as_default=False) as closed:
        pass
    with pytest.raises(ConnectionError, match="its status is 'closed'"), bncc.cluster(closed):
        pass


def test_dask_is_loaded_when_it_is_asked_for():
    code = """
import sys, bncc
bncc.LinearSVC().fit([[-1.0], [1.0]], [0, 1])
assert not {"dask", "distributed"} & set(sys.modules)
sys.modules["distributed"] = None
try:
    bncc.cluster(None).__enter__()
except ImportError as error:
    assert 'pip install "bncc[cluster]"' in str(error)
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_cluster_without_workers_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_blocks, "_PATIENCE", 0.5)
    with (
        started_cluster(tmp_path, n_workers=0) as (address, _),
        connect(address, n_workers=0) as client,
        bncc.cluster(client),
        pytest.raises(ConnectionError, match=r"has had no worker for 0 seconds; start some with `dask worker`\."),
    ):
        LinearSVC().fit([[-1.0], [1.0]], [0, 1])


def waits_for(file, client, monkeypatch):
    """All shares of a fit but the first wait on their workers until a file is there: they are never done before."""
    submit, submitted = client.submit, []

    def submit_waiting(function, *arguments, **how):
        first = not submitted
        submitted.append(function)

        def wait_and_solve(*given):
            while not (first or file.exists()):
                time.sleep(0.01)
            return function(*given)

        return submit(wait_and_solve, *arguments, **how)

    monkeypatch.setattr(client, "submit", submit_waiting)


def test_a_worker_dies_in_the_middle_and_the_weights_are_the_same(tmp_path, monkeypatch):
    X, Y = text_like(8000, 3000, 400)
    batch = make_batch(X, Y, labels=sparse.csr_array(Y), context=chain_context(np.arange(400)))
    here = solve(batch)
    killed = []
    with started_cluster(tmp_path) as (address, workers), connect(address) as client, bncc.cluster(client):
        waits_for(tmp_path / "dead", client, monkeypatch)

        def kill(done):
            if done and not killed:
                workers[0].send_signal(signal.SIGKILL)
                assert workers[0].wait() == -signal.SIGKILL
                killed.append(done)
                (tmp_path / "dead").touch()

        there = solve(batch, progress=kill)
        assert len(client.nthreads()) == 1
    assert 0 < killed[0] < len(batch)
    check_same(there, here)


@pytest.mark.slow
def test_all_workers_die_and_others_come(tmp_path, monkeypatch):
    """The rows are gone with them, and sent again."""
    X, Y = text_like(8000, 3000, 400)
    batch = make_batch(X, Y)
    here = solve(batch)
    killed = []
    with started_cluster(tmp_path) as (address, workers), connect(address) as client, bncc.cluster(client):
        waits_for(tmp_path / "dead", client, monkeypatch)
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path / "other"))

        def kill(done):
            if done and not killed:
                killed.append(done)
                for worker in workers:
                    worker.send_signal(signal.SIGKILL)
                    worker.wait()
                (tmp_path / "dead").touch()
                others.append(start("worker", address, *options))

        others = []
        try:
            there = solve(batch, progress=kill)
        finally:
            for worker in others:
                worker.kill()
                worker.wait()
    assert 0 < killed[0] < len(batch)
    check_same(there, here)


@pytest.mark.slow
def test_encrypted(tmp_path):
    make_authority(tmp_path, "ca")
    make_certificate(tmp_path, "ours", "ca")
    security = distributed.Security(
        require_encryption=True,
        tls_ca_file=str(tmp_path / "ca.pem"),
        tls_client_cert=str(tmp_path / "ours.pem"),
        tls_client_key=str(tmp_path / "ours.key"),
    )
    with (
        started_cluster(tmp_path, *tls_options(tmp_path, "ours"), host="tls://127.0.0.1") as (address, _),
        connect(address, security=security) as client,
        bncc.cluster(client),
    ):
        assert address.startswith("tls://")
        there = solve(make_batch(TEXT, LABELS))
    check_same(there, solve(make_batch(TEXT, LABELS)))
