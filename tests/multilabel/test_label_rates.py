import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

from bncc.multilabel import BinaryRelevance
from bncc.multilabel.label_rates import label_rates
from multilabel_behaviour import draw

X, Y = draw(50, 3)


def test_all_forms_agree():
    ours = label_rates(BinaryRelevance(LogisticRegression()).fit(X, Y), X, 3)
    theirs = label_rates(MultiOutputClassifier(LogisticRegression()).fit(X, Y), X, 3)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_constant_labels_are_certain():
    constant = np.column_stack([Y[:, 0], np.zeros(50, int), np.ones(50, int)])
    rates = label_rates(RandomForestClassifier(5, random_state=0).fit(X, constant), X, 3)
    assert (rates[:, 1] == 0).all()
    assert (rates[:, 2] == 1).all()


def test_a_single_label_is_the_second_class():
    model = LogisticRegression().fit(X, Y[:, 0])
    np.testing.assert_array_equal(label_rates(model, X, 1)[:, 0], model.predict_proba(X)[:, 1])
