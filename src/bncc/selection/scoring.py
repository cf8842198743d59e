"""What a search asks of its scorers: their values for a fold, and which candidate they choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from sklearn.metrics import check_scoring

from bncc._checks import split_unknown
from bncc._typing import Array, Classifier, Features, Weights
from bncc.selection.named_scorers import named_scorer
from bncc.selection.tasks import Decided

__all__ = ["Scorer", "check_refit", "chosen_by", "read_scorers", "takes_weights", "values_of"]

#: ``scorer(estimator, X, y)``: a number, or several by name.
Scorer: TypeAlias = Callable[..., Any]


def read_scorers(scoring: object, estimator: Classifier) -> Scorer | dict[str, Scorer]:
    """One scorer, or several by name, from what `scoring` may be."""
    if not isinstance(scoring, list | tuple | set | Mapping):
        scorer: Scorer = check_scoring(estimator, scoring=named_scorer(scoring))
        return scorer
    named = scoring if isinstance(scoring, Mapping) else {name: name for name in scoring}
    return {name: check_scoring(estimator, scoring=named_scorer(scorer)) for name, scorer in named.items()}


def check_refit(refit: object, names: Sequence[str] | None) -> None:
    """Raise ValueError for a `refit` that chooses nothing: by a scorer that is not there, or neither way.

    `names` are those of several scorers; None is a single one.

    >>> check_refit("f1", None)
    Traceback (most recent call last):
    ...
    ValueError: `refit` must be True, False or a callable; got 'f1'. A name is for several scorers.
    """
    if callable(refit):
        return
    if names is None:
        if not isinstance(refit, bool | np.bool_):
            raise ValueError(
                f"`refit` must be True, False or a callable; got {refit!r}. A name is for several scorers."
            )
    elif refit is not False and not (isinstance(refit, str) and refit in names):
        raise ValueError(
            f"With several scorers `refit` must be False, a callable or name one of {sorted(names)}; got {refit!r}."
        )


def chosen_by(refit: Callable[[dict[str, Any]], object], results: dict[str, Any]) -> int:
    """The candidate that a callable `refit` chooses from `cv_results_`.

    >>> chosen_by(lambda results: 1, {"params": [{"C": 1.0}, {"C": 10.0}]})
    1
    """
    index, candidates = refit(results), results["params"]
    if not isinstance(index, Integral) or isinstance(index, bool | np.bool_):
        raise TypeError(f"`refit` must return the number of a candidate; got {index!r}.")
    if not 0 <= int(index) < len(candidates):
        raise IndexError(f"`refit` must return the number of a candidate, 0 to {len(candidates) - 1}; got {index!r}.")
    return int(index)


def takes_weights(scorer: Scorer) -> bool:
    """Whether a scorer of scikit-learn takes the weights of rows, as its own searches find out."""
    accepts = getattr(scorer, "_accept_sample_weight", None)
    return accepts is not None and bool(accepts())


def values_of(
    name: str, scorer: Scorer, decided: Decided, X: Features, truth: Array, weights: Weights | None = None
) -> dict[str, float]:
    """The values of what was decided for a fold, by name; scorers of probabilities have nothing to score."""
    given = {"sample_weight": weights} if weights is not None and takes_weights(scorer) else {}
    try:
        value = scorer(decided, X, truth, **given)
    except AttributeError as error:
        if "predict_proba" not in str(error):
            raise
        raise ValueError(
            f"The scorer {name!r} asks for probabilities, but a search over all folds at once has decisions alone. "
            "Score rankings (macro_auc), or use GridSearchCV."
        ) from error
    except ValueError as error:
        if split_unknown(truth)[1] is None:
            raise
        raise ValueError(
            f"The scorer {name!r} takes no unknown labels (NaN in y): {error} Score a metric of bncc, such as "
            'scoring="subset_accuracy" or "macro_f1", which leave them out.'
        ) from error
    if isinstance(value, Mapping):
        return {str(key): float(each) for key, each in value.items()}
    return {name: float(value)}
