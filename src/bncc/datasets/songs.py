"""Generated songs: figures of sound as programs measure them, and the moods that listeners would hear."""

from __future__ import annotations

import numpy as np

from bncc._typing import Random
from bncc.datasets.dataset import Dataset, make_dataset
from bncc.datasets.generate import TrueNetwork

__all__ = ["MOODS", "make_songs"]

#: How moods depend on each other: a song that relaxes is hardly ever angry, a sad one is quiet.
MOODS = TrueNetwork(
    label_names=("relaxing", "angry", "surprised", "sad", "quiet", "happy"),
    parents=((), (0,), (0,), (1,), (1, 3), (1, 2, 3)),
    probabilities=(
        (0.45,),
        (0.55, 0.03),
        (0.45, 0.10),
        (0.38, 0.10),
        (0.22, 0.02, 0.65, 0.12),
        (0.60, 0.03, 0.55, 0.08, 0.05, 0.01, 0.10, 0.02),
    ),
)

_EXCITEMENT = np.array([-0.8, 1.0, 0.8, -0.3, -1.0, 0.3])
_PLEASURE = np.array([0.4, -0.8, 0.2, -0.9, -0.1, 1.0])

#: What is measured: its usual value, how far songs are from it, and what excitement and pleasure add.
_MEASURED = {
    "tempo (beats per minute)": (118.0, 24.0, 0.6, 0.3),
    "beats per second": (2.1, 0.5, 0.5, 0.2),
    "loudness (dB)": (-14.0, 5.0, 0.9, 0.1),
    "loudness range (dB)": (7.0, 2.5, -0.6, -0.1),
    "brightness (Hz)": (1900.0, 620.0, 0.8, 0.1),
    "rolloff (Hz)": (4200.0, 1300.0, 0.8, 0.0),
    "flux": (0.08, 0.03, 0.7, -0.1),
    "zero crossings": (0.07, 0.03, 0.7, -0.2),
    "share of major chords": (0.56, 0.18, 0.0, 0.8),
    "key strength": (0.60, 0.15, -0.2, 0.4),
    "roughness": (0.30, 0.12, 0.6, -0.7),
    "onsets per second": (3.2, 1.1, 0.7, 0.2),
}
_N_CEPSTRAL = 12


def make_songs(n_rows: int = 600, random_state: Random = 0) -> Dataset:
    """Songs with 24 figures of tempo, loudness and timbre, and six moods (`MOODS`), several per song.

    Nothing here was recorded: moods are drawn from a known network, sounds from the moods, with as much noise as
    leaves the moods about as hard to hear as those of real songs.

    >>> make_songs()
    Dataset('songs', 600 rows, 24 dense features, 6 labels, cardinality 1.920)
    """
    random = np.random.default_rng(random_state)
    Y = MOODS.sample(n_rows, random)
    mood = Y * random.uniform(0.6, 1.4, Y.shape)  # how much of it is heard
    names, columns = list[str](), []
    for name, (usual, spread, excited, pleased) in _MEASURED.items():
        heard = excited * (mood @ _EXCITEMENT) + pleased * (mood @ _PLEASURE)
        names.append(name)
        columns.append(usual + spread * (0.55 * heard + random.standard_normal(n_rows)))
    timbre = random.standard_normal((Y.shape[1], _N_CEPSTRAL)) / np.arange(1, _N_CEPSTRAL + 1) ** 0.5
    cepstral = 0.4 * mood @ timbre + random.standard_normal((n_rows, _N_CEPSTRAL))
    names += [f"timbre {number}" for number in range(1, _N_CEPSTRAL + 1)]
    X = np.round(np.column_stack([*columns, cepstral]), 3)
    return make_dataset(X, Y, feature_names=names, label_names=MOODS.label_names, name="songs", source="generated")
