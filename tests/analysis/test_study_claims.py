from bncc.analysis import HeldClaim, held_claims_table
from bncc.analysis.study_claims import claims_in_short

CLAIMS = [
    HeldClaim("best by MacF", ("closest",), ("closest", "other"), "best by MacF", runs=("a.sqlite",)),
    HeldClaim("best by MicF", ("closest", "other"), ("closest", "other"), "best by MicF", runs=("a.sqlite",)),
    HeldClaim("above CC by MacF", ("other",), ("closest", "other"), "above CC by MacF", runs=("b.sqlite",)),
    HeldClaim("stable", (), ("grid",), "stable", remark="C moves it by 0.5", runs=("c.sqlite",)),
]


def test_verdicts_and_runs_stand_beside_each_claim():
    table = held_claims_table(CLAIMS)
    assert table.columns == ("The paper says", "Here", "Run")
    assert [row[1].text for row in table.sections[0].rows] == [
        "held (1 of 2 readings)",
        "held (2 of 2 readings)",
        "held only under: other",
        "not held: C moves it by 0.5",
    ]
    assert [row[2].text for row in table.sections[0].rows] == ["a.sqlite", "a.sqlite", "b.sqlite", "c.sqlite"]
    assert table.note.startswith("3 claims under 2 readings")


def test_the_short_lines_have_every_claim_once():
    claimed, held, elsewhere, failed, end = claims_in_short(CLAIMS)
    assert "best by MacF, MicF; above CC by MacF; stable (above" in claimed
    assert held == "- **Held under the closest reading** (2 of 4): best by MacF, MicF."
    assert elsewhere == "- **Held under another reading only** (1): above CC by MacF (other)."
    assert failed == "- **Not held** (1): stable."
    assert end == ""
    assert claims_in_short([]) == []
    assert claims_in_short(CLAIMS[3:])[1] == "- **Held here** (0 of 1): none."
