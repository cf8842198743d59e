"""What a page may say beside the records of a study: where they come from, label names, times and sensitivity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bncc.analysis.collected_scores import Scores
from bncc.analysis.sensitivity_claim import sensitivity_claim
from bncc.analysis.study_claims import HeldClaim
from bncc.analysis.training_time import time_claim
from bncc.experiment import Candidate

__all__ = ["StudyEvidence"]


@dataclass(frozen=True)
class StudyEvidence:
    """Evidence for claims that the folds of a study do not show.

    Attributes
    ----------
    source : str
        File name of the store of the study.
    label_names : mapping of data set name to names of its labels
        For drawings of networks.
    times : Scores or None
        Training seconds on one core, as `read_training_times` gives them.
    times_source, sensitivity_source : str
        File names of what `times` and `sensitivity` come from.
    sensitivity : sequence of Candidate
        A full grid of sigma and C of one method on one data set.
    """

    source: str = ""
    label_names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    times: Scores | None = None
    times_source: str = ""
    sensitivity: Sequence[Candidate] = ()
    sensitivity_source: str = ""

    def claims(self) -> list[HeldClaim]:
        """The claims that this evidence decides."""
        out = []
        if self.times is not None:
            out.append(replace(time_claim(self.times), runs=(self.times_source,) if self.times_source else ()))
        if self.sensitivity:
            runs = (self.sensitivity_source,) if self.sensitivity_source else ()
            out.append(replace(sensitivity_claim(self.sensitivity), runs=runs))
        return out
