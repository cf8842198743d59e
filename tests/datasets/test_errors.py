import pickle

from bncc.datasets import MalformedFile


def test_message_says_where_what_and_remedy():
    error = MalformedFile("a.arff", 3, "this is wrong.", "Mend it.")
    assert str(error) == "a.arff, line 3: this is wrong. Mend it."
    assert str(MalformedFile("a.arff", None, "this is wrong.")) == "a.arff: this is wrong."
    assert isinstance(error, ValueError)


def test_survives_pickling():
    error = pickle.loads(pickle.dumps(MalformedFile("a.arff", 3, "this is wrong.", "Mend it.")))
    assert (error.file, error.line, error.remedy) == ("a.arff", 3, "Mend it.")
