"""More than one machine: the tasks of a study on a Dask cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Certificates", "dask_executor"]

_ADVICE = "Give the certificates that the scheduler was started with (ca, certificate and key)."


@dataclass(frozen=True)
class Certificates:
    """PEM files that prove to a cluster who we are, and to us who the cluster is.

    Attributes
    ----------
    ca : path
        The authority that signed the certificates of scheduler and workers; any other peer is turned away.
    certificate, key : path
        Ours, signed by that authority. A key in the same file as the certificate need not be named.
    """

    ca: str
    certificate: str
    key: str | None = None

    def __post_init__(self) -> None:
        for name, path in (("ca", self.ca), ("certificate", self.certificate), ("key", self.key or self.certificate)):
            if not Path(path).is_file():
                raise FileNotFoundError(f"`{name}` must be a PEM file; there is no file {path}.")


@contextmanager
def dask_executor(address: str, certificates: Certificates | None = None) -> Iterator[Executor]:
    """An executor for `run_study` on the workers of a Dask scheduler, as "tls://host:8786" or "tcp://host:8786".

    Each worker needs this package and the data sets, at the same paths or under its own BNCC_DATA. A task whose worker
    dies is given to another one. Workers should run one task at a time (``dask worker --nthreads 1``), since a task
    uses all cores of its machine.

    A Dask worker runs what it is sent, and we load what it answers: with ``tcp://`` every machine that can reach the
    scheduler must be trusted. With ``tls://`` all talk is encrypted, and only peers with a certificate of the same
    authority take part.

    Parameters
    ----------
    address : str
    certificates : Certificates, default=None
        For ``tls://``; None takes those of Dask's own configuration (``distributed.comm.tls``).
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError('A cluster needs Dask: pip install "bncc[cluster]".') from error
    if not re.fullmatch(r"(?:[a-z]+://)?[^/\s]+:[0-9]{1,5}", address):
        raise ValueError(f"the address of a scheduler is tls://host:port or tcp://host:port; got {address!r}.")
    security = _security(address, certificates)
    try:
        client: Any = Client(address, timeout="5s", set_as_default=False, security=security)  # type: ignore[no-untyped-call]
    except OSError as error:
        encrypted = f" as one of its peers. {_ADVICE}" if security is not None else "; start one with `dask scheduler`."
        raise ConnectionError(f"no Dask scheduler answers at {address!r}{encrypted}") from error
    with client, client.get_executor(retries=3, pure=False) as executor:
        yield executor


def _security(address: str, certificates: Certificates | None) -> object | None:
    """What Dask needs to encrypt; None for plain TCP."""
    from distributed.security import Security

    if not address.startswith("tls://"):
        if certificates is not None:
            raise ValueError(f"certificates are for addresses that begin with tls://; got {address!r}.")
        return None
    given: dict[str, Any] = {}
    if certificates is not None:
        given = {
            "tls_ca_file": certificates.ca,
            "tls_client_cert": certificates.certificate,
            "tls_client_key": certificates.key,
        }
    try:
        security: Any = Security(require_encryption=True, **given)  # type: ignore[no-untyped-call]
        if not (security.tls_ca_file and security.tls_client_cert):
            raise ValueError(
                f"{address!r} needs certificates: a CA file, a certificate and its key, given with the address or in "
                "Dask's configuration (distributed.comm.tls)."
            )
        security.get_connection_args("client")  # reads them
    except OSError as error:  # ssl.SSLError is one
        raise ConnectionError(f"the certificates for {address!r} cannot be used ({error}); give PEM files.") from error
    return security
