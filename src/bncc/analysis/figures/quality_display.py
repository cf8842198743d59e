"""What displays of quality share: they are made from predictions, from an estimator or from a summary, as
scikit-learn's displays are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from numpy.typing import ArrayLike

from bncc._names import did_you_mean
from bncc._typing import Classifier, Features, Labels, ScoreMatrix, Splitter
from bncc.analysis.figures.style import drawing
from bncc.analysis.quality.cross_validated import cross_val_quality
from bncc.analysis.quality.summary import MethodQuality, QualitySummary, summarise_quality

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["QualityDisplay"]


class QualityDisplay:
    """A picture of a `QualitySummary`; needs matplotlib (the extra `plot`).

    Parameters
    ----------
    summary : QualitySummary
    method : str, default=None
        Which of its methods to show; None shows the first.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    """

    _size = (5.0, 4.0)

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(self, summary: QualitySummary, method: str | None = None) -> None:
        self.summary = summary
        self.method = method

    @classmethod
    def from_predictions(
        cls,
        Y_true: Labels,
        Y_score: ScoreMatrix | None = None,
        *,
        Y_pred: Labels | None = None,
        thresholds: ArrayLike | None = None,
        label_names: Sequence[str] | None = None,
        confidence: float = 0.95,
        ax: Axes | None = None,
    ) -> Self:
        """Judge predictions and draw them; arguments as in `summarise_quality`, and the axes to draw upon."""
        summary = summarise_quality(
            Y_true, Y_score, Y_pred=Y_pred, thresholds=thresholds, label_names=label_names, confidence=confidence
        )
        return cls(summary).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Classifier,
        X: Features,
        Y: Labels,
        *,
        cv: Splitter = "prefit",
        label_names: Sequence[str] | None = None,
        confidence: float = 0.95,
        ax: Axes | None = None,
    ) -> Self:
        """Judge a fitted estimator on new rows and draw it; a number of folds as `cv` judges clones out of fold."""
        summary = cross_val_quality(estimator, X, Y, cv=cv, label_names=label_names, confidence=confidence)
        return cls(summary).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw upon the axes, or upon a figure of its own."""
        if ax is not None:
            self._draw(ax)
            self.ax_, self.figure_ = ax, ax.figure
            return self
        with drawing(*self._inches()) as figure:
            self.ax_, self.figure_ = figure.add_subplot(), figure
            self._draw(self.ax_)
        return self

    def _draw(self, ax: Axes) -> None:
        raise NotImplementedError

    def _inches(self) -> tuple[float, float]:
        return self._size

    @property
    def _quality(self) -> MethodQuality:
        if self.method is None:
            return self.summary.methods[0]
        for quality in self.summary.methods:
            if quality.method == self.method:
                return quality
        names = [quality.method for quality in self.summary.methods]
        raise ValueError(f"`method` must be one of {', '.join(names)}; got {self.method!r}.")

    def _labels(self, labels: Sequence[str | int] | None, usual: Sequence[int]) -> list[int]:
        """Positions of labels given by name or position."""
        if labels is None:
            return list(usual)
        names = self.summary.label_names
        return [_position(label, names) for label in labels]


def _position(label: str | int, names: tuple[str, ...]) -> int:
    if isinstance(label, str):
        if label not in names:
            raise ValueError(f"There is no label {label!r}; {did_you_mean(label, names)}")
        return names.index(label)
    if not 0 <= label < len(names):
        raise ValueError(f"`labels` must be names or positions below {len(names)}; got {label}.")
    return int(label)
