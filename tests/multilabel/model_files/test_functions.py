import os

import numpy as np
import sklearn.metrics

from bncc.metrics import METRICS
from bncc.multilabel.model_files.functions import function_named, known_functions, name_of_function


def test_metrics_go_by_their_names():
    plain = [metric.function for metric in METRICS.values() if name_of_function(metric.function)]
    for function in (*plain, sklearn.metrics.f1_score, np.log1p, np.abs):
        assert function_named(name_of_function(function)) is function
    assert len(plain) >= 5


def test_nothing_else_does():
    assert name_of_function(os.system) is None
    assert name_of_function(lambda: 0) is None
    assert name_of_function(sklearn.metrics) is None
    assert function_named("os.system") is None
    rooms = {name.split(".")[0] for name in known_functions()}
    assert rooms == {"bncc", "numpy", "sklearn"}
    assert not any("dataset" in name or "load" in name for name in known_functions())
