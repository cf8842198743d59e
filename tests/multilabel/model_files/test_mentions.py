"""Mentions of members are counted wherever they stand."""

from bncc.multilabel.model_files.mentions import mentions_of_members


def test_every_form_of_a_mention_is_counted():
    structure = {
        "record": [
            "Any",
            {
                "a": {"array": "0.npy"},
                "b": {"list": [{"bytes": "1.npy"}, {"dtype of": "0.npy"}, {"stored scalar": "2.npy"}]},
                "c": {"stored matrix": ["csr_matrix", "3.npz"]},
            },
        ]
    }
    assert mentions_of_members(structure) == {"0.npy": 2, "1.npy": 1, "2.npy": 1, "3.npz": 1}


def test_what_has_no_name_is_not_counted():
    structure = {"list": [{"array": 3}, {"stored matrix": []}, {"stored matrix": "a"}, "array", None, 1.5]}
    assert not mentions_of_members(structure)
