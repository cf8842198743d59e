"""Records of what reads tables: the transformer, what it decided, and how each column becomes numbers."""

from __future__ import annotations

from bncc.multilabel.model_files.column_fields import check_letters
from bncc.multilabel.model_files.fields import (
    Anything,
    Flag,
    Many,
    Names,
    Number,
    ObjectTable,
    Optional,
    Part,
    Sizes,
    Text,
    Values,
    Whole,
)
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Record

__all__ = ["TABLES"]

_ENCODERS = ("NumberEncoder", "FlagEncoder", "CategoryEncoder", "DateEncoder", "TextEncoder")
_READ_AS = ("number", "boolean", "category", "text", "date", "id", "constant", "empty", "dropped")
_FINITE = Number(-1e308, 1e308)
_GAPS = {"marks_gaps": Flag(), "fills_gaps": Flag()}
_ROOM = "bncc.tables"
_WORDS = ("CountVectorizer", "TfidfVectorizer")
_MOST_UNPAID = 2**20  # columns of a vectorizer that has no words
_MOST_LETTERS = 2**26
_MOST_FRAME = 100_000
_STEPS_OF_TEXT = 3


def _check_features(values: Values, sizes: Sizes) -> None:
    """Every encoder is that of a column, and no column has two."""
    columns = values["feature_names_in_"].tolist()
    names = [encoder.name for encoder in values["encoders_"]]
    if not names or len(set(names)) < len(names) or not set(names) <= set(columns):
        raise Refused("TableFeatures with encoders of other columns")
    if [each.column for each in values["decisions_"].columns] != columns:
        raise Refused("TableFeatures with decisions about other columns")
    _check_unpaid(values, sizes)
    if values.get("keep_categories"):
        _check_frame(values, sizes)


def _check_unpaid(values: Values, sizes: Sizes) -> None:
    """Columns of texts whose vectorizers say no number of words: what is free is free once."""
    parts = [part for each in values["encoders_"] if (part := sizes.part_of(each)) is not None]
    if (unpaid := sum(part.sizes.get("unpaid", 0) for part in parts)) > _MOST_UNPAID:
        raise Refused(f"TableFeatures with texts of {unpaid} columns where at most {_MOST_UNPAID} can be")


def _check_number(values: Values, sizes: Sizes) -> None:
    """Soft steps are divided by their spread."""
    if values["soft"] and not values["spread"] > 0:
        raise Refused("NumberEncoder without a spread")


def _check_levels(values: Values, sizes: Sizes) -> None:
    """A level has one column, whose name begins with that of the category."""
    levels = (*values["levels"], *values["others"])
    if len(set(levels)) < len(levels):
        raise Refused("CategoryEncoder with a level that has two columns")
    n_columns = len(values["levels"]) + 2
    check_letters("CategoryEncoder", len(values["name"]) * n_columns, n_columns)


def _check_text(values: Values, sizes: Sizes) -> None:
    """Its columns are those of its vectorizer: each gets a name."""
    if not hasattr(values["vectorizer"], "transform"):
        raise Refused("TextEncoder without a vectorizer")
    part, width = sizes.part_of(values["vectorizer"]), int(values["width"])
    known = None if part is None else part.sizes.get("words")
    if known is not None and width != known:
        raise Refused(f"TextEncoder of {width} columns with a vectorizer of {known}")
    if known is None and width > _MOST_UNPAID:
        raise Refused(f"TextEncoder of {width} columns where at most {_MOST_UNPAID} can be")
    if width * len(values["name"]) > _MOST_LETTERS:
        raise Refused(f"TextEncoder of {width} columns with names that have together more than {_MOST_LETTERS} letters")
    sizes.named["width"] = width
    sizes.named["unpaid"] = width if known is None else 0
    sizes.named["counts words"] = int(part is not None and part.name in _WORDS)


def _check_frame(values: Values, sizes: Sizes) -> None:
    """In a table with categories, every word of a text is a column of its own, with a number in every row."""
    texts = [part for each in values["encoders_"] if (part := sizes.part_of(each)) and part.name == "TextEncoder"]
    if not all(part.sizes["counts words"] for part in texts):
        raise Refused(f"TableFeatures with `keep_categories` and text that is read by other than {' or '.join(_WORDS)}")
    if (width := sum(part.sizes["width"] for part in texts)) > _MOST_FRAME:
        raise Refused(f"TableFeatures with `keep_categories` and {width} words where at most {_MOST_FRAME} can be")


def _count_encoders(values: Values, sizes: Sizes) -> int:
    """A step for each column that is read, whether the rows have it or not, and more where a text is taken apart."""
    parts = [sizes.part_of(each) for each in values.get("encoders_", ())]
    return sum(_STEPS_OF_TEXT if part is not None and part.name == "TextEncoder" else 1 for part in parts)


TABLES = (
    Record(
        "TableFeatures",
        f"{_ROOM}.table_features:TableFeatures",
        {
            "n_features_in_": Whole(1, 2**31 - 1, "d"),
            "feature_names_in_": ObjectTable(Text(), "d"),
            "encoders_": Many(Part(_ENCODERS)),
            "decisions_": Part(("TableDecisions",)),
            "vectorizer": Anything(),
            "gaps": Text(("impute", "keep")),
            "scale": Text(("soft", "range", "none")),
            "most_levels": Whole(2, 2**31 - 1),
            "keep_categories": Flag(),
            "_dense": Optional(Flag()),
        },
        check=_check_features,
        work=_count_encoders,
    ),
    Record("TableDecisions", f"{_ROOM}.decisions:TableDecisions", {"columns": Many(Part(("ColumnDecision",)))}),
    Record(
        "ColumnDecision",
        f"{_ROOM}.decisions:ColumnDecision",
        {
            "column": Text(),
            "read_as": Text(_READ_AS),
            "why": Text(),
            "distinct": Whole(0, 2**62),
            "missing": Whole(0, 2**62),
            "goes_to": Text(),
        },
    ),
    Record(
        "NumberEncoder",
        f"{_ROOM}.encoders:NumberEncoder",
        {
            "name": Text(),
            "decimal_comma": Flag(),
            "middle": _FINITE,
            "spread": Number(0.0, 1e308),
            "soft": Flag(),
            "low": _FINITE,
            "high": _FINITE,
            **_GAPS,
        },
        check=_check_number,
    ),
    Record("FlagEncoder", f"{_ROOM}.encoders:FlagEncoder", {"name": Text(), **_GAPS}),
    Record(
        "CategoryEncoder",
        f"{_ROOM}.encoders:CategoryEncoder",
        {"name": Text(), "levels": Names("levels"), "others": Names("others"), "marks_gaps": Flag()},
        check=_check_levels,
    ),
    Record(
        "DateEncoder",
        f"{_ROOM}.encoders:DateEncoder",
        {"name": Text(), "day_first": Flag(), "distance": Part(("NumberEncoder",)), "has_time": Flag()},
    ),
    Record(
        "TextEncoder",
        f"{_ROOM}.encoders:TextEncoder",
        {"name": Text(), "vectorizer": Anything(), "width": Whole(0, 2**31 - 1)},
        check=_check_text,
    ),
)
