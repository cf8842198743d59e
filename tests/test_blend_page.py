"""What was tried for the blend: what each half alone would have chosen, and the page that says so."""

import pytest

from absence import needs_source_tree

pytestmark = needs_source_tree("benchmarks/results")


@pytest.fixture
def page(benchmark_script):
    return benchmark_script("blend_page")


def rows_of(**variants):
    return {
        "notes": {"sets": ["flags", "yeast"]},
        "rows": [{"variant": name, "example_f1 A": a, "example_f1 B": b} for name, (a, b) in variants.items()],
    }


def test_a_half_chooses_what_is_best_there_and_it_is_told_what_that_is_worth_on_the_other(page):
    step = page.Step("a step", "some_record", "before", "shipped")
    record = rows_of(before=(1.0, 1.0), shipped=(1.5, 1.2), other=(0.5, 2.0))
    a, b = page.choices(step, record)
    assert (a["chosen"], a["same"], a["there"], a["elsewhere"]) == ("shipped", True, 0.5, pytest.approx(0.2))
    assert (b["chosen"], b["same"], b["there"], b["elsewhere"]) == ("other", False, 1.0, -0.5)
    assert (b["shipped"], b["shipped elsewhere"]) == (pytest.approx(0.2), 0.5)
    told = page.told_choices([a, b])
    assert told.endswith("of 2 choices 1 are what is shipped, and 1 lose on the other half.")
    assert page.choices_table([a, b]).splitlines()[2:] == [
        "| a step | 2 | example F1 | A, of 3 | what is shipped | +0.50 | +0.20 | +0.50 | +0.20 |",
        "| a step | 2 | example F1 | B, of 3 | other | +1.00 | -0.50 | +0.20 | +0.50 |",
    ]


def test_the_last_step_in_a_sentence(page):
    a, b = page.choices(
        page.LAST, rows_of(**{page.LAST.before: (0, 0), page.LAST.shipped: (2, 1), "with more": (-1, 2)})
    )
    assert page.told_last([a, b]).endswith(
        "half A alone would have chosen this, +1.00 on the other half; "
        "half B alone would have chosen 'with more', -1.00 on the other half."
    )


def test_what_was_there_before_counts_nothing_and_can_be_chosen(page):
    step = page.Step("a step", "some_record", "as it was", "shipped")
    a, b = page.choices(step, rows_of(shipped=(-0.5, 0.25)))
    assert (a["chosen"], a["there"], a["elsewhere"]) == ("as it was", 0.0, 0.0)
    assert (b["chosen"], b["there"], b["elsewhere"]) == ("shipped", 0.25, -0.5)


def test_hindsight_is_told_in_points_over_the_blend(page):
    values = {"blend": 70.0, "best family in hindsight": 69.9, "decision from the test rows": 70.2,
              "weights and decision from the test rows": 70.5}  # fmt: skip
    rows = [{"metric": "example_f1", "half": half, "what": what, "sets": 4, "value": value}
            for half in "AB" for what, value in values.items()]  # fmt: skip
    told = page.told_hindsight({"notes": {"splits": 3}, "rows": rows})
    assert "would gain 0.2 and 0.2 points" in told
    assert "is -0.1 and -0.1 points from it" in told
    assert "8 sets cut to 1,200 rows, 3 splits" in told


def test_no_minus_before_nothing(page):
    assert [page.signed(value, 1) for value in (-0.04, 0.04, -0.06)] == ["+0.0", "+0.0", "-0.1"]


def test_the_page_shows_what_was_recorded(page):
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.text() in text, "run benchmarks/blend_page.py"
    assert page.network_text(page.read("blend_network")) in text, "run benchmarks/blend_page.py"
