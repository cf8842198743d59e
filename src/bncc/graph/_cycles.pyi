import numpy as np
from numpy.typing import NDArray

def keep_acyclic(edges: NDArray[np.int32], kept: NDArray[np.uint8], n_nodes: int, /) -> None: ...
