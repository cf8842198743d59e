import numpy as np

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
