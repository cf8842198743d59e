"""More than one machine for one fit: its blocks of labels on the workers of a Dask cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from hashlib import blake2b
from typing import Protocol, cast

from bncc._threads import n_threads
from bncc._versions import versions_now
from bncc.linear.engine_native import NativeSettings, solve_plan
from bncc.linear.features import Features
from bncc.linear.label_shares import Share, batch_of_share, join_solutions, share_out, without_problems
from bncc.linear.native import extension
from bncc.linear.plans import plan_blocks
from bncc.linear.problems import Batch
from bncc.linear.sent_records import SentRecord, aligned
from bncc.linear.solutions import Solutions

__all__ = ["BlockCluster", "active_cluster", "cluster"]

# Each thread of the workers gets about this many shares of a fit: few enough to cost nothing, enough to even out.
_SHARES_PER_THREAD = 6
# Seconds between two looks at what is done.
_LOOK = 0.05
# Seconds for which a task must have been cancelled until it stops.
_CANCELLED_FOR = 0.3
# Seconds without any worker until a fit gives up.
_PATIENCE = 60.0
# Rounds of sending the rows again, after all workers that had them are lost.
_ROUNDS = 5


class BlockFuture(Protocol):
    """What we ask of a future of Dask's."""

    status: str

    def done(self) -> bool: ...

    def result(self) -> Solutions: ...


class BlockClient(Protocol):
    """What we ask of a client of Dask's."""

    status: str
    asynchronous: bool

    def submit(self, function: Callable[..., Solutions], *arguments: object, pure: bool) -> BlockFuture: ...

    def scatter(self, data: object, *, broadcast: bool, hash: bool) -> BlockFuture: ...

    def cancel(self, futures: list[BlockFuture]) -> None: ...

    def nthreads(self) -> dict[str, int]: ...


@contextmanager
def cluster(client: object) -> Iterator[None]:
    """Within it, linear classifiers learn on the workers of a Dask cluster: blocks of labels are spread over them.

    It holds for every fit on the compiled linear engine that this thread starts: `LinearSVC` and `LogisticRegression`
    alone or as the base of any method, thresholds and searches. The features leave this machine once, as long as fits
    use the same, and each worker gets them once for a fit; between fits Dask keeps at least one copy, and makes the
    others from it. The rows' labels are sent with every fit. Blocks of a worker that is lost are given to others, and
    all others may join or leave meanwhile. Weights are those of one machine, to the last bit where the processors have
    the same instruction set (BNCC_SIMD names one). Predictions stay here.

    Each worker needs this version of the package, and a thread per core, which is what ``dask worker`` starts: a block
    is solved by one thread.

    A Dask worker runs what it is sent, and we load what it answers: make the client with ``tls://`` and certificates
    unless every machine that can reach the scheduler is trusted.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster; it is not closed. ``pip install "bncc[cluster]"`` has Dask.

    Examples
    --------
    >>> from bncc.linear import LinearSVC
    >>> from distributed import Client
    >>> with Client(processes=False, dashboard_address=None) as client, cluster(client):
    ...     model = LinearSVC().fit([[-1.0], [1.0]], [0, 1])
    >>> model.predict([[0.5]]).tolist()
    [1]
    """
    token = _ACTIVE.set(BlockCluster(_checked(client)))
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def active_cluster() -> BlockCluster | None:
    """The cluster that fits of this thread are spread over; None is this machine alone."""
    return _ACTIVE.get()


class BlockCluster:
    """A Dask cluster that solves batches; it remembers which features its workers have."""

    def __init__(self, client: BlockClient) -> None:
        self._client = client
        self._features: tuple[bytes, BlockFuture] | None = None

    def solve(
        self,
        batch: Batch,
        settings: NativeSettings,
        n_jobs: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Solutions:
        """Solve every problem of a batch, whose features have their precision (see `solve`)."""
        plan = plan_blocks(batch)
        if len(plan.unit_ptr) == 1:
            return solve_plan(batch, plan, settings, 1, progress)
        shares = share_out(batch, plan, _SHARES_PER_THREAD * self._count_threads())
        solved: dict[int, Solutions] = {}
        for _ in range(_ROUNDS):
            left = [(number, share) for number, share in enumerate(shares) if number not in solved]
            self._solve_round(batch, left, solved, (settings, n_jobs), progress)
            if len(solved) == len(shares):
                return join_solutions(batch, shares, [solved[number] for number in range(len(shares))])
        raise ConnectionError(
            f"the workers that had the rows were lost {_ROUNDS} times, with {len(shares) - len(solved)} of "
            f"{len(shares)} shares left. Their logs say why; too little memory is the usual reason."
        )

    def _solve_round(
        self,
        batch: Batch,
        shares: Sequence[tuple[int, Share]],
        solved: dict[int, Solutions],
        options: tuple[NativeSettings, int | None],
        progress: Callable[[int], object] | None,
    ) -> None:
        """Solve shares into `solved`; without those that were lost together with all that had the rows."""
        features, common = without_problems(batch)
        waiting: dict[BlockFuture, int] = {}
        try:
            rows = self._send_features(features), self._send(common)
            for number, share in shares:
                future = self._client.submit(solve_share, *rows, share, *options, _own_version(), pure=False)
                waiting[future] = number
            while waiting:
                for future in [future for future in waiting if future.done()]:
                    number = waiting.pop(future)
                    if (part := _result(future)) is not None:
                        solved[number] = part
                if progress is not None:
                    progress(sum(len(part) for part in solved.values()))
                if waiting:
                    time.sleep(_LOOK)
        finally:
            self._client.cancel(list(waiting))

    def _send_features(self, features: Features) -> BlockFuture:
        """The features on every worker; sent where it is not known that they are there."""
        digest = _digest(features)
        if self._features is None or self._features[0] != digest or self._features[1].status != "finished":
            self._features = None  # what workers have of others may go
            self._features = digest, self._send(features)
        return self._features[1]

    def _send(self, data: Features | Batch) -> BlockFuture:
        """Data on every worker; further ones get it from these."""
        for _ in range(_ROUNDS - 1):
            self._count_threads()
            with suppress(OSError):  # a worker was lost meanwhile
                return self._client.scatter(SentRecord(data), broadcast=True, hash=False)
        return self._client.scatter(SentRecord(data), broadcast=True, hash=False)

    def _count_threads(self) -> int:
        """Threads of all workers; waits for the first."""
        deadline = time.monotonic() + _PATIENCE
        while not (threads := self._client.nthreads()):
            if time.monotonic() > deadline:
                raise ConnectionError(
                    f"the cluster has had no worker for {_PATIENCE:.0f} seconds; start some with `dask worker`."
                )
            time.sleep(_LOOK)
        return sum(threads.values())


_ACTIVE: ContextVar[BlockCluster | None] = ContextVar("bncc_cluster", default=None)


def solve_share(
    features: SentRecord[Features],
    common: SentRecord[Batch],
    share: Share,
    settings: NativeSettings,
    n_jobs: int | None,
    version: str,
) -> Solutions:
    """What a worker does: the problems of a share, on the rows that it was sent before."""
    if version != (own := _own_version()):
        raise RuntimeError(f"this worker has bncc {own}, and the fit is of bncc {version}; install the same.")
    if extension() is None:
        raise ImportError("This worker has bncc without the compiled linear engine; install it with a C++17 compiler.")
    share = aligned(share)
    batch = batch_of_share(features.record, common.record, share)
    threads = _threads_per_share() if n_jobs is None else n_threads(n_jobs)
    return solve_plan(batch, share.plan, settings, threads, _stop_once_cancelled())


class ShareStopped(Exception):
    """The share of a fit that was stopped: Dask forgets a task that is cancelled, and lets it run on."""


def _stop_once_cancelled() -> Callable[[int], None] | None:
    """What raises `ShareStopped` once the task of this thread is cancelled; None where this is no task of Dask's.

    It asks the worker what it knows, and nobody else. A task may be taken up again at once, so two looks must agree.
    """
    from distributed import get_worker

    try:
        worker = get_worker()
        key = worker.get_current_task()
    except (KeyError, ValueError):
        return None
    since: list[float] = []

    def look(done: int) -> None:
        if getattr(worker.state.tasks.get(key), "state", None) != "cancelled":
            since.clear()
        elif not since:
            since.append(time.monotonic())
        elif time.monotonic() - since[0] > _CANCELLED_FOR:
            raise ShareStopped(key)

    return look


def _own_version() -> str:
    return versions_now()["bncc"]


def _threads_per_share() -> int:
    """Cores of this worker for one of the shares that it solves at a time."""
    from distributed import get_worker

    return max(1, n_threads(None) // get_worker().state.nthreads)


def _result(future: BlockFuture) -> Solutions | None:
    """What a worker has answered; None where it was lost with all the rows, or stopped by mistake."""
    from distributed.scheduler import KilledWorker

    try:
        solved: Solutions = future.result()
    except (CancelledError, ShareStopped):
        return None
    except KilledWorker as error:
        raise ConnectionError(
            "several workers died while they solved the same labels. Their logs say why; too little memory is the "
            "usual reason: a worker holds X, the labels, and per thread 64 bytes for each feature, label and row."
        ) from error
    return solved


def _digest(features: Features) -> bytes:
    """A name for the content of features."""
    name = blake2b(repr((features.n_rows, features.n_features, features.values.dtype)).encode())
    for array in (features.values, features.indptr, features.indices):
        if array is not None and array.size:
            name.update(array.reshape(-1).view("u1").data)
    return name.digest()


def _checked(client: object) -> BlockClient:
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError('A cluster needs Dask: pip install "bncc[cluster]".') from error
    if not isinstance(client, Client) or client.asynchronous:
        raise TypeError(
            f"`client` must be a distributed.Client that is not asynchronous; got {client!r}. Make one with "
            "distributed.Client(address)."
        )
    if client.status != "running":
        raise ConnectionError(f"`client` must be connected to a scheduler; its status is {client.status!r}.")
    return cast(BlockClient, client)
