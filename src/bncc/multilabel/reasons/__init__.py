"""Reasons for predictions: what features and other labels add to the score of each label of a row."""

from bncc.multilabel.reasons.explaining import ExplainOptions, explain
from bncc.multilabel.reasons.reason_records import Explanation, LabelReasons, Reason, RowReasons

__all__ = ["ExplainOptions", "Explanation", "LabelReasons", "Reason", "RowReasons", "explain"]
