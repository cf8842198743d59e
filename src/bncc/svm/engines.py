"""One entry for every batch: pick an engine, solve, and hand back frozen solutions."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Unpack, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from bncc._typing import EngineName, Pulse
from bncc.svm.cuda.device import current_device, missing
from bncc.svm.cuda.engine import CudaEngine
from bncc.svm.engine_native import NativeEngine
from bncc.svm.engine_numpy import NumpyEngine
from bncc.svm.engine_protocol import Engine
from bncc.svm.native import extension
from bncc.svm.problems import Batch, Solutions
from bncc.svm.solver_settings import SettingChanges, SolverSettings

__all__ = ["EngineChoice", "anywhere", "at_hand", "check_engine", "choose_engine", "engine_for", "solve", "work_of"]

_log = logging.getLogger(__name__)
_MADE: dict[str, Callable[[], Engine]] = {
    "numpy": NumpyEngine,
    "native": NativeEngine,
    "cuda": lambda: CudaEngine(lambda: engine_for("cpu", 0.0)),
}
_WORTH_A_DEVICE = 1e9

_MAX_ROWS = 2**31 - 1 - 256


@dataclass(frozen=True)
class EngineChoice:
    """The engine that a name stands for here, and why: "cuda", "native" or "numpy"."""

    name: str
    reason: str

    def engine(self) -> Engine:
        """The engine itself."""
        return _MADE[self.name]()


def choose_engine(engine: str = "auto", *, work: float = 0.0) -> EngineChoice:
    """What solves problems on this machine.

    Parameters
    ----------
    engine : "auto", "cpu" or "cuda"
        "cpu" is the compiled extension, or NumPy where it is not built. "auto" is "cuda" where CuPy finds a device and
        the work is worth it, or where NumPy would be the alternative; else "cpu". Also "native" and "numpy", which are
        these and nothing else.
    work : float
        Sum of the squared numbers of rows of all problems (`work_of`); 10^9 is about a second of one core.

    Raises
    ------
    ImportError
        If an engine is asked for by name that cannot run here; the message says what is missing.

    >>> choose_engine("numpy")
    EngineChoice(name='numpy', reason='asked for')
    """
    choice = _choose(check_engine(engine), work)
    _log.debug("engine %s for %r: %s", choice.name, engine, choice.reason)
    return choice


def check_engine(engine: str) -> EngineName:
    """The name, if it is one of an engine; what it stands for here is for `choose_engine` to say.

    >>> check_engine("cpu")
    'cpu'
    """
    if engine not in get_args(EngineName):
        raise ValueError(f'`engine` must be "auto", "cpu" or "cuda"; got {engine!r}.')
    return cast(EngineName, engine)


def _choose(engine: EngineName, work: float) -> EngineChoice:
    if engine == "numpy":
        return EngineChoice("numpy", "asked for")
    if engine == "cuda":
        return EngineChoice("cuda", f"asked for; device {current_device().name}")
    is_built = extension() is not None
    if engine == "native" and not is_built:
        raise ImportError("The native engine is not built here. Reinstall bncc with a C++17 compiler, or use 'numpy'.")
    cpu, built = ("native", "the extension is built") if is_built else ("numpy", "the extension is not built")
    if engine != "auto":
        return EngineChoice(cpu, f"asked for; {built}")
    if work < _WORTH_A_DEVICE and (is_built or missing()):
        return EngineChoice(cpu, f"little work ({work:.1e} below {_WORTH_A_DEVICE:.0e}); {built}")
    if reason := missing():
        return EngineChoice(cpu, f"{reason} And {built}.")
    why = f"much work ({work:.1e})" if work >= _WORTH_A_DEVICE else built
    return EngineChoice("cuda", f"{why}; device {current_device().name}")


def anywhere(engine: EngineName) -> EngineName:
    """The name for settings that travel to other machines: what only some of them have is left to their choice.

    >>> anywhere("cuda"), anywhere("cpu")
    ('auto', 'cpu')
    """
    return "auto" if engine == "cuda" else engine


def at_hand(engine: EngineName) -> EngineName:
    """The name, or where it is a device that this machine has not, the one that leaves the choice to it.

    >>> at_hand("cpu")
    'cpu'
    """
    return anywhere(engine) if engine == "cuda" and missing() else engine


def engine_for(engine: EngineName, work: float) -> Engine:
    """The engine that a name stands for here, with so much work to do."""
    return choose_engine(engine, work=work).engine()


def work_of(sizes: ArrayLike) -> float:
    """Work of problems with these numbers of rows, as `choose_engine` weighs it."""
    return float(np.square(np.asarray(sizes, np.float64)).sum())


def solve(batch: Batch, *, progress: Pulse | None = None, **settings: Unpack[SettingChanges]) -> Solutions:
    """Solve every problem of a batch.

    Parameters
    ----------
    batch : Batch
    progress : callable, default=None
        Called about ten times a second with the number of problems done. What it raises stops the call, as Ctrl-C
        does, within a fraction of a second.
    **settings
        Fields of `SolverSettings`: `tol`, `max_iter`, `cache_size`, `n_jobs`, `engine`.

    >>> from bncc.svm import make_batch, squared_distances
    >>> batch = make_batch(squared_distances([[0.0], [1.0], [3.0]]), [-1, 1, 1], gamma=1.0, C=1.0)
    >>> solve(batch)[0].support.tolist()
    [0, 1, 2]
    """
    asked = SolverSettings(**settings)
    if batch.n_rows > _MAX_ROWS:
        raise ValueError(f"A batch may have up to {_MAX_ROWS:,} rows; got {batch.n_rows:,}.")
    return engine_for(asked.engine, work_of(batch.sizes())).solve(batch, asked, progress)
