"""How good predictions are, label by label: one frozen summary that text, figures and pages are made from."""

from bncc.analysis.quality.reasons import (
    Importance,
    LabelReasons,
    Reason,
    RowReasons,
    make_label_reasons,
)

__all__ = ["Importance", "LabelReasons", "Reason", "RowReasons", "make_label_reasons"]
