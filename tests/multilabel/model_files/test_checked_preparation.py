"""What prepares features answers as scikit-learn's does, but for answers that are far larger than the model."""

import pickle
import tracemalloc

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

from bncc.multilabel import load_model, save_model
from bncc.multilabel.model_files.checked_preparation import CHECKED_PREPARATION
from model_attacks import records_in, taken_apart
from model_refusals import opened, refused

RANDOM = np.random.default_rng(0)
X = RANDOM.random((30, 6))
TEXTS = ["red fox in the wood", "a dark wood", "fox and fox"]


def kept(model, folder):
    """The model as it comes back from a file, and from another file after that."""
    again = load_model(save_model(model, folder / "model.bncc"))
    assert type(again) is CHECKED_PREPARATION[type(model)]
    assert repr(again) == repr(model)
    assert again.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    assert type(pickle.loads(pickle.dumps(again))) is type(again)
    return load_model(save_model(again, folder / "again.bncc"))


def test_covariances_are_those_of_the_fitted_model(tmp_path):
    for model in (PCA(3).fit(X), PCA(3, whiten=True).fit(X)):
        again = kept(model, tmp_path)
        assert np.array_equal(again.transform(X), model.transform(X))
        assert np.array_equal(again.get_covariance(), model.get_covariance())
        assert np.array_equal(again.get_precision(), model.get_precision())
        assert again.score(X) == model.score(X)


def test_covariances_of_very_many_features(tmp_path):
    structure, members = taken_apart(PCA(1).fit(X))
    (fields,) = records_in(structure, "PCA")
    fields["n_features_in_"] = 12_000
    members[fields["components_"]["array"]], members[fields["mean_"]["array"]] = np.ones((1, 12_000)), np.zeros(12_000)
    model, row = opened(tmp_path, structure, members), np.ones((1, 12_000))
    assert model.transform(row).shape == (1, 1)
    for ask in (model.get_covariance, model.get_precision, lambda: model.score(row)):
        with pytest.raises(ValueError, match="Covariances of 12000 features are too many for a PCA of 1 components"):
            ask()


def test_the_noise_of_components_is_a_number(tmp_path):
    def edit(fields, members):
        members["noise.npy"] = np.ones((1000, 1))
        fields["noise_variance_"] = {"array": "noise.npy"}

    refused(tmp_path, PCA(1).fit(X), "PCA", edit, "noise_variance_ must be a single value")


@pytest.mark.parametrize("kind", [GaussianRandomProjection, SparseRandomProjection])
@pytest.mark.parametrize("inverse", [True, False])
def test_projections_are_inverted_as_the_fitted_ones(kind, inverse, tmp_path):
    model = kind(3, random_state=0, compute_inverse_components=inverse).fit(X)
    again = kept(model, tmp_path)
    assert np.array_equal(again.inverse_transform(again.transform(X)), model.inverse_transform(model.transform(X)))


def test_projections_that_hold_nothing_are_not_inverted(tmp_path):
    structure, members = taken_apart(SparseRandomProjection(3, random_state=0).fit(X))
    (fields,) = records_in(structure, "SparseRandomProjection")
    fields.update(n_features_in_=2**16, n_components=3000, n_components_=3000, _n_features_out=3000)
    matrix = fields["components_"]["sparse"]
    matrix[1] = [3000, 2**16]
    for node, array in zip(matrix[2:], (np.ones(0), np.zeros(0, np.int32), np.zeros(3001, np.int32)), strict=True):
        members[node["array"]] = array
    model = opened(tmp_path, structure, members)
    answer = model.transform(np.ones((1, 2**16)))
    with pytest.raises(ValueError, match="A projection of 65536 features to 3000 takes long to invert"):
        model.inverse_transform(answer)


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
def test_words_of_rows_are_those_of_the_fitted_model(kind, tmp_path):
    model = kind().fit(TEXTS)
    again, rows = kept(model, tmp_path), model.transform([*TEXTS, "nothing known"])
    for counts in (rows, rows.toarray()):
        found, expected = again.inverse_transform(counts), model.inverse_transform(counts)
        assert [words.tolist() for words in found] == [words.tolist() for words in expected]
        assert {words.dtype.kind for words in found} == {"U"}


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
def test_one_long_word_does_not_widen_the_others(kind, tmp_path):
    words = ["w" * 5000, *(f"w{number}" for number in range(20_000))]
    model = kept(kind(vocabulary=words).fit(words[:100]), tmp_path)
    counts = model.transform(["w7 w8"])
    tracemalloc.start()
    assert model.inverse_transform(counts)[0].tolist() == ["w7", "w8"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24


@pytest.mark.parametrize("field", ["stop_words", "vocabulary"])
def test_collections_of_words_hold_text(field, tmp_path):
    def with_value(value):
        def edit(fields, members):
            members["numbers.npy"] = np.arange(10, dtype=np.uint32)
            members["many.npy"] = np.full(2**17 + 1, "a")
            fields[field] = value

        return edit

    model = CountVectorizer().fit(TEXTS)
    for value in ({"list": ["fox", 7]}, {"set": [{"tuple": [1, 2]}]}, {"objects": [[1], [3]]}):
        refused(tmp_path, model, "CountVectorizer", with_value(value), f"{field} must hold words alone")
    for value in ({"array": "numbers.npy"}, {"array": "many.npy"}, 7):
        refused(tmp_path, model, "CountVectorizer", with_value(value), f"{field} must be a collection of words")


@pytest.mark.parametrize("words", [["fox", "wood"], {"fox", "wood"}, {"fox": 0, "wood": 1}, np.array(["fox", "wood"])])
def test_words_in_any_form_are_kept(words, tmp_path):
    model = CountVectorizer(vocabulary=words).fit(TEXTS)
    assert (kept(model, tmp_path).transform(TEXTS) != model.transform(TEXTS)).nnz == 0
