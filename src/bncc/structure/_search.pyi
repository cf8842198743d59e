from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

def search(
    *,
    row_start: NDArray[np.int64],
    row_items: NDArray[np.int32],
    label_start: NDArray[np.int64],
    label_items: NDArray[np.int32],
    required_start: NDArray[np.int64],
    required_items: NDArray[np.int32],
    forbidden_start: NDArray[np.int64],
    forbidden_items: NDArray[np.int32],
    order: NDArray[np.int32],
    child_limits: NDArray[np.int32],
    predecessors_only: bool,
    start_empty: bool,
    informative: bool,
    max_parents: int,
    cell: NDArray[np.int64],
    total: NDArray[np.int64],
    penalty: NDArray[np.float64],
    offset: float,
    scale: float,
    climbs: bool,
    over_classes: bool,
    n_threads: int,
) -> tuple[list[Sequence[int]], list[Sequence[float]], list[int]]: ...
