"""Data drawn from a known label network: plain parents and probabilities in, a data set out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._checks import check_names
from bncc._typing import Floats, Random
from bncc.datasets.dataset import Dataset, make_dataset

__all__ = ["SCENES", "TrueNetwork", "make_features", "make_network_data", "make_power_law_labels", "make_scenes"]

_MOST_ROUNDS = 64


@dataclass(frozen=True)
class TrueNetwork:
    """A label network as it is, to draw data from.

    Attributes
    ----------
    parents : tuple of tuples of int
        Parents of each label; a parent stands before its children.
    probabilities : tuple of tuples of float
        P(label = 1) for each of the 2^k configurations of its k parents; bit i of a configuration is the value of
        the i-th parent.
    label_names : tuple of str
    """

    parents: tuple[tuple[int, ...], ...]
    probabilities: tuple[tuple[float, ...], ...]
    label_names: tuple[str, ...]

    def __post_init__(self) -> None:
        check_names(self.label_names, len(self.parents))
        if len(self.probabilities) != len(self.parents):
            raise ValueError(
                f"`probabilities` must have one entry per label ({len(self.parents)}); got {len(self.probabilities)}."
            )
        for child, (group, rates) in enumerate(zip(self.parents, self.probabilities, strict=True)):
            if not all(0 <= parent < child for parent in group):
                raise ValueError(f"Parents of label {child} must come before it; got {group}.")
            if len(rates) != 2 ** len(group) or not all(0 <= rate <= 1 for rate in rates):
                raise ValueError(
                    f"Label {child} with {len(group)} parents needs {2 ** len(group)} probabilities in [0, 1]; "
                    f"got {rates}."
                )

    def sample(self, n_rows: int, random_state: Random = None) -> NDArray[np.int8]:
        """Draw label rows, parents before children."""
        random = np.random.default_rng(random_state)
        Y = np.zeros((n_rows, len(self.parents)), np.int8)
        for child, (group, rates) in enumerate(zip(self.parents, self.probabilities, strict=True)):
            configuration = Y[:, list(group)].astype(np.int64) @ (1 << np.arange(len(group)))
            Y[:, child] = random.random(n_rows) < np.asarray(rates)[configuration]
        return Y


# After the five labels of the paper's introduction: Rural goes with Village and Paddy and excludes High building,
# which brings Technology; five more labels hang on these.
SCENES = TrueNetwork(
    label_names=(
        "Rural",
        "Village",
        "Paddy",
        "High building",
        "Technology",
        "Cattle",
        "Office",
        "Crowd",
        "Market",
        "River",
    ),
    parents=((), (0,), (0,), (0,), (3,), (2,), (4,), (3,), (1, 7), (2,)),
    probabilities=(
        (0.45,),
        (0.05, 0.70),
        (0.02, 0.60),
        (0.65, 0.04),
        (0.06, 0.75),
        (0.03, 0.50),
        (0.05, 0.60),
        (0.12, 0.65),
        (0.04, 0.45, 0.35, 0.90),
        (0.12, 0.55),
    ),
)


def make_network_data(
    network: TrueNetwork,
    n_rows: int,
    *,
    n_features: int = 24,
    noise: float = 1.0,
    random_state: Random = None,
    name: str = "generated",
) -> Dataset:
    """Draw labels from a network and features from the labels."""
    random = np.random.default_rng(random_state)
    Y = network.sample(n_rows, random)
    X = make_features(Y, n_features=n_features, noise=noise, random_state=random)
    return make_dataset(X, Y, label_names=network.label_names, name=name, source="generated")


def make_features(
    Y: NDArray[np.int8], *, n_features: int = 24, noise: float = 1.0, random_state: Random = None
) -> Floats:
    """Features that depend on the labels: each label adds its own random direction, and noise is added to the sum."""
    random = np.random.default_rng(random_state)
    directions = random.standard_normal((Y.shape[1], n_features)) / np.sqrt(n_features) * 3.0
    return Y @ directions + noise * random.standard_normal((Y.shape[0], n_features))


def make_scenes(n_rows: int = 1000, *, noise: float = 1.0, random_state: Random = 0) -> Dataset:
    """The embedded data set: pictures of village and city life, drawn from `SCENES`.

    >>> make_scenes(200)
    Dataset('scenes', 200 rows, 24 dense features, 10 labels, cardinality 2.990)
    """
    return make_network_data(SCENES, n_rows, noise=noise, random_state=random_state, name="scenes")


def make_power_law_labels(
    n_rows: int, n_labels: int, *, cardinality: float = 5.0, companions: float = 0.5, random_state: Random = None
) -> sparse.csr_array:
    """Sparse labels whose frequencies fall like 1/rank, each bringing a companion label with some probability.

    The companion of a label is a fixed, more frequent label, so that there is structure to find. A row has each label
    once at most: what is drawn twice is drawn again, so that the mean number of labels comes within a percent or so of
    `cardinality`. Near `n_labels` that fills the rare labels too, and their frequencies fall less.

    >>> make_power_law_labels(1000, 50, cardinality=3.0, random_state=0).nnz
    2993
    """
    if n_rows < 1 or n_labels < 1 or not 0 < cardinality <= n_labels:
        raise ValueError(
            "`n_rows` and `n_labels` must be positive and `cardinality` at most `n_labels`; got "
            f"{n_rows}, {n_labels} and {cardinality}."
        )
    random = np.random.default_rng(random_state)
    popularity = np.cumsum(1.0 / np.arange(1, n_labels + 1))
    companion = (np.arange(n_labels) * random.random(n_labels)).astype(np.int64)
    wanted, cells, share = n_rows * cardinality, np.empty(0, np.int64), 1.0 + companions
    for _ in range(_MOST_ROUNDS):
        lacking = wanted - cells.size
        if lacking <= wanted / 200:
            break
        n_draws = min(math.ceil(lacking / share), math.ceil(8 * wanted))
        row = random.integers(n_rows, size=n_draws)
        label = np.searchsorted(popularity, random.random(n_draws) * popularity[-1])
        brings = random.random(n_draws) < companions
        drawn = np.concatenate([row * n_labels + label, row[brings] * n_labels + companion[label[brings]]])
        before, cells = cells.size, np.sort(np.concatenate([cells, drawn]))
        cells = cells[np.diff(cells, prepend=-1) > 0]
        share = max(cells.size - before, 1) / n_draws  # new cells per draw, from here on
    rows, labels = np.divmod(cells, n_labels)
    return sparse.csr_array((np.ones(cells.size, np.int8), (rows, labels)), shape=(n_rows, n_labels))
