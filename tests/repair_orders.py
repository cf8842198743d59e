"""Repair orders of a workshop, as its office would export them: a generator that nothing in the package has seen.

Every seed has vehicles, mechanics and word choices of its own. Columns are a running number, a day, words, numbers with
gaps, categories and a column of jobs with a mark between them.
"""

from __future__ import annotations

import csv
from datetime import date, timedelta

import numpy as np

JOBS = {
    "brakes": ("grinding when stopping", "pedal feels soft", "squeals downhill", "long way to stop"),
    "tyres": ("vibrates at speed", "worn profile", "slow puncture", "pulls to the left"),
    "oil": ("warning lamp for oil", "drips in the garage", "smells burnt", "due by the booklet"),
    "battery": ("does not start in the morning", "lights go dim", "clicks and nothing", "radio forgets its stations"),
    "lights": ("beam points too high", "indicator blinks fast", "fog lamp is dead", "dashboard stays dark"),
    "exhaust": ("loud as a tractor", "rattles underneath", "failed the emission test", "hangs low"),
}
SMALL_TALK = ("customer waits", "please ring before", "second visit", "needs it on Friday", "left the key in the box")
MAKES = ("Alba", "Borealis", "Corvo", "Dorn", "Estrel", "Fjord")
RATE = {"brakes": 0.3, "tyres": 0.28, "oil": 0.35, "battery": 0.16, "lights": 0.14, "exhaust": 0.12}


def repair_orders(n_rows, seed):
    """A header and rows; the last column holds jobs with ` | ` between them."""
    random = np.random.default_rng(seed)
    mechanics = [f"M{number}" for number in random.choice(900, 6, replace=False) + 100]
    noted = {job: random.permutation(words)[:3].tolist() for job, words in JOBS.items()}
    first, rows = date(2023, 1, 2), []
    for number in range(n_rows):
        day = first + timedelta(days=int(random.integers(700)))
        mileage = int(random.gamma(3.0, 30_000))
        winter = day.month in (11, 12, 1, 2)
        chance = {
            **RATE,
            "battery": RATE["battery"] * (2.5 if winter else 0.5),
            "exhaust": min(0.6, RATE["exhaust"] * mileage / 60_000),
        }
        jobs = [job for job in JOBS if random.random() < chance[job]]
        if "brakes" in jobs and "tyres" not in jobs and random.random() < 0.4:
            jobs.append("tyres")
        said = [str(random.choice(noted[job])) for job in jobs if random.random() < 0.8]
        said.append(str(random.choice(SMALL_TALK)))
        complaint = ", ".join(random.permutation(said).tolist())
        rows.append(
            [
                f"{20230000 + number}",
                f"{day:%d.%m.%Y}",
                str(random.choice(MAKES)),
                str(random.choice(mechanics)),
                "" if random.random() < 0.1 else str(mileage),
                complaint,
                " | ".join(jobs),
            ]
        )
    return ["order", "received", "make", "mechanic", "mileage", "complaint", "jobs"], rows


def write_orders(path, header, rows, *, without=()):
    kept = [i for i, name in enumerate(header) if name not in without]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([[row[i] for i in kept] for row in (header, *rows)])
