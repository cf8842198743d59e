import json
import re
from dataclasses import asdict

import numpy as np

from bncc.analysis.page import Summary, render_page
from bncc.analysis.page.drawing import Constants, draw_summary, shown_name
from bncc.analysis.page.results import WHISKER, summarise_results
from bncc.labels import strongest_relations
from bncc.labels.relations import FEWEST_ROWS, LEAST_CHI_SQUARE
from bncc.structure.layout import HALF_HEIGHT, LONGEST_NAME, label_widths, layered_layout
from made_records import make_records
from page_examples import HOSTILE, hostile_summary, small_summary


def sent(summary):
    return json.loads(re.search(r'id="drawing">(.*?)</script>', render_page(summary))[1])


def test_the_page_is_sent_the_constants_that_python_uses():
    constants = sent(Summary("Empty"))["constants"]
    assert constants == asdict(Constants())
    assert (constants["least_chi_square"], constants["fewest_rows"]) == (LEAST_CHI_SQUARE, FEWEST_ROWS)
    assert (constants["longest_name"], constants["half_height"]) == (LONGEST_NAME, HALF_HEIGHT)
    assert constants["whisker"] == WHISKER


def test_constants_decide_what_python_computes():
    both = np.zeros((40, 2), int)
    both[:FEWEST_ROWS] = 1
    assert len(strongest_relations(both)) == 1
    both[FEWEST_ROWS - 1] = 0
    assert strongest_relations(both) == ()
    box = summarise_results(make_records(("one",), ("BR",), n_folds=20)).results.boxes[0]
    reach = WHISKER * (box.upper - box.lower)
    assert box.lower - reach <= box.low <= box.high <= box.upper + reach
    assert all(not box.lower - reach <= value <= box.upper + reach for value in box.outliers)


def test_the_layout_is_that_of_the_shown_names():
    network = small_summary(60).network
    layout = draw_summary(small_summary(60)).layout
    edges = [(edge.parent, edge.child) for edge in network.edges if edge.kept]
    widths = label_widths([shown_name(name) for name in network.label_names])
    expected = layered_layout(len(widths), edges, widths)
    assert (layout.x, layout.y, layout.bends) == (expected.x, expected.y, expected.bends)
    assert layout.widths == tuple(widths)
    assert sent(small_summary(60))["layout"]["x"] == list(layout.x)


def test_labels_without_a_visible_name_get_room_for_what_is_shown():
    layout = draw_summary(hostile_summary()).layout
    assert layout.widths[HOSTILE.index("")] == label_widths(["(empty name)"])[0]


def test_there_is_no_layout_without_a_network():
    assert draw_summary(Summary("Empty")).layout is None


def test_hidden_characters_are_replaced_and_others_kept():
    assert shown_name("\u202eright\u2066 \x07") == "\ufffdright\ufffd \ufffd"
    assert shown_name("\ud800 lone") == "\ufffd lone"
    assert shown_name("العربية 标签 🏞️") == "العربية 标签 🏞️"
    assert shown_name(" \r\n\t ") == "⏎"
    assert all(shown_name(shown_name(name)) == shown_name(name) for name in HOSTILE)
