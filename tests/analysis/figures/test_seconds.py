from dataclasses import replace

import pytest

from bncc.analysis.figures import save_figure, seconds_figure
from made_records import make_records


def test_bars_in_groups(tmp_path):
    figure = seconds_figure(make_records())
    assert [axes.get_title() for axes in figure.axes] == ["Training seconds per fold", "Testing seconds per fold"]
    assert len(figure.axes[0].patches) == 3 * 6
    assert all(axes.get_yscale() == "log" for axes in figure.axes)
    save_figure(figure, tmp_path / "a.png")


def test_one_data_set_has_a_bar_per_method():
    records = [record for record in make_records() if record.dataset == "yeast"]
    figure = seconds_figure(records, parts=("train",))
    seconds = [r.train_seconds for r in records if r.method == "BR"]
    assert figure.axes[0].patches[0].get_width() == pytest.approx(sum(seconds) / len(seconds))


def test_many_methods_become_a_map_with_figures(tmp_path):
    records = make_records(("a", "b"), [f"method {j}" for j in range(18)])
    figure = seconds_figure(records)
    assert len(figure.axes[0].images) == 1
    assert len(figure.axes[0].texts) == 2 * 18
    save_figure(figure, tmp_path / "a.png")


def test_zero_seconds_and_gaps_are_drawn(tmp_path):
    records = [replace(r, train_seconds=0.0) for r in make_records() if (r.dataset, r.method) != ("flags", "CC")]
    save_figure(seconds_figure(records), tmp_path / "a.png")


def test_bad_requests_are_refused():
    with pytest.raises(ValueError, match="`records` is empty"):
        seconds_figure([])
    with pytest.raises(ValueError, match=r"chosen from select, train, test; got \['fit'\]"):
        seconds_figure(make_records(), parts=("fit",))
