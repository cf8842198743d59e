import pytest

from bncc.multilabel import FAMILIES
from bncc.multilabel.blending.families import named_families


def test_all_of_them_by_default():
    assert [family.name for family in named_families(None)] == list(FAMILIES)


@pytest.mark.parametrize("names", [[], "linear", ["liner"]])
def test_errors(names):
    with pytest.raises(ValueError, match=r"`families`.*(must be a list|Did you mean 'linear')"):
        named_families(names)
