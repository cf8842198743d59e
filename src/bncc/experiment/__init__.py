"""Studies: a protocol says what to compare, a runner runs it, a store keeps every result."""

from bncc.experiment.records import WHOLE, Candidate, Record

__all__ = ["WHOLE", "Candidate", "Record"]
