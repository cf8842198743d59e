"""What prepares features, as it is read from a file: questions beside `transform` are answered where they are small.

A few numbers of a file are enough for a table of all pairs of its features, or of all words by the longest of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.preprocessing import PolynomialFeatures
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection
from sklearn.utils.validation import check_array

from bncc._typing import Array, Matrix

__all__ = [
    "CHECKED_PREPARATION",
    "CheckedCounts",
    "CheckedGaussianProjection",
    "CheckedPCA",
    "CheckedPolynomial",
    "CheckedSparseProjection",
    "CheckedTfidf",
    "under_its_name",
]

# Bytes that an answer may take, beside a multiple of what the model holds; scikit-learn has two tables at a time.
_FREE_BYTES, _MULTIPLE = 2**25, 8
_BYTES_PER_PAIR = 16
_MOST_POWERS = 2**22  # cells of a table of exponents
# Cells of a matrix that is made dense, and multiplications to invert it, about.
_MOST_CELLS, _MOST_PRODUCTS = 2**20, 2**30

Kind = TypeVar("Kind", bound=type)


def under_its_name(kind: Kind) -> Kind:
    """The class, called as that of scikit-learn: names of columns begin with it, and so does what is printed."""
    kind.__name__ = kind.__mro__[1].__name__
    return kind


@under_its_name
class CheckedPCA(PCA):
    """`PCA`, but for covariances of features that are far more than its components: an error, in words."""

    def get_covariance(self) -> Array:
        """Covariances as scikit-learn's."""
        _check_pairs(self.components_)
        return super().get_covariance()

    def get_precision(self) -> Array:
        """Precisions as scikit-learn's."""
        _check_pairs(self.components_)
        return super().get_precision()


def _check_pairs(components: Array) -> None:
    n_features = components.shape[1]
    most = _FREE_BYTES + _MULTIPLE * components.nbytes
    if n_features**2 * _BYTES_PER_PAIR > most:
        raise ValueError(
            f"Covariances of {n_features} features are too many for a PCA of {components.shape[0]} components that was "
            "read from a file; ask the fitted one, or fit one of more components."
        )


def _check_inverse(components: Matrix) -> None:
    n_outputs, n_features = components.shape
    cells = n_outputs * n_features
    if (sparse.issparse(components) and cells > _MOST_CELLS) or cells * min(n_outputs, n_features) > _MOST_PRODUCTS:
        raise ValueError(
            f"A projection of {n_features} features to {n_outputs} takes long to invert, and was read from a file "
            "without its inverse; fit it with compute_inverse_components=True."
        )


@under_its_name
class CheckedGaussianProjection(GaussianRandomProjection):
    """`GaussianRandomProjection`, but for inverses that take long."""

    def _compute_inverse_components(self) -> Array:
        _check_inverse(self.components_)
        return super()._compute_inverse_components()


@under_its_name
class CheckedSparseProjection(SparseRandomProjection):
    """`SparseRandomProjection`, but for inverses that take long, or far more than its components."""

    def _compute_inverse_components(self) -> Array:
        _check_inverse(self.components_)
        return super()._compute_inverse_components()


@under_its_name
class CheckedPolynomial(PolynomialFeatures):
    """`PolynomialFeatures`, with names that need no table of all exponents of all features."""

    @property
    def powers_(self) -> Array:
        """Exponents as scikit-learn's."""
        cells = self.n_output_features_ * self.n_features_in_
        if cells > _MOST_POWERS:
            raise ValueError(
                f"`powers_` of {self.n_output_features_} columns and {self.n_features_in_} features is larger than a "
                "model that was read from a file may make it; ask the fitted one."
            )
        return PolynomialFeatures.powers_.fget(self)

    def get_feature_names_out(self, input_features: Iterable[str] | None = None) -> Array:
        """Names as scikit-learn's."""
        n_features = self.n_features_in_
        known = getattr(self, "feature_names_in_", None)
        names = known if input_features is None else np.asarray(input_features, dtype=object)
        if names is None:
            names = np.array([f"x{number}" for number in range(n_features)], object)
        if len(names) != n_features or (known is not None and names.tolist() != known.tolist()):
            raise ValueError(
                f"`input_features` must be the names of the {n_features} features; got {len(names)} others."
            )
        degrees = (self._min_degree, self._max_degree, self.interaction_only, self.include_bias)
        made = [_product(names, factors) for factors in self._combinations(n_features, *degrees)]
        return np.array(made, object)


def _product(names: Array, factors: Sequence[int]) -> str:
    """The name of a product of features, which are in order.

    >>> _product(np.array(["a", "b"]), (0, 0, 1)), _product(np.array([]), ())
    ('a^2 b', '1')
    """
    powers = Counter(factors).items()
    return " ".join(f"{names[each]}^{power}" if power > 1 else names[each] for each, power in powers) or "1"


def _words_of(vectorizer: CountVectorizer, counts: Matrix) -> list[Array]:
    """The words of each row; scikit-learn would make a table of all words, each as wide as the longest."""
    names = vectorizer.get_feature_names_out()
    rows = sparse.csr_array(check_array(counts, accept_sparse="csr"))
    rows.eliminate_zeros()
    return [
        np.array(names[rows.indices[start:stop]].tolist(), dtype=str)
        for start, stop in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    ]


@under_its_name
class CheckedCounts(CountVectorizer):
    """`CountVectorizer`, with words of rows in memory of their own length."""

    def inverse_transform(self, X: Matrix) -> list[Array]:
        """Words as scikit-learn's."""
        return _words_of(self, X)


@under_its_name
class CheckedTfidf(TfidfVectorizer):
    """`TfidfVectorizer`, with words of rows in memory of their own length."""

    def inverse_transform(self, X: Matrix) -> list[Array]:
        """Words as scikit-learn's."""
        return _words_of(self, X)


#: What is built in the place of a class.
CHECKED_PREPARATION: Mapping[type[BaseEstimator], type[BaseEstimator]] = {
    PCA: CheckedPCA,
    PolynomialFeatures: CheckedPolynomial,
    GaussianRandomProjection: CheckedGaussianProjection,
    SparseRandomProjection: CheckedSparseProjection,
    CountVectorizer: CheckedCounts,
    TfidfVectorizer: CheckedTfidf,
}
