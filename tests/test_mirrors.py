"""Every source file has its test file: src/bncc/A/b.py has tests/A/test_b.py."""

from pathlib import PurePosixPath

import pytest

from absence import ROOT, needs_source_tree

# Source files without a test file of their own, and why.
WITHOUT = {
    "analysis/page/quality_part.py": "records alone: tested by test_quality.py",
    "linear/block_arithmetic.py": "test_block_newton.py solves with it, cuda/test_arithmetic.py compares with it",
    "datasets/ticket_words.py": "words alone: tested by what is written with them",
    "multilabel/blending/family.py": "a protocol: tested by the families",
    "multilabel/kernel.py": "tested by all estimators, against clones of scikit-learn's",
    "multilabel/model_files/column_fields.py": "tested by test_columns_and_names.py",
    "multilabel/model_files/questions.py": "tested by test_scorers_and_nesting.py",
    "multilabel/model_files/records_bases.py": "tested by test_saved_models.py and test_hostile_records.py",
    "multilabel/model_files/records_boosting.py": "tested by test_saved_models.py and test_attacks.py",
    "multilabel/model_files/records_categories.py": "tested by test_saved_models.py and test_preparation_limits.py",
    "multilabel/model_files/records_kernel.py": "tested by test_saved_models.py and test_attacks.py",
    "multilabel/model_files/records_libsvm.py": "tested by test_saved_models.py and test_attacks.py",
    "multilabel/model_files/records_methods.py": "tested by test_saved_models.py and test_attacks.py",
    "multilabel/model_files/records_neighbours.py": "tested by test_saved_models.py and test_attacks.py",
    "multilabel/model_files/records_preparation.py": "tested by test_hostile_records.py and test_preparation_limits.py",
    "multilabel/model_files/records_selection.py": "tested by test_saved_models.py and test_attacks.py",
    "multilabel/model_files/records_tables.py": "tested by test_saved_models.py and test_attacks.py",
    "multilabel/model_files/records_text.py": "tested by test_saved_models.py and test_attacks.py",
    "multilabel/model_files/records_trees.py": "tested by test_saved_models.py and test_attacks.py",
    "multilabel/model_files/walk_checks.py": "tested by test_walks_and_notes.py",
    "multilabel/model_files/refusals.py": "what all the others raise; places are tested by test_hidden_and_wide.py",
    "multilabel/model_files/scoring_fields.py": "tested by test_scorers_and_nesting.py",
    "multilabel/orders.py": "tested through the chains that take them",
    "multilabel/progress.py": "tested through the estimators that tell of it",
    "svm/candidate_decisions.py": "tested by the searches, against scikit-learn's",
    "svm/cuda/engine.py": "test_engines.py and test_walks.py run with every engine",
    "svm/cuda/fold_decisions.py": "test_fold_decisions.py runs with every engine",
    "svm/cuda/walk.py": "test_walks.py runs with every engine",
    "svm/engine_host.py": "test_engines.py and test_walks.py run with every engine",
    "svm/engine_native.py": "test_engines.py and test_walks.py run with every engine",
    "svm/engine_numpy.py": "test_engines.py and test_walks.py run with every engine",
    "svm/engine_protocol.py": "a protocol: test_engines.py and test_walks.py run with every engine",
    "svm/fold_plan.py": "tested by test_fold_decisions.py, against fits of each fold",
    "svm/fold_problems.py": "tested by test_fold_decisions.py",
    "svm/plain_smo.py": "test_engines.py runs with every engine; precision.py too",
    "svm/native.py": "tested with the extensions, in test_native.py at the top",
    "svm/walk_plan.py": "tested by test_walks.py",
    "svm/walks_in_double.py": "test_walks.py runs with the engine in NumPy, test_precision.py with what needs it",
    "selection/tasks.py": "tested by the searches and studies that solve them",
}


def mirror_of(source: str) -> str:
    """The test file of a source file; a leading underscore is no part of the name.

    >>> mirror_of("labels/counts.py"), mirror_of("_checks.py"), mirror_of("__main__.py")
    ('labels/test_counts.py', 'test_checks.py', 'test_main.py')
    """
    path = PurePosixPath(source)
    return str(path.with_name(f"test_{path.stem.strip('_')}.py"))


def sources() -> list[str]:
    folder = ROOT / "src" / "bncc"
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py") if path.name != "__init__.py")


@needs_source_tree("src")
def test_every_source_file_has_its_test_file():
    missing = [source for source in sources() if not (ROOT / "tests" / mirror_of(source)).exists()]
    assert [source for source in missing if source not in WITHOUT] == [], "write their tests, or say why not in WITHOUT"


@needs_source_tree("src")
@pytest.mark.parametrize("source", WITHOUT)
def test_the_list_of_exceptions_is_true(source):
    assert source in sources(), "this file is gone: take it off the list"
    assert not (ROOT / "tests" / mirror_of(source)).exists(), "it has its test file now: take it off the list"


def test_mirrors_are_found_by_name():
    assert mirror_of("analysis/page/labels.py") == "analysis/page/test_labels.py"
    assert mirror_of("metrics/_inputs.py") == "metrics/test_inputs.py"
