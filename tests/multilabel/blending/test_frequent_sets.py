import tracemalloc

import numpy as np
from scipy import sparse

from bncc.multilabel.blending.frequent_sets import frequent_sets, places_of_sets
from bncc.multilabel.targets import read_targets

Y = np.array([[1, 0], [1, 0], [0, 0], [1, 1], [0, 0], [1, 0]])


def test_the_most_frequent_ones_in_lexicographic_order():
    sets, code = frequent_sets(read_targets(Y), 2)
    assert sets.astype(int).tolist() == [[0, 0], [1, 0]]
    assert code.tolist() == [1, 1, 0, -1, 0, 1]
    np.testing.assert_array_equal(places_of_sets(sets, read_targets(Y)), code)


def test_rows_with_unknown_labels_have_no_set():
    lost = Y.astype(float)
    lost[0, 1] = np.nan
    assert frequent_sets(read_targets(lost))[1][0] == -1
    lost[:, 0] = np.nan
    sets, code = frequent_sets(read_targets(lost))
    assert len(sets) == 0
    assert (code == -1).all()


def test_it_takes_no_room_for_labels_that_do_not_hold():
    n_rows, n_labels = 3000, 20_000  # 60 MB as an array of bytes
    first = np.arange(n_rows) % 50
    Y = sparse.csr_array(
        (np.ones(2 * n_rows), (np.repeat(np.arange(n_rows), 2), np.stack([first, first + 60], 1).ravel()))
    )
    Y.resize(n_rows, n_labels)
    tracemalloc.start()
    sets, code = frequent_sets(read_targets(Y), 40)
    places = places_of_sets(sets, read_targets(Y))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    np.testing.assert_array_equal(places, code)
    np.testing.assert_array_equal(code, np.where(first >= 10, 49 - first, -1))
