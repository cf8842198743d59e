"""Estimators of scikit-learn with one field that does not belong to the others are refused, or answer in words."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.feature_selection import VarianceThreshold
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, pairwise_distances
from sklearn.multioutput import ClassifierChain
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC

from bncc.datasets import MalformedFile, make_scenes
from bncc.multilabel import load_model, save_model
from bncc.multilabel.model_files import checked_estimators
from bncc.multilabel.model_files.fields import Sizes
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import check_record, record_of

DATA = make_scenes(60, random_state=0)
X, Y = DATA.X[:, :6], np.asarray(DATA.Y)[:, :4]
TWO, THREE = Y[:, 0], np.arange(60) % 3
WORDS = np.array([["a"], ["b"], ["b"], ["b"], ["c"]] * 12, object)


def kept(model, folder):
    save_model(model, folder / "model.bncc")
    return load_model(folder / "model.bncc")


def with_(model, **fields):
    vars(model).update(fields)
    return model


def one_hot(**fields):
    encoder = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=20).fit(WORDS)
    return with_(encoder, **fields)


def stacking(**fields):
    return with_(StackingClassifier([("a", GaussianNB())], cv=2).fit(X, TWO), **fields)


def network(*shapes):
    model = MLPClassifier((5,), max_iter=300, tol=1.0, random_state=0).fit(X, TWO)
    return with_(model, coefs_=[np.zeros(shape) for shape in shapes])


def isotonic():
    model = CalibratedClassifierCV(GaussianNB(), cv=2, method="isotonic").fit(X, TWO)
    return model.calibrated_classifiers_[0].calibrators[0]


def sparse_svc():
    return with_(SVC().fit(sparse.csr_array(X), TWO), probability=np.True_)


HOSTILE = {
    "a rare category beyond all": lambda: one_hot(_infrequent_indices=[np.array([10**6])]),
    "a rare category without its group": lambda: one_hot(_default_to_infrequent_mappings=[None]),
    "rare categories that are missing": lambda: one_hot(_infrequent_indices=None),
    "probabilities that are not there": sparse_svc,
    "a function of other arrays": lambda: FunctionTransformer(pairwise_distances, kw_args={"metric": "mahalanobis"}),
    "a function that writes elsewhere": lambda: FunctionTransformer(np.exp, kw_args={"out": np.zeros(3)}),
    "the inverse of one": lambda: FunctionTransformer(np.exp, inverse_func=np.log, inv_kw_args={"out": np.zeros(3)}),
    "clusters without end": lambda: with_(
        KMeans(2, n_init=1).fit(X), cluster_centers_=np.zeros((5000, 6)), _n_features_out=5000
    ),
    "a method of one's own": lambda: stacking(stack_method_=["fit_predict"]),
    "a method of text": lambda: stacking(estimators_=["{0:>99}"], stack_method_=["format"]),
    "a chain by another method": lambda: with_(ClassifierChain(LogisticRegression()).fit(X, Y), chain_method_="fit"),
    "a kernel that is a function": lambda: with_(Nystroem(n_components=5).fit(X), kernel=classification_report),
    "options of a kernel": lambda: with_(Nystroem(n_components=5).fit(X), kernel_params={"gamma": np.zeros(9)}),
    "a metric that is a function": lambda: with_(NearestCentroid().fit(X, TWO), metric=classification_report),
    "layers of no width": lambda: network((6, 0), (0, 4096)),
    "layers that do not meet": lambda: network((6, 5), (4, 1)),
    "counts in two dimensions": lambda: with_(
        CategoricalNB().fit((X > 0).astype(int), TWO), class_count_=np.zeros((4096, 0))
    ),
    "weights of transformers": lambda: FeatureUnion(
        [("a", StandardScaler().fit(X))], transformer_weights={"a": np.ones((9, 1, 1))}
    ),
    "intercepts of a discriminant": lambda: with_(
        LinearDiscriminantAnalysis().fit(X, TWO), intercept_=np.zeros((1, 4096))
    ),
    "means of a discriminant": lambda: with_(
        QuadraticDiscriminantAnalysis(reg_param=0.9).fit(X, TWO), means_=np.zeros((2, 4096, 1))
    ),
    "rotations of other classes": lambda: with_(
        QuadraticDiscriminantAnalysis(reg_param=0.9).fit(X, TWO), rotations_=[np.eye(6)] * 3
    ),
    "priors of other classes": lambda: with_(GaussianNB().fit(X, TWO), class_prior_=np.zeros((4096, 1))),
    "a threshold that is an array": lambda: with_(VarianceThreshold().fit(X), threshold=np.zeros((4096, 1))),
    "classes without weights": lambda: with_(LogisticRegression().fit(X, THREE), classes_=np.arange(4096)),
    "high powers of many features": lambda: PolynomialFeatures(8).fit(DATA.X[:, :12]),
    "places beyond any row": lambda: with_(
        ColumnTransformer([("a", StandardScaler(), [0])]).fit(X), output_indices_={"a": slice(0, 2 * 10**8)}
    ),
    "steps without end": lambda: make_pipeline(*[StandardScaler() for _ in range(1001)]).fit(X),
    "a constant that is no class": lambda: with_(
        DummyClassifier(strategy="constant", constant=1).fit(X, TWO), constant=2**28
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_it_is_refused(what, tmp_path):
    """Saving reads what it has written, as a stranger would."""
    with pytest.raises(TypeError, match="cannot be kept in a file") as refusal:
        save_model(HOSTILE[what](), tmp_path / "model.bncc")
    assert isinstance(refusal.value.__cause__, MalformedFile)


def test_what_scikit_learn_makes_again_is_not_believed():
    """A calibration that was never fitted, and yet brings a function."""
    model = isotonic()
    record = record_of(f"{type(model).__module__}:{type(model).__qualname__}")
    with pytest.raises(Refused, match="f_"):
        check_record(record, {"f_": np.exp}, Sizes(lambda value: None))


def test_unions_of_unions_end_in_words(tmp_path, monkeypatch):
    monkeypatch.setattr(checked_estimators, "MOST_NUMBERS_IN_A_ROW", 100)

    def doubled(times):
        return make_pipeline(*(FeatureUnion([("a", "passthrough"), ("b", "passthrough")]) for _ in range(times))).fit(X)

    narrow, wide = doubled(4), doubled(5)
    np.testing.assert_array_equal(kept(narrow, tmp_path).transform(X), narrow.transform(X))
    with pytest.raises(ValueError, match="at most 100 numbers a row"):
        kept(wide, tmp_path).transform(X)


def test_columns_side_by_side_end_in_words(tmp_path, monkeypatch):
    columns = ColumnTransformer([(str(number), StandardScaler(), [0, 1, 2]) for number in range(40)]).fit(X)
    np.testing.assert_array_equal(kept(columns, tmp_path).transform(X), columns.transform(X))
    monkeypatch.setattr(checked_estimators, "MOST_NUMBERS_IN_A_ROW", 100)
    with pytest.raises(ValueError, match="got 102 or more"):
        kept(columns, tmp_path).transform(X)


def test_votes_are_for_classes(tmp_path):
    voting = VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression())]).fit(X, TWO)
    read = kept(voting, tmp_path)
    np.testing.assert_array_equal(read.predict(X), voting.predict(X))
    read.estimators_[0] = DummyClassifier(strategy="constant", constant=9).fit(X, np.full(60, 9))
    with pytest.raises(ValueError, match="votes for classes that it does not have"):
        read.predict(X)
