"""One good choice for people who do not want to choose."""

from __future__ import annotations

from bncc._typing import EngineName, Random
from bncc.metrics import Metric, get_metric
from bncc.multilabel.blending.blend import Blend
from bncc.multilabel.blending.leaderboard import BlendPlan

__all__ = ["recommended"]


def recommended(
    metric: str | Metric = "example_f1",
    *,
    time_limit: float | None = None,
    plan: BlendPlan | None = None,
    n_jobs: int | None = None,
    engine: EngineName = "auto",
    random_state: Random = None,
    verbose: int = 0,
) -> Blend:
    """A blend of forests, kernels, linear models, chains, label sets, boosted and stacked trees, made for a metric.

    Everything is chosen on rows held out inside the training rows: settings, weights of the families, calibration,
    and the decision that the metric asks for. `recommended_kernels` is the pipeline of kernel chains alone.

    Parameters
    ----------
    metric : str or Metric, default="example_f1"
        What you will be judged by; any of `bncc.metrics`.
    time_limit : float or None, default=None
        Seconds for `fit`; it aims to overrun by no more than a tenth and two seconds, and always has an answer. Without
        one, cost is bounded by rows, settings and trees of each family: 200 trees of a forest, 12 settings of kernel
        chains on 1,500 rows and fits on 8,000, 36 settings of kernel ridge regression on 800 rows and a fit on 5,000,
        stacked trees where rows are few (the list is in the notes of `Blend`).
    plan : BlendPlan or None, default=None
        ``plan_`` of a fitted one, to be done again with the same data and seed.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.
    engine : "auto", "cpu" or "cuda", default="auto"
        What solves kernel SVMs.
    random_state : int, RandomState or None, default=None
    verbose : int, default=0
        1 tells on standard error what is tried, what was best, and how much time is left.

    Returns
    -------
    Blend
        Unfitted; see there for data it takes, its attributes and its cost.

    Examples
    --------
    >>> from bncc.datasets import make_scenes
    >>> from bncc.metrics import example_f1
    >>> data = make_scenes(300, noise=2.0)
    >>> model = recommended(time_limit=20, random_state=0).fit(data.X[:200], data.Y[:200])
    >>> example_f1(data.Y[200:], model.predict(data.X[200:])) > 0.5
    True
    """
    get_metric(metric)
    return Blend(
        metric,
        time_limit=time_limit,
        plan=plan,
        n_jobs=n_jobs,
        engine=engine,
        random_state=random_state,
        verbose=verbose,
    )
