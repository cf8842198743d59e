"""From data to a comparison of methods: reading tables, pipelines for any data, folds and seeds, tested methods.

The command line and the studies of `bncc.experiment` work by what is here.
"""

from bncc.evaluation.comparing import EvaluationPlan, compare_methods, summarise_records
from bncc.evaluation.fitting import fit_rows
from bncc.evaluation.folds import Fold, deal, deal_repeat, method_seed, seed_of
from bncc.evaluation.labelled import LabelledData, as_labelled, label_table
from bncc.evaluation.leaks import Leak, LeakWarning, find_leaks
from bncc.evaluation.methods import METHODS, MethodInfo
from bncc.evaluation.pipelines import build_pipeline, choose_base, chosen_engine, chosen_values
from bncc.evaluation.reading import Reading, read_features, read_labelled
from bncc.evaluation.records import WHOLE, Candidate, Record

__all__ = [
    "METHODS",
    "WHOLE",
    "Candidate",
    "EvaluationPlan",
    "Fold",
    "LabelledData",
    "Leak",
    "LeakWarning",
    "MethodInfo",
    "Reading",
    "Record",
    "as_labelled",
    "build_pipeline",
    "choose_base",
    "chosen_engine",
    "chosen_values",
    "compare_methods",
    "deal",
    "deal_repeat",
    "find_leaks",
    "fit_rows",
    "label_table",
    "method_seed",
    "read_features",
    "read_labelled",
    "seed_of",
    "summarise_records",
]
