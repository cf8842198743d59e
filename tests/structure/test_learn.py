import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from bncc import learn_network
from bncc.graph import HasACycle
from bncc.labels import count_labels, dependence
from bncc.structure import SCORES, LocalScorer, bdeu, count_known_labels, entropy_order, parent_search
from oracles import network as oracle
from strategies import label_matrices


@pytest.fixture(params=["native", "python"])
def engine(request, monkeypatch):
    """Both the compiled search and its NumPy twin."""
    if request.param == "python":
        monkeypatch.setattr(parent_search, "native", None)
    elif parent_search.native is None:
        pytest.fail("the compiled extension is not built")


def correlated(n_rows, n_labels, seed):
    """Labels that copy, contradict or ignore earlier ones."""
    random = np.random.default_rng(seed)
    Y = random.random((n_rows, n_labels)) < random.uniform(0.05, 0.6, n_labels)
    for j in range(1, n_labels):
        source, follow = random.integers(j), random.random(n_rows) < 0.6
        Y[follow, j] = Y[follow, source] ^ (random.random() < 0.3)
    return Y.astype(np.int8)


@pytest.mark.usefixtures("engine")
class TestThePaper:
    """Algorithms 1 to 3 against the naive reading of the paper, ties included."""

    def test_small_matrices(self):
        @given(label_matrices(), st.sampled_from([None, 1, 2]), st.sampled_from([None, 1, 3]))
        @settings(max_examples=120, deadline=None)
        def check(Y, max_children, max_parents):
            net = learn_network(Y, max_children=max_children, max_parents=max_parents)
            expected = oracle.learn(Y, max_children, max_parents)
            assert (net.initial_order, net.cyclic_parents, net.parents, net.order) == expected

        check()

    @pytest.mark.parametrize("max_children", [None, 1, 2])
    def test_larger_matrices(self, max_children):
        for seed in range(3):
            Y = correlated(60, 8, seed)
            net = learn_network(Y, max_children=max_children)
            expected = oracle.learn(Y, max_children)
            assert (net.initial_order, net.cyclic_parents, net.parents, net.order) == expected


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("name", list(SCORES))
def test_search_agrees_with_local_scores(name):
    """A greedy search by hand with `local_score` finds what the counting search finds."""
    for seed in range(3):
        Y = correlated(120, 7, seed)
        scorer = LocalScorer.of(Y, name)
        counted = learn_network(Y, score=name, max_children=2)
        asked = learn_network(Y, score=scorer, max_children=2)
        assert counted.cyclic_parents == asked.cyclic_parents
        assert counted.scores == pytest.approx(asked.scores, abs=2e-6)
        assert counted.order == asked.order


@given(label_matrices(max_labels=6), st.sampled_from(sorted(SCORES)), st.sampled_from([None, 1]), st.booleans())
@settings(max_examples=80, deadline=None)
def test_both_engines_agree(Y, name, max_children, k2):
    kind = "k2" if k2 else "paper"
    fast = learn_network(Y, score=name, max_children=max_children, search=kind)
    kept, parent_search.native = parent_search.native, None
    try:
        plain = learn_network(Y, score=name, max_children=max_children, search=kind)
    finally:
        parent_search.native = kept
    assert (fast.cyclic_parents, fast.traces, fast.order) == (plain.cyclic_parents, plain.traces, plain.order)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_number_of_threads_changes_nothing(threads, monkeypatch):
    Y = correlated(400, 150, 7)
    expected = learn_network(Y, max_children=1)
    monkeypatch.setattr(parent_search, "n_threads", lambda n_jobs: threads)
    assert learn_network(Y, max_children=1).traces == expected.traces


@given(label_matrices(max_labels=6), st.sampled_from([None, 1, 2]))
@settings(max_examples=60, deadline=None)
def test_laws(Y, max_children):
    net = learn_network(Y, max_children=max_children)
    m = Y.shape[1]
    assert sorted(net.order) == list(range(m))
    place = {label: i for i, label in enumerate(net.order)}
    assert all(place[parent] < place[child] for parent, child in net.edges)  # the order respects the parents
    if max_children is not None:
        n_children = np.bincount([p for group in net.cyclic_parents for p in group], minlength=m)
        assert n_children.max(initial=0) <= max_children
    assert all(len(group) <= int(np.log2(len(Y))) + 1 for group in net.cyclic_parents)
    for trace in net.traces:
        scores = [step.score for step in trace.steps]
        assert scores == sorted(scores)  # each further parent improved the score


@pytest.mark.parametrize("max_children", [None, 2])
def test_real_labels_agree_with_the_oracle(data_folder, max_children):
    from bncc.datasets import load

    for name in ("emotions", "flags", "scene"):
        Y = load(name).Y[:150]
        net = learn_network(Y, max_children=max_children)
        assert (net.initial_order, net.cyclic_parents, net.parents, net.order) == oracle.learn(Y, max_children)


def test_real_labels_agree_between_engines(data_folder, monkeypatch):
    from bncc.datasets import load

    for name in ("yeast", "enron", "medical"):
        Y = load(name).Y_sparse
        fast = learn_network(Y)
        with monkeypatch.context() as patch:
            patch.setattr(parent_search, "native", None)
            plain = learn_network(Y)
        assert fast.traces == plain.traces
        assert fast.order == plain.order


class TestSearches:
    Y = correlated(200, 6, 3)

    def test_k2_takes_predecessors_only(self):
        order = (5, 3, 1, 0, 2, 4)
        net = learn_network(self.Y, search="k2", score="k2", initial_order=order, max_children=None)
        assert net.initial_order == net.order == order
        place = {label: i for i, label in enumerate(order)}
        assert all(place[parent] < place[child] for parent, child in net.edges)
        assert net.parents == net.cyclic_parents

    def test_tree_has_largest_mutual_information(self):
        net = learn_network(self.Y, search="tree")
        root = entropy_order(self.Y)[0]
        assert net.parents[root] == ()
        assert all(len(group) == 1 for child, group in enumerate(net.parents) if child != root)

    def test_a_given_network(self):
        parents = ((), (0,), (0, 1), (), (3,), ())
        net = learn_network(self.Y, search=parents)
        assert net.parents == net.cyclic_parents == parents
        assert net.scores == pytest.approx(
            [LocalScorer.of(self.Y, "dependence").local_score(j, parents[j]) for j in range(6)]
        )
        with pytest.raises(HasACycle, match="label0 -> label1 -> label0"):
            learn_network(self.Y, search=[(1,), (0,), (), (), (), ()])

    def test_own_score(self):
        class FewestIndex:
            def local_score(self, child, parents):
                return -float(sum(parents)) - 10 * (len(parents) > 1)

        net = learn_network(self.Y, score=FewestIndex(), max_children=None)
        assert net.cyclic_parents == ((1,), (0,), (0,), (0,), (0,), (0,))

    def test_bdeu_prior(self):
        assert learn_network(self.Y, score=bdeu(10.0)).order
        with pytest.raises(ValueError, match="prior_rows"):
            bdeu(0)


class TestConstraints:
    Y = correlated(200, 6, 4)
    names = ("a", "b", "c", "d", "e", "f")

    @pytest.mark.usefixtures("engine")
    def test_required_edges_survive_and_count_as_children(self):
        must = [(5, 0), ("d", "b")]
        net = learn_network(self.Y, required=must, label_names=self.names, max_children=1)
        assert {(5, 0), (3, 1)} <= set(net.edges)
        children = [parent for group in net.cyclic_parents for parent in group]
        assert children.count(5) == 1
        assert children.count(3) == 1
        assert net.cyclic_parents[0][0] == 5

    @pytest.mark.usefixtures("engine")
    def test_forbidden_edges_are_never_taken(self):
        free = learn_network(self.Y, max_children=None)
        banned = [(parent, child) for child, group in enumerate(free.cyclic_parents) for parent in group]
        net = learn_network(self.Y, forbidden=banned, max_children=None)
        taken = {(parent, child) for child, group in enumerate(net.cyclic_parents) for parent in group}
        assert not taken & set(banned)
        everything = [(a, b) for a in range(6) for b in range(6)]
        assert learn_network(self.Y, forbidden=everything).edges == ()

    @pytest.mark.usefixtures("engine")
    @pytest.mark.parametrize("score", ["dependence", "bic", "bdeu"])
    def test_more_required_parents_than_the_limit(self, score):
        Y = correlated(4, 12, 0)
        net = learn_network(Y, required=[(i, 11) for i in range(11)], score=score, max_parents=2)
        assert set(net.parents[11]) == set(range(11))
        expected = LocalScorer.of(Y, score).local_score(11, range(11))
        assert net.scores[11] == pytest.approx(expected, abs=1e-5)

    def test_required_cycle_is_printed_with_names(self):
        with pytest.raises(HasACycle, match="a -> b -> c -> a"):
            learn_network(self.Y, required=[(0, 1), (1, 2), (2, 0)], label_names=self.names)
        with pytest.raises(HasACycle, match="itself"):
            learn_network(self.Y, required=[(1, 1)])

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"required": [(0, 1)], "forbidden": [(0, 1)]}, "both required and forbidden"),
            ({"required": [("a", "zebra")]}, "unknown label 'zebra'"),
            ({"required": [(0, 9)]}, r"labels 0\.\.5; got 9"),
            ({"forbidden": [(0, 1, 2)]}, "pairs"),
            ({"required": (0, 1)}, "Wrap one pair in a list"),
            ({"required": None}, "pairs"),
            ({"required": [(0.7, 1.2)]}, "index or name; got 0.7"),
            ({"required": [(0, 1)], "search": "tree"}, "'paper' and 'k2'"),
        ],
    )
    def test_bad_constraints(self, options, message):
        with pytest.raises(ValueError, match=message):
            learn_network(self.Y, label_names=self.names, **options)


@pytest.mark.usefixtures("engine")
class TestEdgeCases:
    def test_one_label(self):
        net = learn_network([[1], [0], [1]])
        assert (net.order, net.parents) == ((0,), ((),))

    def test_one_row(self):
        net = learn_network([[1, 0, 1]])
        assert sorted(net.order) == [0, 1, 2]
        assert all(len(group) <= 1 for group in net.cyclic_parents)

    def test_identical_labels(self):
        net = learn_network([[1, 1, 0], [0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0], [0, 0, 0]])
        assert net.parents[1] == (0,)
        assert net.dependence[1, 0] == 1.0
        assert net.cyclic_parents[0] == (1,)

    def test_complementary_labels_count_like_identical_ones(self):
        column = np.array([1, 0, 1, 0, 0, 1, 1, 0])
        net = learn_network(np.column_stack([column, 1 - column]))
        assert net.dependence.tolist() == [[1, 1], [1, 1]]
        assert net.order == (0, 1)

    def test_constant_labels(self):
        Y = np.zeros((10, 3), np.int8)
        Y[:, 0] = 1
        Y[:4, 1] = 1
        net = learn_network(Y)
        assert net.initial_order == (1, 0, 2)

    def test_rows_without_labels_and_duplicated_rows(self):
        Y = correlated(50, 4, 5)
        doubled = np.vstack([Y, Y, np.zeros((20, 4), np.int8)])
        assert learn_network(doubled).order

    def test_more_labels_than_rows(self):
        Y = sparse.random(50, 1000, density=0.01, format="csr", random_state=0)
        Y.data[:] = 1
        net = learn_network(Y, max_children=None)
        assert sorted(net.order) == list(range(1000))

    def test_dataframe_names(self):
        pd = pytest.importorskip("pandas")
        net = learn_network(pd.DataFrame([[1, 0], [0, 1], [1, 1]], columns=["sun", "rain"]))
        assert net.label_names == ("sun", "rain")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "bicc"}, "`score` must be one of .*'aic'.*got 'bicc'"),
        ({"search": "magic"}, "'paper', 'k2', 'tree'"),
        ({"max_children": 0}, "`max_children` must be an integer of at least 1"),
        ({"max_children": 1.5}, "`max_children`"),
        ({"max_parents": -1}, "`max_parents`"),
        ({"initial_order": [0, 0]}, "`initial_order` must be a permutation"),
        ({"label_names": ["a"]}, "one name per label"),
        ({"search": [(), (), ()]}, "one entry per node"),
        ({"search": [("a",), ()]}, "node numbers"),
        ({"search": np.zeros((3, 0))}, "one entry per node"),
        ({"initial_order": [0.5, 1.0]}, "permutation"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        learn_network([[1, 0], [0, 1]], **options)


@pytest.mark.usefixtures("engine")
def test_limits_beyond_the_number_of_labels_are_no_limits():
    Y = correlated(40, 5, 8)
    free = learn_network(Y, max_children=None)
    assert learn_network(Y, max_children=2**40, max_parents=5000).traces == free.traces


def test_as_many_parents_as_a_configuration_has_bits():
    Y = correlated(50, 80, 9)
    assert len(learn_network(Y, search=[()] * 79 + [tuple(range(62))]).parents[79]) == 62
    with pytest.raises(ValueError, match="up to 62 parents; got 63"):
        learn_network(Y, search=[()] * 79 + [tuple(range(63))])


def test_a_score_that_is_no_number_is_named():
    class Broken:
        def local_score(self, child, parents):
            return float("nan") if parents else 0.0

    with pytest.raises(ValueError, match=r"NaN for child \d with parents"):
        learn_network([[1, 0], [0, 1], [1, 1]], score=Broken())


def test_scores_and_networks_can_be_pickled():
    Y = correlated(60, 5, 10)
    net = pickle.loads(pickle.dumps(learn_network(Y, score=pickle.loads(pickle.dumps(bdeu(2.0))))))
    assert net.order == learn_network(Y, score=bdeu(2.0)).order
    assert net.dependence.shape == (5, 5)


def test_random_state_gives_other_legal_orders():
    Y = correlated(300, 8, 6)
    plain = learn_network(Y)
    drawn = {learn_network(Y, random_state=seed).order for seed in range(20)}
    assert len(drawn) > 1
    assert learn_network(Y, random_state=3).order == learn_network(Y, random_state=3).order
    assert learn_network(Y, random_state=3).parents == plain.parents
    assert plain.random_order(3) == learn_network(Y, random_state=3).order


def test_many_labels_are_exact_without_a_square_array():
    """Sampled children of a wide sparse matrix, checked against scoring every candidate."""
    random = np.random.default_rng(0)
    n, m = 3000, 2500
    popularity = 1 / np.arange(1, m + 1)
    rows = np.repeat(np.arange(n), 5)
    cols = random.choice(m, n * 5, p=popularity / popularity.sum())
    Y = sparse.csr_array((np.ones(n * 5), (rows, cols)), shape=(n, m))
    Y.data[:] = 1
    Y.sum_duplicates()
    Y.data[:] = 1
    net = learn_network(Y, max_children=None)
    scorer = LocalScorer.of(Y, "dependence")
    dense_pairs = dependence(Y)
    for child in random.choice(m, 12, replace=False).tolist():
        group = net.cyclic_parents[child]
        first = [scorer.local_score(child, [other]) if other != child else -np.inf for other in range(m)]
        assert group[0] == int(np.argmax(first))
        assert net.traces[child].steps[0].score == pytest.approx(max(first), abs=2e-6)
        if len(group) > 1:
            later = [
                scorer.local_score(child, [group[0], other]) if other not in (child, group[0]) else -np.inf
                for other in range(m)
            ]
            assert group[1] == int(np.argmax(later))
    assert net.dependence_of([(3, 4)])[0] == pytest.approx(dense_pairs[3, 4])


def half_known(n_rows=4000):
    """The second label copies the first in 9 of 10 rows, and is unknown in half of the rows that have the first."""
    random = np.random.default_rng(0)
    first, third = random.random(n_rows) < 0.5, random.random(n_rows) < 0.3
    Y = np.column_stack([first, first ^ (random.random(n_rows) < 0.1), third]).astype(float)
    lost = Y.copy()
    lost[first & (random.random(n_rows) < 0.5), 1] = np.nan
    return Y, lost


def test_unknown_labels_do_not_count_as_absent():
    Y, lost = half_known()
    networks = (learn_network(labels) for labels in (Y, lost, np.nan_to_num(lost)))
    true, found, as_absent = (net.probabilities({0: 1}).probabilities for net in networks)
    np.testing.assert_allclose(found, true, atol=0.03)
    assert as_absent[1] < 0.6 < 0.87 < found[1]
    assert learn_network(lost).edges == learn_network(sparse.csr_array(lost)).edges
    pd = pytest.importorskip("pandas")
    named = learn_network(pd.DataFrame(lost, columns=["rain", "umbrella", "sun"]))
    assert named.label_names == ("rain", "umbrella", "sun")


def test_counts_without_unknown_labels_are_plain_ones():
    Y, lost = half_known(200)
    assert (count_known_labels(Y).matrix != count_labels(Y).matrix).nnz == 0
    filled = count_known_labels(lost).matrix.toarray()
    known = ~np.isnan(lost)
    assert np.array_equal(filled[known], lost[known])
    assert np.array_equal(filled, count_known_labels(lost).matrix.toarray())


class TestFirstParent:
    Y = np.random.default_rng(0).integers(0, 2, (2000, 20))

    def test_the_papers_way_takes_one_always_and_k2s_only_if_better(self):
        always, if_better = (learn_network(self.Y, first_parent=way) for way in ("always", "if better"))
        assert always.cyclic_parents == learn_network(self.Y).cyclic_parents
        assert all(always.cyclic_parents)
        assert len(if_better.edges) < 5 < len(always.edges)
        k2 = learn_network(self.Y, search="k2")
        assert learn_network(self.Y, search="k2", first_parent="if better").parents == k2.parents
        assert len(learn_network(self.Y, search="k2", first_parent="always").edges) > len(k2.edges)

    def test_parents_that_pay_are_the_same_either_way(self):
        first = np.random.default_rng(1).integers(0, 2, (200, 1))
        Y = np.hstack([first, first])
        assert learn_network(Y).parents == learn_network(Y, first_parent="if better").parents
