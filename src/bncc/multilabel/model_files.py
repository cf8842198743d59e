"""Models people can keep: files that hold a fitted estimator and run no code when they are opened.

A model file is a zip archive in the format of skops: a tree of types by name, and arrays. Only types that are listed
here are made (see `TRUSTED`), by setting their attributes; nothing in the file is called. One member, ``bncc.json``,
is read before anything else: the number of the format, the versions that wrote the file, and notes.
"""

from __future__ import annotations

import copy
import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from bncc._atomic import written_whole
from bncc._versions import versions_now
from bncc.datasets.errors import MalformedFile
from bncc.datasets.files import check_readable, shorten
from bncc.metrics import METRICS, Metric
from bncc.multilabel.kernel import KernelLinks
from bncc.multilabel.linear_links import LinearLinks, check_links
from bncc.multilabel.nystroem import MappedLinks, check_mapped_links
from bncc.multilabel.old_model_files import with_present_names
from bncc.structure import LabelNetwork
from bncc.svm.approximation import MappedPairs, check_pairs
from bncc.svm.landmarks import LandmarkMap, check_landmarks
from bncc.svm.models import Model, check_model

__all__ = ["FORMAT", "TRUSTED", "SavedModel", "load_model", "open_model", "save_model"]

#: Raised when what this package writes can no longer be read by the releases before it.
FORMAT = 2

_HEAD = "bncc.json"
_MOST_BYTES = 2**32


def _is_plain(metric: Metric) -> bool:
    return isinstance(metric.function, FunctionType)


#: Types that a model file may hold beside numbers, text, containers, arrays and scikit-learn's public estimators.
TRUSTED: tuple[str, ...] = (
    "bncc.datasets.splits.MultilabelStratifiedKFold",
    "bncc.datasets.splits.MultilabelStratifiedShuffleSplit",
    "bncc.datasets.splits.RepeatedMultilabelStratifiedKFold",
    "bncc.linear.linear_svc.LinearSVC",
    "bncc.linear.logistic.LogisticRegression",
    "bncc.linear.solutions.BlockCosts",
    "bncc.linear.solutions.Solutions",
    "bncc.metrics.at_k.MetricAtK",
    "bncc.metrics.at_k.ndcg_at_k",
    "bncc.metrics.at_k.precision_at_k",
    "bncc.metrics.at_k.ps_ndcg_at_k",
    "bncc.metrics.at_k.ps_precision_at_k",
    "bncc.metrics.at_k.ps_recall_at_k",
    "bncc.metrics.at_k.recall_at_k",
    "bncc.metrics.averaging.AveragedMetric",
    "bncc.metrics.binary.f_beta",
    "bncc.metrics.binary.jaccard",
    "bncc.metrics.binary.precision",
    "bncc.metrics.binary.recall",
    "bncc.metrics.registry.Metric",
    "bncc.multilabel.augmented_naive_bayes.AugmentedNaiveBayes",
    "bncc.multilabel.bayesian_chain.BayesianChain",
    "bncc.multilabel.binary_relevance.BinaryRelevance",
    "bncc.multilabel.bncc.BNCC",
    "bncc.multilabel.calibrated_label_ranking.CalibratedLabelRanking",
    "bncc.multilabel.classifier_chain.ClassifierChain",
    "bncc.multilabel.clones.Constant",
    "bncc.multilabel.clones.FittedLinks",
    "bncc.multilabel.crossval.Calibration",
    "bncc.multilabel.ensemble.EnsembleClassifierChain",
    "bncc.multilabel.ensemble_bncc.EnsembleBNCC",
    "bncc.multilabel.group_sensitive_chain.GroupSensitiveChain",
    "bncc.multilabel.kernel.KernelLinks",
    "bncc.multilabel.kmeans_chain.KMeansChain",
    "bncc.multilabel.label_powerset.LabelPowerset",
    "bncc.multilabel.linear_links.LinearChoice",
    "bncc.multilabel.linear_links.LinearLinks",
    "bncc.multilabel.linear_links.LinkContexts",
    "bncc.multilabel.mlknn.MLkNN",
    "bncc.multilabel.montecarlo_chain.MonteCarloChain",
    "bncc.multilabel.nystroem.MappedLinks",
    "bncc.multilabel.powersets.LabelSets",
    "bncc.multilabel.random_k_labelsets.RandomKLabelsets",
    "bncc.multilabel.scaling.RangeScaler",
    "bncc.multilabel.tuned_thresholds.TunedThresholds",
    "bncc.selection.search.BatchSearchCV",
    "bncc.structure.network.LabelNetwork",
    "bncc.structure.network.Trace",
    "bncc.structure.parent_search.Step",
    "bncc.structure.tables.ConditionalTable",
    "bncc.svm.approximation.MappedPairs",
    "bncc.svm.classifier.KernelSVC",
    "bncc.svm.distances.Distances",
    "bncc.svm.engines.EngineChoice",
    "bncc.svm.landmarks.LandmarkMap",
    "bncc.svm.models.Model",
    "bncc.svm.points.Points",
    "bncc.svm.problems.Batch",
    "bncc.svm.problems.Solutions",
    "bncc.svm.solver_settings.SolverSettings",
    "numpy.dtype",
    "numpy.ma.MaskedArray",  # one type by two names: as NumPy 2 calls it, and as NumPy 1 does
    "numpy.ma.core.MaskedArray",
    "scipy.sparse._csc.csc_array",
    "scipy.sparse._csc.csc_matrix",
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csr.csr_matrix",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
    "sklearn.tree._tree.Tree",
    "sklearn.utils._metadata_requests.MetadataRequest",  # scorers of scikit-learn 1.7 hold these two
    "sklearn.utils._metadata_requests.MethodMetadataRequest",
    *sorted({f"{each.function.__module__}.{each.function.__name__}" for each in METRICS.values() if _is_plain(each)}),
)


@dataclass(frozen=True, eq=False)
class SavedModel:
    """What a model file holds.

    Attributes
    ----------
    model : estimator
    format : int
    versions : mapping of package name to the version that wrote the file
    notes : mapping
        What the writer added: plain JSON values.
    """

    model: Any
    format: int
    versions: Mapping[str, str]
    notes: Mapping[str, Any]


def save_model(
    model: Any, path: str | os.PathLike[str], *, notes: Mapping[str, Any] | None = None, trusted: Iterable[str] = ()
) -> Path:
    """Write an estimator to a file that `load_model` reads; needs skops (``pip install 'bncc[models]'``).

    Answers after loading are identical. Of the training rows only support vectors travel, and what a nearest-neighbour
    method needs: label networks leave their label matrix behind, and probabilities are calibrated now if they have not
    been asked for yet. The file appears whole or not at all.

    Parameters
    ----------
    model : estimator of this package or of scikit-learn, or a pipeline or search of such
    path : file name, ``.skops`` by custom
    notes : mapping of plain JSON values, kept beside the model (see `open_model`)
    trusted : full names of types from other packages that the model holds; readers must name them too

    >>> import tempfile
    >>> from bncc.datasets import make_scenes
    >>> from bncc.multilabel import BNCC
    >>> data = make_scenes(80)
    >>> model = BNCC().fit(data.X, data.Y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = save_model(model, f"{folder}/scenes.skops")
    ...     print(bool((load_model(file).predict(data.X) == model.predict(data.X)).all()))
    True
    """
    skops = _skops()
    if isinstance(model, type) or not isinstance(model, BaseEstimator):
        raise TypeError(f"`model` must be an estimator; got {type(model).__name__}.")
    head = {"format": FORMAT, "versions": versions_now("skops"), "notes": dict(notes or {})}
    text = json.dumps(head)
    content = skops.dumps(_without_rows(model), compression=zipfile.ZIP_DEFLATED)
    strange = sorted(set(skops.get_untrusted_types(data=content)) - set(TRUSTED) - set(trusted))
    if strange:
        raise TypeError(
            f"`model` holds types that `load_model` does not trust: {', '.join(strange)}. Another base classifier "
            "avoids them; if they are safe to make, pass their names in `trusted`, here and in `load_model`."
        )
    with written_whole(path) as draft:
        draft.write_bytes(content)
        with zipfile.ZipFile(draft, "a", compression=zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_HEAD, text)
    return Path(path)


def load_model(path: str | os.PathLike[str], *, trusted: Iterable[str] = ()) -> Any:
    """The estimator in a file written by `save_model`; opening a file from a stranger runs no code.

    Raises
    ------
    MalformedFile
        If the file is damaged, is no model file, was written by a later format, or holds types that are neither
        listed in this package nor named in `trusted`.
    """
    return open_model(path, trusted=trusted).model


def open_model(path: str | os.PathLike[str], *, trusted: Iterable[str] = ()) -> SavedModel:
    """As `load_model`, with the versions that wrote the file and the notes in it."""
    skops = _skops()
    file = Path(path)
    check_readable(file, "check the path of the model")
    content = file.read_bytes()
    head = _read_head(file, content)
    try:
        if head["format"] == 1:
            content = with_present_names(content)
        strange = sorted(set(skops.get_untrusted_types(data=content)) - set(TRUSTED) - set(trusted))
        if strange:
            raise _foreign_types(file, strange, head)
        model = skops.loads(content, trusted=[*TRUSTED, *trusted])
        for part in _parts(model):
            _check_part(part)
    except MalformedFile:
        raise
    except (Exception, RecursionError) as error:
        raise MalformedFile(file, None, *_why_not(error, head)) from error
    if not isinstance(model, BaseEstimator):
        raise MalformedFile(file, None, f"it holds a {type(model).__name__}, no estimator.", "Save the model again.")
    return SavedModel(model, head["format"], head["versions"], head["notes"])


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError("model files need skops: pip install 'bncc[models]'.") from error
    return skops.io


def _without_rows(model: Any) -> Any:
    """The model with every label network cut from the rows it was learned from; the caller's is left as it is."""
    networks = [part for part in _parts(model) if isinstance(part, LabelNetwork) and part.counts is not None]
    if not networks:
        return model
    return copy.deepcopy(model, {id(network): network.without_rows() for network in networks})


def _parts(root: Any) -> Iterator[Any]:
    """Every object within an object, by attributes and containers, each once."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        part = stack.pop()
        if id(part) in seen or isinstance(part, str | bytes | int | float | type(None)):
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, Mapping):
            stack += part.values()
        elif isinstance(part, list | tuple | set | frozenset):
            stack += part
        elif isinstance(part, np.ndarray) and part.dtype == object:
            stack += part.ravel().tolist()
        stack += getattr(part, "__dict__", {}).values() if not isinstance(part, type) else ()


def _check_part(part: Any) -> None:
    """Arrays that compiled code takes on trust must point nowhere outside of each other."""
    if isinstance(part, Model):
        check_model(part)
    elif isinstance(part, KernelLinks) and not isinstance(part.model, Model):
        raise ValueError("solved links without a kernel model")
    elif isinstance(part, LandmarkMap):
        check_landmarks(part)
    elif isinstance(part, MappedLinks):
        check_mapped_links(part)
    elif isinstance(part, MappedPairs):
        check_pairs(part)
    elif isinstance(part, LinearLinks):
        check_links(part)
    elif hasattr(part, "children_left") and hasattr(part, "n_node_samples"):
        _check_tree(part)


def _check_tree(tree: Any) -> None:
    left, right, feature = tree.children_left, tree.children_right, tree.feature
    inner = left != -1
    for child in (left[inner], right[inner]):
        if (child <= np.flatnonzero(inner)).any() or (child >= tree.node_count).any():
            raise ValueError("a decision tree whose branches lead astray")
    if (feature[inner] < 0).any() or (feature[inner] >= tree.n_features).any() or (right[~inner] != -1).any():
        raise ValueError("a decision tree that asks for features that do not exist")


def _read_head(file: Path, content: bytes) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if _HEAD not in {member.filename for member in members}:
                raise MalformedFile(
                    file, None, "this is no model file of bncc.", "Write models with `save_model` or `bncc fit`."
                )
            if sum(member.file_size for member in members) > _MOST_BYTES:
                raise MalformedFile(file, None, f"the file unpacks to more than {_MOST_BYTES} bytes.")
            head = json.loads(archive.read(_HEAD))
    except zipfile.BadZipFile:
        raise MalformedFile(file, None, *_no_archive(content)) from None
    except MalformedFile:
        raise
    except (Exception, RecursionError) as error:
        raise MalformedFile(file, None, f"the file is damaged ({shorten(str(error), 80)}).", _AGAIN) from error
    return _check_head(file, head)


_AGAIN = "Copy it again from where it was whole, or fit the model again."


def _no_archive(content: bytes) -> tuple[str, str]:
    if content[:2] == b"PK":
        return "the file is damaged: its end is missing.", _AGAIN
    if content[:1] == b"\x80":
        return "this is a pickle, which could run any code when opened.", "Write models with `save_model`."
    return "this is no model file of bncc.", "Write models with `save_model` or `bncc fit`."


def _check_head(file: Path, head: Any) -> dict[str, Any]:
    shape = {"format": int, "versions": dict, "notes": dict}
    if not isinstance(head, dict) or any(not isinstance(head.get(key), kind) for key, kind in shape.items()):
        raise MalformedFile(file, None, f"its {_HEAD} is not what `save_model` writes.", _AGAIN)
    head["versions"] = {str(name): str(number) for name, number in head["versions"].items()}
    if not 1 <= head["format"] <= FORMAT:
        writer = head["versions"].get("bncc", "an unknown version")
        raise MalformedFile(
            file,
            None,
            f"the model is in format {head['format']}, written by bncc {writer}; this release reads 1 to {FORMAT}.",
            "Install that version or a later one.",
        )
    return head


def _foreign_types(file: Path, strange: list[str], head: Mapping[str, Any]) -> MalformedFile:
    shown = ", ".join(shorten(name, 80) for name in strange[:5]) + (", ..." if len(strange) > 5 else "")
    problem = f"it holds types that are not trusted: {shown}. Nothing of it was run."
    written = _written_with(head)
    if written and all(name.startswith(("bncc.", "sklearn.")) for name in strange):
        return MalformedFile(file, None, f"{problem} {written}", _OTHER_VERSIONS)
    return MalformedFile(file, None, problem, "If you know who wrote it and what these do, name them in `trusted`.")


def _why_not(error: BaseException, head: Mapping[str, Any]) -> tuple[str, str]:
    """What to say of a file that names only trusted types and yet cannot be opened."""
    told = shorten(f"{type(error).__name__}: {error}", 120)
    written = _written_with(head)
    if written:
        return f"the model cannot be opened ({told}). {written}", _OTHER_VERSIONS
    return f"the file is damaged ({told}).", _AGAIN


_OTHER_VERSIONS = "Install those versions, or fit the model again."


def _written_with(head: Mapping[str, Any]) -> str:
    """The packages whose minor version was another when the file was written; empty if there are none."""
    then, now = head["versions"], versions_now("skops")
    other = [name for name in now if name in then and _minor(now[name]) != _minor(then[name])]
    named = ", ".join(f"{name} {shorten(then[name])[1:-1]} (here {now[name]})" for name in other)
    return f"It was written with {named}." if other else ""


def _minor(number: str) -> list[str]:
    return number.split(".")[:2]
