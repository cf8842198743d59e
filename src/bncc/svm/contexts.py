"""Labels packed to bits: the context part of a kernel is a popcount over them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bncc._typing import Labels, Longs, Words

__all__ = ["WORD", "context_mask", "hamming", "n_words", "pack_labels"]

WORD = 32


def n_words(n_labels: int) -> int:
    """Words needed for that many labels."""
    return -(-n_labels // WORD)


def pack_labels(Y: Labels) -> Words:
    """Pack a 0/1 matrix (rows x labels) to words: shape (n_words, n_rows), label l is bit l % 32 of word l // 32.

    >>> pack_labels([[1, 0, 1], [0, 1, 1]]).tolist()
    [[5, 6]]
    """
    dense = Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)
    rows, labels = dense.shape
    bits = np.zeros((rows, n_words(labels) * WORD), np.uint8)
    bits[:, :labels] = dense != 0
    packed = np.packbits(bits, axis=1, bitorder="little").view("<u4")
    return np.ascontiguousarray(packed.T, np.uint32)


def context_mask(labels: Iterable[int], n_labels: int) -> Words:
    """The words that select some labels.

    >>> context_mask([0, 33], 40).tolist()
    [1, 2]
    """
    index = np.asarray(list(labels), np.int64)
    if index.size and (index.min() < 0 or index.max() >= n_labels):
        raise ValueError(f"Context labels must lie in 0..{n_labels - 1}; got {index.min()}..{index.max()}.")
    mask = np.zeros(n_words(n_labels), np.uint32)
    np.bitwise_or.at(mask, index // WORD, np.uint32(1) << (index % WORD).astype(np.uint32))
    return mask


def hamming(left: Words, right: Words, mask: Words) -> Longs:
    """Hamming distances over the masked labels between all columns of two packed matrices."""
    out = np.zeros((left.shape[1], right.shape[1]), np.int64)
    for word in np.flatnonzero(mask):
        different = (left[word][:, None] ^ right[word][None, :]) & mask[word]
        out += np.bitwise_count(different) if hasattr(np, "bitwise_count") else _count(different)
    return out


def _count(values: Words) -> Longs:
    """Bits set; NumPy before 2.0 has no function for it."""
    out = np.zeros(values.shape, np.int64)
    for byte in range(0, WORD, 8):
        out += _BITS_OF_BYTE[(values >> np.uint32(byte)) & np.uint32(255)]
    return out


_BITS_OF_BYTE = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1).astype(np.int64)
