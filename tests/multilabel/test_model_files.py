"""A model that was written and read again gives the same answers; a file that is not one is refused."""

import inspect
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
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

pytest.importorskip("skops")

import bncc
from bncc import BNCC, BinaryRelevance, ClassifierChain, KernelSearchCV, KernelSVC, MLkNN, TunedThresholds, recommended
from bncc.datasets import MalformedFile, MultilabelStratifiedKFold, make_scenes
from bncc.metrics import METRICS, get_scorer
from bncc.multilabel import load_model, open_model, save_model
from bncc.multilabel.model_files import FORMAT, TRUSTED

N_ROWS = 97  # as no other number in these models
DATA = make_scenes(N_ROWS)
NEW = make_scenes(60, random_state=1).X
KEPT = Path(__file__).parent / "models"

SINGLE = {"AugmentedNaiveBayes", "KernelSVC"}
WITHOUT_BASE = {"MLkNN", *SINGLE}


def estimators():
    """Every estimator of the package, on the kernel engine and on scikit-learn's classifiers."""
    for name in bncc.__all__:
        kind = getattr(bncc, name)
        if not (inspect.isclass(kind) and hasattr(kind, "fit")):
            continue
        if name in ("BatchSearchCV", "KernelSearchCV"):
            yield name, kind(BNCC(), {"sigma": [1.0, 4.0], "C": [1.0]}, cv=2)
        elif name == "TunedThresholds":
            yield name, kind(BNCC(), cv=2)
            yield f"{name}-bayes", kind(BinaryRelevance(GaussianNB()), how="per_label", cv=2)
        elif name in WITHOUT_BASE:
            yield name, kind()
        else:
            yield name, kind()
            yield f"{name}-logistic", kind(LogisticRegression(max_iter=1000))
    yield "recommended", recommended(n_chains=2, sigma=(1.0, 2.0), C=(1.0,), random_state=0)
    yield "beam", ClassifierChain(inference="beam")
    yield "cross-validated", ClassifierChain(cv=2, random_state=0)
    yield "handing on", ClassifierChain(LogisticRegression(max_iter=1000), chain_method="predict_proba", random_state=0)
    yield "monte-carlo", ClassifierChain(LogisticRegression(), inference="monte_carlo", random_state=0)
    yield "pipeline", make_pipeline(MinMaxScaler(), BNCC(KernelSVC(C=10, sigma=2.0)))
    yield "linear", BinaryRelevance(KernelSVC(kernel="linear", class_weight="balanced"))
    yield "trees", BNCC(RandomForestClassifier(5, random_state=0))


CASES = dict(estimators())


@pytest.fixture(scope="module")
def fitted():
    """Each estimator fitted once, when first asked for."""
    known = {}

    def get(case):
        if case not in known:
            y = DATA.Y[:, 0] if case in SINGLE else DATA.Y_frame
            known[case] = CASES[case].fit(DATA.X, y)
        return known[case]

    return get


@pytest.fixture(scope="module")
def files(fitted, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    known = {}

    def get(case):
        if case not in known:
            known[case] = save_model(fitted(case), folder / f"{case}.skops", notes={"case": case})
        return known[case]

    return get


@pytest.mark.parametrize("case", CASES)
def test_answers_are_identical(case, fitted, files):
    model, again = fitted(case), load_model(files(case))
    assert type(again) is type(model)
    answers = [name for name in ("predict", "decision_function", "predict_proba") if hasattr(model, name)]
    assert "predict" in answers
    for name in answers:
        assert np.array_equal(getattr(again, name)(NEW), getattr(model, name)(NEW)), name
        assert getattr(again, name)(NEW).dtype == getattr(model, name)(NEW).dtype
    assert getattr(again, "label_names_", None) == getattr(model, "label_names_", None)
    assert repr(again.get_params()) == repr(model.get_params())


def far_apart():
    """Labels that one feature each tells apart with a wide gap: few rows support an SVM."""
    random = np.random.default_rng(0)
    X = random.uniform(0.0, 1.0, (N_ROWS, 3)) + 3.0 * (random.random((N_ROWS, 3)) < 0.5)
    return X, (X > 2).astype(int)


@pytest.mark.parametrize("case", sorted(set(CASES) - {"MLkNN"}))
def test_no_training_rows_travel(case, tmp_path):
    """No array has a line per training row; a nearest-neighbour method alone needs them."""
    X, Y = far_apart()
    model = clone(CASES[case]).fit(X, Y[:, 0] if case in SINGLE else Y)
    with zipfile.ZipFile(save_model(model, tmp_path / "m.skops")) as archive:
        arrays = [np.load(io.BytesIO(archive.read(name))) for name in archive.namelist() if name[-4:-1] == ".np"]
    shapes = [tuple(array["shape"]) if hasattr(array, "files") else array.shape for array in arrays]
    whole = [shape for shape in shapes if N_ROWS in shape]
    assert whole == ([(N_ROWS,)] if case.startswith("GroupSensitiveChain") else [])  # the group of each row, no more
    assert max(len(shape) and shape[0] for shape in shapes) > 0


@pytest.mark.parametrize("kind", ["csr", "dense32"])
def test_sparse_and_single_precision(kind, tmp_path):
    random = np.random.default_rng(0)
    X = np.where(random.random((80, 500)) < 0.02, 1.0, 0.0)
    X = sparse.csr_array(X) if kind == "csr" else X.astype(np.float32)
    Y = (random.random((80, 3)) < 0.4).astype(int)
    model = BNCC(KernelSVC(C=10)).fit(X, Y)
    again = load_model(save_model(model, tmp_path / "m.skops"))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_neighbours_are_indexed_again(tmp_path):
    """With few features scikit-learn keeps rows in a tree, which no file holds."""
    model = MLkNN(k=3).fit(DATA.X[:, :4], DATA.Y)
    again = load_model(save_model(model, tmp_path / "m.skops"))
    assert np.array_equal(again.decision_function(NEW[:, :4]), model.decision_function(NEW[:, :4]))


def test_names_and_output_are_kept(tmp_path):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(DATA.X, columns=list(DATA.feature_names))
    model = BNCC().fit(X, DATA.Y_frame).set_output(predict="pandas")
    again = load_model(save_model(model, tmp_path / "m.skops"))
    assert again.label_names_ == DATA.label_names
    assert again.feature_names_in_.tolist() == list(DATA.feature_names)
    pd.testing.assert_frame_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("base", [None, LogisticRegression(max_iter=1000)])
def test_values_of_columns_are_kept(base, tmp_path):
    words = np.where(DATA.Y == 1, "yes", "no")
    classes = np.column_stack([DATA.Y[:, 0] + DATA.Y[:, 1], 5 * DATA.Y[:, 2]])
    for model in (ClassifierChain(base, order=None).fit(DATA.X, words), BinaryRelevance(base).fit(DATA.X, classes)):
        again = load_model(save_model(model, tmp_path / "values.skops"))
        assert np.array_equal(again.predict(NEW), model.predict(NEW))
        assert [each.tolist() for each in again.classes_] == [each.tolist() for each in model.classes_]


def test_the_network_keeps_all_but_its_rows(tmp_path):
    model = BNCC().fit(DATA.X, DATA.Y_frame)
    network = load_model(save_model(model, tmp_path / "m.skops")).network_
    assert model.network_.counts is not None  # the caller's model is as it was
    assert network.counts is None
    assert network.order == model.network_.order
    assert np.array_equal(network.dependence, model.network_.dependence)
    assert np.array_equal(network.log_likelihood(DATA.Y), model.network_.log_likelihood(DATA.Y))
    assert network.explain(3) == model.network_.explain(3)


@pytest.mark.parametrize("metric", METRICS)
def test_searches_for_every_metric_can_be_kept(metric, tmp_path):
    scorer = get_scorer(metric)
    search = KernelSearchCV(BinaryRelevance(), {"C": [1.0]}, scoring=scorer, cv=MultilabelStratifiedKFold(2))
    search.fit(DATA.X[:40, :3], DATA.Y[:40, :3])
    again = load_model(save_model(search, tmp_path / "m.skops"))
    assert again.best_score_ == search.best_score_ or np.isnan(search.best_score_)


def test_notes_and_versions_are_recorded(files):
    saved = open_model(files("BNCC"))
    assert saved.notes == {"case": "BNCC"}
    assert saved.format == FORMAT
    assert saved.versions["bncc"] == bncc.__version__
    assert saved.versions["scikit-learn"] == version("scikit-learn")


def test_only_trusted_types_are_listed_and_all_exist():
    assert len(set(TRUSTED)) == len(TRUSTED)
    assert {name.split(".")[0] for name in TRUSTED} == {"bncc", "numpy", "scipy", "sklearn"}
    for name in TRUSTED:
        if name.startswith("bncc."):
            module, _, member = name.rpartition(".")
            assert hasattr(__import__(module, fromlist=[member]), member), name


def test_saving_refuses_what_could_not_be_read(tmp_path):
    with pytest.raises(TypeError, match="must be an estimator; got dict"):
        save_model({}, tmp_path / "m.skops")
    with pytest.raises(TypeError, match="must be an estimator; got"):
        save_model(BNCC, tmp_path / "m.skops")
    model = TunedThresholds(BinaryRelevance(GaussianNB()), metric=np.testing.assert_equal)
    with pytest.raises(TypeError, match=r"does not trust: numpy\.testing.*assert_equal.*`trusted`"):
        save_model(model, tmp_path / "m.skops")
    assert list(tmp_path.iterdir()) == []
    name = f"{np.testing.assert_equal.__module__}.assert_equal"
    save_model(model, tmp_path / "m.skops", trusted=[name])
    with pytest.raises(MalformedFile, match=r"not trusted: .*assert_equal.*Nothing of it was run.*`trusted`"):
        load_model(tmp_path / "m.skops")
    assert load_model(tmp_path / "m.skops", trusted=[name]).metric is np.testing.assert_equal


def test_missing_extra_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "skops", None)
    monkeypatch.setitem(__import__("sys").modules, "skops.io", None)
    for call in (lambda: save_model(BNCC(), tmp_path / "m"), lambda: load_model(tmp_path / "m")):
        with pytest.raises(ImportError, match=r"pip install 'bncc\[models\]'"):
            call()


# ---- files that are not what they seem


def rewrite(source, target, **changes):
    """The archive with members replaced (bytes), or left out (None)."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for member in old.namelist():
            content = changes.get(member, old.read(member))
            if content is not None:
                new.writestr(member, content)
    return target


def schema_of(file):
    with zipfile.ZipFile(file) as archive:
        return json.loads(archive.read("schema.json"))


def nodes(tree):
    """Every node of a schema."""
    if isinstance(tree, dict):
        if "__class__" in tree:
            yield tree
        for value in tree.values():
            yield from nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from nodes(value)


@pytest.mark.parametrize("module", ["numpy.ma", "numpy.ma.core"])
def test_masked_arrays_go_by_the_name_of_either_numpy(module, fitted, files, tmp_path):
    """NumPy 2 gives the type another module than NumPy 1 does."""
    schema = schema_of(files("KernelSearchCV"))
    masked = [node for node in nodes(schema) if node["__class__"] == "MaskedArray"]
    assert masked
    for node in masked:
        node["__module__"] = module
    changes = {"schema.json": json.dumps(schema).encode()}
    again = load_model(rewrite(files("KernelSearchCV"), tmp_path / "m.skops", **changes))
    assert np.array_equal(again.predict(NEW), fitted("KernelSearchCV").predict(NEW))
    assert again.cv_results_["param_C"].tolist() == fitted("KernelSearchCV").cv_results_["param_C"].tolist()


FOREIGN = {
    "nothing": (b"", "no model file"),
    "text": (b"hello", "no model file"),
    "pickle": (pickle.dumps({"a": 1}), "is a pickle"),
    "cut zip": (b"PK\x03\x04" + bytes(50), "damaged: its end is missing"),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_foreign_files_are_refused(case, tmp_path):
    content, words = FOREIGN[case]
    (tmp_path / "m.skops").write_bytes(content)
    with pytest.raises(MalformedFile, match=words):
        load_model(tmp_path / "m.skops")


def test_absent_files_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        load_model(tmp_path / "absent.skops")
    with pytest.raises(IsADirectoryError):
        load_model(tmp_path)


def test_other_archives_are_refused(tmp_path):
    import skops.io

    skops.io.dump(GaussianNB(), tmp_path / "other.skops")
    with pytest.raises(MalformedFile, match="no model file of bncc"):
        load_model(tmp_path / "other.skops")


def test_every_truncation_and_many_flips_are_refused_or_harmless(files, tmp_path):
    content = files("BinaryRelevance").read_bytes()
    broken = tmp_path / "m.skops"
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
    file = rewrite(files("BNCC"), tmp_path / "m.skops", **{"bncc.json": json.dumps(head).encode()})
    with pytest.raises(MalformedFile, match=rf"format {number}, written by bncc 9\.1\.0; this release reads"):
        load_model(file)


@pytest.mark.parametrize("head", [b"", b"[]", b'{"format": "1"}', b'{"format": 1}', b"\xff", b"[" * 100_000])
def test_heads_of_another_shape_are_refused(head, files, tmp_path):
    with pytest.raises(MalformedFile):
        load_model(rewrite(files("BNCC"), tmp_path / "m.skops", **{"bncc.json": head}))


def test_a_model_that_changed_names_its_versions(files, tmp_path):
    head = {"format": FORMAT, "versions": {"bncc": "0.0.1", "numpy": version("numpy")}, "notes": {}}
    for change in ({"__class__": "Moved"}, {"content": None}):
        schema = schema_of(files("BNCC"))
        next(node for node in nodes(schema) if node["__class__"] == "Solutions").update(change)
        changes = {"bncc.json": json.dumps(head).encode(), "schema.json": json.dumps(schema).encode()}
        with pytest.raises(MalformedFile, match=r"written with bncc 0\.0\.1 \(here .*Install those versions"):
            load_model(rewrite(files("BNCC"), tmp_path / "m.skops", **changes))


class Trap:
    """Leaves a mark when anything makes or calls it."""

    sprung = False

    def __new__(cls, *args):
        Trap.sprung = True
        return super().__new__(cls)


HOSTILE = {
    "function": {"__class__": "system", "__module__": "os", "__loader__": "FunctionNode"},
    "constructor": {
        "__class__": "Popen",
        "__module__": "subprocess",
        "__loader__": "ConstructorFromReduceNode",
        "content": {
            "__class__": "tuple",
            "__module__": "builtins",
            "__loader__": "TupleNode",
            "content": [{"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": '"id"'}],
        },
    },
    "object": {"__class__": "Trap", "__module__": __name__, "__loader__": "ObjectNode"},
    "operator": {
        "__class__": "methodcaller",
        "__module__": "operator",
        "__loader__": "OperatorFuncNode",
        "attrs": {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": '["x"]'},
    },
    "type": {"__class__": "eval", "__module__": "builtins", "__loader__": "TypeNode"},
    "unknown loader": {"__class__": "x", "__module__": "y", "__loader__": "NoSuchNode"},
    "module with side effects": {"__class__": "x", "__module__": "antigravity", "__loader__": "ObjectNode"},
    "no node": 5,
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_run_nothing(case, files, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    schema = schema_of(files("BNCC"))
    victim = next(node for node in nodes(schema) if node["__class__"] == "Trace")
    victim.clear()
    if case == "no node":
        schema["content"] = 5
    else:
        victim.update(HOSTILE[case], __id__=987654321)
    file = rewrite(files("BNCC"), tmp_path / "m.skops", **{"schema.json": json.dumps(schema).encode()})
    with pytest.raises(MalformedFile):
        load_model(file)
    assert not Trap.sprung
    assert opened == []


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=array.dtype == object)
    return buffer.getvalue()


def test_arrays_of_objects_are_not_unpickled(files, tmp_path):
    with zipfile.ZipFile(files("BNCC")) as archive:
        member = next(name for name in archive.namelist() if name.endswith(".npy"))
    evil = npy(np.array([Trap], dtype=object))
    with pytest.raises(MalformedFile):
        load_model(rewrite(files("BNCC"), tmp_path / "m.skops", **{member: evil}))
    assert not Trap.sprung


def test_every_array_may_lie_and_nothing_crashes(files, tmp_path):
    """Compiled code must not follow indices out of its arrays, whatever a file says."""
    with zipfile.ZipFile(files("linear")) as archive:
        arrays = {name: np.load(io.BytesIO(archive.read(name))) for name in archive.namelist() if name.endswith(".npy")}
    refused = 0
    for member, array in arrays.items():
        huge = np.full_like(array, 2**30 if array.dtype.itemsize >= 4 else 120)
        for wrong in (array[..., :-1], huge, array.astype(np.float16), array[None]):
            file = rewrite(files("linear"), tmp_path / "m.skops", **{member: npy(wrong)})
            try:
                load_model(file).predict(NEW)
            except MalformedFile:
                refused += 1
            except (ValueError, IndexError, TypeError, OverflowError):
                continue
    assert refused > 40


def test_trees_that_lead_astray_are_refused(tmp_path):
    model = BinaryRelevance(RandomForestClassifier(1, max_depth=2, random_state=0)).fit(DATA.X, DATA.Y[:, :1])
    file = save_model(model, tmp_path / "good.skops")
    refused = 0
    with zipfile.ZipFile(file) as archive:
        arrays = {name: np.load(io.BytesIO(archive.read(name))) for name in archive.namelist() if name.endswith(".npy")}
    for member, array in arrays.items():
        if array.dtype.names and "left_child" in array.dtype.names:
            for field, value in (("left_child", 10**6), ("right_child", 0), ("feature", 10**6), ("feature", -5)):
                wrong = array.copy()
                wrong[field] = value
                bad = rewrite(file, tmp_path / "bad.skops", **{member: npy(wrong)})
                with pytest.raises(MalformedFile, match="decision tree"):
                    load_model(bad)
                refused += 1
    assert refused == 4


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
