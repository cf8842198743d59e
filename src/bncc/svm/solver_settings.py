"""How problems are solved: one frozen record that travels whole from an estimator to the engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

from bncc._checks import check_count, check_number
from bncc._threads import n_threads
from bncc._typing import EngineName

__all__ = ["SettingChanges", "SolverSettings"]


@dataclass(frozen=True)
class SolverSettings:
    """Settings that every engine understands; none of them changes a solution beyond `tol`.

    Attributes
    ----------
    tol : float, default=1e-3
        A problem is solved when no pair of rows violates the optimality conditions by more.
    max_iter : int, default=-1
        Iterations per problem; -1 is no limit in practice (LIBSVM's: the larger of 10^7 and 100 n).
    cache_size : float, default=2000
        Megabytes for distances and kernel rows together; kernel rows get what the distances leave, at least half.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores. Solutions do not depend on it.
    engine : "auto", "cpu" or "cuda", default="auto"
        See `choose_engine`. `cache_size` and `n_jobs` do not matter to a CUDA device.

    >>> SolverSettings(tol=1e-4).changed(n_jobs=2)
    SolverSettings(tol=0.0001, max_iter=-1, cache_size=2000.0, n_jobs=2, engine='auto')
    """

    tol: float = 1e-3
    max_iter: int = -1
    cache_size: float = 2000.0
    n_jobs: int | None = None
    engine: EngineName = "auto"

    def __post_init__(self) -> None:
        check_number("tol", self.tol, 5e-324, 1e30)
        check_count("max_iter", self.max_iter, -1, 2**62)
        check_number("cache_size", self.cache_size, 0.0, 1e9)
        n_threads(self.n_jobs)

    def changed(self, **changes: Unpack[SettingChanges]) -> SolverSettings:
        """The same settings but for some."""
        return replace(self, **changes) if changes else self


class SettingChanges(TypedDict, total=False):
    """Fields of `SolverSettings` by name, for functions that take them as keywords."""

    tol: float
    max_iter: int
    cache_size: float
    n_jobs: int | None
    engine: EngineName
