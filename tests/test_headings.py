import numpy as np
import pandas as pd
import polars as pl
import pytest

from bncc import BinaryRelevance, LinearSVC, recommended
from bncc._headings import check_headings
from bncc.svm import KernelSVC

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, :2] > 0).astype(int)


def test_names_of_one_kind_pass():
    for frame in (pd.DataFrame(X), pd.DataFrame(X, columns=["a", "b", "c"]), pl.DataFrame(X), X, X.tolist()):
        check_headings(frame)


@pytest.mark.parametrize("estimator", [recommended(), BinaryRelevance(LinearSVC()), LinearSVC(), KernelSVC()])
def test_names_that_tell_no_columns_apart_are_refused_in_our_words(estimator):
    y = Y if hasattr(estimator, "predict_tags") else Y[:, 0]
    with pytest.raises(
        ValueError, match=r"columns of `X` must have distinct names; got \['a'\] more than once\. Rename"
    ):
        estimator.fit(pd.DataFrame(X, columns=["a", "b", "a"]), y)
    with pytest.raises(ValueError, match=r"got \['0'\] more than once"):
        estimator.fit(pd.DataFrame(X, columns=[0, 0, 1]), y)
    with pytest.raises(TypeError, match=r"got \[1\] beside text\. Use `X\.columns = X\.columns\.astype\(str\)`"):
        estimator.fit(pd.DataFrame(X, columns=["a", 1, "b"]), y)
