from bncc.structure import SCORES
from bncc.structure.search_task import ParentSearch


def test_required_parents_may_outnumber_the_limit():
    task = ParentSearch(
        score=SCORES["bic"], order=(0, 1, 2), child_limits=(9, 9, 9), max_parents=1, required=((1, 2), (), ()),
        forbidden=((), (), ()),
    )  # fmt: skip
    assert task.most_parents == 2
