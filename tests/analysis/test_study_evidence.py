from bncc.analysis import StudyEvidence, paper
from bncc.experiment import Candidate


def test_evidence_decides_the_claims_that_it_has():
    assert StudyEvidence().claims() == []
    tried = [Candidate("emotions", "BNCC", 0, 0, s, C, {"example_f1": s / 2}) for s in (1.0, 2.0) for C in (1.0, 4.0)]
    evidence = StudyEvidence(
        times=paper.seconds("train"), times_source="times.json", sensitivity=tried, sensitivity_source="grid.sqlite"
    )
    time, sensitivity = evidence.claims()
    assert (time.runs, sensitivity.runs) == (("times.json",), ("grid.sqlite",))
    assert time.is_held
    assert sensitivity.is_held
