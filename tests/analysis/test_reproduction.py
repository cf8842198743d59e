import itertools
import re
from dataclasses import replace

import pytest

from bncc.analysis import paper, reproduction_page, write_reproduction
from bncc.experiment import WHOLE, Record
from bncc.metrics import PAPER_METRICS
from made_records import make_candidates, make_records


def printed_records(n_folds=2):
    """A study that finds exactly what the paper prints, on all its data sets, with folds a little apart."""
    out = []
    for dataset in paper.results("MicF").datasets:
        for method in paper.METHODS:
            means = {name: paper.results(metric).cell(dataset, method)[0] for metric, name in PAPER_METRICS.items()}
            for fold in range(n_folds):
                shift = 0.0001 * (1 if fold % 2 else -1)
                scores = {name: mean + shift for name, mean in means.items()}
                out.append(Record(dataset, method, 0, fold, scores, sigma=2.0, train_seconds=1.0, test_seconds=0.1))
    return out


def tables_are_sound(page):
    """Every line of a Markdown table has as many cells as the line before."""
    bare = [line.replace("\\|", "") for line in page.splitlines()]
    for one, other in itertools.pairwise(bare):
        if one.startswith("|") and other.startswith("|"):
            assert one.count("|") == other.count("|"), (one, other)


def test_the_papers_own_results_reproduce_the_paper():
    page = reproduction_page(printed_records())
    tables_are_sound(page)
    [row] = re.findall(r"^\| All .*$", page, re.M)
    assert [cell.strip() for cell in row.split("|")[2:4]] == ["432", "432 / 432"]
    assert "in 55 of the 72 cells" in page
    assert "BNCC better, significantly: 55" in page
    assert "60 of the 60 decisions are the same" in page
    assert "Claimed gains that we do not find" not in page
    assert "Not in this store" not in page
    assert "Methods that the paper does not have" not in page


def test_disagreement_is_said():
    records = [
        replace(r, scores={k: 1 - v for k, v in r.scores.items()}) if r.method == "BNCC" else r
        for r in printed_records()
    ]
    page = reproduction_page(records)
    assert "Claimed gains that we do not find, not even in sign:" in page
    assert "- HammingLoss: chd49" in page


def test_parts_of_a_study_make_parts_of_the_page():
    full = make_records(("emotions", "flags", "yeast", "mine"), (*paper.METHODS, "Own"))
    cases = {
        "one data set": [r for r in full if r.dataset == "yeast"],
        "one method": [r for r in full if r.method == "BNCC"],
        "own methods alone": [r for r in full if r.method == "Own"],
        "own data alone": [r for r in full if r.dataset == "mine"],
        "one record": full[:1],
        "two methods": [r for r in full if r.method in ("CC", "BNCC")],
        "holes": [r for i, r in enumerate(full) if i % 3],
        "other metrics": make_records(metrics=("macro_auc",)),
        "one metric": make_records(metrics=("micro_f1",)),
        "one fold": [r for r in full if r.fold == 0 and r.repeat == 0],
    }
    for name, records in cases.items():
        page = reproduction_page(records)
        tables_are_sound(page)
        assert "nan" not in page.lower(), name
        assert page.startswith("# "), name
        assert page.endswith("\n"), name


def test_missing_sets_and_differing_data_are_named():
    page = reproduction_page(make_records(("emotions", "humanpseaac", "genbase")))
    assert "- humanpseaac: 1,053 rows here, 1,862 in the paper" in page
    assert "- genbase: 1,185 features here, 1,186 in the paper" in page
    assert "Not in this store: bibtex, chd49," in page


def test_settings_protocol_remarks_and_command_are_shown():
    page = reproduction_page(
        make_records(),
        make_candidates(),
        "seed = 0  # any\n",
        protocol={"zero_division": 0.0, "selection": {"metric": "example_f1"}},
        remarks="The network **helps** here.",
        command="bncc experiment report",
        figures={"MacF": "ranks.svg"},
    )
    assert "```toml\nseed = 0  # any\n```" in page
    assert "| zero\\_division = 0" in page
    assert "## What came out\n\nThe network **helps** here.\n" in page
    assert "`bncc experiment report`" in page
    assert "![MacF: average ranks](ranks.svg)" in page


def test_pooled_scores_have_a_table_of_their_own():
    records = make_records()
    pooled = [replace(r, fold=WHOLE) for r in records if r.fold == 0]
    assert "pooled before scoring" not in reproduction_page(records)
    both = reproduction_page([*records, *pooled])
    assert "pooled before scoring" in both
    assert f"{len(records):,} tested folds" in both


def test_own_methods_stand_beside_the_others():
    page = reproduction_page(make_records(methods=(*paper.METHODS, "EnsembleBNCC")))
    assert "EnsembleBNCC against CC, ECC, BNCC, over data sets" in page


def test_sigma_at_an_end_of_the_grid_is_marked():
    records = [replace(r, sigma=2.0**-3) for r in make_records(("emotions",), ("CC", "BNCC"))]
    page = reproduction_page(records, make_candidates(("emotions",), ("BNCC",)))
    [row] = [
        line
        for line in page.split("## Chosen sigma")[1].split("\n## ")[0].splitlines()
        if line.startswith("| emotions")
    ]
    assert row.split("|")[2].strip() == "-3.0"
    assert row.split("|")[3].strip() == "-3.0 ○"


def test_the_same_records_give_the_same_page():
    assert reproduction_page(make_records()) == reproduction_page(make_records())


def test_writing_leaves_page_and_figures(tmp_path):
    page, *figures = write_reproduction(tmp_path / "reproduction.md", make_records(), make_candidates(), "seed = 0")
    assert len(figures) == 4
    text = page.read_text(encoding="utf-8")
    for file in figures:
        assert f"({file.name})" in text
        assert file.read_text(encoding="utf-8").startswith("<?xml")
    assert {file.name for file in tmp_path.iterdir()} == {page.name, *(file.name for file in figures)}
    first = {file: file.read_bytes() for file in (page, *figures)}
    write_reproduction(tmp_path / "reproduction.md", make_records(), make_candidates(), "seed = 0")
    assert first == {file: file.read_bytes() for file in first}


def test_no_records_are_refused():
    with pytest.raises(ValueError, match="needs records of folds; got none"):
        reproduction_page([])
