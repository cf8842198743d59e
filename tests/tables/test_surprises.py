from bncc.tables import Surprise, TableWarning
from bncc.tables.surprises import in_words


def test_many_are_summed_up():
    many = [Surprise(f"c{i}", "is empty", 5, 5) for i in range(30)]
    assert in_words(many).endswith("; and 18 more.")
    assert in_words(many).count("is empty (5 of 5 rows)") == 12


def test_a_warning_carries_them():
    warning = TableWarning("odd", [Surprise("a", "is missing", 1, 1)])
    assert str(warning) == "odd"
    assert warning.surprises[0].column == "a"
    assert isinstance(warning, UserWarning)
