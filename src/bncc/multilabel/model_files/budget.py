"""What reading a file may take: memory, records and references, each in proportion to what the file holds."""

from __future__ import annotations

from bncc.multilabel.model_files.json_content import FREE_BYTES, MULTIPLE
from bncc.multilabel.model_files.refusals import Refused

__all__ = ["Budget"]

_MOST_RECORDS = 2**18
_MOST_EFFORT = 2**19  # of reading, each about 10 microseconds: what takes no memory takes time
_MOST_REPEATED = 5000  # beside as many as there are records: trees of an ensemble share their random state
# Of Python for an answer, each about 100 microseconds: what is fitted to a column or is a part holds more than that.
_FREE_STEPS, _BYTES_PER_STEP, _MOST_STEPS = 2**14, 128, 2**17
_FREE_COLUMNS, _BYTES_PER_COLUMN = 2**18, 8  # that a record and its parts can name
_FREE_LETTERS, _BYTES_PER_LETTER = 2**20, 5  # shown when a model is printed, which takes some 40 bytes for each
_MOST_COMPARED = 2**26  # pairs of tuples
_BYTES_PER_CELL = 32  # a point of a kernel model, of which empty tables have as many columns, takes more


class Budget:
    """What may still be spent.

    Parameters
    ----------
    content : int
        Bytes that the file unpacks to.

    Attributes
    ----------
    spent : int
        Bytes so far, about.
    made : int
        Records of the file so far.
    records : int
        Records so far, those within what is referred to again included.
    effort : int
        Of reading records and arrays so far, each about 10 microseconds.
    steps : int
        That Python takes for an answer so far, references counted as records are.
    cells : int
        That the shape of an empty array may claim, as the file has others as large.
    """

    def __init__(self, content: int) -> None:
        self._content = content
        self.made = 0
        self.spent = 0
        self.records = 0
        self.effort = 0
        self.steps = 0
        self._compared = 0
        self._shown = 0
        self.cells = content // _BYTES_PER_CELL

    def spend(self, cost: int) -> None:
        """Pay for an object, or refuse the file."""
        self.spent += cost
        if self.spent > FREE_BYTES + MULTIPLE * self._content:
            raise Refused("what it refers to, counted as often as it does, is many times what it holds")

    def check_mentioned(self, total: int) -> None:
        """Refuse before any array is read what names arrays so often that they are many times the file.

        Arrays have a copy per mention. Their share is half of all, as the structure takes memory at the same time.
        """
        if 2 * total > FREE_BYTES + MULTIPLE * self._content:
            raise Refused("what it refers to, counted as often as it does, is many times what it holds")

    def compare(self, pairs: int) -> None:
        """Count what the sets and dictionaries of a file may take if all in them have one hash."""
        self._compared += pairs
        if self._compared > _MOST_COMPARED:
            raise Refused("it has many sets and dictionaries of tuples or numbers, which can take hours to compare")

    def add_record(self) -> None:
        """Count a record of the file."""
        self.made += 1
        self.records += 1
        self._check_records()

    def take_time(self, effort: int) -> None:
        """Count what reading takes beside what the content is copied and compared for, whatever else the file holds."""
        self.effort += effort
        if self.effort > _MOST_EFFORT:
            raise Refused("it has more records and arrays than can be read in some seconds")

    def add_reference(self, records: int) -> None:
        """Count a reference to a record, with those inside it: each of them is asked again."""
        self.records += records
        self._check_records()
        repeated = self.records - self.made
        if repeated > _MOST_REPEATED + self.made:
            most = _MOST_REPEATED + self.made
            raise Refused(
                f"it refers to records {repeated} times, those within them included, more than {most}: "
                "many times what it holds"
            )

    def add_steps(self, steps: int) -> None:
        """Count what an answer takes in Python, one column or one part after another."""
        self.steps += steps
        most = min(_MOST_STEPS, _FREE_STEPS + self._content // _BYTES_PER_STEP)
        if self.steps > most:
            raise Refused(f"it takes {self.steps} columns and parts one by one for an answer, more than {most}")

    def show(self, letters: int) -> None:
        """Count text that is shown when the model is printed."""
        self._shown += letters
        most = _FREE_LETTERS + self._content // _BYTES_PER_LETTER
        if self._shown > most:
            raise Refused(f"its settings have {self._shown} letters of text or more; at most {most}")

    def check_columns(self, what: str, columns: int) -> None:
        """Refuse what makes names for columns that are nothing but a number in the file."""
        most = _FREE_COLUMNS + self._content // _BYTES_PER_COLUMN
        if columns > most:
            raise Refused(f"{what} of {columns} columns that have names, its parts included; at most {most}")

    def _check_records(self) -> None:
        if self.records > _MOST_RECORDS:
            raise Refused(f"it has more than {_MOST_RECORDS} records, counted as often as it refers to them")
