"""A pytest plugin: this package's estimators under the names of scikit-learn's, for scikit-learn's own tests.

It works in a process of its own, before the tests are imported. `STANDINS` names the classes to replace.
"""

import os

import sklearn.multiclass
import sklearn.multioutput

import bncc


class ClassifierChain(bncc.ClassifierChain):
    """Ours, with scikit-learn's default of `order`."""

    def __init__(self, estimator, *, order=None, cv=None, chain_method="predict", random_state=None, verbose=False):
        super().__init__(
            estimator, order=order, cv=cv, chain_method=chain_method, random_state=random_state, verbose=verbose
        )


class MultiOutputClassifier(bncc.BinaryRelevance):
    """Ours; tests look for the name in messages."""


class OneVsRestClassifier(bncc.BinaryRelevance):
    """Ours; tests look for the name in messages."""


def pytest_configure(config):
    for name in os.environ["STANDINS"].split(","):
        room = sklearn.multiclass if name == "OneVsRestClassifier" else sklearn.multioutput
        setattr(room, name, globals()[name])
