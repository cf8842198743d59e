"""A model that was written and read again gives the same answers; a file that is not one is refused."""

import io
import json
import pickle
import warnings
import zipfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import bncc
from bncc import (
    BNCC,
    BinaryRelevance,
    BlockPowerset,
    CalibratedLabelRanking,
    ClassifierChain,
    KernelSearchCV,
    KernelSVC,
    MLkNN,
    RandomKLabelsets,
    TunedThresholds,
    learn_network,
)
from bncc.datasets import MalformedFile, MultilabelStratifiedKFold
from bncc.metrics import SCORERS, get_scorer
from bncc.multilabel import load_model, open_model, save_model
from bncc.multilabel.model_files import FORMAT
from bncc.multilabel.model_files.checked_estimators import CHECKED
from bncc.multilabel.model_files.checked_trees import CHECKED_TREES
from model_cases import BASES, CASES, DATA, N_ROWS, NEW, SINGLE, answers
from model_cases import fitted as fitted_case

KEPT = Path(__file__).parent / "models"


@pytest.fixture(scope="module")
def fitted():
    """Each estimator fitted once, when first asked for."""
    return lambda case: fitted_case(case)[0]


@pytest.fixture(scope="module")
def files(fitted, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    known = {}

    def get(case):
        if case not in known:
            known[case] = save_model(fitted(case), folder / f"{case}.bncc", notes={"case": case})
        return known[case]

    return get


@pytest.mark.parametrize("case", CASES)
def test_answers_are_identical(case, fitted, files):
    model, again = fitted(case), load_model(files(case))
    assert type(again) is (CHECKED | CHECKED_TREES).get(type(model), type(model))
    answers = [name for name in ("predict", "decision_function", "predict_proba") if hasattr(model, name)]
    assert "predict" in answers
    for name in answers:
        assert np.array_equal(getattr(again, name)(NEW), getattr(model, name)(NEW)), name
        assert getattr(again, name)(NEW).dtype == getattr(model, name)(NEW).dtype
    assert getattr(again, "label_names_", None) == getattr(model, "label_names_", None)
    assert repr(again.get_params()) == repr(model.get_params())


@pytest.mark.parametrize("case", BASES)
def test_answers_of_bases_are_identical(case, tmp_path):
    model, X = fitted_case(case)
    again = load_model(save_model(model, tmp_path / "m.bncc"))
    assert type(again) is (CHECKED | CHECKED_TREES).get(type(model), type(model))
    expected, found = answers(model, X), answers(again, X)
    assert expected.keys() == found.keys()
    for name, answer in expected.items():
        assert np.array_equal(found[name], answer, equal_nan=answer.dtype.kind == "f"), name


@pytest.mark.parametrize("case", ["BNCC", "forest", "neighbours", "encoded", "tf-idf"])
def test_models_that_have_not_learned_can_be_kept(case, tmp_path):
    model = clone(CASES[case] if case in CASES else BASES[case][0])
    again = load_model(save_model(model, tmp_path / "m.bncc"))
    assert repr(again) == repr(model)


def far_apart():
    """Labels that one feature each tells apart with a wide gap: few rows support an SVM."""
    random = np.random.default_rng(0)
    X = random.uniform(0.0, 1.0, (N_ROWS, 3)) + 3.0 * (random.random((N_ROWS, 3)) < 0.5)
    return X, (X > 2).astype(int)


KEEPS_ROWS = {"Blend-stacked", "MLkNN", "NetworkMLkNN"}


@pytest.mark.parametrize("case", sorted(set(CASES) - KEEPS_ROWS))
def test_no_training_rows_travel(case, tmp_path):
    """No array has a line per training row; nearest neighbours and kernel ridge regression alone need them."""
    X, Y = far_apart()
    model = clone(CASES[case]).fit(X, Y[:, 0] if case in SINGLE else Y)
    with zipfile.ZipFile(save_model(model, tmp_path / "m.bncc")) as archive:
        arrays = [np.load(io.BytesIO(archive.read(name))) for name in archive.namelist() if name[-4:-1] == ".np"]
    shapes = [tuple(array["shape"]) if hasattr(array, "files") else array.shape for array in arrays]
    whole = [shape for shape in shapes if N_ROWS in shape]
    assert whole == ([(N_ROWS,)] if case.startswith("GroupSensitiveChain") else [])  # the group of each row, no more
    assert max(len(shape) and shape[0] for shape in shapes) > 0


@pytest.mark.parametrize(
    "method",
    [
        BNCC(),
        RandomKLabelsets(labelsets="network"),
        BlockPowerset(),
        CalibratedLabelRanking(pairs="network"),
    ],
)
def test_a_network_that_was_handed_over_travels_without_rows(method, tmp_path):
    X, Y = DATA.X, DATA.Y
    net = learn_network(Y, label_names=DATA.label_names)
    model = clone(method).set_params(estimator=GaussianNB(), network_search=net).fit(X, DATA.Y_frame)
    again = load_model(save_model(model, tmp_path / "m.bncc"))
    assert again.network_search.parents == again.network_.parents == net.parents
    assert again.network_search.counts is None
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    np.testing.assert_array_equal(clone(again).fit(X, DATA.Y_frame).predict(NEW), model.predict(NEW))


@pytest.mark.parametrize("kind", ["csr", "dense32"])
def test_sparse_and_single_precision(kind, tmp_path):
    random = np.random.default_rng(0)
    X = np.where(random.random((80, 500)) < 0.02, 1.0, 0.0)
    X = sparse.csr_array(X) if kind == "csr" else X.astype(np.float32)
    Y = (random.random((80, 3)) < 0.4).astype(int)
    model = BNCC(KernelSVC(C=10)).fit(X, Y)
    again = load_model(save_model(model, tmp_path / "m.bncc"))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_neighbours_are_indexed_again(tmp_path):
    """With few features scikit-learn keeps rows in a tree, which no file holds."""
    model = MLkNN(k=3).fit(DATA.X[:, :4], DATA.Y)
    again = load_model(save_model(model, tmp_path / "m.bncc"))
    assert np.array_equal(again.decision_function(NEW[:, :4]), model.decision_function(NEW[:, :4]))


def test_names_and_output_are_kept(tmp_path):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(DATA.X, columns=list(DATA.feature_names))
    model = BNCC().fit(X, DATA.Y_frame).set_output(predict="pandas")
    again = load_model(save_model(model, tmp_path / "m.bncc"))
    assert again.label_names_ == DATA.label_names
    assert again.feature_names_in_.tolist() == list(DATA.feature_names)
    pd.testing.assert_frame_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("base", [None, LogisticRegression(max_iter=1000)])
def test_values_of_columns_are_kept(base, tmp_path):
    words = np.where(DATA.Y == 1, "yes", "no")
    classes = np.column_stack([DATA.Y[:, 0] + DATA.Y[:, 1], 5 * DATA.Y[:, 2]])
    for model in (ClassifierChain(base, order=None).fit(DATA.X, words), BinaryRelevance(base).fit(DATA.X, classes)):
        again = load_model(save_model(model, tmp_path / "values.bncc"))
        assert np.array_equal(again.predict(NEW), model.predict(NEW))
        assert [each.tolist() for each in again.classes_] == [each.tolist() for each in model.classes_]


def test_the_network_keeps_all_but_its_rows(tmp_path):
    model = BNCC().fit(DATA.X, DATA.Y_frame)
    network = load_model(save_model(model, tmp_path / "m.bncc")).network_
    assert model.network_.counts is not None  # the caller's model is as it was
    assert network.counts is None
    assert network.order == model.network_.order
    assert np.array_equal(network.dependence, model.network_.dependence)
    assert np.array_equal(network.log_likelihood(DATA.Y), model.network_.log_likelihood(DATA.Y))
    assert network.explain(3) == model.network_.explain(3)


@pytest.mark.parametrize("metric", SCORERS)
def test_searches_for_every_metric_can_be_kept(metric, tmp_path):
    scorer = get_scorer(metric)
    search = KernelSearchCV(BinaryRelevance(), {"C": [1.0]}, scoring=scorer, cv=MultilabelStratifiedKFold(2))
    search.fit(DATA.X[:40, :3], DATA.Y[:40, :3])
    again = load_model(save_model(search, tmp_path / "m.bncc"))
    assert again.best_score_ == search.best_score_ or np.isnan(search.best_score_)


def test_notes_and_versions_are_recorded(files):
    saved = open_model(files("BNCC"))
    assert saved.notes == {"case": "BNCC"}
    assert saved.format == FORMAT
    assert saved.versions["bncc"] == bncc.__version__
    assert saved.versions["scikit-learn"] == version("scikit-learn")


def test_saving_refuses_what_could_not_be_read(tmp_path):
    with pytest.raises(TypeError, match="must be an estimator; got dict"):
        save_model({}, tmp_path / "m.bncc")
    with pytest.raises(TypeError, match="must be an estimator; got"):
        save_model(BNCC, tmp_path / "m.bncc")
    model = TunedThresholds(BinaryRelevance(GaussianNB()), metric=np.testing.assert_equal)
    with pytest.raises(TypeError, match=r"does not trust: numpy\.testing.*assert_equal.*`trusted`"):
        save_model(model, tmp_path / "m.bncc")
    assert list(tmp_path.iterdir()) == []
    name = f"{np.testing.assert_equal.__module__}.assert_equal"
    save_model(model, tmp_path / "m.bncc", trusted=[name])
    with pytest.raises(MalformedFile, match=r"not trusted: .*assert_equal.*Nothing of it was run.*`trusted`"):
        load_model(tmp_path / "m.bncc")
    assert load_model(tmp_path / "m.bncc", trusted=[name]).metric is np.testing.assert_equal


# ---- files that are not what they seem


def rewrite(source, target, **changes):
    """The archive with members replaced (bytes), or left out (None)."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for member in old.namelist():
            content = changes.get(member, old.read(member))
            if content is not None:
                new.writestr(member, content)
    return target


FOREIGN = {
    "nothing": (b"", "no model file"),
    "text": (b"hello", "no model file"),
    "pickle": (pickle.dumps({"a": 1}), "is a pickle"),
    "cut zip": (b"PK\x03\x04" + bytes(50), "damaged: its end is missing"),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_foreign_files_are_refused(case, tmp_path):
    content, words = FOREIGN[case]
    (tmp_path / "m.bncc").write_bytes(content)
    with pytest.raises(MalformedFile, match=words):
        load_model(tmp_path / "m.bncc")


def test_absent_files_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        load_model(tmp_path / "absent.bncc")
    with pytest.raises(IsADirectoryError):
        load_model(tmp_path)


def test_every_truncation_and_many_flips_are_refused_or_harmless(files, tmp_path):
    content = files("BinaryRelevance").read_bytes()
    broken = tmp_path / "m.bncc"
    random = np.random.default_rng(0)
    for length in random.integers(0, len(content), 40).tolist():
        broken.write_bytes(content[:length])
        with pytest.raises(MalformedFile):
            load_model(broken)
    refused = 0
    for place in random.integers(0, len(content), 60).tolist():
        broken.write_bytes(content[:place] + bytes([content[place] ^ 0x5A]) + content[place + 1 :])
        try:
            load_model(broken).predict(NEW)
        except MalformedFile:
            refused += 1
    assert refused > 40


@pytest.mark.parametrize("number", [0, FORMAT + 1, 99])
def test_other_formats_say_who_wrote_them(number, files, tmp_path):
    head = {"format": number, "versions": {"bncc": "9.1.0"}, "notes": {}}
    file = rewrite(files("BNCC"), tmp_path / "m.bncc", **{"bncc.json": json.dumps(head).encode()})
    with pytest.raises(MalformedFile, match=rf"format {number}, written by bncc 9\.1\.0; this release reads"):
        load_model(file)


@pytest.mark.parametrize("head", [b"", b"[]", b'{"format": "1"}', b'{"format": 1}', b"\xff", b"[" * 100_000])
def test_heads_of_another_shape_are_refused(head, files, tmp_path):
    with pytest.raises(MalformedFile):
        load_model(rewrite(files("BNCC"), tmp_path / "m.bncc", **{"bncc.json": head}))


# ---- files that earlier releases wrote


def opened_by_any_release(file):
    """The model, also where scikit-learn is older than the release that wrote it, which scikit-learn warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        return open_model(file)


def is_older(number, other):
    """Whether a version comes before another, by its first two parts."""
    return [int(part) for part in number.split(".")[:2]] < [int(part) for part in other.split(".")[:2]]


@pytest.mark.parametrize("file", sorted(KEPT.glob("*.skops")), ids=lambda file: file.stem)
def test_models_of_earlier_releases_still_answer(file):
    expected = json.loads(file.with_suffix(".json").read_text())
    with zipfile.ZipFile(file) as archive:
        writer = json.loads(archive.read("bncc.json"))["versions"]["scikit-learn"]
    saved = opened_by_any_release(file) if is_older(version("scikit-learn"), writer) else open_model(file)
    X = np.array(expected["X"])
    assert saved.versions["bncc"] == expected["bncc"]
    assert saved.model.predict(X).tolist() == expected["predict"]
    assert np.allclose(saved.model.decision_function(X), expected["decision_function"], rtol=1e-5, atol=1e-6)


def test_there_are_models_of_earlier_releases():
    assert {file.stem for file in KEPT.glob("*.skops")} >= {"0.1-bncc-kernel", "0.1-recommended", "0.1-bncc-logistic"}
