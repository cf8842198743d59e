"""The classifiers made of links that tests of all of them run on, with two bases, and the rows that they learn."""

from functools import partial

from sklearn.linear_model import LogisticRegression

from bncc.datasets import make_scenes
from bncc.multilabel import BNCC, BinaryRelevance, ClassifierChain, EnsembleClassifierChain
from bncc.svm import KernelSVC

DATA = make_scenes(160, random_state=0)
X, Y = DATA.X, DATA.Y
LOGISTIC = LogisticRegression(C=1.0)
KINDS = {
    "BR": BinaryRelevance,
    "CC": partial(ClassifierChain, random_state=0),
    "BNCC": BNCC,
    "ECC": partial(EnsembleClassifierChain, n_chains=3, random_state=0),
}
BASES = {"logistic": LOGISTIC, "engine": KernelSVC(C=10.0)}
