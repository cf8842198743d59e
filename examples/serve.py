"""A model as a web service, in thirty lines; needs fastapi and uvicorn.

bncc fit tickets -o tickets.bncc && uvicorn serve:app
"""

import os
from typing import Any

import pandas as pd
from fastapi import FastAPI, HTTPException

from bncc import load_model

MOST_ROWS = 1000
model = load_model(os.environ.get("BNCC_MODEL", "tickets.bncc"))  # opening the file runs no code of it
columns, labels = list(model.feature_names_in_), [str(name) for name in model[-1].label_names_]
app = FastAPI(title="Tags for tickets")


@app.get("/")
def describe() -> dict[str, list[str]]:
    return {"columns": columns, "labels": labels}


@app.post("/predict")
def predict(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not 0 < len(rows) <= MOST_ROWS:
        raise HTTPException(422, f"send 1 to {MOST_ROWS} rows at a time; got {len(rows)}")
    if absent := [name for name in columns if any(name not in row for row in rows)]:
        raise HTTPException(422, f"every row needs the columns {', '.join(absent)}")
    X = pd.DataFrame(rows)[columns]
    sure = model.predict_proba(X).round(4).tolist()
    tags = [[name for name, holds in zip(labels, row, strict=True) if holds] for row in model.predict(X).tolist()]
    return [{"tags": t, "probabilities": dict(zip(labels, p, strict=True))} for t, p in zip(tags, sure, strict=True)]
