"""What measures a model, how often its parts are asked, and what a file says of itself."""

import copy
import io
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
import sklearn.metrics
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import get_scorer_names, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier
from sklearn.multioutput import ClassifierChain as PlainChain
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

from bncc import BatchSearchCV, BinaryRelevance, ClassifierChain, LabelPowerset, TunedThresholds
from bncc.datasets import MalformedFile, make_scenes
from bncc.linear import LogisticRegression as OurLogistic
from bncc.metrics import SCORERS, averaged, binary, get_metric, get_scorer
from bncc.multilabel import load_model, save_model
from bncc.multilabel.model_files.archive import Archive
from bncc.multilabel.model_files.fields import Sizes
from bncc.multilabel.model_files.number_types import is_number_type
from bncc.multilabel.model_files.questions import Questions, check_questions
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import check_record, record_named
from model_attacks import npy, records_in, taken_apart, write_file
from model_cases import fitted
from stopwatch import Stopwatch

DATA = make_scenes(60, random_state=0)
X, Y = DATA.X[:, :4], np.asarray(DATA.Y)[:, :3]
TWO = Y[:, 0]


def written(path, structure, arrays):
    return write_file(path, structure, {name: npy(array) for name, array in arrays.items()})


def kept(model, folder):
    return load_model(save_model(model, folder / "model.bncc"))


def searched(**fields):
    """A search that was never run, and yet has a model and a scorer."""
    search = GridSearchCV(GaussianNB(), {})
    vars(search).update(best_estimator_=GaussianNB().fit(X, TWO), multimetric_=False, **fields)
    return search


def scored_by(function, method="predict", **options):
    scorer = make_scorer(sklearn.metrics.accuracy_score)
    scorer._score_func, scorer._response_method, scorer._kwargs = function, method, options
    return scorer


def at_k(**fields):
    metric = copy.copy(get_metric("ps_ndcg_at_5").function)
    vars(metric).update(fields)
    return scored_by(metric, "predict_proba", normalize=False)


# ---- losses


@pytest.mark.parametrize(
    ("case", "name", "loss"),
    [
        ("boosting of three", "GradientBoostingClassifier", "exponential"),
        ("boosting of three", "GradientBoostingClassifier", "deviance"),
        ("histogram boosting of three", "HistGradientBoostingClassifier", "exponential"),
    ],
)
def test_boosting_has_the_loss_of_its_classes(case, name, loss, tmp_path):
    """Compiled code adds to a column per class, and the exponential loss has one."""
    structure, arrays = taken_apart(fitted(case)[0])
    next(records_in(structure, name))["loss"] = loss
    with pytest.raises(MalformedFile, match="loss"):
        load_model(written(tmp_path / "file", structure, arrays))


# ---- scorers

ACCURACY = sklearn.metrics.accuracy_score
HOSTILE = {
    "that learns": lambda: scored_by(ACCURACY, "fit"),
    "that learns if it must": lambda: scored_by(ACCURACY, ("predict_proba", "fit")),
    "of kernels": lambda: scored_by(sklearn.metrics.pairwise_kernels, metric="laplacian"),
    "of tables": lambda: scored_by(sklearn.metrics.confusion_matrix),
    "of text": lambda: scored_by(sklearn.metrics.classification_report),
    "that is none": lambda: sklearn.metrics.check_scoring,
    "of a type": lambda: scored_by(str),
    "of many labels": lambda: scored_by(sklearn.metrics.cohen_kappa_score, labels=np.arange(1200)),
    "of a wide option": lambda: scored_by(sklearn.metrics.fbeta_score, beta=np.ones((9, 1, 1))),
    "of many, one bad": lambda: {"a": scored_by(ACCURACY), "b": sklearn.metrics.pairwise_distances},
    "of other counts": lambda: scored_by(averaged(sklearn.metrics.pairwise_distances, "macro")),
    "of a wide beta": lambda: scored_by(averaged(binary.f_beta, "macro", beta=np.ones((9, 1, 1)))),
    "at another k": lambda: at_k(function=sklearn.metrics.pairwise_distances),
    "of a huge ranking": lambda: at_k(k=2**31 - 1),
    "of a huge k": lambda: scored_by(get_metric("ps_ndcg_at_5").function.function, "predict_proba", k=2**31),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_scorers_measure_answers_and_nothing_else(what, tmp_path):
    structure, arrays = taken_apart(searched(scorer_=HOSTILE[what]()))
    with pytest.raises(MalformedFile, match=r"scorer|Scorer|AveragedMetric|MetricAtK"):
        load_model(written(tmp_path / "file", structure, arrays))


@pytest.mark.parametrize("kind", [LogisticRegressionCV, GridSearchCV, BatchSearchCV])
def test_what_models_are_scored_by_is_a_scorer(kind, tmp_path):
    model = LogisticRegressionCV() if kind is LogisticRegressionCV else kind(GaussianNB(), {})
    model.scoring = sklearn.metrics.pairwise_distances
    structure, arrays = taken_apart(model)
    with pytest.raises(MalformedFile, match="scoring must be a scorer"):
        load_model(written(tmp_path / "file", structure, arrays))


def test_scorers_of_scikit_learn_can_be_kept(tmp_path):
    unlisted = {"positive_likelihood_ratio", "neg_negative_likelihood_ratio"}
    for name in sorted(set(get_scorer_names()) - unlisted):
        structure, arrays = taken_apart(searched(scorer_=sklearn.metrics.get_scorer(name)))
        found = load_model(written(tmp_path / "file", structure, arrays)).scorer_
        assert repr(found) == repr(sklearn.metrics.get_scorer(name))


def test_several_scorers_of_ours_can_be_kept(tmp_path):
    named = {"macro_f1": SCORERS["macro_f1"], "ranking_loss": SCORERS["ranking_loss"]}
    named["ps"] = get_scorer("ps_precision_at_1", propensities=np.full(3, 0.5))
    named["half"] = make_scorer(averaged(binary.f_beta, "micro", beta=0.5), zero_division=0.0)
    named["log"] = get_scorer("log_loss")
    of_labels = make_scorer(sklearn.metrics.f1_score, average="macro", labels=[0, 2])
    base = BinaryRelevance(OurLogistic())
    grid = GridSearchCV(base, {"estimator__C": [1.0]}, scoring=named, refit="ps", cv=2).fit(X, Y)
    batch = BatchSearchCV(base, {"C": [1.0]}, scoring=named["half"], cv=2).fit(X, Y)
    labels = GridSearchCV(base, {"estimator__C": [1.0]}, scoring=of_labels, cv=2).fit(X, Y)
    alone = GridSearchCV(base, {"estimator__C": [1.0]}, cv=2).fit(X, Y)
    cross = LogisticRegressionCV(
        Cs=2, cv=2, l1_ratios=(0.0,), scoring=make_scorer(ACCURACY), use_legacy_attributes=False
    ).fit(X, TWO)
    for search in (grid, batch, labels, alone):
        assert kept(search, tmp_path).score(X, Y) == search.score(X, Y)
    read = kept(grid, tmp_path)
    assert all(read.scorer_[name](read, X, Y) == grid.scorer_[name](grid, X, Y) for name in named)
    assert kept(cross, tmp_path).score(X, TWO) == cross.score(X, TWO)


def test_a_scorer_that_the_caller_trusts(tmp_path):
    name = f"{np.testing.assert_equal.__module__}.assert_equal"
    for scorer in (np.testing.assert_equal, scored_by(np.testing.assert_equal)):
        save_model(searched(scorer_=scorer), tmp_path / "file", trusted=[name])
        assert repr(load_model(tmp_path / "file", trusted=[name]).scorer_) == repr(scorer)
        with pytest.raises(MalformedFile, match="not trusted"):
            load_model(tmp_path / "file")


# ---- estimators within estimators


def renumbered(node, shift):
    """A structure whose records have other numbers, for a place in one that has it already."""
    if isinstance(node, list):
        return [renumbered(each, shift) for each in node]
    if not isinstance(node, dict):
        return node
    made = {key: renumbered(each, shift) for key, each in node.items()}
    if "record" in made:
        made["record"][2] += shift
    return {"same": made["same"] + shift} if "same" in made else made


def nested(model, field, times):
    """A model of one part in a model of that kind, and so on."""
    structure, arrays = taken_apart(model)
    inner = structure
    for level in range(1, times + 1):
        outer = renumbered(structure, 1000 * level)
        node = outer
        for key in field[:-1]:
            node = _inside(node, key)[key]
        _inside(node, field[-1])[field[-1]] = inner
        inner = outer
    return inner, arrays


def _inside(node, key):
    return node["record"][1] if isinstance(node, dict) and key not in node else node


def union(part):
    return FeatureUnion([("a", part)])


WRAPPERS = {
    "pairs": (OneVsOneClassifier(GaussianNB()).fit(X, TWO), ("estimators_", "tuple", 0), 20),
    "sets": (LabelPowerset(GaussianNB()).fit(X, Y), ("_solved", "estimators", "tuple", 0), 10),
    "a chain": (PlainChain(GaussianNB()).fit(X, Y[:, :1]), ("estimators_", "list", 0), 20),
    "links": (BinaryRelevance(GaussianNB()).fit(X, Y[:, :1]), ("_solved", "estimators", "tuple", 0), 20),
    "steps": (make_pipeline(GaussianNB()).fit(X, TWO), ("steps", "list", 0, "tuple", 1), 18),
    "unions": (union(StandardScaler()).fit(X), ("transformer_list", "list", 0, "tuple", 1), 20),
    "bags": (BaggingClassifier(GaussianNB(), n_estimators=1).fit(X, TWO), ("estimators_", "list", 0), 18),
    "votes": (VotingClassifier([("a", GaussianNB())]).fit(X, TWO), ("estimators", "list", 0, "tuple", 1), 18),
}


@pytest.mark.parametrize("what", WRAPPERS)
def test_wrappers_that_ask_more_than_once_are_not_deep(what, tmp_path):
    structure, arrays = nested(*WRAPPERS[what])
    with pytest.raises(MalformedFile, match=r"asked \d+ times for one answer, more than \d+"):
        load_model(written(tmp_path / "file", structure, arrays))


@pytest.mark.parametrize("what", WRAPPERS)
def test_a_few_of_them_are(what, tmp_path):
    model, field, _ = WRAPPERS[what]
    structure, arrays = nested(model, field, 3)
    assert isinstance(load_model(written(tmp_path / "file", structure, arrays)), type(model))


@pytest.mark.parametrize("inference", ["beam", "exhaustive", "monte_carlo"])
def test_label_sets_of_label_sets_are_few(inference, tmp_path):
    chain = ClassifierChain(GaussianNB(), inference=inference, beam_width=64, n_samples=64)
    model = chain.fit(X, (DATA.X[:, :6] > 0.2).astype(int))
    structure, arrays = nested(model, ("_solved", "estimators", "tuple", 0), 1)
    with pytest.raises(MalformedFile, match="makes 4096 rows of one where at most 1024 can be"):
        load_model(written(tmp_path / "file", structure, arrays))


def test_references_are_asked_as_often(tmp_path):
    structure, arrays = nested(OneVsOneClassifier(GaussianNB()).fit(X, TWO), ("estimators_", "tuple", 0), 1)
    part = {"record": ["KFold", {}, 77]}
    *_, innermost = (fields for fields in records_in(structure, "GaussianNB") if "theta_" in fields)
    innermost["_more"] = {"list": [part, *[{"same": 77}] * 2000]}
    with pytest.raises(MalformedFile, match=r"asked \d+ times for one answer"):
        load_model(written(tmp_path / "file", structure, arrays))


def test_large_parts_are_asked_less_often(tmp_path):
    structure, arrays = nested(OneVsOneClassifier(GaussianNB()).fit(X, TWO), ("estimators_", "tuple", 0), 9)
    *_, innermost = (fields for fields in records_in(structure, "GaussianNB") if "theta_" in fields)
    innermost["_more"] = {"array": "more.npy"}
    load_model(written(tmp_path / "file", structure, {**arrays, "more.npy": np.zeros(10)}))
    with pytest.raises(MalformedFile, match=r"look at \d+ bytes for one answer, more than"):
        load_model(written(tmp_path / "file", structure, {**arrays, "more.npy": np.zeros(2**18)}))


def test_what_people_nest_can_be_kept(tmp_path):
    base = make_pipeline(StandardScaler(), make_pipeline(union(union("passthrough")), LogisticRegression()))
    search = GridSearchCV(CalibratedClassifierCV(base, cv=2), {"cv": [2]}, cv=2)
    model = make_pipeline(StandardScaler(), TunedThresholds(BinaryRelevance(search), cv=2)).fit(X, Y)
    np.testing.assert_array_equal(kept(model, tmp_path).predict(X), model.predict(X))
    sets = LabelPowerset(OneVsOneClassifier(make_pipeline(StandardScaler(), GaussianNB()))).fit(X, Y)
    np.testing.assert_array_equal(kept(sets, tmp_path).predict(X), sets.predict(X))


def test_wide_models_have_room():
    """A thousand labels, each of pairs of ten classes, in two pipelines."""
    part = Questions().around("LogisticRegression", {})
    pairs = Questions(total=45 * part.total).around("OneVsOneClassifier", {}).around("Pipeline", {})
    walk = {"_walks": (tuple(range(1000)),), "n_labels_": 1000}
    whole = Questions(total=1000 * pairs.total, levels=pairs.levels, looks=3).around("BinaryRelevance", walk)
    check_questions(whole.around("Pipeline", {}), 1000 * 47, 10**6)
    with pytest.raises(Refused, match="more than"):
        check_questions(whole.around("Pipeline", {}), 1000, 10**6)


# ---- what a file says of itself


def with_results(nodes):
    """A search that has not run, with anything as its results."""
    structure, _ = taken_apart(GridSearchCV(GaussianNB(), {}))
    structure["record"][1]["cv_results_"] = {"list": nodes}
    return structure


def matrix_archive(n_more):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in (("shape", [1, 3]), ("data", []), ("indices", []), ("indptr", [0, 0])):
            archive.writestr(f"{name}.npy", npy(np.array(array, float if name == "data" else np.int32)))
    raw, entry = out.getvalue(), struct.Struct("<4s4B4HL2L5H2L")
    end = raw.rindex(b"PK\5\6")
    start = struct.unpack("<L", raw[end + 16 : end + 20])[0]
    more = [entry.pack(b"PK\1\2", 20, 3, 20, *[0] * 8, 5, *[0] * 6) + b"%05x" % number for number in range(n_more)]
    names = raw[start:end] + b"".join(more)
    return raw[:start] + names + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, n_more + 4, n_more + 4, len(names), start, 0)


def test_archives_in_the_archive_have_few_members(tmp_path):
    search = with_results([{"stored matrix": ["csr_matrix", "m.npz"]}] * 4)
    load_model(write_file(tmp_path / "file", search, {"m.npz": matrix_archive(12)}))
    for n_more in (13, 60_000):
        write_file(tmp_path / "file", search, {"m.npz": matrix_archive(n_more)})
        refused = pytest.raises(MalformedFile, match=r"17 members, more than 16|directory of more than 2048 bytes")
        with Stopwatch() as watch, refused:
            load_model(tmp_path / "file")
        assert watch.processor < 1


@pytest.mark.parametrize("text", ["i4," * 20_000, "(" + "1," * 20_000 + ")i4", " " * 10**6 + "i4"])
def test_text_of_a_type_is_short(text):
    tracemalloc.start()
    try:
        assert not is_number_type(text)
        assert tracemalloc.get_traced_memory()[1] < 10**5
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("padding", [b"", bytes(10**5)])
def test_members_pay_by_what_they_hold(padding, tmp_path):
    """One that is never mentioned, and says that it is large, does not pay for mentions of others."""
    structure = with_results([{"array": "0.npy"}] * 60)
    write_file(tmp_path / "file", structure, {"0.npy": npy(np.random.default_rng(0).random(2**17)), "pad": padding})
    content = bytearray((tmp_path / "file").read_bytes())
    place = content.rindex(b"PK\1\2") + 24
    content[place : place + 4] = (2**30).to_bytes(4, "little")
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(MalformedFile, match=r"pad (does not have the size|is damaged)"):
        load_model(tmp_path / "file")


def test_members_are_unpacked_once_and_wait():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"12")
        archive.writestr("b", b"345")
    found = Archive(out)
    assert found.read("a") == b"12"
    assert found.unpacked == 5
    assert [found.read("b"), found.read("b"), found.read("a")] == [b"345", b"345", b"12"]


# ---- what has learned something has learned all of it


@pytest.mark.parametrize(
    ("name", "fields", "missing"),
    [
        ("StandardScaler", {"scale_": np.ones(9), "mean_": np.ones(9)}, "n_features_in_"),
        ("Nystroem", {"components_": np.ones((3, 2)), "kernel_params": {"gamma": np.ones(9)}}, "n_features_in_"),
        ("ColumnTransformer", {"output_indices_": {"a": slice(0, 2**30)}}, "n_features_in_"),
        ("AdaBoostClassifier", {"_more": 1}, "n_features_in_"),
    ],
)
def test_a_field_of_what_was_learned_asks_for_the_others(name, fields, missing):
    with pytest.raises(Refused, match=f"has no {missing}"):
        check_record(record_named(name), fields, Sizes(lambda value: None))


@pytest.mark.parametrize("model", [StandardScaler(), Nystroem(), BinaryRelevance(), BaggingClassifier()], ids=repr)
def test_estimators_before_fit_can_be_kept(model, tmp_path):
    if hasattr(model, "set_output"):
        model.set_output(**{"predict" if isinstance(model, BinaryRelevance) else "transform": "default"})
    assert repr(kept(model, tmp_path)) == repr(model)
