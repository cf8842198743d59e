"""Parameters of `fit` that go on to the classifiers of the links, by scikit-learn's metadata routing or directly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import sklearn
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from bncc._typing import Features, FitParams, Labels, Weights
from bncc.multilabel.base import required
from bncc.multilabel.linked_classifier import LinkedClassifier

__all__ = ["RoutedFit"]


def _routes() -> bool:
    return bool(sklearn.get_config()["enable_metadata_routing"])


class RoutedFit(LinkedClassifier):
    """A `fit` that takes parameters for the classifiers of its links, as scikit-learn's meta-estimators do.

    With metadata routing on, a parameter goes where it was requested (`base.set_fit_request(...)`); weights that the
    estimator requests itself go to all links. With routing off, other parameters than weights go to the links only in
    classes that say so.
    """

    _passes_unrouted: ClassVar[bool] = False
    _routed_methods: ClassVar[tuple[str, ...]] = ("fit",)

    def fit(self, X: Features, y: Labels | None = None, sample_weight: Weights | None = None, **fit_params: Any) -> Any:
        """Learn from rows X and their labels y.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_features)
        y : array, sparse matrix or DataFrame of shape (n_rows, n_labels), 0/1 or bool; or 1-D with two values
            Columns with two other values are taken too, if y is not sparse. NaN means unknown: a link learns from the
            rows whose target is known, and unknown context counts as 0. May be called `Y`.
        sample_weight : array of shape (n_rows,), optional
        **fit_params : parameters for `fit` of the base classifier
        """
        y = required(fit_params.pop("Y", y), self)
        weight, routed = self._route(sample_weight, fit_params)
        rows = replace(self._read_rows(X, y, weight), fit_params=routed)
        self._remember(rows.targets)
        self._fit(rows)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Where parameters go: to the same method of the base, and to the estimator itself if it has requested any."""
        router = MetadataRouter(owner=type(self).__name__)
        if any(self._requests(method) for method in (*self._routed_methods, "score")):
            router.add_self_request(self)
        mapping = MethodMapping()
        for method in self._routed_methods:
            mapping.add(caller=method, callee=method)
        return router.add(estimator=self._base(), method_mapping=mapping)

    def _requests(self, method: str) -> FitParams:
        """What was requested of the estimator itself, by `set_fit_request` or `set_score_request`."""
        requested = getattr(super().get_metadata_routing(), method).requests
        return {name: alias for name, alias in requested.items() if alias is not None}

    def _route(
        self, sample_weight: Weights | None, fit_params: FitParams, method: str = "fit"
    ) -> tuple[Weights | None, FitParams]:
        """The weights of rows and the other parameters, as the links get them."""
        if not _routes():
            self._check_unrouted(fit_params, method)
            routed = dict(fit_params)
        else:
            consumed = bool(self._requests(method).get("sample_weight"))
            passed = dict(fit_params) if consumed else {"sample_weight": sample_weight, **fit_params}
            given = {name: value for name, value in passed.items() if value is not None}
            routed = dict(process_routing(self, method, **given).estimator[method]) if given else {}
            sample_weight = sample_weight if consumed else routed.pop("sample_weight", None)
        if routed and not self._backend().takes_fit_params:
            raise TypeError(f"`fit` of {type(self._base()).__name__} takes no {', '.join(map(repr, routed))}.")
        return sample_weight, routed

    def _check_unrouted(self, fit_params: FitParams, method: str = "fit") -> None:
        if fit_params and not (self._passes_unrouted and method == "fit"):
            raise ValueError(
                f"Passing {', '.join(map(repr, fit_params))} to `{method}` of {type(self).__name__} is only supported "
                "if metadata routing is on: sklearn.set_config(enable_metadata_routing=True)."
            )
