"""Studies: a protocol says what to compare, a runner runs it, a store keeps every result."""

from bncc.evaluation.records import WHOLE, Candidate, Record
from bncc.experiment.cluster import Certificates, dask_executor
from bncc.experiment.features import Facts
from bncc.experiment.protocol import Method, Protocol, ProtocolError, StudyDataset
from bncc.experiment.protocol_file import load_protocol
from bncc.experiment.runner import Failure, StudyProgress, plan, run_study
from bncc.experiment.store import Store
from bncc.experiment.store_errors import StoreError
from bncc.experiment.trial import Outcome, Task, run_task
from bncc.experiment.workers import local_executor

__all__ = [
    "WHOLE",
    "Candidate",
    "Certificates",
    "Facts",
    "Failure",
    "Method",
    "Outcome",
    "Protocol",
    "ProtocolError",
    "Record",
    "Store",
    "StoreError",
    "StudyDataset",
    "StudyProgress",
    "Task",
    "dask_executor",
    "load_protocol",
    "local_executor",
    "plan",
    "run_study",
    "run_task",
]
