"""Scores of links when the labels that they see are given: what separates the part of labels from that of features.

A plane holds the labels that one walk hands on, (n_rows, n_labels). With the planes of a row, links answer as they do
in prediction; with planes of another row, they answer as if those labels had been predicted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bncc._typing import Array, Floats, Integers, Longs, Matrix, Signs
from bncc.multilabel.backend import SolvedLinks

__all__ = ["answers_given", "planes_of_answers"]


def planes_of_answers(
    writes: Sequence[int] | Integers, n_labels: int, walks: Sequence[Sequence[int]], answers: Floats
) -> tuple[Signs, ...]:
    """The labels that links decided along each walk, from their answers (n_walks, n_rows, length).

    >>> planes_of_answers([1, 0], 2, [(0, 1)], np.array([[[0.5, -1.0]]]))[0].tolist()
    [[0, 1]]
    """
    settled = np.asarray(writes, np.int64)
    planes = []
    for walk, along in zip(walks, answers, strict=True):
        plane = np.zeros((answers.shape[1], n_labels), np.int8)
        plane[:, settled[list(walk)]] = along[:, : len(walk)] > 0
        planes.append(plane)
    return tuple(planes)


def answers_given(
    solved: SolvedLinks, walks: Sequence[Sequence[int]], X: Matrix, planes: Sequence[Array], labels: Longs
) -> Floats:
    """Decisions along the walks (n_walks, n_rows, length) with the labels of the planes known throughout.

    Links that write none of the labels asked for are left out, with an answer of 0.
    """
    wanted = set(labels.tolist())
    out = np.zeros((len(walks), X.shape[0], max(map(len, walks), default=0)))
    for number, (walk, plane) in enumerate(zip(walks, planes, strict=True)):
        places = [place for place, link in enumerate(walk) if int(solved.writes[link]) in wanted]
        answers = solved.answer_some([walk[place] for place in places], X, plane)
        for place, answer in zip(places, answers, strict=True):
            out[number, :, place] = answer
    return out
