"""A real Dask scheduler with two workers on loopback, one of which is killed in the middle of a study."""

import signal

import pytest

from bncc.experiment import Certificates, Store, dask_executor, load_protocol, run_study
from dask_processes import start, started_cluster, wait_for
from studies import table
from tls import make_authority, make_certificate, tls_options

pytest.importorskip("distributed")


@pytest.fixture
def cluster(tmp_path):
    """The scheduler's address, and its two workers."""
    with started_cluster(tmp_path) as started:
        yield started


@pytest.mark.slow
def test_a_worker_dies_and_the_table_is_the_same(write_protocol, tmp_path, cluster):
    address, workers = cluster
    protocol = load_protocol(write_protocol(mode="whole", repeats=6))
    killed = []

    def report(progress):
        if progress.done >= 4 and not killed:
            workers[0].send_signal(signal.SIGKILL)
            killed.append(progress.done)

    with dask_executor(address) as executor:
        last = run_study(protocol, tmp_path / "cluster.sqlite", executor=executor, report=report)
    assert killed
    assert killed[0] < last.total
    assert workers[0].wait() == -signal.SIGKILL
    assert (last.done, last.failures) == (last.total, ())
    run_study(protocol, tmp_path / "local.sqlite")
    with Store.read(tmp_path / "cluster.sqlite") as there, Store.read(tmp_path / "local.sqlite") as here:
        assert table(there) == table(here)


def test_no_scheduler():
    with pytest.raises(ConnectionError, match="no Dask scheduler answers at"), dask_executor("tcp://127.0.0.1:9"):
        pass


@pytest.fixture(scope="module")
def authorities(tmp_path_factory):
    """Certificates of ours, and of a stranger with an authority of its own."""
    folder = tmp_path_factory.mktemp("tls")
    for authority, name in (("ca", "ours"), ("other-ca", "stranger")):
        make_authority(folder, authority)
        make_certificate(folder, name, authority)
    return folder


def certificates_of(folder, name, ca="ca"):
    return Certificates(str(folder / f"{ca}.pem"), str(folder / f"{name}.pem"), str(folder / f"{name}.key"))


@pytest.fixture
def tls_scheduler(tmp_path, authorities):
    """The address of a scheduler that talks to holders of our certificates alone."""
    ours = tls_options(authorities, "ours")
    with started_cluster(tmp_path, *ours, host="tls://127.0.0.1", n_workers=0) as (address, _):
        yield address


@pytest.mark.slow
def test_only_peers_with_our_certificates_take_part(write_protocol, tmp_path, authorities, tls_scheduler):
    """A worker without a certificate, or with a stranger's, is turned away; ours runs the study."""
    from distributed import Client
    from distributed.security import Security

    assert tls_scheduler.startswith("tls://")
    ours = {"tls_ca_file": str(authorities / "ca.pem"), "tls_client_cert": str(authorities / "ours.pem")}
    security = Security(require_encryption=True, tls_client_key=str(authorities / "ours.key"), **ours)
    common = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
    outsiders = {
        "none": ("worker", tls_scheduler.replace("tls://", "tcp://"), *common),
        "stranger": ("worker", tls_scheduler, *common, *tls_options(authorities, "stranger", "other-ca")),
        "false-ca": ("worker", tls_scheduler, *common, *tls_options(authorities, "stranger", "ca")),
    }
    turned_away = [start(*words, "--name", name, "--death-timeout", "8") for name, words in outsiders.items()]
    mine = ("--local-directory", str(tmp_path / "worker"), "--name", "ours")
    worker = start("worker", tls_scheduler, *common, *tls_options(authorities, "ours"), *mine)
    try:
        with Client(tls_scheduler, security=security, set_as_default=False) as client:
            wait_for("worker", lambda: client.scheduler_info()["workers"])
            for process in turned_away:
                assert process.wait(timeout=120) != 0
            assert [entry["name"] for entry in client.scheduler_info()["workers"].values()] == ["ours"]
        protocol = load_protocol(write_protocol(repeats=1))
        with dask_executor(tls_scheduler, certificates_of(authorities, "ours")) as executor:
            last = run_study(protocol, tmp_path / "s.sqlite", executor=executor)
        assert (last.done, last.failures) == (last.total, ())
    finally:
        for process in (*turned_away, worker):
            process.kill()
            process.wait()


@pytest.mark.slow
def test_a_stranger_gets_no_answer(authorities, tls_scheduler):
    stranger = certificates_of(authorities, "stranger", "other-ca")
    with pytest.raises(ConnectionError, match=r"as one of its peers\. Give the certificates"):
        dask_executor(tls_scheduler, stranger).__enter__()
    plain = tls_scheduler.replace("tls://", "tcp://")
    with pytest.raises(ConnectionError, match="no Dask scheduler answers at"):
        dask_executor(plain).__enter__()


def test_certificates_are_asked_for_and_read_first(tmp_path, authorities):
    with pytest.raises(ValueError, match="needs certificates: a CA file, a certificate and its key"):
        dask_executor("tls://127.0.0.1:9").__enter__()
    with pytest.raises(ValueError, match="certificates are for addresses that begin with tls://"):
        dask_executor("tcp://127.0.0.1:9", certificates_of(authorities, "ours")).__enter__()
    with pytest.raises(FileNotFoundError, match=r"`key` must be a PEM file; there is no file .*none\.key"):
        Certificates(str(authorities / "ca.pem"), str(authorities / "ours.pem"), str(tmp_path / "none.key"))
    (tmp_path / "text.pem").write_text("no certificate")
    broken = Certificates(str(authorities / "ca.pem"), str(tmp_path / "text.pem"))
    with pytest.raises(ConnectionError, match=r"cannot be used .* give PEM files"):
        dask_executor("tls://127.0.0.1:9", broken).__enter__()


def test_certificates_of_the_configuration(authorities):
    import dask

    client = {"cert": str(authorities / "ours.pem"), "key": str(authorities / "ours.key")}
    with (
        dask.config.set({"distributed.comm.tls.ca-file": str(authorities / "ca.pem")}),
        dask.config.set({"distributed.comm.tls.client": client}),
        pytest.raises(ConnectionError, match="no Dask scheduler answers"),
    ):
        dask_executor("tls://127.0.0.1:9").__enter__()
