"""Hostile model files: each a function that writes one from a model of ours, in today's format or an earlier one."""

import io
import json
import os
import socket
import zipfile
from functools import partial

import numpy as np
import sklearn
from scipy import sparse

from bncc import BinaryRelevance, MLkNN
from bncc.multilabel.model_files import FORMAT
from bncc.multilabel.model_files.writing import Writer
from model_cases import DATA, fitted

HEAD = {"format": FORMAT, "versions": {"bncc": "0.1.0"}, "notes": {}}


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=array.dtype == object)
    return buffer.getvalue()


def write_file(path, structure, members, head=HEAD):
    """An archive of a structure and its arrays, whatever they are."""
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bncc.json", json.dumps(head) if isinstance(head, dict) else head)
        archive.writestr("structure.json", json.dumps(structure) if not isinstance(structure, bytes) else structure)
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def taken_apart(model):
    """The structure of a model and its arrays by name."""
    writer = Writer(lambda name: False)
    structure = json.loads(json.dumps(writer.write(model)))
    return structure, {name: np.load(io.BytesIO(content)) for name, content in writer.members.items()}


def records_in(node, name):
    """The fields of every record of a type."""
    if isinstance(node, dict):
        if "record" in node and node["record"][0] == name:
            yield node["record"][1]
        for value in node.values():
            yield from records_in(value, name)
    elif isinstance(node, list):
        for value in node:
            yield from records_in(value, name)


def old_file(path, model, edit=None, head=None):
    """A file as format 2 had it: an archive of skops, its schema edited, and a head."""
    import skops.io

    content = io.BytesIO(skops.io.dumps(model))
    with zipfile.ZipFile(content) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(members.pop("schema.json"))
    if edit is not None:
        schema = edit(schema, members) or schema
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        archive.writestr("schema.json", json.dumps(schema))
        archive.writestr("bncc.json", head or json.dumps({"format": 2, "versions": {"bncc": "0.1.0"}, "notes": {}}))
    return path


def nodes_in(schema, name):
    """Every node of a schema of skops that is of a class."""
    if isinstance(schema, dict):
        if schema.get("__class__") == name:
            yield schema
        for value in schema.values():
            yield from nodes_in(value, name)
    elif isinstance(schema, list):
        for value in schema:
            yield from nodes_in(value, name)


# ---- as skops wrote them: what crashed the first release, and what ate memory


def relevance():
    return BinaryRelevance().fit(DATA.X[:30, :4], DATA.Y[:30, :2])


def held_distances(path):
    model = relevance()
    kernel = model._solved.model
    kernel.batch.distances.__dict__.update(held=True)
    kernel.batch.distances.points.__dict__["n_features"] = 10**7
    return old_file(path, model)


def held_sparse_distances(path):
    model = BinaryRelevance().fit(
        sparse.csr_matrix(np.where(np.random.default_rng(0).random((40, 300)) < 0.02, 1.0, 0)), DATA.Y[:40, :2]
    )
    kernel = model._solved.model
    assert kernel.batch.distances.points.by_row is not None
    kernel.batch.distances.__dict__.update(held=True)
    kernel.batch.distances.points.__dict__["n_features"] = 10**7
    return old_file(path, model)


def rows_and_panels(path):
    model = relevance()
    points = model._solved.model.batch.distances.points
    empty = sparse.csr_array((points.n_rows, points.n_features), dtype=np.float32)
    points.__dict__.update(by_row=empty, by_column=empty.tocsc())
    return old_file(path, model)


def masked(path, field):
    model = relevance()
    solutions = model._solved.model.solutions
    array = np.ma.MaskedArray(getattr(solutions, field), mask=False)
    array[1] = 2**30
    array[1] = np.ma.masked
    solutions.__dict__[field] = array
    return old_file(path, model)


def neighbour_labels(path, part, value):
    model = MLkNN(k=3).fit(sparse.csr_matrix(DATA.X[:30]) if part.startswith("_rows") else DATA.X[:30], DATA.Y[:30])
    name, _, array = part.partition(".")
    getattr(getattr(model, name), array)[:] = value
    return old_file(path, model)


def tree_of_other_features(path, value):
    model, _ = fitted("tree")

    def edit(schema, members):
        for name, content in members.items():
            array = np.load(io.BytesIO(content))
            if array.dtype.names and "feature" in array.dtype.names:
                array["feature"][array["left_child"] >= 0] = value
                members[name] = npy(array)

    return old_file(path, model, edit)


def tree_says_more_features(path):
    """A forest of a tree that has more features than the rows which the forest asks for."""
    model, _ = fitted("forest")

    def edit(schema, members):
        tree = list(nodes_in(schema, "Tree"))[1]
        tree["__reduce__"]["args"]["content"][0]["content"] = "100000"

    return old_file(path, model, edit)


def tree_without_rows(path):
    def edit(schema, members):
        for name, content in members.items():
            array = np.load(io.BytesIO(content))
            if array.dtype.names:
                members[name] = npy(array[0])

    return old_file(path, fitted("tree")[0], edit)


def wide_neighbours(path):
    import copy

    model = copy.deepcopy(fitted("neighbours")[0])
    model.n_features_in_ = 400_000
    return old_file(path, model)


def late_random_state(path):
    from sklearn.base import clone

    model = clone(relevance()).set_params(random_state=np.random.RandomState(0))

    def edit(schema, members):
        (state,) = nodes_in(schema, "RandomState")
        state["content"]["content"]["state"]["content"]["pos"]["content"] = str(10**9)

    return old_file(path, model, edit)


def named_often(path, times=25, size=4_000_000):
    """One array of 32 MB of zeros, a thousand times smaller in the file, and named again and again."""

    def edit(schema, members):
        members["big.npy"] = npy(np.zeros(size))
        array = next(nodes_in(schema, "ndarray"))
        array["file"] = "big.npy"
        cell = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": [array] * times}
        schema["content"]["content"]["random_state"] = cell

    return old_file(path, relevance(), edit)


def blanks(path):
    return old_file(path, relevance(), head=b" " * 20_000_000 + b"{}")


def partial_node(path):
    text = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
    names = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": []}
    empty = {"__class__": "dict", "__module__": "builtins", "__loader__": "DictNode", "content": {}, "key_types": names}
    numbers = {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode"}

    def edit(schema, members):
        function = {"__class__": "multiply", "__module__": "numpy", "__loader__": "FunctionNode"}
        given = {**numbers, "content": [{**text, "content": "6"}, {**text, "content": "7"}]}
        schema["content"]["content"]["verbose"] = {
            "__class__": "RandomForestClassifier",
            "__module__": "sklearn.ensemble._forest",
            "__loader__": "PartialNode",
            "content": {"func": function, "args": given, "kwds": empty, "namespace": empty},
        }

    return old_file(path, relevance(), edit)


def loader(path, node):
    """Any node in the place of a parameter."""

    def edit(schema, members):
        schema["content"]["content"]["verbose"] = node

    return old_file(path, relevance(), edit)


TEXT = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": '"id"'}
NODES = {
    "function": {"__class__": "system", "__module__": "os", "__loader__": "FunctionNode"},
    "constructor": {
        "__class__": "Popen",
        "__module__": "subprocess",
        "__loader__": "ConstructorFromReduceNode",
        "content": {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode", "content": [TEXT]},
    },
    "operator": {
        "__class__": "methodcaller",
        "__module__": "operator",
        "__loader__": "OperatorFuncNode",
        "attrs": TEXT,
    },
    "method": {
        "__class__": "method",
        "__module__": "builtins",
        "__loader__": "MethodNode",
        "content": {"func": "fit", "obj": TEXT},
    },
    "type": {"__class__": "eval", "__module__": "builtins", "__loader__": "TypeNode"},
    "unknown loader": {"__class__": "x", "__module__": "y", "__loader__": "NoSuchNode"},
    "module with side effects": {"__class__": "x", "__module__": "antigravity", "__loader__": "ObjectNode"},
    "generator": {
        "__class__": "Generator",
        "__module__": "numpy.random",
        "__loader__": "RandomGeneratorNode",
        "content": {},
    },
    "no node": 5,
    "deep": json.loads('{"__loader__": "ListNode", "__class__": "list", "content": [' * 400 + "]}" * 400),
}


OLD = {
    "a dense": held_distances,
    "a sparse": held_sparse_distances,
    "b": rows_and_panels,
    "c support": partial(masked, field="support"),
    "c support_ptr": partial(masked, field="support_ptr"),
    "d indices": partial(neighbour_labels, part="_labels_of_rows.indices", value=2**30),
    "d indptr": partial(neighbour_labels, part="_labels_of_rows.indptr", value=2**20),
    "d rows indices": partial(neighbour_labels, part="_rows.indices", value=2**30),
    "d rows indptr": partial(neighbour_labels, part="_rows.indptr", value=2**20),
    "e": partial(tree_of_other_features, value=10**6),
    "e negative": partial(tree_of_other_features, value=-7),
    "e forest": tree_says_more_features,
    "f": tree_without_rows,
    "g": wide_neighbours,
    "h": late_random_state,
    "bomb of references": named_often,
    "bomb of blanks": blanks,
    "partial": partial_node,
    **{f"node {name}": partial(loader, node=node) for name, node in NODES.items()},
}


# ---- in today's format: an edit of the structure or of one array, each against one check


def edited(path, case, edit):
    structure, arrays = taken_apart(fitted(case)[0])
    edit(structure, arrays)
    return write_file(path, structure, {name: npy(array) for name, array in arrays.items()})


def set_field(record, field, value, which=0):
    """Put a structure into a field of a record."""

    def edit(structure, arrays):
        list(records_in(structure, record))[which][field] = value

    return edit


def without_field(record, field):
    def edit(structure, arrays):
        del next(records_in(structure, record))[field]

    return edit


def set_array(record, field, change, which=0):
    """Change the array of a field; a change returns the new one."""

    def edit(structure, arrays):
        node = list(records_in(structure, record))[which][field]
        name = node["array"]
        arrays[name] = change(arrays[name])

    return edit


def first_table(change):
    """Change the first table of labels given their parents."""

    def edit(structure, arrays):
        name = next(records_in(structure, "NetworkMLkNN"))["tables_"]["tuple"][0]["array"]
        arrays[name] = change(arrays[name])

    return edit


def filled(value):
    def change(array):
        array = array.copy()
        array.reshape(-1)[...] = value
        return array

    return change


def nodes_with(**changes):
    def change(nodes):
        nodes = nodes.copy()
        for field, value in changes.items():
            nodes[field] = value
        return nodes

    return change


def same_record(structure, arrays):
    fields = next(records_in(structure, "BinaryRelevance"))
    tree = {"record": ["LogisticRegression", {"C": 1.0}, 900]}
    number = 900
    for _ in range(30):
        twice = {"list": [{"same": number}] * 10}
        tree = {"list": [tree, {"record": ["LogisticRegression", {"C": twice}, number + 1]}]}
        number += 1
    fields["random_state"] = tree


def sparse_edit(part, value):
    def edit(structure, arrays):
        node = next(records_in(structure, "MLkNN"))["_labels_of_rows"]["sparse"]
        name = node[{"data": 2, "indices": 3, "indptr": 4}[part]]["array"]
        arrays[name] = filled(value)(arrays[name]) if not callable(value) else value(arrays[name])

    return edit


def one_hot_edit(structure, arrays):
    fields = next(records_in(structure, "OneHotEncoder"))
    for node in fields["_default_to_infrequent_mappings"]["list"]:
        if node is not None:
            arrays[node["array"]] = filled(10**6)(arrays[node["array"]])


def one_hot_mask(structure, arrays):
    """Categories beyond, of which the smallest and the largest know nothing."""
    mappings = next(records_in(structure, "OneHotEncoder"))["_default_to_infrequent_mappings"]["list"]
    for place, node in enumerate(mappings):
        if node is not None:
            arrays[node["array"]][0] = 10**6
            arrays[f"mask{place}.npy"] = np.arange(arrays[node["array"]].size) == 0
            mappings[place] = {"masked": [node, {"array": f"mask{place}.npy"}]}


def short_averages(structure, arrays):
    """Weights that `partial_fit` goes on with, of fewer features than there are."""
    arrays["short.npy"] = np.zeros((1, 1))
    next(records_in(structure, "SGDClassifier"))["_average_coef"] = {"array": "short.npy"}


def memory_at_any_place(structure, arrays):
    """NumPy takes an object with this attribute for an array at that address."""
    interface = {"dict": [["shape", {"tuple": [2]}], ["typestr", "<i8"], ["data", {"tuple": [4096, False]}]]}
    next(records_in(structure, "StandardScaler"))["with_std"] = {"bunch": [["__array_interface__", interface]]}


def vocabulary_edit(structure, arrays):
    next(records_in(structure, "CountVectorizer"))["vocabulary_"]["dict"][0][1] = 10**6


def shadowed_method(structure, arrays):
    """A harmless function in the place of the method that checks the rows."""
    next(records_in(structure, "RandomForestClassifier"))["_validate_X_predict"] = {
        "function": "sklearn.utils.validation.check_array"
    }


def tree_as_estimator(structure, arrays):
    """A tree of compiled code where an estimator belongs: it would be asked without any check of the rows."""
    next(records_in(structure, "BNCC"))["estimator"] = {"record": ["Tree", next(records_in(structure, "Tree"))]}


def table_edit(structure, arrays):
    name = next(records_in(structure, "AugmentedNaiveBayes"))["tables_"]["tuple"][0]["array"]
    arrays[name] = arrays[name][..., :-1].copy()


def words_edit(structure, arrays):
    """Links of many labels whose rows have no words to keep them in."""
    batch = next(records_in(structure, "Batch"))
    for field, part in (("words", np.s_[:0]), ("context", np.s_[:, :0])):
        arrays[batch[field]["array"]] = arrays[batch[field]["array"]][part].copy()


def other_tree_in_forest(structure, arrays):
    """The second tree of a forest wants more features than the first, which is the one that is asked."""
    list(records_in(structure, "DecisionTreeClassifier"))[-1]["n_features_in_"] = 1000
    list(records_in(structure, "Tree"))[-1]["n_features"] = 1000


def drop_block(structure, arrays):
    """The first two blocks as one, whose links and sets are still of two."""
    fields = next(records_in(structure, "BlockPowerset"))
    first, second, *others = fields["blocks_"]["tuple"]
    fields["blocks_"]["tuple"] = [{"tuple": first["tuple"] + second["tuple"]}, *others]


def far_feature(structure, arrays):
    other_tree_in_forest(structure, arrays)
    node = list(records_in(structure, "Tree"))[-1]["nodes"]["array"]
    arrays[node]["feature"][arrays[node]["left_child"] >= 0] = 999


def nameless_features(structure, arrays):
    """Features without anything learned of them, and a name for each when these are asked for."""
    list(records_in(structure, "StandardScaler"))[-1].update(n_features_in_=2**31 - 1, scale_=None, mean_=None)


NEW_FORMAT = {
    "a plan that decides otherwise": ("Blend-planned", set_field("PlannedDecision", "kind", "by the moon")),
    "a plan of words": ("Blend-planned", set_field("PlannedDecision", "values", {"tuple": ["much"]})),
    "a plan without a decision's numbers": ("Blend-planned", without_field("PlannedDecision", "values")),
    "a plan with a decision of text": ("Blend-planned", set_field("BlendPlan", "decision", "half")),
    "a plan that weighs by half": ("Blend-planned", set_field("BlendPlan", "weighs_labels", 0.5)),
    "a plan that calibrates by text": ("Blend-planned", set_field("BlendPlan", "calibrates", "no")),
    "points of other width": ("KernelSVC", set_field("Points", "n_features", 10**7)),
    "points of other length": ("KernelSVC", set_field("Points", "n_rows", 5)),
    "points without panels": ("KernelSVC", set_field("Points", "panels", None)),
    "norms too short": ("KernelSVC", set_array("Points", "norms", lambda array: array[:-32])),
    "panels too few": ("KernelSVC", set_array("Points", "panels", lambda array: array[:-1])),
    "panels of doubles": ("KernelSVC", set_array("Points", "panels", lambda array: array.astype(float))),
    "panels by column": ("KernelSVC", set_array("Points", "panels", np.asfortranarray)),
    "held distances": ("KernelSVC", set_field("Distances", "held", True)),
    "a cached matrix": ("KernelSVC", set_field("Distances", "matrix", {"list": []})),
    "support beyond the rows": ("KernelSVC", set_array("Solutions", "support", filled(2**30))),
    "support below zero": ("KernelSVC", set_array("Solutions", "support", filled(-5))),
    "pointers that fall": (
        "BinaryRelevance",
        set_array("Solutions", "support_ptr", lambda p: np.r_[p[0], p[-1], p[2:]]),
    ),
    "pointers beyond": ("BinaryRelevance", set_array("Solutions", "support_ptr", lambda p: np.r_[p[:-1], p[-1] + 99])),
    "pointers of other problems": ("BinaryRelevance", set_array("Solutions", "support_ptr", lambda p: p[[0, -1]])),
    "words of other rows": ("BinaryRelevance", set_array("Batch", "words", lambda words: words[:, :-1])),
    "words that are too few": ("BinaryRelevance", words_edit),
    "more labels than words": ("BinaryRelevance", set_field("KernelLinks", "n_labels", 1000)),
    "contexts of other problems": ("BinaryRelevance", set_array("Batch", "context", lambda context: context[:-1])),
    "no gamma": ("BinaryRelevance", set_array("Batch", "gamma", filled(np.nan))),
    "writes beyond": ("BinaryRelevance", set_array("KernelLinks", "writes", filled(10**6))),
    "walks beyond": ("BinaryRelevance", set_field("BinaryRelevance", "_walks", {"tuple": [{"tuple": [10**6]}]})),
    "features of other model": ("BinaryRelevance", set_field("BinaryRelevance", "n_features_in_", 5)),
    "no number of features": ("tree", without_field("DecisionTreeClassifier", "n_features_in_")),
    "labels of other number": ("BinaryRelevance", set_field("BinaryRelevance", "n_labels_", 10**6)),
    "a thousand threads": ("BinaryRelevance", set_field("BinaryRelevance", "n_jobs", 10**6)),
    "endless draws": ("monte-carlo", set_field("ClassifierChain", "n_samples", 10**9)),
    "endless beam": ("beam", set_field("ClassifierChain", "beam_width", 10**9)),
    "unknown field": ("BinaryRelevance", set_field("BinaryRelevance", "surprise", 1)),
    "unknown record": ("BinaryRelevance", set_field("BinaryRelevance", "random_state", {"record": ["Popen", {}]})),
    "unknown kind": ("BinaryRelevance", set_field("BinaryRelevance", "random_state", {"call": ["os.system", "id"]})),
    "unknown function": ("BinaryRelevance", set_field("BinaryRelevance", "random_state", {"function": "os.system"})),
    "unknown type": ("BinaryRelevance", set_field("BinaryRelevance", "random_state", {"type": "Popen"})),
    "foreign": ("BinaryRelevance", set_field("BinaryRelevance", "random_state", {"foreign": ["os.system", [], None]})),
    "function with arguments": (
        "BinaryRelevance",
        set_field("BinaryRelevance", "random_state", {"partial": ["numpy.abs", [["out", 1]]]}),
    ),
    "reference to itself": ("BinaryRelevance", set_field("BinaryRelevance", "random_state", {"same": 0})),
    "records of records": ("BinaryRelevance", same_record),
    "labels of neighbours beyond": ("MLkNN", sparse_edit("indices", 2**30)),
    "labels of neighbours below": ("MLkNN", sparse_edit("indices", -1)),
    "pointers of neighbours": ("MLkNN", sparse_edit("indptr", 2**20)),
    "pointers of neighbours that fall": ("MLkNN", sparse_edit("indptr", lambda p: np.r_[p[0], p[-1], p[2:]])),
    "data of neighbours": ("MLkNN", sparse_edit("data", lambda array: array[:3])),
    "rows of neighbours not finite": ("MLkNN", set_array("MLkNN", "_rows", filled(np.nan))),
    "more neighbours than rows": ("MLkNN", set_field("MLkNN", "_n_neighbors", 10**6)),
    "tree beyond features": ("tree", set_array("Tree", "nodes", nodes_with(feature=10**6))),
    "tree below features": ("tree", set_array("Tree", "nodes", nodes_with(feature=-5))),
    "tree astray": ("tree", set_array("Tree", "nodes", nodes_with(left_child=10**6))),
    "tree in a ring": ("tree", set_array("Tree", "nodes", nodes_with(right_child=0))),
    "tree without nodes": ("tree", set_array("Tree", "nodes", lambda nodes: nodes[:0])),
    "tree of no dimension": ("tree", set_array("Tree", "nodes", lambda nodes: nodes[0])),
    "values of other nodes": ("tree", set_array("Tree", "values", lambda values: values[:-1])),
    "values of other classes": ("tree", set_array("Tree", "n_classes", filled(1000))),
    "forest of other trees": ("forest", other_tree_in_forest),
    "forest of far features": ("forest", far_feature),
    "forest without its check": ("forest", shadowed_method),
    "a tree as an estimator": ("trees", tree_as_estimator),
    "boosting beyond features": ("boosting", set_array("Tree", "nodes", nodes_with(feature=10**6))),
    "boosting of other classes": (
        "boosting of three",
        set_field("GradientBoostingClassifier", "n_trees_per_iteration_", 1),
    ),
    "boosting from fewer classes": (
        "boosting of three",
        set_array("DummyClassifier", "class_prior_", lambda array: array[:1]),
    ),
    "boosting from a stranger": (
        "boosting of three",
        set_field(
            "GradientBoostingClassifier",
            "init_",
            {"record": ["GaussianNB", {"priors": None, "_sklearn_version": sklearn.__version__}]},
        ),
    ),
    "histogram beyond features": (
        "histogram boosting",
        set_array("TreePredictor", "nodes", nodes_with(feature_idx=10**6)),
    ),
    "histogram astray": ("histogram boosting", set_array("TreePredictor", "nodes", nodes_with(left=10**6, is_leaf=0))),
    "histogram in a ring": (
        "histogram boosting",
        set_array("TreePredictor", "nodes", nodes_with(left=0, right=0, is_leaf=0)),
    ),
    "histogram of categories": (
        "histogram boosting",
        set_array("TreePredictor", "nodes", nodes_with(is_categorical=1)),
    ),
    "histogram already binned": ("histogram boosting", set_field("HistGradientBoostingClassifier", "_in_fit", True)),
    "svm of other counts": ("svm", set_array("SVC", "_n_support", filled(10**6))),
    "svm of other vectors": ("svm", set_array("SVC", "support_vectors_", lambda array: array[:, :2])),
    "svm of other coefficients": ("svm", set_array("SVC", "_dual_coef_", lambda array: array[:, :2])),
    "svm of other intercepts": ("svm of three", set_array("SVC", "_intercept_", lambda array: array[:1])),
    "svm of other probabilities": ("svm", set_array("SVC", "_probA", lambda array: np.zeros(7))),
    "svm with probabilities it has not": ("svm", set_field("SVC", "probability", True)),
    "svm of rows that there were not": ("svm", set_array("SVC", "support_", filled(2**30))),
    "averages of other features": ("sgd", short_averages),
    "svm dense as sparse": ("svm", set_field("SVC", "_sparse", True)),
    "votes beyond classes": ("voting", set_array("GaussianNB", "classes_", filled(2**30), which=-1)),
    "neighbours of other features": ("neighbours", set_field("KNeighborsClassifier", "n_features_in_", 400_000)),
    "neighbours of other classes": ("neighbours", set_array("KNeighborsClassifier", "_y", filled(9))),
    "neighbours by a function": (
        "neighbours",
        set_field("KNeighborsClassifier", "metric", {"function": "sklearn.metrics._classification.accuracy_score"}),
    ),
    "blocks with a label twice": (
        "BlockPowerset",
        set_field("BlockPowerset", "blocks_", {"tuple": [{"tuple": [0] * 10}]}),
    ),
    "sets of other blocks": ("BlockPowerset", set_field("LabelSets", "labels", {"tuple": [0, 0, 0]})),
    "blocks of fewer sets": ("BlockPowerset", set_array("LabelSets", "sets", lambda sets: sets[:2])),
    "two blocks as one": ("block chain of classes", drop_block),
    "pairs without a link": (
        "network pairs",
        set_array("CalibratedLabelRanking", "pairs_", lambda pairs: np.r_[pairs, pairs]),
    ),
    "pairs beyond the labels": ("network pairs", set_array("CalibratedLabelRanking", "pairs_", filled(10**6))),
    "pairs of other certainty": (
        "network pairs",
        set_array("CalibratedLabelRanking", "_certain", lambda certain: certain[:-1]),
    ),
    "a network of other labels": (
        "network pairs",
        set_field("LabelNetwork", "parents", {"tuple": [{"tuple": []}]}),
    ),
    "clusters on many threads": ("GroupSensitiveChain", set_field("KMeans", "_n_threads", 10**6)),
    "clusters of other features": (
        "GroupSensitiveChain",
        set_array("KMeans", "cluster_centers_", lambda array: array[:, :3]),
    ),
    "random numbers too late": (
        "network",
        lambda structure, arrays: next(records_in(structure, "RandomState")).update(pos=10**9),
    ),
    "categories beyond": ("rare", one_hot_edit),
    "categories behind a mask": ("rare", one_hot_mask),
    "memory at any place": ("standard", memory_at_any_place),
    "categories in disorder": (
        "bins",
        lambda structure, arrays: [
            arrays.update({node["array"]: arrays[node["array"]][::-1].copy()})
            for node in next(records_in(structure, "OneHotEncoder"))["categories_"]["list"]
        ],
    ),
    "words beyond": ("counts", vocabulary_edit),
    "levels twice": ("table", set_field("CategoryEncoder", "levels", {"tuple": ["email", "email"]})),
    "levels that are no words": ("table", set_field("CategoryEncoder", "levels", {"tuple": [7]})),
    "columns of other tables": ("table", set_field("CategoryEncoder", "name", "nothing of that name")),
    "decisions about other tables": ("table", set_field("ColumnDecision", "column", "nothing of that name")),
    "texts without a vectorizer": ("table", set_field("TextEncoder", "vectorizer", 7)),
    "a spread below nothing": ("table", set_field("NumberEncoder", "spread", -1.0)),
    "a middle that is none": ("table", set_field("NumberEncoder", "middle", {"float": "nan"})),
    "dates without a distance": ("table", set_field("DateEncoder", "distance", None)),
    "encoders that are none": (
        "table",
        set_field("TableFeatures", "encoders_", {"tuple": [{"record": ["Constant", {}]}]}),
    ),
    "words of the table beyond": (
        "table",
        lambda structure, arrays: next(records_in(structure, "TfidfVectorizer"))["vocabulary_"]["dict"][0].__setitem__(
            1, 10**6
        ),
    ),
    "a pattern that takes hours": ("counts", set_field("CountVectorizer", "token_pattern", r"(\w+\s?)+$")),
    "files for text": ("counts", set_field("CountVectorizer", "input", "filename")),
    "a folder of pickles": ("counts", set_field("Pipeline", "memory", "cache")),
    "names without end": ("standard", nameless_features),
    "hashes without end": ("hashes", set_field("HashingVectorizer", "n_features", 2**30)),
    "powers of no flag": ("polynomial", set_field("PolynomialFeatures", "interaction_only", 100)),
    "a setting that fit would not take": ("standard", set_field("StandardScaler", "with_mean", 7)),
    "powers without end": ("polynomial", set_field("PolynomialFeatures", "_max_degree", 40)),
    "bins of other tables": ("AugmentedNaiveBayes", set_field("AugmentedNaiveBayes", "cuts_", {"tuple": []})),
    "linear problems beyond": ("linear links", set_array("LinearLinks", "first", lambda first: first + 5)),
    "linear links without problems": (
        "linear links",
        set_array("LinearLinks", "first", lambda first: np.r_[first[:1], first[:1], first[2:]]),
    ),
    "linear weights of other labels": ("linear links", set_field("linear Solutions", "n_features", 3)),
    "links of other landmarks": ("mapped links", set_field("linear Solutions", "n_features", 3)),
    "landmarks of other weights": ("landmarks", set_array("linear Solutions", "weights", lambda array: array[:, :3])),
    "tables of other bins": ("AugmentedNaiveBayes", table_edit),
    "a network in a ring": (
        "BNCC",
        set_field("LabelNetwork", "parents", {"tuple": [{"tuple": [(label + 1) % 10]} for label in range(10)]}),
    ),
    "layers of other walks": (
        "StackedBinaryRelevance",
        set_field("StackedBinaryRelevance", "_walks", {"tuple": [{"tuple": [0, 1]}]}),
    ),
    "layers that see labels beyond": (
        "StackedBinaryRelevance",
        set_field("StackedBinaryRelevance", "contexts_", {"tuple": [{"tuple": [10**6]}] * 10}),
    ),
    "another way to stack": ("stacked rates", set_field("StackedBinaryRelevance", "stack_method_", "score")),
    "probabilities of other parents": ("NetworkMLkNN", first_table(lambda table: np.full(3, 0.5))),
    "probabilities beyond one": ("NetworkMLkNN", first_table(filled(2.0))),
    "terms of other edges": ("NetworkDecoder", set_array("NetworkDecoder", "pair_terms_", lambda terms: terms[:-1])),
    "terms without end": ("NetworkDecoder", set_array("NetworkDecoder", "pair_terms_", filled(np.inf))),
    "a strength beyond": ("NetworkDecoder", set_field("NetworkDecoder", "strength_", 1e9)),
}


def raw_member(change):
    """A file of one array whose bytes are changed."""

    def write(path):
        structure, arrays = taken_apart(fitted("KernelSVC")[0])
        members = {name: npy(array) for name, array in arrays.items()}
        name = next(records_in(structure, "Points"))["norms"]["array"]
        members[name] = change(members[name])
        return write_file(path, structure, members)

    return write


def header(text, rest=b""):
    body = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(body).to_bytes(2, "little") + body + rest


def empty_claim(path):
    structure, arrays = taken_apart(fitted("BinaryRelevance")[0])
    members = {name: npy(array) for name, array in arrays.items()}
    members["huge.npy"] = header("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 10000000000), }")
    next(records_in(structure, "BinaryRelevance"))["random_state"] = {"array": "huge.npy"}
    return write_file(path, structure, members)


def other_head(head):
    def write(path):
        structure, arrays = taken_apart(fitted("KernelSVC")[0])
        return write_file(path, structure, {name: npy(array) for name, array in arrays.items()}, head)

    return write


def whole_structure(content):
    return lambda path: write_file(path, content, {})


def twice_named(path):
    import warnings

    structure, arrays = taken_apart(fitted("KernelSVC")[0])
    write_file(path, structure, {name: npy(array) for name, array in arrays.items()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("0.npy", b"another")
    return path


def pipe(path):
    os.mkfifo(path)
    return path


def device(path):
    os.symlink("/dev/zero", path)
    return path


def listening(path):
    # The name of a socket may be no longer than about a hundred characters.
    folder = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(folder)
    return path


RAW = {
    "an array of pickles": raw_member(lambda _: npy(np.array([print], dtype=object))),
    "a huge claim": raw_member(lambda _: header("{'descr': '<f4', 'fortran_order': False, 'shape': (10000000000,), }")),
    "an empty huge claim": empty_claim,
    "a negative claim": raw_member(lambda _: header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }")),
    "a header that is code": raw_member(lambda _: header("__import__('os').system('id')")),
    "a header of brackets": raw_member(lambda _: header("(" * 100)),
    "an array cut short": raw_member(lambda content: content[:-4]),
    "an array of dates": raw_member(lambda _: npy(np.zeros(64, "M8[s]"))),
    "no array": raw_member(lambda _: b"hello"),
    "a head of blanks": other_head(" " * 2_000_000 + json.dumps(HEAD)),
    "a head of brackets": other_head("[" * 100_000),
    "a structure of brackets": whole_structure(b"[" * 100_000),
    "a structure of many lists": whole_structure(b"[" + b"[]," * 4_000_000 + b"[]]"),
    "a structure with a name twice": whole_structure(b'{"list": [], "list": []}'),
    "a structure of a number": whole_structure(b"5"),
    "a structure that is no JSON": whole_structure(b"\xff"),
    "two members of one name": twice_named,
    "a pipe": pipe,
    "a device": device,
    "a socket": listening,
}

ATTACKS = {
    **{f"old: {name}": write for name, write in OLD.items()},
    **{name: partial(edited, case=case, edit=edit) for name, (case, edit) in NEW_FORMAT.items()},
    **RAW,
}
