"""Turn one check of model files off at a time, and see a hostile file get through: no check is there for nothing.

``python tests/model_checks_off.py`` prints a line per check. Each is tried in a process of its own, since what gets
through may crash it.
"""

import os
import signal
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from bncc.datasets import MalformedFile
from bncc.multilabel import load_model
from bncc.multilabel.model_files import (
    arrays,
    budget,
    fields,
    reading,
    records_text,
    records_trees,
    registry,
    saved_models,
    sparse_matrices,
)
from model_attacks import ATTACKS

WORKS = 0
REFUSED = 7


def nothing(*_, **__):
    """In the place of a check."""


def off(owner, name, instead=nothing):
    return lambda: setattr(owner, name, instead)


class Everything:
    """Has whatever is asked for, and as an attribute is itself."""

    def __get__(self, owner, kind):
        return self

    def __set__(self, owner, value):
        raise AttributeError

    def __contains__(self, name):
        return True


def without_relations(name):
    """A record whose fields are looked at one by one only."""

    def change():
        known = dict(registry.records())
        known[name] = replace(known[name], check=None)
        registry.records = lambda: known

    return change


def without_field(record, *names):
    """A record that takes anything for some of its fields."""

    def change():
        known = dict(registry.records())
        kinds = {**known[record].fields, **dict.fromkeys(names, fields.Anything())}
        known[record] = replace(known[record], fields=kinds)
        registry.records = lambda: known

    return change


def all_of(*changes):
    """Several checks that would each see it."""

    def change():
        for each in changes:
            each()

    return change


def unlimited(owner, name, value=2**60):
    return lambda: setattr(owner, name, value)


#: What is turned off, and the hostile file that gets through then.
CHECKS = {
    "features are those of the links": (without_field("BinaryRelevance", "n_features_in_"), "features of other model"),
    "centres have the features": (without_field("KMeans", "cluster_centers_"), "clusters of other features"),
    "indices are bounded": (
        all_of(without_field("KernelLinks", "writes"), without_relations("BinaryRelevance")),
        "writes beyond",
    ),
    "threads are bounded": (without_field("KMeans", "_n_threads"), "clusters on many threads"),
    "jobs are bounded": (without_field("BinaryRelevance", "n_jobs"), "a thousand threads"),
    "draws are bounded": (
        all_of(without_field("ClassifierChain", "n_samples"), without_relations("ClassifierChain")),
        "endless draws",
    ),
    "numbers of walks exist": (off(fields.Indices, "check"), "walks beyond"),
    "pointers ascend": (off(fields.Pointers, "check"), "pointers that fall"),
    "text is of the list": (off(fields.Text, "check"), "files for text"),
    "patterns are quick": (off(records_text.Pattern, "check"), "a pattern that takes hours"),
    "folders of pickles": (off(fields.Nothing, "check"), "a folder of pickles"),
    "distances are not held": (off(fields.Flag, "check"), "held distances"),
    "points are whole": (without_relations("Points"), "norms too short"),
    "gamma is positive": (without_relations("Batch"), "no gamma"),
    "support is among the rows": (without_relations("Model"), "support beyond the rows"),
    "labels have words": (without_relations("KernelLinks"), "words that are too few"),
    "neighbours are among the rows": (without_relations("MLkNN"), "more neighbours than rows"),
    "blocks have their labels": (
        all_of(without_field("BlockPowerset", "blocks_"), without_relations("BlockPowerset")),
        "blocks with a label twice",
    ),
    "pairs have links": (without_relations("CalibratedLabelRanking"), "pairs without a link"),
    "trees lead on": (
        all_of(without_relations("Tree"), off(records_trees, "_depth", lambda *_: 3)),
        "tree in a ring",
    ),
    "trees of boosting lead on": (without_relations("TreePredictor"), "histogram in a ring"),
    "boosting has its features": (without_relations("HistGradientBoostingClassifier"), "histogram beyond features"),
    "boosting has its classes": (without_relations("GradientBoostingClassifier"), "boosting of other classes"),
    "boosting starts from its classes": (
        without_field("GradientBoostingClassifier", "init_"),
        "boosting from a stranger",
    ),
    "averages have the features": (without_field("SGDClassifier", "_average_coef"), "averages of other features"),
    "svm has its rows": (without_relations("SVC"), "svm of rows that there were not"),
    "svm has its classes": (without_relations("SVC"), "svm of other counts"),
    "masks are of searches": (
        all_of(off(reading, "check_place"), without_relations("OneHotEncoder")),
        "categories behind a mask",
    ),
    "categories have columns": (without_relations("OneHotEncoder"), "categories beyond"),
    "columns of tables have encoders": (without_relations("TableFeatures"), "columns of other tables"),
    "words have columns": (without_relations("CountVectorizer"), "words beyond"),
    "powers have columns": (without_relations("PolynomialFeatures"), "powers without end"),
    "networks have no ring": (without_relations("LabelNetwork"), "a network in a ring"),
    "layers have their links": (without_relations("StackedBinaryRelevance"), "layers of other walks"),
    "parents have their tables": (without_relations("NetworkMLkNN"), "probabilities of other parents"),
    "edges have their terms": (without_relations("NetworkDecoder"), "terms of other edges"),
    "tables have their bins": (without_relations("AugmentedNaiveBayes"), "tables of other bins"),
    "fields are of the record": (off(registry, "_may_have", lambda *_: True), "histogram already binned"),
    "methods are not hidden": (
        all_of(off(registry, "_may_have", lambda *_: True), off(registry, "_may_be_called", lambda *_: True)),
        "forest without its check",
    ),
    "inner records stand where they belong": (
        off(registry.Record, "asks_for_parts", Everything()),
        "a tree as an estimator",
    ),
    "references to arrays are counted": (unlimited(budget, "MULTIPLE"), "old: bomb of references"),
    "the head is small": (unlimited(saved_models, "MOST_HEAD_BYTES"), "a head of blanks"),
    "sparse pointers ascend": (off(sparse_matrices, "check_pointers"), "pointers of neighbours that fall"),
    "columns with names are paid for": (unlimited(budget, "_FREE_COLUMNS"), "names without end"),
    "empty arrays claim little": (
        all_of(unlimited(arrays, "_MOST_UNPAID"), off(registry, "check_settings")),
        "an empty huge claim",
    ),
    "settings are as fit takes them": (off(registry, "check_settings"), "a setting that fit would not take"),
}


def gets_through(check):
    """How the hostile file of a check fares without it: "refused" in our words, "opens", or what it died of."""
    change, attack = CHECKS[check]
    with tempfile.TemporaryDirectory() as folder:
        file = ATTACKS[attack](Path(folder) / "hostile")
        child = os.fork()
        if not child:
            os._exit(_attempt(change, file))
        status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return {WORKS: "opens", REFUSED: "refused"}.get(os.WEXITSTATUS(status), "fails otherwise")


def _attempt(change, file):
    signal.alarm(10)
    change()
    try:
        load_model(file)
    except MalformedFile:
        return REFUSED
    except BaseException:
        return 9
    return WORKS


def main():
    for check in CHECKS:
        print(f"{check:45} {CHECKS[check][1]:40} {gets_through(check)}", flush=True)


if __name__ == "__main__":
    main()
