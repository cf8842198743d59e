"""How often the parts of a model are asked for one answer: wrappers that ask more than once multiply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bncc.multilabel.model_files.fields import Values
from bncc.multilabel.model_files.refusals import Refused

__all__ = ["Questions", "check_questions"]

_MOST_QUESTIONS = 5000  # beside some for every record of the file
_PER_RECORD = 8
_MOST_BYTES, _PER_BYTE = 2**29, 32  # of what is asked, counted as often, and for every byte of the file
_USUAL_LOOKS = 64  # which are quick, and many pipelines and unions in one another have
_MOST_ROWS = 1024  # for each row, where a chain that follows label sets holds another one
#: Questions that a type has for each of its parts, at most; others have one, and methods with links two.
_TIMES: Mapping[str, int] = {
    "Blend": 2,
    "BlockPowerset": 4,
    "LabelPowerset": 4,
    "OneVsOneClassifier": 2,
    "OneVsRestClassifier": 2,
    "RandomKLabelsets": 4,
    "sklearn ClassifierChain": 2,
}
#: Times that scikit-learn asks their parts what they are, when it asks these.
_LOOKS: Mapping[str, int] = {
    "BaggingClassifier": 2,
    "ColumnTransformer": 2,
    "FeatureUnion": 2,
    "Pipeline": 3,
    "StackingClassifier": 2,
    "VotingClassifier": 2,
}


@dataclass(frozen=True)
class Questions:
    """What one question to some records comes to.

    Attributes
    ----------
    total : int
        Questions to them and their parts.
    weight : int
        Bytes of those that are asked, about, each as often.
    levels : int
        Wrappers around one another that ask more than once.
    looks : int
        How often the innermost is looked at to see what rows the outermost takes.
    rows : int
        Rows that one becomes.

    >>> leaf = Questions().around("GaussianNB", {})
    >>> leaf.around("OneVsOneClassifier", {}).around("OneVsOneClassifier", {})
    Questions(total=7, weight=0, levels=2, looks=1, rows=1)
    """

    total: int = 0
    weight: int = 0
    levels: int = 0
    looks: int = 1
    rows: int = 1

    def beside(self, other: Questions) -> Questions:
        """Those of more records."""
        return Questions(
            self.total + other.total,
            self.weight + other.weight,
            max(self.levels, other.levels),
            max(self.looks, other.looks),
            max(self.rows, other.rows),
        )

    def around(self, name: str, values: Values, size: int = 0) -> Questions:
        """Those of a record of some bytes that holds these; chains of chains may not follow many label sets of many."""
        rows, times = _followed(values), _times(name, values)
        if rows > 1 < self.rows and rows * self.rows > _MOST_ROWS:
            raise Refused(
                f"{name} that follows label sets, with a part that does, makes {rows * self.rows} rows of one where "
                f"at most {_MOST_ROWS} can be"
            )
        looks = self.looks * _LOOKS.get(name, 1)
        weight = max(size, times * self.weight)
        return Questions(1 + times * self.total, weight, self.levels + (times > 1), looks, rows * self.rows)


def check_questions(asked: Questions, n_records: int, content: int) -> None:
    """Refuse wrappers in wrappers that ask far more than the file has records, or bytes of content; one alone may."""
    most = _MOST_QUESTIONS + _PER_RECORD * n_records
    total = asked.total * asked.looks // _USUAL_LOOKS if asked.looks > _USUAL_LOOKS else asked.total
    if (asked.levels > 1 or asked.looks > _USUAL_LOOKS) and total > most:
        raise Refused(f"estimators within estimators that are asked {total} times for one answer, more than {most}")
    heaviest = _MOST_BYTES + _PER_BYTE * content
    if asked.levels > 1 and asked.weight > heaviest:
        raise Refused(
            f"estimators within estimators that look at {asked.weight} bytes for one answer, more than {heaviest}"
        )


def _times(name: str, values: Values) -> int:
    walks = values.get("_walks")
    if not isinstance(walks, list | tuple):
        return _TIMES.get(name, 1)
    links = Counter(link for walk in walks if isinstance(walk, Iterable) for link in walk)
    return _TIMES.get(name, 2) * max(links.values(), default=1)


def _followed(values: Values) -> int:
    """Label sets that are followed for a row by each link of a chain."""
    n_labels, inference = values.get("n_labels_"), values.get("inference")
    if not isinstance(n_labels, int):
        return 1
    sets: int = 2 ** min(n_labels, 20)
    if inference == "exhaustive":
        return sets
    if inference == "beam":
        return min(sets, int(values.get("beam_width", 1)))
    if inference == "monte_carlo" or "payoffs_" in values:
        return min(sets, int(values.get("n_samples", 1)))
    return 1
