"""Generated support tickets: a table as people have it, with words, numbers, categories, dates, ids, gaps and tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, overload

import numpy as np
from numpy.typing import NDArray

from bncc._checks import check_count
from bncc._typing import Bools, Floats, Random
from bncc.datasets.ticket_words import (
    CLOSINGS,
    COMPANY_ENDS,
    COMPANY_STARTS,
    OPENINGS,
    PHRASES,
    SMALL_TALK,
    SUBJECT_ENDS,
    SUBJECT_STARTS,
    SUBJECTS,
)

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["TicketColumns", "make_tickets"]

TicketColumns = dict[str, list[object]]
"""Columns of tickets by name; a gap is None."""

_FIRST_DAY = datetime(2024, 1, 1)
_PLANS = ("free", "starter", "business", "enterprise")
_CHANNELS = ("email", "chat", "phone", "web form", "mobile app")
_TAG_SEPARATOR = ";"
_SAID = 0.62
"""How often a tag is spoken of in the body at all."""


@dataclass(frozen=True)
class _Circumstances:
    """What a ticket's columns say, before its tags are drawn."""

    days: Floats
    plan: NDArray[np.int64]
    channel: NDArray[np.int64]
    customer: NDArray[np.int64]
    account_age: Floats
    amount: Floats
    n_messages: Floats
    attachment: Bools

    @property
    def month(self) -> NDArray[np.int64]:
        """Months since January, 0..11, of 30.5 days."""
        return (self.days % 366 // 30.5).astype(np.int64)


@overload
def make_tickets(
    n_rows: int = 1500, random_state: Random = 0, *, as_frame: Literal[False] = False
) -> TicketColumns: ...


@overload
def make_tickets(n_rows: int = 1500, random_state: Random = 0, *, as_frame: Literal[True]) -> DataFrame: ...


def make_tickets(n_rows: int = 1500, random_state: Random = 0, *, as_frame: bool = False) -> TicketColumns | DataFrame:
    """Support tickets as a table, with a column of tags that depend on its words, its columns and each other.

    ================  =======================================================================
    column            what it holds
    ================  =======================================================================
    ``ticket``        an id, another one in every row
    ``created``       a day and time, as in ``2024-03-01 17:45``
    ``subject``       a few words, now and then none
    ``body``          two to six sentences
    ``channel``       one of five
    ``plan``          one of four
    ``customer``      one of 240 companies, with gaps
    ``account_age``   days, with gaps
    ``amount``        money, with many gaps
    ``n_messages``    a small whole number
    ``attachment``    True or False
    ``system``        the same in every row
    ``tags``          some of fourteen, as in ``billing;refund``; none in a third of the rows
    ================  =======================================================================

    Parameters
    ----------
    n_rows : int, default=1500
    random_state : int, Generator or None, default=0
    as_frame : bool, default=False
        True: a pandas DataFrame of the same columns.

    Returns
    -------
    dict of lists, or DataFrame
        A gap is None.

    Examples
    --------
    >>> tickets = make_tickets(100)
    >>> tickets["ticket"][0], tickets["plan"][:2], tickets["tags"][:3]
    ('T-100140', ['free', 'starter'], ['', 'billing;refund;mobile', 'crash;slow'])
    """
    n_rows = check_count("n_rows", n_rows, 1, 10**8)
    random = np.random.default_rng(random_state)
    known = _draw_circumstances(n_rows, random)
    tags = _draw_tags(known, random)
    columns = _write_columns(known, tags, random)
    if not as_frame:
        return columns
    import pandas as pd

    return pd.DataFrame(columns)


def _draw_circumstances(n_rows: int, random: np.random.Generator) -> _Circumstances:
    plan = random.choice(len(_PLANS), n_rows, p=[0.35, 0.30, 0.25, 0.10])
    # A few companies write often, most seldom; each keeps to one plan where it can.
    n_companies = len(COMPANY_STARTS) * len(COMPANY_ENDS)
    share = 1.0 / (np.arange(n_companies) + 8.0)
    customer = random.choice(n_companies, n_rows, p=share / share.sum())
    plan = np.where(random.random(n_rows) < 0.7, customer % len(_PLANS), plan)
    return _Circumstances(
        days=random.random(n_rows) * 730.0,
        plan=plan,
        channel=random.choice(len(_CHANNELS), n_rows, p=[0.40, 0.22, 0.08, 0.15, 0.15]),
        customer=customer,
        account_age=np.round(random.gamma(1.2, 260.0, n_rows)),
        amount=np.round(random.lognormal(3.0 + 0.8 * plan, 0.7), 2),
        n_messages=1.0 + random.poisson(1.5, n_rows).astype(np.float64),
        attachment=random.random(n_rows) < 0.25,
    )


def _draw_tags(known: _Circumstances, random: np.random.Generator) -> dict[str, Bools]:
    """Tags one after another: each depends on columns, and on tags before it."""
    n_rows = len(known.days)

    def chance(base: float, *shifts: Floats) -> Bools:
        return random.random(n_rows) < 1.0 / (1.0 + np.exp(-(base + sum(shifts, np.zeros(n_rows)))))

    def given(condition: NDArray[np.bool_], weight: float) -> Floats:
        return np.where(condition, weight, 0.0)

    month_end = known.days % 30.5 > 25.0
    young, app = known.account_age < 60, known.channel == _CHANNELS.index("mobile app")
    enterprise, free = known.plan == 3, known.plan == 0
    tags: dict[str, Bools] = {}
    tags["billing"] = chance(-1.9, given(month_end, 2.2), given(free, -2.0))
    tags["refund"] = chance(-5.0, given(tags["billing"], 3.4), given(known.amount > 120, 2.4))
    tags["cancellation"] = chance(-4.2, given(tags["refund"], 2.2), given(known.account_age > 600, 2.4))
    tags["login"] = chance(-3.0, given(young, 3.4), given(tags["billing"], -1.0))
    tags["security"] = chance(-4.8, given(tags["login"], 2.2), given(enterprise, 2.8))
    tags["crash"] = chance(-3.4, given(app, 2.8), given(known.attachment, 2.2))
    tags["slow"] = chance(-3.6, given(tags["crash"], 1.6), given(enterprise, 2.2))
    tags["outage"] = chance(-4.8, given(tags["slow"], 1.8), given(known.days % 91 < 6, 5.4))
    tags["mobile"] = chance(-3.8, given(app, 5.2))
    tags["export"] = chance(-3.6, given(known.plan >= 2, 2.4))
    tags["integration"] = chance(-3.8, given(tags["export"], 2.6), given(enterprise, 2.0))
    tags["delivery"] = chance(-3.4, given(known.month >= 10, 3.0))
    tags["feature request"] = chance(-2.2, given(tags["crash"] | tags["refund"] | tags["outage"], -2.4))
    pressing = tags["outage"] | tags["security"]
    tags["urgent"] = chance(-5.0, given(pressing, 3.8), given(enterprise, 2.4), given(known.n_messages >= 4, 2.6))
    return tags


def _write_columns(known: _Circumstances, tags: dict[str, Bools], random: np.random.Generator) -> TicketColumns:
    n_rows = len(known.days)
    minutes = np.round(known.days * 24 * 60).astype(np.int64).tolist()
    held = [[name for name, values in tags.items() if values[row]] for row in range(n_rows)]
    companies = [f"{start} {end}" for end in COMPANY_ENDS for start in COMPANY_STARTS]
    texts = [_write_texts(names, random) for names in held]
    order = random.permutation(n_rows)
    columns: TicketColumns = {
        "ticket": [f"T-{100_000 + 7 * number}" for number in order.tolist()],
        "created": [f"{_FIRST_DAY + timedelta(minutes=minute):%Y-%m-%d %H:%M}" for minute in minutes],
        "subject": [subject for subject, _ in texts],
        "body": [body for _, body in texts],
        "channel": [_CHANNELS[i] for i in known.channel.tolist()],
        "plan": [_PLANS[i] for i in known.plan.tolist()],
        "customer": [companies[i] for i in known.customer.tolist()],
        "account_age": known.account_age.astype(np.int64).tolist(),
        "amount": known.amount.tolist(),
        "n_messages": known.n_messages.astype(np.int64).tolist(),
        "attachment": known.attachment.tolist(),
        "system": ["helpdesk"] * n_rows,
        "tags": [_TAG_SEPARATOR.join(names) for names in held],
    }
    for name, share in (("customer", 0.05), ("account_age", 0.06), ("amount", 0.35)):
        gaps = random.random(n_rows) < share
        columns[name] = [None if gap else cell for cell, gap in zip(columns[name], gaps.tolist(), strict=True)]
    return columns


def _write_texts(tags: Sequence[str], random: np.random.Generator) -> tuple[str | None, str]:
    """Subject and body of a ticket: phrases of its tags, of which some go unsaid, among sentences that say nothing."""
    draw = random.random(2 * len(tags) + 14).tolist()

    def pick(options: Sequence[str]) -> str:
        return options[int(draw.pop() * len(options))]

    said = [tag for tag in tags if draw.pop() < _SAID]
    sentences = [pick(PHRASES[tag]) for tag in said]
    if draw.pop() < 0.15:  # one speaks of what is not the matter
        sentences.append(pick(PHRASES[pick(tuple(PHRASES))]))
    sentences.extend(pick(SMALL_TALK) for _ in range(1 + int(draw.pop() * 2)))
    if draw.pop() < 0.5:
        sentences.reverse()
    body = " ".join([pick(OPENINGS), *sentences, pick(CLOSINGS)])
    if draw.pop() < 0.04:
        return None, body
    about = said[0] if said and draw.pop() < 0.5 else "any"
    return f"{pick(SUBJECT_STARTS)}{pick(SUBJECTS[about])}{pick(SUBJECT_ENDS)}", body
