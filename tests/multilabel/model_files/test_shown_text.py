"""Text that a model shows when it is printed is in proportion to its file."""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from bncc.multilabel import load_model, save_model
from bncc.multilabel.model_files.shown_text import letters_shown
from model_refusals import refused

X, Y = np.random.default_rng(0).random((9, 3)), np.arange(9) % 2


def test_the_first_parts_of_collections_are_shown():
    assert letters_shown(["abc", None, 7]) == 3
    assert letters_shown([{"ab": ("c", {"d"}), 1: "e"}]) == 5
    assert letters_shown([["ab"] * 1000]) == 60
    assert letters_shown([np.array(["ab"] * 2000, object), np.array(["ab"])]) == 2000


def test_settings_of_long_texts_are_refused(tmp_path):
    def edit(fields, members):
        texts = {"list": ["y" * 300_000] * 5}
        fields["param_grid"] = {"dict": [["C", {"list": [texts] * 5}]]}

    search = GridSearchCV(LogisticRegression(), {"C": [1.0, 2.0]}, cv=2).fit(X, Y)
    words = "its settings have [0-9]+ letters of text or more; at most"
    refused(tmp_path, search, "GridSearchCV", edit, words)


def test_a_long_vocabulary_is_no_setting_of_long_texts(tmp_path):
    words = [f"a word of some forty letters, with number {number}" for number in range(50_000)]
    model = CountVectorizer(vocabulary=words).fit(["a word"])
    assert len(load_model(save_model(model, tmp_path / "words.bncc")).vocabulary_) == 50_000
