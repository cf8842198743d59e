"""Readings of the paper: what each takes from a store, and which claims hold under it."""

from dataclasses import replace

import numpy as np
import pytest

from bncc.analysis import Reading, check_readings, held_claims_table, paper, readings_table, variants_of
from bncc.analysis.readings import VARIANTS, readings_part
from bncc.experiment import Record, load_protocol
from bncc.metrics import PAPER_METRICS


def as_printed(method_of=lambda method: method, shift=0.0, methods=paper.METHODS):
    """A study of one fold that finds what the paper prints; `shift` is added to BNCC's scores."""
    out = []
    for dataset in paper.results("MicF").datasets:
        for method in methods:
            moved = shift if method == "BNCC" else 0.0
            scores = {ours: paper.results(m).cell(dataset, method)[0] + moved for m, ours in PAPER_METRICS.items()}
            scores["example_f1_of_means"] = scores["example_f1"] + 0.5
            out.append(Record(dataset, method_of(method), 0, 0, scores))
    return out


def test_what_the_paper_prints_holds_what_it_claims():
    claims = check_readings([Reading("printed", tuple(as_printed()))])
    best = {claim.claim: claim.held for claim in claims if "best average rank" in claim.claim}
    assert set(best.values()) == {("printed",)}
    assert len(best) == 3
    marks = [claim for claim in claims if "significantly" in claim.claim]
    # Fscore and MicF differ from all five; MacF neither from BR nor from ECC.
    assert len(marks) == 13
    assert all(claim.held for claim in marks)


def test_a_worse_bncc_holds_nothing():
    claims = check_readings([Reading("worse", tuple(as_printed(shift=-0.2)))])
    assert not any(claim.held for claim in claims)
    assert {row[1].text for row in held_claims_table(claims).sections[0].rows} == {"not held"}
    twice = [Reading(name, tuple(as_printed(shift=-0.2))) for name in ("one", "other")]
    assert "not held under any reading" in held_claims_table(check_readings(twice)).to_markdown()


def test_a_claim_that_holds_under_another_reading_only():
    readings = [Reading("worse", tuple(as_printed(shift=-0.2))), Reading("printed", tuple(as_printed()))]
    assert "held only under: printed" in held_claims_table(check_readings(readings)).to_markdown()
    twice = [readings[1], Reading("again", readings[1].records)]
    assert "held (2 of 2 readings)" in held_claims_table(check_readings(twice)).to_markdown()


def test_variants_take_the_place_of_a_method():
    records = as_printed() + [replace(r, method="BNCC n=1") for r in as_printed(methods=["BNCC"], shift=-0.2)]
    readings = {reading.name: reading for reading in variants_of(records, "base")}
    assert list(readings) == ["base", "Fscore: F of mean precision and recall", "Child limit 1"]
    for name, reading in readings.items():
        assert {record.method for record in reading.records} == set(paper.METHODS), name
    flags = {name: reading.scores("Fscore").cell("flags", "BNCC")[0] for name, reading in readings.items()}
    printed = paper.results("Fscore").cell("flags", "BNCC")[0]
    expected = {
        "base": printed,
        "Fscore: F of mean precision and recall": printed + 0.5,
        "Child limit 1": printed - 0.2,
    }
    assert flags == pytest.approx(expected)


def test_every_variant_is_a_method_of_the_protocol_that_runs_them():
    named = {method.name for method in load_protocol("paper-readings").methods}
    assert {variant for _, _, variant in VARIANTS} | set(paper.METHODS) == named


def test_the_table_counts_cells_and_ranks():
    table = readings_table([Reading("printed", tuple(as_printed())), Reading("worse", tuple(as_printed(shift=-0.2)))])
    printed, worse = table.sections[0].rows
    assert printed[1].text == "432 / 432 of 432"
    assert printed[2].text == "72 / 72 of 72"
    assert printed[4].text.endswith("(1)")
    assert worse[4].text.endswith("(6)")
    gain = np.mean([paper.results("Fscore").cell(n, "BNCC")[0] - paper.results("Fscore").cell(n, "CC")[0]
                    for n in paper.results("Fscore").datasets])  # fmt: skip
    assert printed[-1].value == pytest.approx(gain)


def test_a_part_without_enough_data_sets_is_left_out():
    one = [record for record in as_printed() if record.dataset == "flags"]
    assert readings_part([Reading("one", tuple(one))]) == []
    assert any("best average rank" in line for line in readings_part([Reading("all", tuple(as_printed()))]))
