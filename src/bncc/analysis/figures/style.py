"""One look for all figures, and saving them so that the same figure gives the same file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

__all__ = [
    "BLUE",
    "COLOURS",
    "GREY",
    "INK",
    "ORANGE",
    "diverging",
    "drawing",
    "save_figure",
    "save_formats",
    "sequential",
]

#: The palette of Okabe and Ito (2008), told apart by colour-blind readers; black is kept for text.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#999999")
BLUE, ORANGE, GREY, INK = "#0072b2", "#d55e00", "#767676", "#1c2126"

_LOOK: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titley": 1.0,  # said, so that no draw measures all ticks to find it
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.dpi": 150,
    "savefig.dpi": 150,
    "svg.fonttype": "path",
    "svg.hashsalt": "bncc",
    "pdf.fonttype": 42,
}
_SUFFIXES = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {"Software": None}}


@contextmanager
def drawing(width: float, height: float) -> Iterator[Figure]:
    """A new figure (inches) in the look of this package; nothing global of matplotlib is changed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("Figures need matplotlib. Install it with: pip install 'bncc[plot]'") from error
    with _look():
        yield Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure as PDF, SVG or PNG, by the suffix; the same figure always gives the same bytes."""
    target = Path(path)
    metadata = _metadata(target)
    with _look():
        figure.savefig(target, metadata=metadata, bbox_inches="tight", facecolor="white")
    return target


def save_formats(figure: Figure, paths: Sequence[Path]) -> tuple[Path, ...]:
    """Write a figure in several formats, laid out and measured once for all of them; it keeps that layout."""
    from matplotlib import rcParams

    with _look():
        engine = figure.get_layout_engine()
        if engine is not None:
            engine.execute(figure)
        figure.set_layout_engine(None)  # not "none", which leaves an engine that has each save draw twice
        box = figure.get_tightbbox().padded(rcParams["savefig.pad_inches"])
        for target in paths:
            figure.savefig(target, metadata=_metadata(target), bbox_inches=box, facecolor="white")
    return tuple(paths)


def _metadata(target: Path) -> dict[str, None]:
    if target.suffix.lower() not in _SUFFIXES:
        raise ValueError(f"Figures are written as {', '.join(_SUFFIXES)}; got {target.name!r}.")
    return _SUFFIXES[target.suffix.lower()]


def diverging() -> LinearSegmentedColormap:
    """Colour map from orange (negative) through white to blue (positive)."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("bncc_diverging", ["#8a3b00", ORANGE, "#ffffff", BLUE, "#00405f"])


def sequential() -> LinearSegmentedColormap:
    """Colour map from light to dark blue, even in lightness."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("bncc_sequential", ["#f3f8fc", "#9ecae1", BLUE, "#002b45"])


@contextmanager
def _look() -> Iterator[None]:
    """This package's settings on top of matplotlib's own defaults, so that a user's settings change no figure."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_LOOK)
        yield
