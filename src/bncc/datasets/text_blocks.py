"""Documents and their tags straight from a file, some at a time: the text of a large file is never held whole."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.utils.validation import check_is_fitted

from bncc._tags import read_tags
from bncc._typing import CSR, Features
from bncc.datasets.dataset import Dataset, make_dataset
from bncc.datasets.delimiters import find_delimiter
from bncc.datasets.errors import MAX_BYTES, MalformedFile
from bncc.datasets.files import check_readable, decode, plain_stem, plain_suffix, shorten, which_columns
from bncc.datasets.line_blocks import line_blocks

__all__ = ["TextBlock", "read_text", "read_text_blocks"]

_N_HASHED = 2**18


class TextBlock(NamedTuple):
    """Some documents of a file, in its order: their texts, and the tags of each."""

    texts: list[str]
    tags: list[list[str]]


class Vectorizer(Protocol):
    """What scikit-learn's text vectorizers do."""

    def fit_transform(self, documents: Iterable[str], /) -> Features:
        """Learn from documents and give their features."""

    def transform(self, documents: Iterable[str], /) -> Features:
        """The features of documents."""


#: A text and its tags.
Document: TypeAlias = tuple[str, list[str]]


def read_text_blocks(
    path: str | os.PathLike[str],
    *,
    text: str = "text",
    labels: str = "labels",
    tag_separator: str = ",",
    block_rows: int = 10_000,
    max_bytes: int = MAX_BYTES,
) -> Iterator[TextBlock]:
    """Read documents and tags in blocks of `block_rows`, as for `partial_fit`.

    ``.jsonl`` (or ``.ndjson``): one JSON object per line; its field `text` is the document, its field `labels` a list
    of tags or one text with `tag_separator` between them. ``.csv`` and ``.tsv``: the first line names the columns,
    `text` and `labels` are two of them. ``.gz`` is unpacked. A document without tags has an empty or missing `labels`.
    What is not so raises `MalformedFile` with its line.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "posts.tsv").write_text("labels\\ttext\\nrain,wind\\ta wet day\\nsun\\ta dry one\\n")
    ...     list(read_text_blocks(f"{folder}/posts.tsv", block_rows=1))
    [TextBlock(texts=['a wet day'], tags=[['rain', 'wind']]), TextBlock(texts=['a dry one'], tags=[['sun']])]
    """
    if block_rows < 1:
        raise ValueError(f"`block_rows` must be at least 1; got {block_rows!r}.")
    documents = _documents(Path(path), text, labels, tag_separator, max_bytes)
    return _blocks(documents, block_rows)


def read_text(
    path: str | os.PathLike[str],
    vectorizer: Vectorizer | None = None,
    *,
    text: str = "text",
    labels: str = "labels",
    tag_separator: str = ",",
    label_names: Sequence[str] | None = None,
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    """Read documents as sparse features and tags as labels; the file is as for `read_text_blocks`.

    Parameters
    ----------
    vectorizer : scikit-learn text vectorizer, optional
        Turns documents into features: a `HashingVectorizer` (the default, with 2^18 features), a `TfidfVectorizer`, a
        `CountVectorizer`, a pipeline that begins with one. It is handed documents one after the other. One that is
        fitted, as on training documents, is used as it is; one that is not is fitted here.
    label_names : sequence of str, optional
        The labels and their order, as for test documents; a tag that is none of them is passed over. By default all
        that occur, in alphabetical order.

    >>> import tempfile
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.jsonl").write_text('{"text": "a wet day", "labels": ["rain"]}\\n{"text": "dry day"}\\n')
    ...     data = read_text(f"{folder}/a.jsonl", TfidfVectorizer())
    >>> data.feature_names, data.label_names, data.Y.tolist()
    (('day', 'dry', 'wet'), ('rain',), [[1], [0]])
    """
    file = Path(path)
    documents = _documents(file, text, labels, tag_separator, max_bytes)
    tagged = _TagNumbers(label_names)
    model: Vectorizer = HashingVectorizer(n_features=_N_HASHED) if vectorizer is None else vectorizer
    first = next(documents, None)
    if first is None:
        raise MalformedFile(file, None, "there is no document.", "Check that the file was written to its end.")
    texts = _texts_of(chain([first], documents), tagged)
    try:
        X = model.transform(texts) if _is_fitted(model) else model.fit_transform(texts)
    except ValueError as error:
        if isinstance(error, MalformedFile):
            raise
        raise MalformedFile(file, None, f"the vectorizer refused the documents ({error}).") from error
    Y, names = tagged.matrix()
    if not names:
        raise MalformedFile(file, None, "no document has a tag.", f"Check that {shorten(labels)} names the tags.")
    features = _feature_names(model)
    return make_dataset(X, Y, feature_names=features, label_names=names, name=plain_stem(file), source=str(file))


class _TagNumbers:
    """Tags as numbers, in the order in which they come."""

    def __init__(self, label_names: Sequence[str] | None) -> None:
        self.is_open = label_names is None
        self.number_of_tag = {str(name): i for i, name in enumerate(label_names or ())}
        self.numbers: list[int] = []
        self.counts: list[int] = []

    def add(self, tags: list[str]) -> None:
        before = len(self.numbers)
        for tag in tags:
            if self.is_open or tag in self.number_of_tag:
                self.numbers.append(self.number_of_tag.setdefault(tag, len(self.number_of_tag)))
        self.counts.append(len(self.numbers) - before)

    def matrix(self) -> tuple[CSR, list[str]]:
        """One row per document, one column per tag; columns by name unless they were given."""
        names = list(self.number_of_tag)
        ordered = sorted(names) if self.is_open else names
        column_of_number = np.empty(len(names), np.int32)
        column_of_number[[self.number_of_tag[name] for name in ordered]] = np.arange(len(names))
        columns = column_of_number[np.array(self.numbers, np.int64)]
        starts = np.concatenate([[0], np.cumsum(self.counts)])
        ones = np.ones(len(columns), np.int8)
        return sparse.csr_array((ones, columns, starts), shape=(len(self.counts), len(names))), ordered


def _blocks(documents: Iterable[Document], block_rows: int) -> Iterator[TextBlock]:
    block = TextBlock([], [])
    for text, tags in documents:
        block.texts.append(text)
        block.tags.append(tags)
        if len(block.texts) == block_rows:
            yield block
            block = TextBlock([], [])
    if block.texts:
        yield block


def _texts_of(documents: Iterable[Document], tagged: _TagNumbers) -> Iterator[str]:
    for text, tags in documents:
        tagged.add(tags)
        yield text


def _is_fitted(model: Vectorizer) -> bool:
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _feature_names(model: Vectorizer) -> list[str] | None:
    names_of = getattr(model, "get_feature_names_out", None)  # hashing has no names
    return None if names_of is None else [str(name) for name in names_of()]


def _documents(file: Path, text: str, labels: str, separator: str, max_bytes: int) -> Iterator[Document]:
    suffix = plain_suffix(file)
    if suffix in (".jsonl", ".ndjson"):
        check_readable(file)
        return _json_documents(file, text, labels, separator, max_bytes)
    if suffix in (".csv", ".tsv"):
        check_readable(file)
        return _table_documents(file, text, labels, separator, max_bytes)
    raise ValueError(f"a file of documents must end in .jsonl, .ndjson, .csv or .tsv (.gz allowed); got {file.name!r}.")


def _lines(file: Path, max_bytes: int) -> Iterator[str]:
    for block in line_blocks(file, max_bytes):
        yield from decode(block.content).split("\n")


def _json_documents(file: Path, text: str, labels: str, separator: str, max_bytes: int) -> Iterator[Document]:
    for line, content in enumerate(_lines(file, max_bytes), start=1):
        if not content.strip():
            continue
        try:
            record = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise MalformedFile(file, line, f"expected a JSON object; got {error}.", "Write one per line.") from None
        if not isinstance(record, dict):
            raise MalformedFile(file, line, f"expected a JSON object; got {shorten(content)}.", "Write one per line.")
        if not isinstance(record.get(text), str):
            problem = f"the field {shorten(text)} must be a text; got {shorten(repr(record.get(text)))}."
            raise MalformedFile(file, line, problem, which_columns(list(record), text))
        tags = record.get(labels)
        if not (tags is None or isinstance(tags, str) or _are_plain(tags)):
            problem = f"the field {shorten(labels)} must be a list of tags or one text; got {shorten(repr(tags))}."
            raise MalformedFile(file, line, problem)
        yield record[text], read_tags(tags, separator)


def _are_plain(tags: object) -> bool:
    return isinstance(tags, list) and all(isinstance(tag, str | int) or tag is None for tag in tags)


def _table_documents(file: Path, text: str, labels: str, separator: str, max_bytes: int) -> Iterator[Document]:
    lines = _lines(file, max_bytes)
    first = list(islice(lines, 20))
    delimiter = find_delimiter("\n".join(first).encode(), file)
    rows = csv.reader((f"{line}\n" for line in chain(first, lines)), delimiter=delimiter, strict=True)
    try:
        header = next(rows, [])
        for name in (text, labels):
            if header.count(name) != 1:
                raise MalformedFile(file, 1, f"there must be one column {shorten(name)}.", which_columns(header, name))
        text_at, labels_at = header.index(text), header.index(labels)
        for row in rows:
            if not row:
                continue
            if len(row) != len(header):
                problem = f"the row has {len(row)} cells, not {len(header)}."
                raise MalformedFile(file, rows.line_num, problem, "Put quotes around a cell that holds a separator.")
            yield row[text_at], read_tags(row[labels_at], separator)
    except csv.Error as error:
        problem, remedy = (
            f"the table cannot be read ({error}).",
            "Close an open quote, or call csv.field_size_limit first.",
        )
        raise MalformedFile(file, rows.line_num, problem, remedy) from None
