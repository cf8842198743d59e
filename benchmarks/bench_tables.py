"""Features from a table of tickets: ours, skrub's and what people write by hand, by example F1 and seconds.

Needs skrub for its line (``pip install skrub``); without it the line is left out. ``--record`` keeps the run.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from bncc import BinaryRelevance, TableFeatures, TunedThresholds
from bncc.datasets import MultilabelStratifiedKFold, make_tickets
from bncc.metrics import example_f1

RESULTS = Path(__file__).parent / "results" / "tables.json"
NUMBERS, CATEGORIES = ["account_age", "amount", "n_messages"], ["channel", "plan"]


def empty_texts(frame: pd.DataFrame) -> list[str]:
    return frame.iloc[:, 0].fillna("").tolist()


def date_parts(frame: pd.DataFrame) -> np.ndarray:
    moments = pd.to_datetime(frame.iloc[:, 0])
    days = (moments - pd.Timestamp("2024-01-01")).dt.days
    return np.column_stack([moments.dt.month / 12, moments.dt.day / 31, moments.dt.hour / 24, days / 730])


def words(settings: dict | None = None) -> Pipeline:
    return make_pipeline(FunctionTransformer(empty_texts), TfidfVectorizer(sublinear_tf=True, **(settings or {})))


def by_hand(*, dates: bool = True, customers: bool = False, **settings: object) -> ColumnTransformer:
    """What somebody writes who knows the table."""
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    parts = [
        ("subject", words(settings), ["subject"]),
        ("body", words(settings), ["body"]),
        ("categories", OneHotEncoder(handle_unknown="ignore"), CATEGORIES),
        ("numbers", numbers, NUMBERS),
        ("flags", FunctionTransformer(lambda frame: frame.astype(float)), ["attachment"]),
    ]
    parts += [("dates", FunctionTransformer(date_parts), ["created"])] if dates else []
    hot = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=10)
    parts += [("customers", hot, ["customer"])] if customers else []
    return ColumnTransformer(parts)


def candidates() -> dict[str, object]:
    out: dict[str, object] = {
        "TableFeatures": TableFeatures(),
        "by hand": by_hand(),
        "by hand, no dates": by_hand(dates=False),
        "by hand, customers too": by_hand(customers=True),
        "by hand, pairs of words": by_hand(ngram_range=(1, 2), min_df=2),
        "every text one-hot": ColumnTransformer(
            [
                (
                    "texts",
                    OneHotEncoder(handle_unknown="ignore"),
                    ["subject", "body", "created", "customer", *CATEGORIES],
                ),
                ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS),
            ]
        ),
    }
    try:
        import skrub

        out["skrub TableVectorizer"] = make_pipeline(skrub.TableVectorizer(), SimpleImputer(), StandardScaler())
        text = skrub.TableVectorizer(high_cardinality=skrub.StringEncoder())
        out["skrub, StringEncoder"] = make_pipeline(text, SimpleImputer(), StandardScaler())
    except ImportError:
        print("skrub is not installed; its line is left out.")
    return out


MODELS = {
    "linear": BinaryRelevance(LogisticRegression(C=3.0, max_iter=500)),
    "trees": BinaryRelevance(ExtraTreesClassifier(100, n_jobs=2, random_state=0)),
}


def measure(features: object, model: object, X: pd.DataFrame, Y: np.ndarray, folds: int) -> dict[str, float]:
    scores, seconds = [], []
    for train, test in MultilabelStratifiedKFold(folds, random_state=0).split(X, Y):
        begin = time.perf_counter()
        made = clone(features).fit(X.iloc[train])
        learn, ask = made.transform(X.iloc[train]), made.transform(X.iloc[test])
        seconds.append(time.perf_counter() - begin)
        numbers = [
            sparse.csr_array(part) if sparse.issparse(part) else np.asarray(part, float) for part in (learn, ask)
        ]
        tuned = TunedThresholds(clone(model), "example_f1", how="per_label", cv=3).fit(numbers[0], Y[train])
        scores.append(example_f1(Y[test], tuned.predict(numbers[1])))
    return {"example_f1": float(np.mean(scores)), "std": float(np.std(scores)), "seconds": float(np.mean(seconds))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1500)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--models", default="linear,trees", help="with commas between them")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    tickets = make_tickets(given.rows, as_frame=True)
    Y = tickets.pop("tags").str.get_dummies(";").to_numpy()
    rows = []
    warnings.simplefilter("ignore")
    for name, features in candidates().items():
        for kind in given.models.split(","):
            model = MODELS[kind]
            figures = measure(features, model, tickets, Y, given.folds)
            rows.append({"features": name, "model": kind, **figures})
            print(
                f"{name:26} {kind:8} F1 {figures['example_f1']:.3f} ± {figures['std']:.3f}  {figures['seconds']:.2f} s"
            )
    if given.record:
        RESULTS.write_text(json.dumps({"rows": given.rows, "folds": given.folds, "results": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
