import numpy as np

from bncc.multilabel.blending.prior_part import PriorPart
from bncc.multilabel.targets import read_targets


def test_shares_of_known_rows():
    part = PriorPart.of(read_targets(np.array([[1, 0], [1, np.nan], [0, 0]])))
    np.testing.assert_allclose(part.shares, [2.5 / 4, 0.5 / 3])
    assert part.rates(np.zeros((3, 7))).shape == (3, 2)
    assert part.set_rates(np.zeros((3, 7))) is None
