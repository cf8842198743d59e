from bncc.analysis.page import summarise_labels
from bncc.analysis.page.setting_texts import as_text


def test_nested_settings_become_lines():
    settings = {"folds": {"n": 10, "of": {"rows": 5}}, "sigma": (1, 2.5), 3: "x", "stratified": False, "seed": 0}
    assert as_text(settings) == {
        "folds.n": "10",
        "folds.of.rows": "5",
        "sigma": "1, 2.5",
        "3": "x",
        "stratified": "False",
        "seed": "0",
    }
    assert as_text({"sets": [{"name": "a", "n": 1}, {"n": 2}]}) == {"sets.a.n": "1", "sets.1.n": "2"}
    assert as_text({"sets": [{"name": "a", "path": None}, {"name": "b", "n": 2}, {}, {"name": "c"}]}) == {
        "sets": "a, c",
        "sets.b.n": "2",
    }
    assert as_text(None) == {}


def test_what_says_nothing_is_left_out():
    assert as_text({"a": None, "b": "", "c": [], "d": {}, "e": {"f": None, "g": ()}, "h": " ", "i": {"j": 0}}) == {
        "i.j": "0"
    }


def test_a_summary_keeps_them():
    assert summarise_labels([[1, 0], [0, 1]], settings={"a": {"b": 1}}).settings == {"a.b": "1"}
