"""Figures in the prose of docs/choosing.md and README.md that no script writes: each follows from a recorded run."""

import json

import pytest

from absence import ROOT, needs_source_tree

pytestmark = needs_source_tree("benchmarks/results")


def rows_of(name):
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))["rows"]


def words_of(name):
    """The page in one line, so that a sentence is found wherever its lines end."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def choosing():
    return words_of("docs/choosing.md")


@pytest.fixture(scope="module")
def kernels():
    return {row["method"]: row for row in rows_of("kernel_recommendation")}


def test_what_the_kernel_family_takes(choosing):
    rows = rows_of("kernel_family")
    chains, gains = [row["chains"] for row in rows], [row["difference"] for row in rows]
    assert f"takes {min(chains):.0f} to {max(chains):.0f} times as long as one chain" in choosing
    assert len(rows) == 6
    assert "(six sets, two cores;" in choosing
    assert min(gains) > 0
    assert f"{min(gains):.1f} to {max(gains):.1f} points more example F1 than `recommended_kernels`" in choosing


def test_what_thresholds_chains_and_ensembles_change(choosing, kernels):
    def gain(method, other, metric):
        return kernels[method][metric] - kernels[other][metric]

    methods = ("BR", "CC", "BNCC", "ECC")
    for metric, told in (("example_f1", "points of example F1"), ("macro_f1", "of macro F1")):
        gains = [round(gain(f"{name} per_label", name, metric)) for name in methods]
        assert f"{min(gains)} to {max(gains)} {told}" in choosing
    assert all(gain(f"{name} per_label", name, "hamming_loss") > 0 for name in methods)
    assert all(gain(f"{name} per_label", name, "subset_accuracy") < 0 for name in methods)
    assert "**Chains win exact matches** (about 1 point over BR)" in choosing
    for name in methods[1:]:
        assert round(gain(name, "BR", "subset_accuracy")) == 1
        assert gain(name, "BR", "hamming_loss") > 0
        assert gain(name, "BR", "micro_f1") < 0
    assert "**Ensembles add half a point** with thresholds, for ten times the links." in choosing
    for name in ("CC", "BNCC"):
        assert 0.35 < gain("ECC per_label", f"{name} per_label", "example_f1") < 0.65
    assert "A single BNCC is within a point of a randomly ordered chain here, below it in the mean." in choosing
    assert -1.0 < gain("BNCC", "CC", "example_f1") < 0


def test_what_orders_change(choosing):
    rows = {(row["order"], row["metric"]): row for row in rows_of("orders")}
    assert {row["sets"] for row in rows.values()} == {18}
    assert (
        "On 18 real sets the network's order is as good as a random one, within half a point in every metric"
        in choosing
    )
    for order in ("network", "reversed"):
        assert all(abs(row["difference"]) < 0.5 for (name, _), row in rows.items() if name == order)
    gains = {f"{rows['searched', metric]['difference']:.1f}" for metric in ("example_f1", "macro_f1")}
    assert gains == {"0.4"}
    assert "the best of ten random orders on inner folds gains 0.4 points of F1, at ten times the cost" in choosing
    assert "An order by entropy gains half a point of macro F1" in choosing
    assert rows["entropy", "macro_f1"]["difference"] == pytest.approx(0.5, abs=0.1)


def test_orders_on_known_networks(choosing):
    gains = {row["method"]: 100 * row["difference"] for row in rows_of("known_networks") if "difference" in row}
    orders = [name for name in gains if "order" in name and "parents" not in name]
    assert len(orders) == 4
    most, relevance = max(abs(gains[name]) for name in orders), -gains["binary relevance"]
    assert f"30 known networks all orders are within {most:.1f} points of joint accuracy" in choosing
    assert f"chains are {relevance:.1f} points above binary relevance" in choosing


def test_what_the_network_changes_elsewhere(choosing):
    rows = {(row["use"], row["metric"], row["twin"]): row for row in rows_of("network_uses") if row["half"] == "B"}
    assert "`NetworkMLkNN` is ahead of `MLkNN` on all sets in macro F1" in choosing
    assert rows["mlknn", "macro_f1", "without"]["wins/ties/losses"] == "10/0/0"
    assert "exact matches rise by about a point. A third to a half of that is due to what the network says" in choosing
    for use in ("decoder", "decoder_marginals"):
        without, shuffled = (rows[use, "subset_accuracy", twin]["difference"] for twin in ("without", "permuted"))
        assert round(without) == 1
        assert 1 / 3 < shuffled / without < 1 / 2
    assert "**Label sets and blocks** gain about half a point of exact matches" in choosing
    for use in ("rakel", "blocks", "block_chain"):
        assert 0.25 < rows[use, "subset_accuracy", "without"]["difference"] < 0.75


def test_what_screening_gains_and_costs():
    readme, (found,), cases = words_of("README.md"), rows_of("selection"), rows_of("screening")
    line = "| the same, screened first (`BatchSearchCV(screen=True)`) |"
    told = f"{line} {found['GridSearchCV s']:.0f} s | | {found['screened s']:.1f} s | {found['ratio, screened']:.0f} |"
    assert told in readme
    same = sum(case["same choice"] for case in cases)
    n_sets, n_metrics = (len({case[name] for case in cases}) for name in ("data", "metric"))
    assert f"Screening chose what the whole search chooses in {same} of {len(cases)} recorded cases" in readme
    assert f"{n_sets} sets, {n_metrics} metrics" in readme
    times = [case["times as fast"] for case in cases]
    assert f"a search was {min(times):.1f} to {max(times):.1f} times as fast with it" in readme
