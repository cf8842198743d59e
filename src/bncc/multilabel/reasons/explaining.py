"""Why rows got their labels: what features and other labels add to the score of each label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, get_args

import numpy as np
from scipy import sparse

from bncc._names import did_you_mean
from bncc._rows import take_rows
from bncc._typing import Array, Bools, Classifier, Features, Floats, Longs, Matrix, Pulse, Random, Rowwise
from bncc.datasets.stratification import random_source
from bncc.multilabel.base import MultilabelClassifier
from bncc.multilabel.binary_relevance import BinaryRelevance
from bncc.multilabel.feature_rows import sample_rows
from bncc.multilabel.reasons.feature_groups import FeatureGroups, RowPlayers, group_columns
from bncc.multilabel.reasons.hybrid_rows import RowGame
from bncc.multilabel.reasons.linear_form import LinearForm, linear_form
from bncc.multilabel.reasons.peeling import Peeled, ScoredModel, peel
from bncc.multilabel.reasons.question_cost import numbers_per_call, numbers_per_row
from bncc.multilabel.reasons.reason_records import Effect, Explanation, RowReasons
from bncc.multilabel.reasons.shapley import Game, ShapleyValues, least_asked, shapley_values
from bncc.multilabel.reasons.telling import RowTeller
from bncc.multilabel.row_widths import numbers_laid_out, rows_at_a_time

__all__ = ["ExplainOptions", "explain"]

_MOST_COMPARED = 100
_BUDGET = 5000
# Numbers that the model goes through for the reasons of a row, about a second's worth, and what is too much.
_STEPS = 170 * 10**6
_MOST_STEPS = 300 * 10**6
_MOST_CALLED = 20 * _STEPS  # of what calls take, at most: some seconds, as many parts are quicker than they could be
_MOST_ANSWERS = 1 << 21  # that are held for a row, over its labels
_MOST_LABELS, _MOST_REASONS = 1 << 12, 1 << 21  # of a row, over its labels


class ExplainOptions(TypedDict, total=False):
    """Options of `explain`, by name."""

    background: Features | None
    labels: Sequence[str | int] | str | None
    effect: Effect
    groups: Mapping[str, str] | None
    budget: int
    random_state: Random
    pulse: Pulse | None


def explain(
    model: Classifier,
    X: Features,
    *,
    background: Features | None = None,
    labels: Sequence[str | int] | str | None = None,
    effect: Effect = "direct",
    groups: Mapping[str, str] | None = None,
    budget: int = _BUDGET,
    random_state: Random = 0,
    pulse: Pulse | None = None,
) -> Explanation:
    """Why rows got their labels: what each feature, and each label that a chain took as context, adds to a score.

    A score is compared with the mean score of some other rows; the contributions are Shapley values of the difference,
    and add up to it exactly. They are exact for binary relevance and chains over linear classifiers, and where few
    features differ; else they are sampled, with a standard error.

    Parameters
    ----------
    model : fitted classifier
        An estimator of this package, or any multi-label classifier of scikit-learn; alone, in a Pipeline, in a search.
    X : what the model predicts from: array, sparse matrix or DataFrame, one row per example
    background : rows like X, optional
        Rows to compare with; of more than 100, 100 are drawn. None: the training rows (at most 100, in at most 4 MB)
        that estimators of this package keep for it. Models from files and of other packages have none: they compare
        with the rows of X, if there are several.
    labels : list of names or numbers, "all" or None, default=None
        The labels to explain; None: for each row those predicted, or the one with the highest score if none is.
    effect : "direct" or "total", default="direct"
        "direct": the labels that a chain predicted before a label are reasons of their own, and features count as far
        as they speak to the label themselves. "total": reasons are features alone, with what they do through the labels
        before. The same for methods without chains.
    groups : mapping of column to name, optional
        Columns that speak as one. Columns made from one category or date do so always, words do not.
    budget : int, default=5000
        Rows that the model may be asked about to explain one row, about. Fewer are asked of a model that goes through
        many numbers for each, such as a chain that draws thousands of label sets, or that has many parts, each asked
        by itself: a row takes about a second.
    random_state : int, RandomState or None, default=0
        Draws the orders, anew for each row: a row has the same reasons whatever stands beside it.
    pulse : function, optional
        Called with the number of rows done; what it raises stops the work.

    Returns
    -------
    Explanation
        A `RowReasons` per row.

    Examples
    --------
    >>> from bncc.datasets import make_scenes
    >>> from bncc.multilabel import BNCC
    >>> from bncc.linear import LogisticRegression
    >>> data = make_scenes(300)
    >>> chain = BNCC(LogisticRegression()).fit(data.X, data.Y_frame)
    >>> rural = explain(chain, data.X[:1], labels=["Rural"])[0].labels[0]
    >>> print([reason for reason in rural.reasons if reason.kind == "label"][0])
    Paddy (predicted) +1.7
    >>> bool(np.isclose(rural.base + rural.from_features + rural.from_labels, rural.score))
    True
    """
    if effect not in get_args(Effect):
        raise ValueError(f"`effect` must be 'direct' or 'total'; got {effect!r}.")
    if isinstance(budget, bool) or not isinstance(budget, int | np.integer) or budget < 1:
        raise ValueError(f"`budget` must be a whole number of at least 1; got {budget!r}.")
    seed = int(random_source(random_state).randint(np.iinfo(np.int32).max))
    peeled = peel(model, X, _some_rows(background, seed))
    _check_columns(groups, peeled)
    explainer = _Explainer.of(peeled, groups, effect, int(budget), seed)
    wanted = _wanted(labels, peeled.label_names)
    rows = []
    for row in range(peeled.X.shape[0]):
        rows.append(explainer.explain_row(row, wanted))
        if pulse is not None:
            pulse(row + 1)
    return Explanation(tuple(rows))


def _some_rows(background: Rowwise | None, seed: int, most: int = _MOST_COMPARED) -> Rowwise | None:
    """At most 100 of the rows, in their order."""
    if background is None:
        return None
    if isinstance(background, Mapping):
        return background  # columns, whose rows are counted once they are read
    n_rows = background.shape[0] if hasattr(background, "shape") else len(background)
    if not n_rows:
        raise ValueError("`background` must have at least one row; got none.")
    if n_rows <= most:
        return background
    drawn = np.random.default_rng(seed).choice(n_rows, most, replace=False)
    return take_rows(background, np.sort(drawn))


def _check_columns(groups: Mapping[str, str] | None, peeled: Peeled) -> None:
    columns = sorted({origin.column for origin in peeled.origins if origin.column is not None})
    for name in groups or ():
        if name not in columns:
            raise ValueError(f"`groups` names the column {name!r}, which is not there; {did_you_mean(name, columns)}")


def _wanted(labels: Sequence[str | int] | str | None, names: Sequence[str]) -> Longs | None:
    """The labels asked for by their numbers; None for those predicted."""
    if labels is None:
        return None
    if isinstance(labels, str):
        labels = range(len(names)) if labels == "all" and "all" not in names else [labels]
    numbers = []
    for label in labels:
        if isinstance(label, str):
            if label not in names:
                raise ValueError(f"no label is named {label!r}; {did_you_mean(label, list(names))}")
            numbers.append(list(names).index(label))
        elif isinstance(label, bool) or not 0 <= label < len(names):
            raise ValueError(f"`labels` must be names or numbers from 0 to {len(names) - 1}; got {label!r}.")
        else:
            numbers.append(int(label))
    return np.array(numbers, np.int64)


@dataclass(frozen=True, eq=False)
class _Explainer:
    """What all rows share; `compared` are the rows compared with."""

    peeled: Peeled
    groups: FeatureGroups
    compared: Matrix
    compared_planes: tuple[Array, ...]
    compared_scores: Floats
    row_planes: tuple[Array, ...]
    row_scores: Floats
    forms: dict[int, LinearForm | None]
    effect: Effect
    budget: int
    seed: int
    numbers: int
    per_call: int
    width: int

    @classmethod
    def of(cls, peeled: Peeled, named: Mapping[str, str] | None, effect: Effect, budget: int, seed: int) -> _Explainer:
        groups = group_columns(peeled.origins, named)
        every_label = np.arange(len(peeled.label_names))
        width, per_call = numbers_laid_out(peeled.model) + every_label.size, numbers_per_call(peeled.model)
        step = rows_at_a_time(width)
        # As many rows as there are calls in a second, with room for some rows to explain in the last of them.
        most = min(_MOST_COMPARED, max(1, step * max(1, _STEPS // max(per_call, 1)) - step // 2))
        compared: Matrix = _some_rows(_kept_rows(peeled) if peeled.compared is None else peeled.compared, seed, most)
        asked = _one_call_each(compared, peeled.X, step)
        planes = [_planes_in_parts(peeled.scored, X, step) if effect == "direct" else () for X in asked]
        scores = [_scores_in_parts(peeled.scored, X, every_label, step) - peeled.thresholds for X in asked]
        others, own = slice(compared.shape[0]), slice(-peeled.X.shape[0], None)  # in the first and last that was asked
        return cls(
            peeled, groups, compared, tuple(plane[others] for plane in planes[0]), scores[0][others],
            tuple(plane[own] for plane in planes[-1]), scores[-1][own], {}, effect, budget, seed,
            numbers_per_row(peeled.model), per_call, width + every_label.size * len(planes[-1]),
        )  # fmt: skip

    def explain_row(self, row: int, wanted: Longs | None) -> RowReasons:
        """Reasons of one row."""
        predicted = _decided(self.peeled, self.row_scores[[row]])[0]
        labels = wanted
        if labels is None:
            labels = np.flatnonzero(predicted)
            labels = labels if labels.size else np.array([int(self.row_scores[row].argmax())])
        players = self.groups.players(self.peeled.X[[row]], self.compared)
        _check_reasons(players.groups.size + (len(self.peeled.label_names) if self.row_planes else 0), labels.size)
        forms = [self._form(int(label)) for label in labels]
        planes_fit = len(self.row_planes) <= 1
        if labels.size and planes_fit and all(form is not None for form in forms):
            found = self._sum_up(row, labels, players, [form for form in forms if form is not None])
        else:
            found = self._play(row, labels, players)
        teller = RowTeller(self.peeled, self.groups, players, row, self.row_planes)
        told = [
            teller.tell(int(label), float(self.row_scores[row, label]), bool(predicted[label]), found, place)
            for place, label in enumerate(labels)
        ]
        given = self.effect if self.row_planes else "total"
        method = type(self.peeled.model).__name__
        return RowReasons(row, tuple(told), method, "", given, found.exact, found.n_compared, found.n_asked)

    def _form(self, label: int) -> LinearForm | None:
        """The score of a label as a weighted sum, if it is one: it must give the scores at hand."""
        if label not in self.forms:
            self.forms[label] = self._checked_form(label)
        return self.forms[label]

    def _checked_form(self, label: int) -> LinearForm | None:
        form = linear_form(self.peeled.model, label)
        if form is None or (form.context.size and not self.row_planes):
            return None
        precision = 1e-4 if self.peeled.X.dtype == np.float32 else 1e-7
        for X, planes, scores in (
            (self.peeled.X, self.row_planes, self.row_scores),
            (self.compared, self.compared_planes, self.compared_scores),
        ):
            given = form(X, planes[0] if planes else None) - self.peeled.thresholds[label]
            if not np.allclose(given, scores[:, label], rtol=precision, atol=precision):
                return None
        return form

    def _sum_up(self, row: int, labels: Longs, players: RowPlayers, forms: Sequence[LinearForm]) -> ShapleyValues:
        """Weights times differences: exact contributions of linear scores."""
        difference = players.own - players.others.mean(axis=0)
        n_labels = len(self.peeled.label_names) if self.row_planes else 0
        out = np.zeros((players.groups.size + n_labels, labels.size))
        for place, form in enumerate(forms):
            out[: players.groups.size, place] = players.sums(form.weights[players.columns] * difference)
            if form.context.size:
                shift = self.row_planes[0][row] - self.compared_planes[0].mean(axis=0)
                out[players.groups.size + form.context, place] = form.label_weights * shift[form.context]
        # The mean score of the rows compared with, up to rounding: so all adds up to the score exactly.
        base = self.row_scores[row, labels] - out.sum(axis=0)
        return ShapleyValues(base, out, np.zeros_like(out), True, len(self.compared_scores), 0)

    def _play(self, row: int, labels: Longs, players: RowPlayers) -> ShapleyValues:
        own_planes = [plane[[row]] for plane in self.row_planes]
        n_sparse = self.peeled.X.shape[1] if sparse.issparse(self.peeled.X) else None
        game = RowGame(self.peeled.scored, labels, players, own_planes, self.compared_planes, n_sparse)
        thresholds = self.peeled.thresholds[labels]
        played = Game(
            lambda joined, which: game(joined, which) - thresholds,
            game.moves(),
            self.compared_scores[:, labels],
            self.row_scores[row, labels],
            rows_at_a_time(players.columns.size + self.width),
        )
        calls = self.per_call // played.block
        budget = _affordable(played, self.budget, self.numbers + players.columns.size, calls)
        return shapley_values(played, budget, np.random.default_rng(self.seed))


def _one_call_each(compared: Matrix, X: Matrix, step: int) -> tuple[Matrix, ...]:
    """The rows compared with and the rows, in one matrix where they are few: a call may take a second by itself."""
    if compared.shape[0] + X.shape[0] > step or type(compared) is not type(X) or compared.dtype != X.dtype:
        return compared, X
    if sparse.issparse(X):
        return (sparse.vstack([compared, X], format="csr"),)
    return (np.concatenate([compared, X]),)


def _parts_of(X: Matrix, step: int) -> list[Matrix]:
    return [X[start : start + step] for start in range(0, X.shape[0], step)]


def _planes_in_parts(scored: ScoredModel, X: Matrix, step: int) -> tuple[Array, ...]:
    """The labels that parts hand on for each row, some rows at a time."""
    of_parts = [scored.planes(part) for part in _parts_of(X, step)]
    return tuple(np.concatenate(planes) for planes in zip(*of_parts, strict=True))


def _scores_in_parts(scored: ScoredModel, X: Matrix, labels: Longs, step: int) -> Floats:
    """Scores of labels, some rows at a time."""
    return np.concatenate([scored.scores(part, (), labels) for part in _parts_of(X, step)])


def _check_reasons(n_players: int, n_labels: int) -> None:
    if n_labels > _MOST_LABELS or n_players * n_labels > _MOST_REASONS:
        raise ValueError(
            f"`labels` must be at most {_MOST_LABELS:,} for a row, with at most {_MOST_REASONS:,} reasons in all; got "
            f"{n_labels} labels with {n_players} features and labels that may be reasons of each. Name some labels."
        )


def _affordable(game: Game, budget: int, numbers: int, calls: int) -> int:
    """The budget, or as much of it as a model that goes through so many numbers for a question can be asked.

    `calls` is what a question has of what it takes to call the model, where several are asked in a call.

    Nor are there more questions than can be held with the answers for all labels.
    """
    least = least_asked(game)
    if least * numbers > _MOST_STEPS:
        raise ValueError(
            f"The reasons of a row would take long: at least {least:,} questions, and for each the model goes through "
            f"{numbers:,} numbers, where {_MOST_STEPS:,} in all can be. Let columns speak as one (`groups`), or a "
            "chain follow fewer label sets (`n_samples`, `beam_width`, or inference='greedy')."
        )
    if least * calls > _MOST_CALLED:
        raise ValueError(
            f"The reasons of a row would take long: at least {least:,} questions, for which the model asks many parts "
            "one by one. Leave labels out of the reasons (effect='total'), or let columns speak as one (`groups`)."
        )
    return min(budget, max(1, _STEPS // max(numbers + calls, 1)), max(1, _MOST_ANSWERS // max(game.end.size, 1)))


def _kept_rows(peeled: Peeled) -> Matrix:
    """The training rows that the model has kept, in the form of the features; else the rows to explain themselves."""
    kept: Matrix | None = getattr(peeled.model, "_background", None)
    if kept is None:
        if peeled.X.shape[0] > 1:
            return sample_rows(peeled.X)
        raise ValueError(
            f"This {type(peeled.model).__name__} has kept no rows to compare with. Hand over some, such as training "
            "rows: explain(model, X, background=X_train)."
        )
    if sparse.issparse(peeled.X):
        return sparse.csr_array(kept)
    return kept if isinstance(kept, np.ndarray) else kept.toarray()


def _decided(peeled: Peeled, scores: Floats) -> Bools:
    """The labels that scores predict."""
    model = peeled.model
    if isinstance(model, BinaryRelevance) and isinstance(model, MultilabelClassifier):
        return model._decide_labels(scores)
    return scores > 0
