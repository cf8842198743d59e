"""The pages in a real browser: headless Chromium, driven by Playwright."""

import pytest

from bncc.analysis.page import write_page
from bncc.analysis.page.drawing import Constants, shown_name
from bncc.structure.draw import cut_name
from page_browser import Opened, launch, overflow
from page_examples import HOSTILE, alike_summary, hostile_summary, large_summary, small_summary

PAGES = {"small": small_summary, "large": large_summary, "hostile": hostile_summary}


@pytest.fixture(scope="module")
def browser():
    yield from launch()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    return {
        name: write_page(make(), folder / f"{name}.html") for name, make in {**PAGES, "alike": alike_summary}.items()
    }


# Keeps what is written on canvases: the text, and where its two ends lie.
WRITTEN = """
    window.written = [];
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const at = this.getTransform(), size = this.measureText(text).width;
        const first = this.textAlign === "right" ? x - size : this.textAlign === "center" ? x - size / 2 : x;
        const ends = [first, first + size].map((end) => [at.a * end + at.c * y + at.e, at.b * end + at.d * y + at.f]);
        window.written.push({ text, ends: ends.flat(), upright: at.b === 0 });
        return write.call(this, text, x, y);
    };
"""


@pytest.fixture
def visit(browser, files):
    opened = []

    def visit(name, **options):
        one = Opened(browser, files[name], **options)
        opened.append((one, files[name].as_uri()))
        return one.page

    yield visit
    for one, address in opened:
        one.context.close()
        assert one.said == []
        assert {url for url in one.requests if not url.startswith("blob:")} == {address}


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_every_section_is_drawn_without_error_or_request(visit, name, scheme, tmp_path):
    page = visit(name, color_scheme=scheme)
    assert page.locator("main > section:visible").count() == 9
    assert page.locator("nav a").count() == 9
    for section in ("overview", "network", "results", "sensitivity", "timings"):
        assert page.locator(f"#{section} .body svg").count() > 0
    assert page.locator("#dependence canvas[tabindex]").bounding_box()["width"] > 100
    assert overflow(page) == 0
    picture = tmp_path / "page.png"
    page.screenshot(path=picture, full_page=True)
    assert picture.stat().st_size > 50_000


def test_a_click_on_a_node_shows_its_neighbourhood_and_scores(visit):
    page = visit("small")
    summary = small_summary()
    names = summary.network.label_names
    child = names.index("Market")
    page.locator(f'#network .node[data-label="{child}"]').click()
    panel = page.locator("#network-panel")
    assert panel.locator("h3").first.inner_text() == "Market"
    shown = panel.inner_text()
    for edge in summary.network.edges:
        if edge.kept and child in (edge.parent, edge.child):
            other = edge.parent if edge.child == child else edge.child
            row = panel.locator("tbody tr", has_text=names[other]).first.inner_text()
            assert f"{edge.without_parent:.2f}" in row
            assert f"{edge.with_parent:.2f}" in row
    assert f"{summary.network.scores[child]:.2f}".replace("-", "−") in shown
    assert page.locator("#network .node.chosen").get_attribute("data-label") == str(child)
    assert page.locator("#network .node.near").count() > 0
    assert page.locator('#order button[aria-pressed="true"]').inner_text().endswith("Market")
    assert page.locator("#labels tr.selected").inner_text().split("\t")[1].strip() == "Market"


def test_the_pointer_shows_probabilities_with_and_without_each_parent(visit):
    page = visit("small")
    summary = small_summary()
    edge = next(edge for edge in summary.network.edges if edge.kept)
    node = page.locator(f'#network .node[data-label="{edge.child}"]')
    node.scroll_into_view_if_needed()
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # has scrolled
    node.hover()
    tip = page.locator("#tip")
    assert tip.is_visible()
    assert summary.network.label_names[edge.parent] in tip.inner_text()
    assert f"{edge.without_parent:.2f}" in tip.inner_text()
    assert f"{edge.with_parent:.2f}" in tip.inner_text()
    page.mouse.move(5, 5)
    assert tip.is_hidden()


def test_the_network_is_usable_by_keyboard(visit):
    page = visit("small")
    network = small_summary().network
    page.locator("#network input[type=search]").focus()
    for _ in range(3):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('node')"):
            break
    focused = "Number(document.activeElement.dataset.label)"
    root = page.evaluate(focused)
    assert root == network.order[0]
    assert page.locator("#tip").is_visible()
    page.keyboard.press("ArrowDown")
    child = page.evaluate(focused)
    assert (root, child) in {(edge.parent, edge.child) for edge in network.edges if edge.kept}
    page.keyboard.press("Enter")
    assert page.locator("#network-panel h3").first.inner_text() == network.label_names[child]
    assert page.evaluate(focused) == child
    page.keyboard.press("ArrowUp")
    assert (page.evaluate(focused), child) in {(edge.parent, edge.child) for edge in network.edges if edge.kept}
    before = page.locator("#network .frame svg").get_attribute("viewBox")
    page.keyboard.press("+")
    assert page.locator("#network .frame svg").get_attribute("viewBox") != before
    page.keyboard.press("0")
    assert page.locator("#network .frame svg").get_attribute("viewBox") == before


def test_the_network_moves_and_zooms_by_pointer(visit):
    page = visit("small")
    drawing = page.locator("#network .frame svg")
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    before = drawing.get_attribute("viewBox")
    page.mouse.move(box["x"] + 15, box["y"] + 15)
    page.mouse.down()
    page.mouse.move(box["x"] + 95, box["y"] + 55, steps=4)
    page.mouse.up()
    moved = drawing.get_attribute("viewBox")
    assert [float(v) for v in moved.split()][:2] < [float(v) for v in before.split()][:2]
    page.get_by_role("button", name="Zoom in").click()
    assert float(drawing.get_attribute("viewBox").split()[2]) < float(before.split()[2])
    page.get_by_role("button", name="Fit").click()
    assert drawing.get_attribute("viewBox") == before


def test_the_heat_map_is_read_by_keyboard_and_pointer(visit):
    page = visit("small")
    summary = small_summary()
    names = summary.network.label_names
    page.locator("#dependence canvas[tabindex]").focus()
    readout = page.locator("#heat-readout")
    parent, child = names[summary.network.order[1]], names[summary.network.order[0]]
    assert readout.inner_text().replace("\n", " ").startswith(("+", "−"))
    assert f"{parent} makes {child}" in readout.inner_text()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    child, parent = summary.network.order[2], summary.network.order[0]
    Y_with = [r for r in summary.network.edges if (r.parent, r.child) == (parent, child)]
    assert f"{names[parent]} makes {names[child]}" in readout.inner_text()
    for edge in Y_with:
        assert f"{edge.with_parent:.3f}" in readout.inner_text()
    page.keyboard.press("Enter")
    assert page.locator("#network-panel h3").first.inner_text() == names[child]


def test_figures_of_pairs_agree_with_the_edges(visit):
    page = visit("small")
    edges = [edge for edge in small_summary().network.edges if edge.kept]
    order = list(small_summary().network.order)
    canvas = page.locator("#dependence canvas[tabindex]")
    canvas.focus()
    for edge in edges[:3]:
        for _ in order:
            page.keyboard.press("ArrowUp")
            page.keyboard.press("ArrowLeft")
        for _ in range(order.index(edge.child)):
            page.keyboard.press("ArrowDown")
        for _ in range(order.index(edge.parent)):
            page.keyboard.press("ArrowRight")
        text = page.locator("#heat-readout").inner_text()
        assert f"Without {edge.without_parent:.3f} → with {edge.with_parent:.3f}" in text
        assert f"dependence degree {edge.dependence:.3f}" in text
        assert "an edge of the network" in text


def test_what_may_be_chance_is_said_so(visit):
    page = visit("small")
    summary = small_summary()
    order, n = summary.network.order, summary.data.n_rows
    page.locator("#dependence canvas[tabindex]").focus()
    child = summary.labels[order[0]].positives
    for parent in order[1:]:  # along the first row of the map
        a, b = sorted((order[0], parent))
        both, c = summary.pairs.together[a][b - a - 1], summary.labels[parent].positives
        chi_square = n * (both * n - child * c) ** 2 / (child * (n - child) * c * (n - c))
        assert ("may be chance" in page.locator("#heat-readout").inner_text()) == (chi_square < 3.841)
        page.keyboard.press("ArrowRight")


def test_the_script_takes_its_constants_from_the_page(browser, tmp_path, monkeypatch):
    changed = Constants(least_chi_square=1e9, fewest_rows=77, whisker=2.5, longest_name=5, half_height=9.0)
    monkeypatch.setattr("bncc.analysis.page.drawing.Constants", lambda: changed)
    opened = Opened(browser, write_page(small_summary(), tmp_path / "page.html"))
    page = opened.page
    page.locator("#dependence canvas[tabindex]").focus()
    assert "may be chance" in page.locator("#heat-readout").inner_text()
    assert "fewer than 77 rows" in page.locator("#dependence").inner_text()
    assert "2.5 interquartile ranges" in page.locator("#results").inner_text()
    assert {len(name) for name in page.locator("#network text.label").all_text_contents()} == {5}
    assert page.locator("#network .node rect").first.get_attribute("height") == "18"
    opened.context.close()


def test_the_script_shows_names_as_python_does(visit):
    page = visit("hostile")
    drawn = page.locator("#network .node").evaluate_all("(nodes) => nodes.map((node) => node.dataset.label)")
    texts = page.locator("#network .node text.label").all_text_contents()
    for label, text in zip(map(int, drawn), texts, strict=True):
        assert text == cut_name(shown_name(HOSTILE[label]))


def test_ranks_that_cannot_be_given_do_not_stop_the_printing(visit):
    page = visit("hostile")
    metrics = page.locator("#results select").last
    metrics.select_option(HOSTILE[0])  # a metric without a direction
    width = page.evaluate(
        """() => {
            window.dispatchEvent(new Event('beforeprint'));
            return document.querySelector('#sensitivity .chart svg').getAttribute('width');
        }"""
    )
    assert width == "680"


@pytest.mark.parametrize("name", ["small", "alike"])
def test_names_beside_the_heat_map_are_whole_and_differ(visit, name):
    page = visit(name, script=WRITTEN)
    n_labels = page.locator("#labels tbody tr").count()
    drawn = page.evaluate("window.written")[-n_labels * (n_labels + 1) :]  # the last drawing
    names = [entry for entry in drawn if not entry["text"].startswith(("+", "−", "."))]
    assert len(names) == 2 * n_labels
    assert len({entry["text"] for entry in names}) == n_labels
    assert min(end for entry in names for end in entry["ends"]) >= 0


def test_every_large_cell_of_the_heat_map_has_its_figure(visit):
    page = visit("small", script=WRITTEN)
    drawn = [entry["text"] for entry in page.evaluate("window.written")[-42:]]
    figures = [text for text in drawn if text.startswith(("+", "−", "."))]
    assert len(figures) == 6 * 5
    assert ".00" in figures


def test_shares_are_bars_of_a_common_track(visit):
    page = visit("alike")
    summary = alike_summary()
    bars = page.locator("#labels .bar-cell")
    boxes = [bars.nth(i).bounding_box() for i in range(bars.count())]
    assert len({round(box["x"], 1) for box in boxes}) == 1
    for i, row in enumerate(summary.labels):
        share = float(bars.nth(i).locator("rect").last.get_attribute("width"))
        assert share == pytest.approx(100 * row.positives / summary.data.n_rows)


def test_the_legend_of_seconds_names_what_took_some(visit):
    assert page_legend(visit("small")) == ["selecting", "training", "testing"]
    assert page_legend(visit("alike")) == ["training", "testing"]


def page_legend(page):
    return page.locator("#timings .legend").inner_text().split()


def test_the_label_table_sorts_and_finds(visit):
    page = visit("large")
    rows = page.locator("#labels tbody tr")
    assert rows.count() == 25
    heading = page.locator("#labels thead button", has_text="Rows")
    heading.focus()
    page.keyboard.press("Enter")
    assert page.locator("#labels th[aria-sort]").get_attribute("aria-sort") == "descending"
    counts = [int(rows.nth(i).locator("td").nth(2).inner_text().replace(",", "")) for i in range(10)]
    assert counts == sorted(counts, reverse=True)
    heading.click()
    assert page.locator("#labels th[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.get_by_label("Find a label by name").fill("sky water 10")
    assert rows.count() == 1
    rows.first.get_by_role("button").click()
    assert page.locator("#network-panel h3").first.inner_text() == "sky water 10"


def test_many_labels_are_shown_by_neighbourhood_first_and_whole_on_request(visit):
    page = visit("large")
    nodes = page.locator("#network .node")
    assert 1 < nodes.count() < 60
    finder = page.get_by_label("Go to a label")
    finder.fill("water")
    finder.press("Enter")
    assert page.locator("#network-panel h3").first.inner_text() == "water"
    page.get_by_role("button", name="Whole network").click()
    assert nodes.count() == 374
    assert page.locator("#network .node.chosen").count() == 1
    named = page.locator("#network .node.named text.label")
    boxes = [named.nth(i).bounding_box() for i in range(named.count())]
    assert 3 <= len(boxes) <= 60
    page.locator("#dependence select").nth(2).select_option("374")
    assert page.locator("#dependence canvas[tabindex]").bounding_box()["width"] > 300
    page.locator("#order button").nth(200).click()
    assert page.locator("#network .node.chosen").count() == 1


def test_results_follow_the_chosen_metric_and_data_set(visit):
    page = visit("small")
    summary = small_summary()
    selects = page.locator("#results select")
    selects.nth(0).select_option("yeast")
    selects.nth(1).select_option("micro_f1")
    means = {b.method: b.mean for b in summary.results.boxes if (b.dataset, b.metric) == ("yeast", "micro_f1")}
    best = max(means, key=means.get)
    row = page.locator("#results tbody tr", has=page.locator("th", has_text=best)).last
    assert f"{means[best]:.4f}" in row.inner_text()
    assert row.locator("td.best").count() >= 1
    assert page.locator("#results .chart").first.locator("text").first.inner_html()
    assert "micro_f1 by fold on yeast" in page.locator("#results").inner_text()
    ranks = next(r for r in summary.results.ranks if r.metric == "micro_f1")
    assert f"critical difference {ranks.critical_difference:.3f}" in page.locator("#results").inner_text()
    diagram = page.locator("#results .chart").nth(1)
    assert diagram.locator(".clique").count() == len(ranks.groups)


def test_sensitivity_is_shown_as_a_map_as_a_surface_and_as_a_line(visit):
    page = visit("small")
    summary = small_summary()
    shown = page.locator("#sensitivity .chart")
    first = summary.results.surfaces[0]
    n_cells = len(first.Cs) * len(first.sigmas)
    assert shown.locator("g > rect").count() == n_cells
    values = [value for row in first.values for value in row]
    assert f"Best: {min(values):.4f}" in page.locator("#sensitivity").inner_text()  # a loss
    page.get_by_role("button", name="Surface", exact=True).click()
    assert shown.locator("path.face").count() == (len(first.Cs) - 1) * (len(first.sigmas) - 1)
    line = visit("large").locator("#sensitivity .chart")
    assert line.locator("circle").count() == 13


def test_colours_follow_the_system_and_the_button(visit):
    page = visit("small", color_scheme="dark")
    dark = background(page)
    page.locator("#theme").click()
    light = background(page)
    assert (dark, light) == ("rgb(20, 24, 29)", "rgb(255, 255, 255)")
    assert background(visit("small", color_scheme="light")) == light


@pytest.mark.parametrize("name", PAGES)
def test_the_page_prints(visit, name, tmp_path):
    page = visit(name, color_scheme="dark")
    printed = page.pdf(path=tmp_path / "page.pdf", format="A4")
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page") > 2
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.locator(".controls").first.is_hidden()


@pytest.mark.parametrize("width", [320, 390])
@pytest.mark.parametrize("name", PAGES)
def test_a_phone_shows_the_page_without_scrolling_sideways(visit, name, width):
    page = visit(name, viewport={"width": width, "height": 700}, has_touch=True, is_mobile=True)
    assert overflow(page) == 0
    page.locator("#network .node").first.tap()
    assert page.locator("#network-panel h3").count() > 0
    assert overflow(page) == 0


@pytest.mark.parametrize("name", ["small", "alike"])
def test_words_and_axes_fit_a_phone(visit, name):
    page = visit(name, viewport={"width": 320, "height": 700}, has_touch=True, is_mobile=True)
    lines = "(e) => e.getClientRects().length"
    assert {method.evaluate(lines) for method in page.locator("#results tbody th bdi").all()} == {1}
    assert {key.bounding_box()["height"] < 30 for key in page.locator("#settings dt").all()} == {True}
    for metric in page.locator("#results select").last.locator("option").all():
        page.locator("#results select").last.select_option(metric.get_attribute("value"))
        assert page.locator("#results .chart").first.locator("line.grid").count() >= 2
        ranks = page.locator("#results .chart").nth(1)
        axis = ranks.locator("line.axis").first
        assert axis.bounding_box()["width"] > 0.45 * ranks.bounding_box()["width"]


def test_hostile_names_do_nothing_but_show(visit):
    page = visit("hostile")
    assert "owned" in page.title()
    assert page.title() != "owned"
    assert page.locator("main img").count() == 0
    assert page.locator("script").count() == 3
    text = page.locator("#labels tbody").inner_text()
    assert "</script><script>" in text
    assert "(empty name)" in text
    assert not {"\u202e", "\u2066", "\u0000"} & set(page.locator("main").inner_text())
    for i in range(page.locator("#labels tbody button").count()):
        page.locator("#labels tbody button").nth(i).click()
    for metric in page.locator("#results select").nth(1).locator("option").all():
        page.locator("#results select").nth(1).select_option(metric.get_attribute("value"))
    assert page.title() != "owned"


def test_every_control_has_a_name(visit):
    page = visit("small")
    unnamed = page.evaluate(
        """[...document.querySelectorAll('button, select, input, a, [role=button], canvas[tabindex], svg[role=img]')]
        .filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label')))
        .filter((e) => !e.closest('label')?.textContent.trim())
        .map((e) => e.outerHTML)"""
    )
    assert unnamed == []


def test_the_data_can_be_saved_from_the_page(visit, tmp_path):
    from bncc.analysis.page import from_json

    page = visit("small")
    with page.expect_download() as saved:
        page.locator("#save").click()
    saved.value.save_as(tmp_path / "summary.json")
    assert from_json((tmp_path / "summary.json").read_text()) == small_summary()


def test_the_policy_stops_what_a_name_might_smuggle_in(browser, files):
    opened = Opened(browser, files["small"])
    stopped = opened.page.evaluate(
        """async () => {
            const seen = [];
            document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
            const script = document.createElement('script');
            script.textContent = 'window.ran = true';
            const image = document.createElement('img');
            image.src = 'https://example.org/a.png';
            document.body.append(script, image);
            await fetch('https://example.org/').catch(() => {});
            for (let tenth = 0; tenth < 2 || (seen.length < 3 && tenth < 300); tenth++)
                await new Promise((done) => setTimeout(done, 100));
            return [seen.sort(), window.ran === undefined];
        }"""
    )
    opened.context.close()
    assert stopped == [["connect-src", "img-src", "script-src-elem"], True]
