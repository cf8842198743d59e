import json

import numpy as np

from bncc.analysis.quality import summarise_quality
from bncc.cli.output import Voice
from bncc.cli.quality_table import quality_result, show_quality, worst_in_words
from quality_examples import made_scores


def test_few_labels_are_shown_whole_and_many_by_their_ends(capsys):
    show_quality(Voice(False, False), summarise_quality(*made_scores()))
    shown = capsys.readouterr().out
    assert "worst first" in shown
    assert sum(line.strip()[:1].isdigit() for line in shown.splitlines()) >= 7
    show_quality(Voice(False, False), summarise_quality(*made_scores(400, 40)))
    assert "the 5 worst and the 5 best of" in capsys.readouterr().out


def test_a_label_that_is_surely_worst_is_said_so():
    Y = np.tile([[1, 1], [0, 0]], (200, 1))
    said = Y.copy()
    said[:, 0] = 1 - Y[:, 0]
    words = worst_in_words(summarise_quality(Y, Y_pred=said, label_names=["bad", "good"]))
    assert words.startswith("Worst label: bad, F1 0.00, between 0.00 and 0.0")
    assert words.endswith("It is surely the worst.")


def test_nothing_to_judge(capsys):
    summary = summarise_quality(np.zeros((3, 2)), Y_pred=np.zeros((3, 2)))
    show_quality(Voice(False, False), summary)
    assert "No label holds" in capsys.readouterr().out
    assert worst_in_words(summary) == "No label holds in any tested row."
    json.dumps(quality_result(summary), allow_nan=False)


def test_scripts_get_names_instead_of_numbers():
    names = [f"label {i}" for i in range(7)]
    summary = summarise_quality(*made_scores(), label_names=names)
    result = quality_result(summary)["methods"]["model"]
    quality = summary.methods[0]
    assert result["worst"]["label"] == names[quality.worst.label]
    assert result["confused"][0]["first"] == names[quality.confused[0].first]
    assert result["rows"][0]["missed"] == [names[label] for label in quality.rows[0].missed]
    assert result["labels"][3]["f1"]["lowest"] == quality.labels[3].f1.lowest
    assert len(result["curves"]) == 7
