"""One good choice for people who do not want to choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sklearn.pipeline import Pipeline

from bncc._typing import Classifier, EngineName, Random
from bncc.datasets.splits import MultilabelStratifiedKFold
from bncc.metrics import Metric, get_metric, get_scorer
from bncc.multilabel.ensemble import EnsembleClassifierChain as Ensemble
from bncc.multilabel.scaling import RangeScaler
from bncc.multilabel.tuned_thresholds import TunedThresholds
from bncc.selection import BatchSearchCV
from bncc.svm import KernelSVC

__all__ = ["COSTS", "SIGMAS", "recommended_kernels"]

SIGMAS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
COSTS = (1.0, 10.0)


def recommended_kernels(
    metric: str | Metric = "example_f1",
    *,
    n_chains: int = 10,
    how: Literal["global", "per_label", "counts"] = "per_label",
    sigma: Sequence[float] = SIGMAS,
    C: Sequence[float] = COSTS,
    n_jobs: int | None = None,
    engine: EngineName = "auto",
    random_state: Random = None,
) -> Pipeline:
    """An ensemble of kernel chains with tuned thresholds, its kernel chosen by cross-validation for a metric.

    A pipeline of public parts: features divided by their ranges (`RangeScaler`), sigma and C of the SVMs by
    `BatchSearchCV` on three stratified folds, ten chains (`EnsembleClassifierChain`), and thresholds for the metric
    (`TunedThresholds`), all on the kernel engine. `benchmarks/bench_kernel_recommendation.py` compares the choices on
    ten real sets: thresholds, an ensemble and scaling by range pay; global or per-label thresholds, 10 or 20 chains,
    and C fixed at 10 or searched differ by 0.1 points of `example_f1` at most, which is noise. The defaults were
    settled on those same sets, so its figures flatter them a little.

    Parameters
    ----------
    metric : str or Metric, default="example_f1"
        What kernel and thresholds are chosen for; any of `bncc.metrics`. Metrics on rankings and scores do not depend
        on thresholds, and none are tuned for them.
    n_chains : int, default=10
    how : "per_label", "global" or "counts", default="per_label"
        Kind of thresholds, see `TunedThresholds`.
    sigma, C : sequences of float
        Values to try, on features of range 1.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.
    engine : "auto", "cpu" or "cuda", default="auto"
        What solves the SVMs, see `choose_engine`.
    random_state : int, RandomState or None, default=None
        Draws the orders of the chains.

    Returns
    -------
    Pipeline
        Unfitted, for label matrices, with steps "scale" and "search"; after `fit`,
        ``model["search"].best_estimator_`` has the thresholds and the chains, ``model["search"].cv_results_`` the
        search.

    Notes
    -----
    Cost: about (3 folds x values of sigma x values of C + 5 folds) x `n_chains` x n_labels SVMs, most of them warm
    started; memory and time grow with the square of the rows. Beyond some 20,000 rows, or for large sparse text, use
    `TunedThresholds(EnsembleClassifierChain(LogisticRegression()))` or another linear base instead.

    Examples
    --------
    >>> from bncc.datasets import make_scenes
    >>> from bncc.metrics import example_f1
    >>> data = make_scenes(300, noise=2.0)
    >>> model = recommended_kernels(n_chains=3, random_state=0).fit(data.X[:200], data.Y[:200])
    >>> round(example_f1(data.Y[200:], model.predict(data.X[200:])), 2)
    0.63
    """
    record = get_metric(metric)
    chains: Classifier = Ensemble(
        KernelSVC(n_jobs=n_jobs, engine=engine), n_chains=n_chains, n_jobs=n_jobs, random_state=random_state
    )
    search = BatchSearchCV(
        TunedThresholds(chains, record.name, how=how) if record.needs == "labels" else chains,
        {"sigma": list(sigma), "C": list(C)},
        scoring=get_scorer(record),
        cv=MultilabelStratifiedKFold(3, shuffle=False),
        n_jobs=n_jobs,
    )
    return Pipeline([("scale", RangeScaler()), ("search", search)])
