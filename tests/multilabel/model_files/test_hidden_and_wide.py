"""What arrays hide, functions in odd places, and answers that are wider than their file."""

import warnings

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, NuSVC

from bncc import BinaryRelevance, LinearSVC
from bncc.multilabel import load_model, save_model
from bncc.multilabel.model_files.arrays import read_array
from bncc.multilabel.model_files.refusals import Refused
from model_attacks import records_in, taken_apart
from model_refusals import opened, refused

RANDOM = np.random.default_rng(0)
RARE = RANDOM.integers(0, 6, (400, 2)).astype(float)
X, Y = RANDOM.random((30, 4)), np.arange(30) % 2
MASKED = "a masked array outside of `cv_results_`"


def edited(folder, model, record, edit):
    """The model of a file whose records of a type are edited."""
    structure, members = taken_apart(model)
    for fields in records_in(structure, record):
        edit(fields, members)
    return opened(folder, structure, members)


def hide(fields, members):
    """Numbers of columns that no check of the smallest and the largest sees."""
    mappings = fields["_default_to_infrequent_mappings"]["list"]
    for number, node in enumerate(mappings):
        members[node["array"]][0] = 10**9
        members[f"mask{number}.npy"] = np.arange(members[node["array"]].size) == 0
        mappings[number] = {"masked": [node, {"array": f"mask{number}.npy"}]}


@pytest.mark.parametrize("dense", [True, False])
def test_masks_hide_no_columns(dense, tmp_path):
    encoder = OneHotEncoder(sparse_output=not dense, handle_unknown="infrequent_if_exist", max_categories=3)
    refused(tmp_path, encoder.fit(RARE), "OneHotEncoder", hide, MASKED)
    whole = make_pipeline(encoder, LogisticRegression()).fit(RARE, RARE[:, 1] > 2)
    refused(tmp_path, whole, "OneHotEncoder", hide, MASKED)


def test_masks_hide_no_columns_that_are_dropped(tmp_path):
    def edit(fields, members):
        members["mask.npy"] = np.array([True, True])
        fields["_drop_idx_after_grouping"] = {"masked": [{"objects": [[2], [-3, -3]]}, {"array": "mask.npy"}]}

    refused(tmp_path, OneHotEncoder(drop="first").fit(RARE), "OneHotEncoder", edit, MASKED)


def test_masks_of_a_search_hide_nothing(tmp_path):
    """Results of a search have masks where a candidate has no such setting; what lies under them is not kept."""
    grid = [{"C": [1.0, 2.0]}, {"tol": [0.1]}]
    search = GridSearchCV(LogisticRegression(), grid, cv=2).fit(X, Y)
    kept = load_model(save_model(search, tmp_path / "search.bncc")).cv_results_["param_C"]
    assert kept.tolist() == [1.0, 2.0, None]

    def edit(fields, members):
        column = next(value for key, value in fields["cv_results_"]["dict"] if key == "param_C")
        column["masked"][0] = {"array": "hidden.npy"}
        members["hidden.npy"] = np.array([1.0, 2.0, 1e9])

    found = edited(tmp_path, search, "GridSearchCV", edit).cv_results_["param_C"]
    assert found.data.tolist() == [1.0, 2.0, 0.0]


def test_functions_stand_in_no_field_of_another_name(tmp_path):
    def edit(fields, members):
        fields["predict_proba"] = {"function": "numpy.exp"}

    refused(
        tmp_path, RidgeClassifier().fit(X, Y), "RidgeClassifier", edit, "a function 'predict_proba' where it has none"
    )


def test_names_of_columns_are_no_formats(tmp_path):
    def edit(fields, members):
        fields["verbose_feature_names_out"] = "{transformer_name}{feature_name:>300000000}"

    columns = ColumnTransformer([("n", StandardScaler(), [0, 1])]).fit(X)
    refused(tmp_path, columns, "ColumnTransformer", edit, "verbose_feature_names_out must be True or False")


def test_rows_of_neighbours_pay_for_the_names_of_classes(tmp_path):
    def edit(fields, members):
        members[fields["_fit_X"]["array"]] = np.arange(20_000.0)[:, None]
        members[fields["_y"]["array"]] = np.arange(20_000) % 2
        members[fields["classes_"]["array"]] = np.array(["a" * 9999, "b" * 9999])

    model = KNeighborsClassifier(3).fit(X[:, :1], np.array(["a", "b"])[Y])
    refused(tmp_path, model, "KNeighborsClassifier", edit, "longer names than their rows pay for")


def many_classes(name, n_classes):
    def edit(fields, members):
        members["classes.npy"] = np.zeros(n_classes, np.int8)
        fields[name] = {"array": "classes.npy"}
        if "n_classes_" in fields:
            fields["n_classes_"] = n_classes

    return edit


def test_classes_are_not_without_end(tmp_path):
    boosted = AdaBoostClassifier(n_estimators=2).fit(X, Y)
    refused(tmp_path, boosted, "AdaBoostClassifier", many_classes("classes_", 3_000_000), "at most 2097152 classes")
    calibrated = CalibratedClassifierCV(GaussianNB(), cv=2).fit(X, Y)
    refused(tmp_path, calibrated, "CalibratedClassifier", many_classes("classes", 3_000_000), "at most 2097152 classes")


def test_parts_times_classes_that_are_compared(tmp_path):
    def edit(fields, members):
        many_classes("classes_", 2_000_000)(fields, members)
        part = fields["estimators_"]["list"][0]
        part["record"] = [*part["record"][:2], 777]
        fields["estimators_"]["list"] = [part, *[{"same": 777}] * 200]
        members["weights.npy"] = np.ones(201)
        fields["estimator_weights_"] = fields["estimator_errors_"] = {"array": "weights.npy"}

    boosted = AdaBoostClassifier(n_estimators=2).fit(X, Y)
    refused(tmp_path, boosted, "AdaBoostClassifier", edit, "too many parts and classes")


def one_wide(n_parts):
    """Parts of a model of which one answers with a long text, which makes all answers beside it as long."""

    def edit(fields, members):
        wide, narrow = fields["estimators_"]["list"]
        members["wide.npy"] = np.array(["a" * 9999, "b" * 9999])
        wide["record"][1]["classes_"] = {"array": "wide.npy"}
        narrow["record"] = [*narrow["record"][:2], 777]
        fields["estimators_"]["list"] = [wide, narrow, *[{"same": 777}] * (n_parts - 2)]
        if "stack_method_" in fields:
            fields["stack_method_"] = {"list": ["predict"] * n_parts}
            fields["_n_feature_outs"] = {"list": [1] * n_parts}
            fields["named_estimators_"] = {"bunch": []}

    return edit


def test_answers_side_by_side_are_as_wide_as_the_widest(tmp_path):
    letters = np.array(["a", "b"])[Y]
    model = MultiOutputClassifier(DummyClassifier()).fit(X, np.stack([letters, letters], 1))
    with pytest.raises(ValueError, match="give together at most 131072 numbers a row"):
        edited(tmp_path, model, "MultiOutputClassifier", one_wide(100)).predict(X[:1])
    assert edited(tmp_path, model, "MultiOutputClassifier", one_wide(3)).predict(X[:1]).shape == (1, 3)
    parts = [("a", DummyClassifier()), ("b", DummyClassifier())]
    model = StackingClassifier(parts, stack_method="predict", cv=2).fit(X, Y)
    with pytest.raises(ValueError, match="give together at most 131072 numbers a row"):
        edited(tmp_path, model, "StackingClassifier", one_wide(100)).predict(X[:1])


@pytest.mark.parametrize("kind", [SVC, NuSVC])
def test_weights_of_many_pairs_are_not_made(kind, tmp_path, monkeypatch):
    model = kind(kernel="linear").fit(X, np.arange(30) % 3)
    found = load_model(save_model(model, tmp_path / "svc.bncc"))
    assert np.allclose(found.coef_, model.coef_)
    monkeypatch.setattr("bncc.multilabel.model_files.checked_estimators._MOST_WEIGHTS", 5)
    found.support_vectors_ = found.support_vectors_[:0]
    with pytest.raises(AttributeError, match="has at most 5 weights; got 12"):
        _ = found.coef_


def test_links_are_made_into_classifiers_when_they_are_asked_for(monkeypatch):
    """What shows a model in a notebook asks for all properties."""
    model = BinaryRelevance(LinearSVC()).fit(X, RANDOM.integers(0, 2, (30, 5)))
    made = []
    classifier = type(model._solved).classifier
    monkeypatch.setattr(
        type(model._solved), "classifier", lambda self, link: made.append(link) or classifier(self, link)
    )
    found = model.estimators_
    assert (len(found), made) == (5, [])
    assert found[-1].predict(X).shape == (30,)
    assert made == [4]
    assert len(list(found)) == 5


def test_headers_are_read_in_silence():
    header = ("1if 1 else " * 50 + "1").encode()
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with warnings.catch_warnings(action="error"), pytest.raises(Refused, match="header cannot be read"):
        read_array(content, 10)


@pytest.mark.parametrize(
    ("model", "record", "field"),
    [
        (DummyClassifier(strategy="constant", constant=1).fit(X, Y), "DummyClassifier", "constant"),
        (MinMaxScaler().fit(X), "MinMaxScaler", "feature_range"),
        (GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2).fit(X, Y), "GridSearchCV", "best_estimator_"),
    ],
)
def test_no_attribute_is_memory_at_any_place(model, record, field, tmp_path):
    """NumPy takes what has this attribute for an array at that address."""
    interface = {"dict": [["shape", {"tuple": [2]}], ["typestr", "<i8"], ["data", {"tuple": [4096, False]}]]}

    def edit(fields, members):
        fields[field] = {"bunch": [["__array_interface__", interface]]}

    refused(tmp_path, model, record, edit, "a collection with names outside of `named_estimators_`")


def test_collections_with_names_hold_no_attributes_of_python(tmp_path):
    model = VotingClassifier([("a", GaussianNB())]).fit(X, Y)
    assert list(load_model(save_model(model, tmp_path / "votes.bncc")).named_estimators_) == ["a"]

    def edit(fields, members):
        fields["named_estimators_"] = {"bunch": [["__array_interface__", {"dict": []}]]}

    refused(tmp_path, model, "VotingClassifier", edit, "a key that is no name")


def test_values_of_labels_are_no_records(tmp_path):
    def edit(fields, members):
        members["records.npy"] = np.zeros(2, [(f"f{number}", "<U9999") for number in range(32)])
        fields["_values"] = {"array": "records.npy"}

    model = BinaryRelevance(LinearSVC()).fit(X, RANDOM.integers(0, 2, (30, 5)))
    refused(tmp_path, model, "BinaryRelevance", edit, "an array of records where none belongs")


def test_numbers_of_numpy_are_counted_as_others(tmp_path):
    def edit(fields, members):
        members["text.npy"] = np.array(["a" * 9999, "b" * 9999])
        fields["_values"] = {"array": "text.npy"}
        fields["n_labels_"] = {"scalar": ["<i8", fields["n_labels_"]]}

    model = BinaryRelevance(LinearSVC()).fit(X, RANDOM.integers(0, 2, (30, 500)))
    refused(tmp_path, model, "BinaryRelevance", edit, "labels with text of")
