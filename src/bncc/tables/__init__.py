"""Tables as people have them: what each column holds, how it becomes features, and what is odd about other rows."""

from bncc.tables.decisions import ColumnDecision, TableDecisions
from bncc.tables.surprises import Surprise, TableWarning
from bncc.tables.table_features import TableFeatures

__all__ = ["ColumnDecision", "Surprise", "TableDecisions", "TableFeatures", "TableWarning"]
