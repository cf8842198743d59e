"""Fitted models of every kind that a file may hold: estimators of the package, and bases of scikit-learn."""

import inspect
import warnings
from functools import cache

import numpy as np
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid, RadiusNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection
from sklearn.svm import SVC, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import bncc
import bncc.linear
from bncc import (
    BNCC,
    BinaryRelevance,
    Blend,
    BlockPowerset,
    CalibratedLabelRanking,
    ClassifierChain,
    KernelSVC,
    LabelPowerset,
    MLkNN,
    RandomKLabelsets,
    StackedBinaryRelevance,
    TableFeatures,
    recommended_kernels,
)
from bncc.datasets import make_scenes, make_tickets
from bncc.multilabel.blending.leaderboard import BlendPlan, PlannedDecision, PlannedFamily

N_ROWS = 97  # as no other number in these models
DATA = make_scenes(N_ROWS)
NEW = make_scenes(60, random_state=1).X

_COLUMNS = make_tickets(N_ROWS, 4)
del _COLUMNS["tags"]

PLAN = BlendPlan(
    (PlannedFamily("linear", (("C", 1.0),), 1.0),),
    limited=True,
    weighs_labels=False,
    calibrates=True,
    decision=PlannedDecision("expected F1", (0.2,)),
)

SINGLE = {"AugmentedNaiveBayes", "KernelSVC", "LinearSVC", "LogisticRegression"}
WITHOUT_BASE = {"MLkNN", "NetworkMLkNN", *SINGLE}


def estimators():
    """Every estimator of the package, on the kernel engine and on scikit-learn's classifiers."""
    for name in bncc.__all__:
        kind = getattr(bncc, name)
        if not (inspect.isclass(kind) and hasattr(kind, "fit")):
            continue
        if name == "TableFeatures":
            continue  # among the bases, on a table
        if name in ("BatchSearchCV", "KernelSearchCV"):
            yield name, kind(BNCC(), {"sigma": [1.0, 4.0], "C": [1.0]}, cv=2)
        elif name == "Blend":
            # scikit-learn's forests add up their trees in the order in which threads end: last digits may differ.
            one = {"random_state": 0, "n_jobs": 1}
            every = ["extra trees", "kernel chains", "linear", "random forest"]
            yield name, kind("hamming_loss", families=every, **one)
            yield f"{name}-sets", kind("subset_accuracy", families=["label sets"], **one)
            yield f"{name}-planned", kind(plan=PLAN, random_state=0)
            yield f"{name}-stacked", kind("macro_auc", families=["kernel ridge", "stacked trees"], **one)
        elif name == "TunedThresholds":
            yield name, kind(BNCC(), cv=2)
            yield f"{name}-bayes", kind(BinaryRelevance(GaussianNB()), how="per_label", cv=2)
        elif name == "NetworkDecoder":
            yield name, kind(cv=2)
            yield f"{name}-bayes", kind(BinaryRelevance(GaussianNB()), optimise="hamming", strength=0.5)
        elif name in WITHOUT_BASE or "estimator" not in inspect.signature(kind).parameters:
            yield name, kind()
        else:
            yield name, kind()
            yield f"{name}-logistic", kind(LogisticRegression(max_iter=1000))
    yield "recommended", recommended_kernels(n_chains=2, sigma=(1.0, 2.0), C=(1.0,), random_state=0)
    yield "beam", ClassifierChain(inference="beam")
    yield "cross-validated", ClassifierChain(cv=2, random_state=0)
    yield "handing on", ClassifierChain(LogisticRegression(max_iter=1000), chain_method="predict_proba", random_state=0)
    yield "monte-carlo", ClassifierChain(LogisticRegression(), inference="monte_carlo", random_state=0)
    yield "stacked rates", StackedBinaryRelevance(LogisticRegression(max_iter=1000), stack_method="predict_proba")
    yield "pipeline", make_pipeline(MinMaxScaler(), BNCC(KernelSVC(C=10, sigma=2.0)))
    yield "linear", BinaryRelevance(KernelSVC(kernel="linear", class_weight="balanced"))
    yield "linear links", BNCC(bncc.linear.LogisticRegression())
    yield "linear chain", ClassifierChain(bncc.linear.LinearSVC(), random_state=0)
    yield "mapped links", BNCC(KernelSVC(approximation="nystroem", n_components=9))
    yield "linear sets", LabelPowerset(bncc.linear.LinearSVC())
    yield "network sets", RandomKLabelsets(labelsets="network")
    yield "blocks", BlockPowerset(chain=False)
    yield "block chain of classes", BlockPowerset(bncc.linear.LogisticRegression(), max_size=3)
    yield "network pairs", CalibratedLabelRanking(LogisticRegression(max_iter=1000), pairs="network")
    yield "trees", BNCC(RandomForestClassifier(5, random_state=0))


CASES = dict(estimators())

# A table as rows, so that some of them are a list; without text it is dense.
TICKETS = [dict(zip(_COLUMNS, row, strict=True)) for row in zip(*_COLUMNS.values(), strict=True)]
COLUMNS = [{name: cell for name, cell in row.items() if name not in ("body", "subject", "customer")} for row in TICKETS]

X_SPARSE = sparse.csr_matrix(np.where(DATA.X > 0.8, DATA.X, 0.0))
Y_TWO, Y_THREE = DATA.Y[:, 0], DATA.Y[:, 0] + DATA.Y[:, 1]
TEXTS = np.array([["red fox", "grey wolf runs", "red deer", "grey fox"][row % 4] for row in range(N_ROWS)], object)
TABLE = np.array([[["low", "mid", "high"][row % 3], row % 5] for row in range(N_ROWS)], object)

CLASSIFIERS = {
    "logistic": LogisticRegression(),
    "our logistic": bncc.linear.LogisticRegression(),
    "our linear svm": bncc.linear.LinearSVC(),
    "ridge": RidgeClassifier(),
    "sgd": SGDClassifier(random_state=0),
    "sgd log": SGDClassifier(loss="log_loss", early_stopping=True, random_state=0),
    "sgd averaged": SGDClassifier(average=True, random_state=0),
    "perceptron": Perceptron(),
    "linear svm": LinearSVC(),
    "svm": SVC(),
    "poly svm": SVC(kernel="poly", decision_function_shape="ovo"),
    "nu svm": NuSVC(nu=0.2),
    "kernel svm": KernelSVC(),
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "extra tree": ExtraTreeClassifier(max_depth=4, random_state=0),
    "forest": RandomForestClassifier(3, random_state=0),
    "extra trees": ExtraTreesClassifier(3, random_state=0),
    "bagging": BaggingClassifier(n_estimators=2, random_state=0),
    "ada": AdaBoostClassifier(n_estimators=3, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=3, random_state=0),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=3, random_state=0),
    "neighbours": KNeighborsClassifier(),
    "neighbours kd": KNeighborsClassifier(algorithm="kd_tree", weights="distance"),
    "radius": RadiusNeighborsClassifier(radius=20.0),
    "centroid": NearestCentroid(),
    "gaussian": GaussianNB(),
    "bernoulli": BernoulliNB(),
    "network": MLPClassifier((5,), max_iter=300, tol=1.0, random_state=0),
    "network sgd": MLPClassifier((5,), solver="sgd", max_iter=300, tol=1.0, random_state=0),
    "lda": LinearDiscriminantAnalysis(),
    "qda": QuadraticDiscriminantAnalysis(reg_param=0.9),
    "dummy": DummyClassifier(),
    "calibrated": CalibratedClassifierCV(GaussianNB(), cv=2),
    "isotonic": CalibratedClassifierCV(GaussianNB(), cv=2, method="isotonic"),
    "one vs rest": OneVsRestClassifier(LogisticRegression()),
    "voting": VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression())]),
    "stacking": StackingClassifier([("a", GaussianNB())], cv=2),
    "grid": GridSearchCV(LogisticRegression(), {"C": [1, 2.0]}, cv=2),
}
BOOSTING = HistGradientBoostingClassifier(max_iter=3, random_state=0)
ON_OTHER_ROWS = {
    "multinomial": (MultinomialNB(), np.abs(DATA.X), Y_THREE),
    "complement": (ComplementNB(), np.abs(DATA.X), Y_THREE),
    "categorical": (CategoricalNB(), (DATA.X > 0.3).astype(int), Y_THREE),
    "table": (make_pipeline(TableFeatures(), LogisticRegression()), TICKETS, Y_TWO),
    "table with gaps": (
        make_pipeline(TableFeatures(gaps="keep"), HistGradientBoostingClassifier(max_iter=3)),
        COLUMNS,
        Y_TWO,
    ),
    "table of a blend": (Blend("hamming_loss", families=["linear"], random_state=0), TICKETS, DATA.Y),
    "sparse svm": (SVC(), X_SPARSE, Y_THREE),
    "sparse kernel svm": (KernelSVC(), X_SPARSE, Y_TWO),
    "sparse neighbours": (KNeighborsClassifier(), X_SPARSE, Y_TWO),
    "sparse logistic": (LogisticRegression(), X_SPARSE, Y_TWO),
    "tiny, sparse": (KernelSVC(), 1e-30 * X_SPARSE, Y_TWO),
    "tiny": (KernelSVC(), 1e-30 * DATA.X, Y_TWO),
    "landmarks": (KernelSVC(approximation="nystroem", n_components=9), DATA.X, Y_THREE),
    "sparse mlknn": (MLkNN(k=3), X_SPARSE, DATA.Y),
    "mlknn tree": (MLkNN(k=3), DATA.X[:, :4], DATA.Y),
    "words": (KernelSVC(), DATA.X, np.where(Y_TWO, "yes", "no")),
    "encoded": (make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression()), TABLE, Y_TWO),
    "rare": (
        make_pipeline(
            OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=3, drop="first"), LogisticRegression()
        ),
        TABLE,
        Y_TWO,
    ),
    "ordinal": (make_pipeline(OrdinalEncoder(), GaussianNB()), TABLE, Y_TWO),
    "tf-idf": (make_pipeline(TfidfVectorizer(sublinear_tf=True), LogisticRegression()), TEXTS, Y_TWO),
    "counts": (make_pipeline(CountVectorizer(), MultinomialNB()), TEXTS, Y_TWO),
    "hashes": (make_pipeline(HashingVectorizer(n_features=32), LogisticRegression()), TEXTS, Y_TWO),
    "columns": (
        make_pipeline(
            ColumnTransformer([("c", OneHotEncoder(), [0]), ("n", StandardScaler(), [1])]), LogisticRegression()
        ),
        TABLE,
        Y_TWO,
    ),
}
PREPARED = {
    "standard": StandardScaler(),
    "range": MinMaxScaler(),
    "largest": MaxAbsScaler(),
    "robust": RobustScaler(),
    "unit": Normalizer(),
    "log": FunctionTransformer(np.log1p, validate=True),
    "quantile": QuantileTransformer(n_quantiles=5),
    "power": PowerTransformer(),
    "polynomial": PolynomialFeatures(),
    "bins": KBinsDiscretizer(3, strategy="uniform"),
    "best": SelectKBest(k=3),
    "varied": VarianceThreshold(),
    "nystroem": Nystroem(n_components=4, random_state=0),
    "fourier": RBFSampler(n_components=4, random_state=0),
    "gaussian projection": GaussianRandomProjection(3, random_state=0),
    "sparse projection": SparseRandomProjection(3, random_state=0),
    "imputed": SimpleImputer(add_indicator=True),
}


def bases():
    """Name, unfitted model, rows and target of every base that a file may hold."""
    for name, model in CLASSIFIERS.items():
        yield name, model, DATA.X, Y_TWO
        if name != "qda":
            yield f"{name} of three", model, DATA.X, Y_THREE
    for name, (model, X, y) in ON_OTHER_ROWS.items():
        yield name, model, X, y
    for name, step in PREPARED.items():
        yield name, make_pipeline(step, LogisticRegression(max_iter=1000)), np.abs(DATA.X), Y_TWO


BASES = {name: (model, X, y) for name, model, X, y in bases()}


@cache
def fitted(case: str):
    """A model, fitted once, and rows that it answers for."""
    from sklearn.base import clone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if case in BASES:
            model, X, y = BASES[case]
            return clone(model).fit(X, y), X[:40]
        y = DATA.Y[:, 0] if case in SINGLE else DATA.Y_frame
        return clone(CASES[case]).fit(DATA.X, y), NEW


ANSWERS = ("predict", "decision_function", "predict_proba", "transform")


def answers(model, X):
    """What a model says of some rows, by method."""
    out = {}
    for name in ANSWERS:
        if hasattr(model, name):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                answer = getattr(model, name)(X)
            out[name] = answer.toarray() if sparse.issparse(answer) else np.asarray(answer)
    return out


# What else models can be asked: of rows, without them, and to learn on.
OF_ROWS = (
    "apply",
    "decision_path",
    "kneighbors",
    "predict_log_proba",
    "score_samples",
    "staged_decision_function",
    "staged_predict_proba",
)
OF_NOTHING = ("densify", "get_covariance", "get_feature_names_out", "get_support", "sparsify")
TOLD = ("coef_", "estimators_samples_", "feature_importances_", "n_support_", "powers_")


def ask_otherwise(model, X):
    """Ask whatever is no answer, steps of a pipeline included; errors are as good as answers."""
    steps = [step[-1] for step in getattr(model, "steps", ()) if isinstance(step, tuple | list) and step]
    for part in (model, *steps):
        for name in TOLD:
            _try(getattr, part, name, None)
        for name in OF_ROWS:
            _try(lambda part, name: _some(getattr(part, name)(X)), part, name)
        _try(lambda part: part.inverse_transform(part.transform(X)), part)
        for name in OF_NOTHING:
            _try(lambda part, name: getattr(part, name)(), part, name)
        _try(lambda part: part.partial_fit(X, np.resize(part.classes_, len(X))), part)


def _some(answer):
    return [stage for stage, _ in zip(answer, range(3), strict=False)] if inspect.isgenerator(answer) else answer


def _try(ask, *given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ask(*given)
        except MemoryError:
            raise
        except Exception:
            return
