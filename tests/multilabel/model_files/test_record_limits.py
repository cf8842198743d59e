"""Files that would make compiled code stray, or an answer take long or much, are refused before anything is built."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from bncc import BinaryRelevance, ClassifierChain, MonteCarloChain, NetworkDecoder, NetworkMLkNN, TableFeatures
from bncc.datasets import MalformedFile
from bncc.multilabel import load_model, save_model
from bncc.multilabel.model_files import budget, records_bases, records_methods, records_tables, walk_checks
from bncc.multilabel.model_files.records_methods import check_messages
from bncc.multilabel.powersets import multiclass_scores, set_scores
from bncc.structure import learn_network
from bncc.structure.inference import eliminate
from model_attacks import records_in, taken_apart
from model_cases import TICKETS, fitted
from model_refusals import opened, refused

RANDOM = np.random.default_rng(0)
X = RANDOM.random((60, 4))
Y = RANDOM.random((60, 40)) < 0.5


def not_kept(folder, model, words):
    """A model that no file may hold cannot be saved: what is written is read again."""
    with pytest.raises(TypeError, match=words) as refusal:
        save_model(model, folder / "model.bncc")
    assert isinstance(refusal.value.__cause__, MalformedFile)


def with_type(nodes, name, dtype, value):
    """Nodes of a tree, with a field of another type."""
    types = [(each, dtype if each == name else nodes.dtype[each].str) for each in nodes.dtype.names]
    out = np.zeros(nodes.size, types)
    for each in nodes.dtype.names:
        out[each] = nodes[each]
    out[name] = value
    return out


@pytest.mark.parametrize(("dtype", "value"), [("<f8", 0.5), ("<u2", 256)])
def test_a_leaf_that_becomes_a_branch_when_it_is_cast(dtype, value, tmp_path):
    def edit(fields, members):
        name = fields["nodes"]["array"]
        members[name] = with_type(members[name], "is_leaf", dtype, value)

    refused(tmp_path, "histogram boosting", "TreePredictor", edit, "nodes are of other types")


def nodes_like(nodes, left, right):
    """Nodes of a tree with these branches."""
    out = np.zeros(len(left), nodes.dtype)
    out["left_child"], out["right_child"] = left, right
    return out


def test_branches_of_a_tree_that_meet_again(tmp_path):
    def edit(fields, members):
        here = np.arange(3000)
        left, right = (np.where(here == 2999, -1, np.minimum(here + step, 2999)) for step in (1, 2))
        nodes, values = fields["nodes"]["array"], fields["values"]["array"]
        members[nodes] = nodes_like(members[nodes], left, right)
        members[values] = np.zeros((3000, *members[values].shape[1:]))

    refused(tmp_path, "tree", "Tree", edit, "branches meet again")


def test_the_depth_of_a_deep_tree(tmp_path):
    structure, members = taken_apart(fitted("tree")[0])
    (tree,) = records_in(structure, "Tree")
    here = np.arange(20_001)
    branching = (here % 2 == 0) & (here < 20_000)
    name, values = tree["nodes"]["array"], tree["values"]["array"]
    members[name] = nodes_like(members[name], np.where(branching, here + 1, -1), np.where(branching, here + 2, -1))
    members[values] = np.zeros((here.size, *members[values].shape[1:]))
    assert opened(tmp_path, structure, members).get_depth() == 10_000


@pytest.mark.parametrize("case", ["tree", "extra tree of three"])
def test_the_depth_of_fitted_trees(case, tmp_path):
    model = fitted(case)[0]
    assert opened(tmp_path, *taken_apart(model)).get_depth() == model.get_depth() > 1


def test_ensembles_have_the_classes_that_they_say(tmp_path):
    def edit(fields, members):
        fields["n_classes_"] = 10**6

    for case, record in (("bagging", "BaggingClassifier"), ("ada", "AdaBoostClassifier")):
        refused(tmp_path, case, record, edit, "n_classes_ has 1000000 where 2 are needed")


def test_bagging_takes_no_more_features_than_there_are(tmp_path):
    def edit(fields, members):
        for each in fields["estimators_features_"]["list"]:
            members[each["array"]] = np.zeros(10**5, np.int64)

    refused(tmp_path, "bagging", "BaggingClassifier", edit, "more than 24 features")


def test_weights_of_boosting_are_numbers_in_a_row(tmp_path):
    def edit(fields, members):
        members["more.npy"] = np.ones((1000, 1, 1))
        fields["estimator_weights_"] = {"list": [{"array": "more.npy"}] * 3}

    refused(tmp_path, "ada", "AdaBoostClassifier", edit, "estimator_weights_ must be an array")


@pytest.mark.parametrize("method", ["LabelPowerset", "RandomKLabelsets", "BlockPowerset"])
@pytest.mark.parametrize("base", ["", "-logistic"])
def test_pairs_of_label_sets_have_links(method, base, tmp_path):
    def edit(fields, members):
        fields["estimator"] = None
        for each in records_in(fields, "LabelSets"):
            name = each["sets"]["array"]
            members[name] = np.zeros((5000, members[name].shape[1]), bool)

    refused(tmp_path, method + base, method, edit, "label sets that need [0-9]+ links, with")


def test_scores_of_sets_want_a_decision_per_pair():
    with pytest.raises(ValueError, match="12497500 decisions per row; got 1"):
        set_scores(np.zeros((3, 1)), 5000)


def test_a_wide_network_has_few_edges(tmp_path, monkeypatch):
    monkeypatch.setattr(records_methods, "_MOST_SPEAKERS", 512)
    parents = [list(range(label)) for label in range(40)]
    model = NetworkDecoder(BinaryRelevance(GaussianNB()), strength=0.5, network_search=learn_network(Y, search=parents))
    not_kept(tmp_path, model.fit(X, Y), "wide network of 780 tables where at most 512 can be")


def test_tables_of_a_wide_network_are_small(tmp_path):
    def with_parents(n_parents):
        parents = [[] for _ in range(39)] + [list(range(n_parents))]
        return NetworkMLkNN(k=3, network_search=learn_network(Y, search=parents)).fit(X, Y)

    not_kept(tmp_path, with_parents(15), "tables take [0-9]+ steps where at most 131072 can be")
    load_model(save_model(with_parents(12), tmp_path / "sound.bncc"))


@pytest.mark.parametrize("parents", [[0] * 40, [10**6], []])
def test_tables_are_of_the_parents_of_their_labels(parents, tmp_path):
    def edit(fields, members):
        fields["parents"] = {"tuple": parents if fields["parents"]["tuple"] else [1]}

    refused(tmp_path, "BNCC", "ConditionalTable", edit, "_tables must be of the parents of their labels")


def test_a_narrow_network_may_be_large():
    chain = [[], *([label] for label in range(1999))]
    check_messages("NetworkDecoder", 2000, 1999, 8 * 1999, lambda: eliminate(chain))
    with pytest.raises(ValueError, match="3000 labels where at most 2048"):
        check_messages("NetworkDecoder", 3000, 0, 0, lambda: eliminate([]))
    with pytest.raises(ValueError, match="100000 edges where at most 16384"):
        check_messages("NetworkDecoder", 2000, 100_000, 0, lambda: eliminate([]))


@pytest.mark.parametrize("inference", ["beam", "monte_carlo"])
def test_chains_follow_few_label_sets(inference, tmp_path):
    settings = {"beam_width": 10_000, "n_samples": 10_000}
    model = ClassifierChain(GaussianNB(), inference=inference, **settings, random_state=0).fit(X, Y)
    not_kept(tmp_path, model, "a chain of 40 labels that follows 10000 label sets where at most 2232 can be")
    few = ClassifierChain(GaussianNB(), inference=inference, **settings, random_state=0).fit(X[:, :2], Y[:, :5])
    load_model(save_model(few, tmp_path / "few.bncc"))
    model.set_params(inference="greedy")
    load_model(save_model(model, tmp_path / "greedy.bncc"))


@pytest.mark.parametrize("inference", ["beam", "monte_carlo", "exhaustive"])
def test_chains_follow_label_sets_of_few_labels(inference, tmp_path, monkeypatch):
    model = ClassifierChain(GaussianNB(), inference=inference, beam_width=1, n_samples=1, random_state=0)
    model.fit(X, Y[:, :12])
    load_model(save_model(model, tmp_path / "few.bncc"))
    monkeypatch.setattr(walk_checks, "_MOST_LABELS_FOLLOWED", 11)
    not_kept(tmp_path, model, "follows label sets of 12 labels where at most 11 can be")
    load_model(save_model(model.set_params(inference="greedy"), tmp_path / "greedy.bncc"))


@pytest.mark.parametrize("case", ["EnsembleClassifierChain", "EnsembleBNCC", "GroupSensitiveChain-logistic"])
def test_ensembles_are_of_few_chains(case, tmp_path, monkeypatch):
    model = fitted(case)[0]
    load_model(save_model(model, tmp_path / "few.bncc"))
    monkeypatch.setattr(walk_checks, "_MOST_CHAINS", 1)
    not_kept(tmp_path, model, "an ensemble of [0-9]+ chains where at most 1 can be")


@pytest.mark.parametrize("wrapped", [False, True])
def test_chains_look_at_few_neighbours(wrapped, tmp_path, monkeypatch):
    base = make_pipeline(KNeighborsClassifier(3)) if wrapped else KNeighborsClassifier(3)
    model = ClassifierChain(base, inference="exhaustive", order=list(range(9))).fit(X, Y[:, :9])
    load_model(save_model(model, tmp_path / "few.bncc"))
    monkeypatch.setattr(walk_checks, "_MOST_NEIGHBOURS", 60 * (2**9 - 1) - 1)
    not_kept(tmp_path, model, "looks at 30660 neighbours for the label sets of a row where at most 30659 can be")
    model.set_params(inference="beam", beam_width=100)
    load_model(save_model(model, tmp_path / "usual.bncc"))


def test_chains_of_draws_follow_few_label_sets(tmp_path):
    model = MonteCarloChain(GaussianNB(), n_swaps=0, n_samples=50, random_state=0).fit(X, Y)
    load_model(save_model(model, tmp_path / "few.bncc"))
    not_kept(tmp_path, model.set_params(n_samples=10_000), "follows 10000 label sets")


def test_a_text_has_the_columns_of_its_vectorizer(tmp_path):
    def edit(fields, members):
        fields["width"] = 2**31 - 1

    refused(tmp_path, "table", "TextEncoder", edit, "TextEncoder of 2147483647 columns with a vectorizer of")


def test_names_of_words_are_short_together(tmp_path, monkeypatch):
    monkeypatch.setattr(records_tables, "_MOST_LETTERS", 20)
    with pytest.raises(MalformedFile, match="together more than 20 letters"):
        opened(tmp_path, *taken_apart(fitted("table")[0]))


def test_columns_of_a_table_are_read_one_by_one(tmp_path, monkeypatch):
    structure, members = taken_apart(fitted("table")[0])
    encoders = next(records_in(structure, "TableFeatures"))["encoders_"]["tuple"]
    steps = len(encoders) + 2 * len(list(records_in(structure, "TextEncoder")))
    monkeypatch.setattr(budget, "_MOST_STEPS", steps + 4)  # and two for each part of the pipeline around it
    opened(tmp_path, structure, members)
    monkeypatch.setattr(budget, "_MOST_STEPS", steps - 1)
    with pytest.raises(MalformedFile, match=f"takes {steps} columns and parts one by one"):
        opened(tmp_path, structure, members)


def test_a_table_with_categories_has_no_hashes(tmp_path, monkeypatch):
    words = [{"body": f"red fox {number} runs over some grass in the dark wood"} for number in range(40)]
    hashes = TableFeatures(vectorizer=HashingVectorizer(), text="body").fit(words)
    load_model(save_model(hashes, tmp_path / "hashes.bncc"))
    hashes.keep_categories = True
    not_kept(tmp_path, hashes, "text that is read by other than CountVectorizer or TfidfVectorizer")
    (encoder,) = hashes.encoders_
    hashes.encoders_ = (replace(encoder, vectorizer=make_pipeline(encoder.vectorizer)),)
    not_kept(tmp_path, hashes, "text that is read by other than CountVectorizer or TfidfVectorizer")
    counts = TableFeatures(text="body", keep_categories=True).fit(words)
    load_model(save_model(counts, tmp_path / "counts.bncc"))
    monkeypatch.setattr(records_tables, "_MOST_FRAME", 5)
    not_kept(tmp_path, counts, "words where at most 5 can be")


def test_a_table_of_tickets_may_keep_its_categories(tmp_path):
    pytest.importorskip("pandas")
    model = TableFeatures(keep_categories=True).fit(TICKETS)
    again = load_model(save_model(model, tmp_path / "table.bncc"))
    assert again.transform(TICKETS).equals(model.transform(TICKETS))


@pytest.mark.parametrize(
    ("case", "record", "field", "value", "words"),
    [
        ("hashes", "HashingVectorizer", "n_features", 2**24, "n_features must be a whole number from 1 to 1048576"),
        ("hashes", "HashingVectorizer", "ngram_range", {"tuple": [1, 50]}, "a whole number from 1 to 10"),
        ("counts", "CountVectorizer", "ngram_range", {"tuple": [1, 50]}, "a whole number from 1 to 10"),
        ("tf-idf", "TfidfVectorizer", "ngram_range", {"tuple": [1, 50]}, "a whole number from 1 to 10"),
    ],
)
def test_texts_become_so_many_numbers(case, record, field, value, words, tmp_path):
    refused(tmp_path, case, record, lambda fields, members: fields.__setitem__(field, value), words)


@pytest.mark.parametrize("base", [GaussianNB(), QuadraticDiscriminantAnalysis(reg_param=0.5)])
def test_classes_that_are_gone_through_one_by_one_are_few(base, tmp_path, monkeypatch):
    model = base.fit(X, np.arange(60) % 3)
    load_model(save_model(model, tmp_path / "few.bncc"))
    monkeypatch.setattr(records_bases, "_MOST_CLASSES_IN_TURN", 2)
    not_kept(tmp_path, model, "3 classes, one after the other, where at most 2 can be")


class Silent:
    """A classifier that predicts, and gives no scores."""

    def __init__(self, n_classes):
        self.classes_ = np.arange(n_classes)

    def predict(self, X):
        return np.arange(len(X)) % len(self.classes_)


def test_classes_without_scores_take_no_more_than_their_rows():
    sets = RANDOM.random((8000, 2)) < 0.5
    tracemalloc.start()
    scores = multiclass_scores(sets, Silent(8000), np.zeros((5, 1)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ((scores > 0) == sets[:5]).all()
    assert peak < 2**22
