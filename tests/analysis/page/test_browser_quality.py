"""Quality, thresholds, confusions, rows and reasons on the page, in a real browser."""

import re
from functools import cache

import pytest

from bncc.analysis.page import summarise_quality_part, write_page
from bncc.analysis.quality import summarise_quality
from page_browser import Opened, launch, overflow
from page_examples import HOSTILE, quality_summary
from quality_examples import made_scores

SIZES = {5: 600, 30: 1500, 400: 5000}
MANY = pytest.param(400, marks=pytest.mark.slow)


@pytest.fixture(scope="module")
def browser():
    yield from launch()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Writes a page when it is first asked for."""
    folder = tmp_path_factory.mktemp("pages")

    @cache
    def written(name):
        return write_page(made_page(name), folder / f"{name}.html")

    return written


def made_page(name):
    if name == "hostile":
        scores = made_scores(80, len(HOSTILE))
        return summarise_quality_part(summarise_quality(*scores, label_names=HOSTILE, method=HOSTILE[0]))
    if name == "hard":
        Y, scores = made_scores()
        return summarise_quality_part(summarise_quality(Y, Y_pred=scores > 0.5))
    return quality_summary(name, SIZES[name])


@pytest.fixture
def visit(browser, files):
    opened = []

    def visit(name, **options):
        opened.append(Opened(browser, files(name), **options))
        return opened[-1].page

    yield visit
    for one in opened:
        one.context.close()
        assert one.said == []
        assert len({url for url in one.requests if not url.startswith("blob:")}) == 1


def first_screen(page, section):
    """Text that is seen without scrolling, once a section was gone to by its link."""
    page.locator(f'nav a[href="#{section}"]').click()
    answer = page.locator(f"#{section} .answer").first
    box = answer.bounding_box()
    header = page.locator("header").bounding_box()
    assert header["y"] + header["height"] - 1 <= box["y"]
    assert box["y"] + box["height"] <= page.viewport_size["height"]
    return " ".join(answer.inner_text().split())


@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("n_labels", [5, 30, MANY])
def test_the_first_screens_answer_which_label_is_worst_why_and_which_edges_are_sure(visit, n_labels, width):
    page = visit(n_labels, viewport={"width": width, "height": 760})
    summary = quality_summary(n_labels, SIZES[n_labels])
    names, worst = summary.quality.label_names, summary.quality.methods[0].worst
    ends = f"between {worst.f1.lowest:.2f} and {worst.f1.highest:.2f} (95 %, {worst.n_compared} labels compared)"
    told = first_screen(page, "quality").replace(" ,", ",")
    assert told.startswith(f"Worst label: {names[worst.label]}, F1 {worst.f1.value:.2f}, {ends}.")
    why = first_screen(page, "rows")
    assert why.startswith("Row 3 got refund because of text: word 'money' +1.20, billing (predicted) +0.80")
    sure = [edge for edge in summary.network.edges if edge.kept and edge.sure]
    edges = first_screen(page, "network")
    assert edges.startswith(f"{len(sure)} of {sum(edge.kept for edge in summary.network.edges)} edges")
    for edge in sure:
        assert f"{names[edge.parent]} → {names[edge.child]} (in 97 % of resamples)" in edges
    best = first_screen(page, "results")
    assert best.startswith("Best: ")
    lead = next(each for each in summary.results.leads if each.metric == summary.results.metrics[0].name)
    ends = f"between {lead.low:+.3f} and {lead.high:+.3f} (95 %, over {lead.n_folds} folds, 1 rival)".replace("-", "−")
    assert f"It leads by {lead.difference:.3f}, {ends}" in best
    assert overflow(page) == 0


def test_results_come_first_then_labels_then_the_network(visit):
    sections = visit(5).locator("nav a").all_inner_texts()
    order = ["Results", "Quality by label", "Curves and thresholds", "Confused labels", "Rows and reasons"]
    assert sections[:5] == order
    assert sections.index("Labels") < sections.index("Label network")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [5, pytest.param(30, marks=pytest.mark.slow), MANY, "hostile", "hard"])
def test_every_page_draws_itself_prints_and_fits_a_phone(visit, name, scheme):
    page = visit(name, color_scheme=scheme)
    assert overflow(page) == 0
    if scheme == "dark":
        assert page.pdf(format="A4").startswith(b"%PDF")
        page.emulate_media(media="print")
        assert page.locator("nav").is_hidden()
        assert page.locator(".controls").first.is_hidden()
    phone = visit(name, color_scheme=scheme, viewport={"width": 320, "height": 700}, has_touch=True, is_mobile=True)
    assert overflow(phone) == 0
    assert page.locator("main img").count() == 0


def test_the_table_sorts_by_any_figure_and_its_bars_hold_the_intervals(visit):
    page = visit(30)
    part = quality_summary(30, 1500).quality.methods[0]
    rows = page.locator("#quality tbody tr")
    first = [int(rows.nth(i).get_attribute("data-label")) for i in range(30)]
    values = [part.figures["f1"].value[label] for label in first]
    assert values == sorted(values)
    head = page.locator("#quality thead button", has_text="Recall")
    head.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert page.locator("#quality th[aria-sort]").get_attribute("aria-sort") == "descending"
    by_recall = [int(rows.nth(i).get_attribute("data-label")) for i in range(5)]
    assert by_recall[0] == max(range(30), key=lambda label: (part.figures["recall"].value[label], -label))
    bar = rows.first.locator("svg.interval-cell").first.locator("rect.together")
    f1, label = part.figures["f1"], by_recall[0]
    assert float(bar.get_attribute("x")) == pytest.approx(100 * f1.lowest[label])
    assert float(bar.get_attribute("width")) == pytest.approx(100 * (f1.highest[label] - f1.lowest[label]))
    page.get_by_label("Find a judged label by name").fill("snow bird 2")
    assert rows.count() == 1


def shown(page, which):
    texts = page.locator(f"#threshold-{which} td").all_inner_texts()
    return [re.match(r"[\d.–]+", text)[0] for text in texts]


def expected(curve, position):
    tp, fp = curve.tp[position], curve.fp[position]
    ratios = [(tp, tp + fp), (tp, curve.support), (2 * tp, tp + fp + curve.support)]
    return [f"{part / whole:.3f}" if whole else "–" for part, whole in ratios]


def test_a_threshold_moves_by_keyboard_and_the_figures_of_the_label_and_of_all_follow(visit):
    page = visit(5)
    part = quality_summary().quality.methods[0]
    label = part.worst.label
    curve = part.curves[label]
    assert page.locator("#curves-of").inner_text() == quality_summary().quality.label_names[label]
    assert shown(page, "label") == expected(curve, curve.current)
    page.locator("#threshold").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")  # lower
    assert shown(page, "label") == expected(curve, curve.current + 3)
    tp = sum(each.tp[each.current] for each in part.curves) - curve.tp[curve.current] + curve.tp[curve.current + 3]
    fp = sum(each.fp[each.current] for each in part.curves) - curve.fp[curve.current] + curve.fp[curve.current + 3]
    support = sum(each.support for each in part.curves)
    assert shown(page, "micro") == [
        f"{tp / (tp + fp):.3f}",
        f"{tp / support:.3f}",
        f"{2 * tp / (tp + fp + support):.3f}",
    ]
    page.get_by_role("button", name="All: best F1").click()
    best = [float(expected(each, each.best)[2]) for each in part.curves]
    assert float(shown(page, "macro")[2]) == pytest.approx(sum(best) / 5, abs=0.001)
    page.get_by_role("button", name="Reset").click()
    assert shown(page, "label") == expected(curve, curve.current)


def test_a_threshold_is_dragged_in_both_curves(visit):
    page = visit(5)
    curve = quality_summary().quality.methods[0].curves[quality_summary().quality.methods[0].worst.label]
    for number, end in ((0, (0.9, 0.5)), (1, (0.95, 0.9))):
        chart = page.locator("#thresholds .chart").nth(number).locator("svg")
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        mark = chart.locator("circle.handle").bounding_box()
        before = page.locator("#threshold").input_value()
        page.mouse.move(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * end[0], box["y"] + box["height"] * end[1], steps=5)
        page.mouse.up()
        after = page.locator("#threshold").input_value()
        assert after != before
        position = len(curve.thresholds) - 1 - int(after)
        assert shown(page, "label") == expected(curve, position)
        page.mouse.move(5, 5)  # the button is up: nothing follows any more
        assert page.locator("#threshold").input_value() == after


def test_another_label_and_another_method_change_all_sections(visit):
    page = visit(5)
    summary = quality_summary().quality
    page.locator("#quality tbody").get_by_role("button", name="account").click()
    assert page.locator("#curves-of").inner_text() == "account"
    page.locator("#quality select").select_option("1")
    worst = summary.methods[1].worst
    assert f"F1 {worst.f1.value:.2f}" in page.locator("#answer-worst").inner_text()
    assert page.locator("#thresholds select").input_value() == "1"
    curve = summary.methods[1].curves[summary.label_names.index("account")]
    assert shown(page, "label") == expected(curve, curve.current)
    assert "right alone in" in page.locator("#strengths").inner_text()


def test_calibration_and_confusions_are_drawn_from_the_summary(visit):
    page = visit(30)
    part = quality_summary(30, 1500).quality.methods[0]
    bins = part.label_calibration[part.worst.label]
    assert page.locator("#thresholds .chart").nth(2).locator("circle.dot").count() == len(bins.cells)
    first = part.confused[0]
    names = quality_summary(30, 1500).quality.label_names
    line = page.locator("#confusion li").first.inner_text()
    assert f"{names[first.first]} → {names[first.second]}" in line
    assert f"{first.rows} rows" in line
    assert 10 < page.locator("#confusion g.pair").count() <= len(part.confused)


def test_a_row_is_picked_by_keyboard_and_its_errors_and_reasons_are_told(visit):
    page = visit(5)
    summary = quality_summary()
    panel = page.locator("#row-panel")
    assert "predicted, score +1.98: before −0.50, features +1.68, labels +0.80" in panel.inner_text()
    assert "+1.20 ± 0.02" in panel.inner_text()
    assert "all others" in panel.inner_text()
    errors = summary.quality.methods[0].rows[0]
    page.locator(f'#rows button[data-row="{errors.row}"]').focus()
    page.keyboard.press("Enter")
    assert panel.locator("#picked-row").inner_text() == f"Row {errors.row}"
    names = summary.quality.label_names
    for label in (*errors.missed, *errors.wrong):
        assert names[label] in panel.inner_text()
    assert (
        page.locator("#answer-row")
        .inner_text()
        .startswith(f"Row {errors.row}: {len(errors.missed + errors.wrong)} wrong")
    )
    assert page.locator('#rows button[aria-pressed="true"]').get_attribute("data-row") == str(errors.row)


def test_importance_is_shown_for_all_labels_and_for_one(visit):
    page = visit(5)
    rows = page.locator("#importance tbody tr")
    assert rows.count() == 3
    assert "0.120 (0.110 to 0.130)" in rows.first.inner_text()
    page.locator("#importance select").select_option("1")
    assert rows.count() == 4
    assert "label" in rows.nth(1).inner_text()


def test_predictions_without_scores_have_no_curves(visit):
    page = visit("hard")
    assert page.locator("#thresholds").is_hidden()
    assert page.locator("#quality thead th").count() == 5
    assert "Reasons of rows are shown here" in page.locator("#rows").inner_text()


def test_hostile_names_are_text(visit):
    page = visit("hostile")
    assert page.title() != "owned"
    assert "(empty name)" in page.locator("#quality tbody").inner_text()
    assert page.locator("script").count() == 3


def test_every_control_has_a_name(visit):
    unnamed = visit(5).evaluate(
        """[...document.querySelectorAll('button, select, input, a, [role=button], svg[role=img]')]
        .filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label')))
        .filter((e) => !e.closest('label')?.textContent.trim())
        .map((e) => e.outerHTML)"""
    )
    assert unnamed == []
