"""Walks, contexts, label sets and notes of files: what they repeat or leave out is refused before it is asked for."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from bncc import (
    BayesianChain,
    BinaryRelevance,
    BlockPowerset,
    CalibratedLabelRanking,
    ClassifierChain,
    EnsembleClassifierChain,
    GroupSensitiveChain,
    LabelPowerset,
    RandomKLabelsets,
    StackedBinaryRelevance,
)
from bncc.cli.predict import check_notes
from bncc.datasets import MalformedFile
from bncc.linear import LogisticRegression, chain_context, make_batch, solve
from bncc.linear.decisions import walk
from bncc.multilabel import load_model, open_model, save_model
from bncc.multilabel.model_files import walk_checks
from model_attacks import npy, records_in, taken_apart, write_file

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 4))
Y = (X @ RANDOM.normal(size=(4, 4)) > 0).astype(int)
MODELS = {
    "relevance": BinaryRelevance(GaussianNB()),
    "chain": ClassifierChain(GaussianNB(), random_state=0),
    "linear chain": ClassifierChain(LogisticRegression(), random_state=0),
    "stack": StackedBinaryRelevance(GaussianNB(), context="all"),
    "ensemble": EnsembleClassifierChain(GaussianNB(), n_chains=2, random_state=0),
    "trees": BayesianChain(GaussianNB(), n_roots=2, random_state=0),
    "groups": GroupSensitiveChain(GaussianNB(), n_groups=2, random_state=0),
    "ranking": CalibratedLabelRanking(GaussianNB()),
    "powerset": LabelPowerset(GaussianNB()),
    "blocks": BlockPowerset(GaussianNB(), max_size=2),
    "labelsets": RandomKLabelsets(GaussianNB(), k=2, n_sets=4, random_state=0),
}


def tuples(*parts):
    """Numbers in tuples, as a file has them."""
    return {"tuple": [tuples(*part) if isinstance(part, list | tuple | range) else part for part in parts]}


@pytest.mark.parametrize(
    ("model", "record", "field", "value", "words"),
    [
        ("relevance", "BinaryRelevance", "_walks", tuples([0] * 1000), "must not repeat a number"),
        ("relevance", "BinaryRelevance", "_walks", tuples(*[range(4)] * 500), "has 500 where 1 are needed"),
        ("relevance", "FittedLinks", "writes", tuples(0, 0, 0, 0), "links that settle labels of others"),
        ("chain", "ClassifierChain", "_walks", tuples([0] * 1000), "must not repeat a number"),
        ("chain", "ClassifierChain", "_walks", tuples([0, 1]), "settle labels in another order"),
        ("linear chain", "ClassifierChain", "_walks", tuples([1] * 1000), "must not repeat a number"),
        ("stack", "FittedLinks", "writes", tuples(*range(4), *range(4)), "must settle each label once"),
        ("ensemble", "EnsembleClassifierChain", "_walks", tuples(range(8), [0]), "has 8 where 4 are needed"),
        ("ensemble", "EnsembleClassifierChain", "_walks", tuples(*[range(4)] * 3), "has 2 where 3 are needed"),
        ("ensemble", "EnsembleClassifierChain", "_walks", tuples(range(4), range(4)), "in another order"),
        ("trees", "BayesianChain", "roots_", tuples(0, 0), "roots_ must not repeat a number"),
        ("trees", "BayesianChain", "trees_", tuples(), "trees_ has 0 where 2 are needed"),
        ("ranking", "FittedLinks", "writes", tuples(*[0] * 10), "where none hands labels on"),
        ("powerset", "FittedLinks", "writes", tuples(0), "where none hands labels on"),
        ("chain", "ClassifierChain", "_contexts", tuples([0] * 1000, [], [], []), "must not repeat a number"),
        ("chain", "FittedLinks", "contexts", tuples([0] * 1000, [], [], []), "must not repeat a number"),
        ("stack", "StackedBinaryRelevance", "contexts_", tuples([0] * 1000, [], [], []), "must not repeat a number"),
        ("powerset", "LabelSets", "labels", tuples(0, 1, 2, 2), "labels must not repeat a number"),
        ("powerset", "LabelSets", "labels", tuples(0, 1, 2, 9), "label sets of other groups of labels"),
        ("labelsets", "RandomKLabelsets", "labelsets_", tuples(*[[0, 1]] * 4), "label sets of other groups of labels"),
        ("labelsets", "RandomKLabelsets", "labelsets_", tuples([0, 0]), "must not repeat a number"),
        ("blocks", "BlockPowerset", "blocks_", tuples([0, 0], [1, 2, 3]), "must not repeat a number"),
    ],
)
def test_what_is_repeated_or_left_out_is_refused(model, record, field, value, words, tmp_path):
    structure, members = taken_apart(MODELS[model].fit(X, Y))
    content = {name: npy(array) for name, array in members.items()}
    load_model(write_file(tmp_path / "sound", structure, content))
    next(records_in(structure, record))[field] = value
    with pytest.raises(MalformedFile, match=words):
        load_model(write_file(tmp_path / "changed", structure, content))


@pytest.mark.parametrize("name", MODELS)
def test_sound_models_answer_as_before(name, tmp_path):
    model = MODELS[name].fit(X, Y)
    again = load_model(save_model(model, tmp_path / "model.bncc"))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_a_label_set_of_some_labels_is_refused(tmp_path):
    structure, members = taken_apart(MODELS["powerset"].fit(X, Y))
    fields = next(records_in(structure, "LabelSets"))
    name = fields["sets"]["array"]
    fields["labels"], members[name] = tuples(0, 1), members[name][:, :2].copy()
    with pytest.raises(MalformedFile, match="label sets of other groups of labels"):
        load_model(write_file(tmp_path / "changed", structure, {key: npy(each) for key, each in members.items()}))


def test_each_group_of_rows_has_a_chain(tmp_path):
    structure, members = taken_apart(MODELS["groups"].fit(X, Y))
    fields = next(records_in(structure, "KMeans"))
    centres = fields["cluster_centers_"]["array"]
    members[centres] = np.vstack([members[centres], members[centres][:1] + 5.0])
    fields["_n_features_out"] = 3
    with pytest.raises(MalformedFile, match="of 3 groups with 2 chains"):
        load_model(write_file(tmp_path / "changed", structure, {key: npy(each) for key, each in members.items()}))


@pytest.mark.parametrize(
    ("labels", "words"), [([0, 9], "points beyond what there is"), ([0, 0], "must not repeat a label of a link")]
)
def test_contexts_of_linear_links_are_labels(labels, words, tmp_path):
    structure, members = taken_apart(MODELS["linear chain"].fit(X, Y))
    name = next(records_in(structure, "LinkContexts"))["labels"]["array"]
    members[name] = members[name].copy()
    members[name][-2:] = labels
    with pytest.raises(MalformedFile, match=words):
        load_model(write_file(tmp_path / "changed", structure, {key: npy(each) for key, each in members.items()}))


def test_chains_that_share_links_are_few(tmp_path, monkeypatch):
    model = BayesianChain(GaussianNB(), n_roots=None).fit(X, Y)
    load_model(save_model(model, tmp_path / "model.bncc"))
    monkeypatch.setattr(walk_checks, "_MOST_SHARED_CLONES", 15)
    with pytest.raises(TypeError, match="take 16 answers of shared links where at most 15 can be"):
        save_model(model, tmp_path / "model.bncc")


def test_exhaustive_chains_have_few_labels(tmp_path):
    many = (RANDOM.random((60, 16)) < 0.5).astype(int)
    chain = ClassifierChain(GaussianNB(), random_state=0).fit(X, many).set_params(inference="exhaustive")
    with pytest.raises(TypeError, match="a chain of 16 labels that follows 65536 label sets where at most 32768"):
        save_model(chain, tmp_path / "model.bncc")
    chain = ClassifierChain(GaussianNB(), random_state=0, inference="exhaustive").fit(X, many[:, :15])
    load_model(save_model(chain, tmp_path / "model.bncc"))


def peak_of(solutions, writes):
    tracemalloc.start()
    walk(solutions, X, np.arange(len(solutions)), writes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_links_that_hand_nothing_on_take_no_square_of_weights():
    solved = solve(make_batch(X, Y[:, [0, 0]], labels=Y[:, :1], context=chain_context([0])[[0, 0]]))
    n = 3000
    many = {name: np.resize(getattr(solved, name), n) for name in ("bias", "objective", "dual_objective")}
    many |= {name: np.resize(getattr(solved, name), n) for name in ("iterations", "status")}
    wide = replace(solved, weights=np.resize(np.asarray(solved.weights), (n, 5)), **many)
    assert peak_of(wide, np.full(n, -1)) < 20 * 2**20  # 72 MB as a square


def notes_of(**schema):
    return {"schema": {"kind": "matrix", "features": ["a", "b"], "categories": {}} | schema, "labels": ["x"]}


@pytest.mark.parametrize(
    "notes",
    [
        notes_of(features=["a"] * 1000),
        notes_of(features=["a", 1]),
        notes_of(categories={"a": "xyz"}),
        notes_of(categories={"a": [["x"]]}),
        notes_of(kind="other"),
        {**notes_of(), "labels": ["x", "x"]},
    ],
)
def test_notes_name_each_feature_once(notes, tmp_path):
    model = BinaryRelevance(GaussianNB()).fit(X, Y)
    sound = save_model(model, tmp_path / "sound.bncc", notes=notes_of(categories={"a": ["x", "y"]}))
    assert check_notes(open_model(sound), sound) == ["x"]
    changed = save_model(model, tmp_path / "changed.bncc", notes=notes)
    with pytest.raises(ValueError, match="does not say how to read data"):
        check_notes(open_model(changed), changed)
