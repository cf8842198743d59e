"""What happens to the other labels when one is set, in a real browser: the numbers are those of the network."""

from functools import cache

import numpy as np
import pytest

from bncc import learn_network
from bncc.analysis.page import summarise_labels, write_page
from bncc.datasets import make_network_data, make_power_law_labels
from page_browser import Opened, launch, overflow
from page_examples import VILLAGE


def made_labels(n_labels, n_rows, seed=0):
    """Labels of falling frequency, each of which often copies one before it."""
    random = np.random.default_rng(seed)
    Y = make_power_law_labels(n_rows, n_labels, cardinality=4.0, random_state=seed)
    Y = np.array(Y.toarray() if hasattr(Y, "toarray") else Y, dtype=int)
    for child in range(1, n_labels):
        copies = random.random(n_rows) < 0.5
        Y[copies, child] = Y[copies, random.integers(child)]
    return Y


def wide_parents(n_labels=40, n_parents=9, seed=0):
    """So many parents that exact answers would not fit."""
    random = np.random.default_rng(seed)
    return tuple(tuple(sorted(random.permutation(i)[:n_parents].tolist())) for i in range(n_labels))


def village():
    return make_network_data(VILLAGE, 800, random_state=0).Y


NETWORKS = {
    "small": lambda: learn_network(village(), max_children=None, label_names=VILLAGE.label_names),
    "30": lambda: learn_network(made_labels(30, 1500), max_children=None, search="ges"),
    "400": lambda: learn_network(made_labels(400, 3000), max_children=None, search="hill_climbing"),
    "wide": lambda: learn_network(made_labels(40, 400), max_children=None, search=wide_parents()),
    "many parents": lambda: learn_network(
        np.random.default_rng(0).integers(0, 2, (60, 13)), search=[*[()] * 12, tuple(range(12))]
    ),
}


@pytest.fixture(scope="module")
def browser():
    yield from launch()


@cache
def network(name):
    return NETWORKS[name]()


@pytest.fixture
def visit(browser, tmp_path):
    opened = []

    def visit(name, **options):
        net = network(name)
        file = write_page(summarise_labels(net.counts, net), tmp_path / "page.html")
        opened.append(Opened(browser, file, **options))
        return opened[-1].page, net

    yield visit
    for one in opened:
        one.context.close()
        assert one.said == []


def go_to(page, name):
    page.locator("#network input[type=search]").fill(name)
    page.locator("#network input[type=search]").press("Enter")


def set_label(page, name, state):
    go_to(page, name)
    page.locator("#what-if .set-line").get_by_role("button", name=state, exact=True).click()


def moved(page):
    """The table of what moved, by name: before, now and the difference."""
    more = page.locator("#what-if").get_by_role("button", name="Show more")
    while more.count():
        more.click()
    rows = page.locator("#what-if tbody tr").all()
    cells = [[cell.replace("−", "-") for cell in row.locator("td").all_inner_texts()] for row in rows]
    return {cell[0]: tuple(map(float, cell[1:4])) for cell in cells}


def assert_as_the_network_says(page, net, given, tolerance=6e-4):
    shown, before, after = moved(page), net.probabilities(), net.probabilities(given)
    for label, name in enumerate(net.label_names):
        was, now = before.probabilities[label], after.probabilities[label]
        if name in given:
            assert name not in shown
        elif name in shown:
            assert shown[name] == pytest.approx((was, now, now - was), abs=tolerance)
        else:
            assert abs(now - was) < tolerance
    return shown


@pytest.mark.parametrize("name", ["small", "30", pytest.param("400", marks=pytest.mark.slow)])
def test_labels_that_are_set_move_the_others_as_the_network_says(visit, name):
    page, net = visit(name)
    hubs = sorted(net.label_names, key=lambda one: -sum(one in edge for edge in named_edges(net)))
    first, second = hubs[:2]
    set_label(page, first, "there")
    shown = assert_as_the_network_says(page, net, {first: 1})
    assert max(abs(change) for _, _, change in shown.values()) > 0.05
    most = max(shown, key=lambda one: abs(shown[one][2]))
    assert page.locator("#what-if-answer b").inner_text() == most
    assert page.locator("#what-if-answer").inner_text().endswith("exactly.")
    set_label(page, second, "not there")
    assert_as_the_network_says(page, net, {first: 1, second: 0})
    set_label(page, first, "unknown")
    assert_as_the_network_says(page, net, {second: 0})
    page.locator("#what-if").get_by_role("button", name="Clear").click()
    assert page.locator("#what-if tbody tr").count() == 0


def named_edges(net):
    return [(net.label_names[parent], net.label_names[child]) for parent, child in net.edges]


def test_wide_networks_are_sampled_and_say_how_well(visit):
    page, net = visit("wide")
    set_label(page, "label0", "there")
    told = page.locator("#what-if-answer").inner_text()
    assert "sampled, standard errors up to 0.0" in told
    error = float(told.rstrip(".").split()[-1])
    assert 0.001 < error < 0.02
    # Ours here is exact, or sampled with an error of its own.
    assert_as_the_network_says(page, net, {"label0": 1}, tolerance=5 * error + 0.01)
    first = moved(page)
    page.locator("#what-if .set-line").get_by_role("button", name="unknown").click()
    set_label(page, "label0", "there")
    assert moved(page) == first


def test_a_network_with_too_many_parents_says_that_the_page_cannot_answer(visit):
    page, _ = visit("many parents")
    assert "too many parents" in page.locator("#what-if").inner_text()
    assert page.locator("#what-if button").count() == 0


def test_labels_are_set_by_keyboard_and_the_network_shows_how_likely_each_is(visit):
    page, net = visit("small")
    go_to(page, "Rural")
    node = page.locator(f'.node[data-label="{net.label_names.index("Rural")}"]')
    node.focus()
    page.keyboard.press("y")
    assert node.locator(".place").text_content() == "✓"
    assert "set to be there" in node.get_attribute("aria-label")
    after = net.probabilities({"Rural": 1}).probabilities
    for label in range(net.n_labels):
        other = page.locator(f'.node[data-label="{label}"]')
        full = float(other.locator(".chance-track").get_attribute("width"))
        assert float(other.locator(".chance").get_attribute("width")) == pytest.approx(full * after[label], abs=0.1)
    page.keyboard.press("n")
    assert node.locator(".place").text_content() == "✗"
    assert_as_the_network_says(page, net, {"Rural": 0})
    page.keyboard.press("u")
    assert node.locator(".place").text_content() == str(net.order.index(net.label_names.index("Rural")) + 1)
    assert page.locator("#what-if tbody tr").count() == 0


@pytest.mark.parametrize("name", ["small", "30"])
def test_a_phone_and_paper_show_what_moves(visit, name):
    page, net = visit(name, viewport={"width": 320, "height": 700}, has_touch=True, is_mobile=True)
    set_label(page, net.label_names[0], "there")
    assert overflow(page) == 0
    table = page.locator("#what-if table").bounding_box()
    assert table["x"] >= 0
    assert table["x"] + table["width"] <= 320
    assert page.locator(".frame .node").first.is_visible()
    page.emulate_media(media="print")
    assert page.locator("#what-if table").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


def drawn_names(page):
    """Heights in pixels of the names that are seen in the network."""
    box = "b => [b.height, b.left, b.right]"
    script = f"texts => texts.map(t => t.getBoundingClientRect()).filter(b => b.width).map({box})"
    return page.locator("#network .frame svg").locator("text.label").evaluate_all(script)


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("name", ["small", "30"])
def test_names_in_the_network_can_be_read_at_any_width(visit, name, width):
    page, _ = visit(name, viewport={"width": width, "height": 800})
    for mode in ("Whole network", "Neighbourhood"):
        page.locator("#network").get_by_role("button", name=mode).click()
        seen = drawn_names(page)
        frame = page.locator("#network .frame").bounding_box()
        assert len(seen) >= (2 if mode == "Neighbourhood" else 3)
        assert min(height for height, _, _ in seen) >= 9
        assert min(left for _, left, _ in seen) >= frame["x"] - 1
        assert max(right for _, _, right in seen) <= frame["x"] + frame["width"] + 1
