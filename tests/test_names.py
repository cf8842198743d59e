from bncc._names import closest_names, did_you_mean


def test_names_that_look_alike_come_likeliest_first():
    assert closest_names("macro_f2", ["one_error", "micro_f1", "macro_f1"], 2) == ["macro_f1", "micro_f1"]
    assert closest_names("macro_f2", ["one_error"]) == []


def test_the_remedy_names_what_is_close_or_all_there_is():
    assert did_you_mean("fold", ["folds", "seed"]) == "did you mean 'folds'?"
    assert did_you_mean("flds", ["folds", "fields"], n=2) == "did you mean 'folds' or 'fields'?"
    assert did_you_mean("xyz", iter(["folds", "seed"])) == "known: folds, seed."
    assert did_you_mean("xyz", ["folds"], otherwise="see the manual.") == "see the manual."
