"""scikit-learn's own tests of what our estimators take the place of: its chain, MultiOutput- and OneVsRestClassifier.

They are those of the installed scikit-learn, run with our classes under its names. What differs on purpose is listed
with the reason; a test that fails and is not listed fails here, and so does one that is listed and passes.
"""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sklearn

SEVERAL = "a chain takes columns of two classes; BinaryRelevance takes more"

MULTI_OUTPUT = {
    "test_classifier_chain_tuple_invalid_order": "a ValueError too, which says what is wrong with the order",
    "test_classifier_chain_verbose": "progress goes to standard error, with the time left",
    "test_multi_output_classes_[estimator2]": SEVERAL,
}
ROUTING = {
    "test_non_consuming_estimator_works[ClassifierChain]": SEVERAL,
    "test_setting_request_on_sub_estimator_removes_error[ClassifierChain]": SEVERAL,
}
ONE_VS_REST = {
    "test_ovr_always_present": "constant labels are no cause for a warning",
    "test_ovr_exceptions": "columns of several classes are learned, as MultiOutputClassifier does",
}
CHAIN_AND_MULTI_OUTPUT = "ClassifierChain,MultiOutputClassifier"
# File, classes to replace, tests to run, what differs, and how many must pass at least.
SUITES = {
    "multi-output": ("test_multioutput.py", CHAIN_AND_MULTI_OUTPUT, "not regress", MULTI_OUTPUT, 46),
    "routing": (
        "test_metaestimators_metadata_routing.py",
        CHAIN_AND_MULTI_OUTPUT,
        "MultiOutputClassifier or ClassifierChain",
        ROUTING,
        14,
    ),
    "one-vs-rest": ("test_multiclass.py", "OneVsRestClassifier", "ovr", ONE_VS_REST, 27),
}


def outcomes_of(file, standins, which, folder):
    """Names of the tests that passed and of those that failed, in a process where the stand-ins are in place."""
    path = Path(sklearn.__file__).parent / "tests" / file
    if not path.exists():
        pytest.skip(f"this scikit-learn comes without {file}")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    options = ["-c", "pytest.ini", "-p", "no:cacheprovider", "-q", "--junitxml=report.xml", "-k", which]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = {**inherited, "STANDINS": standins, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-m", "pytest", "-p", "scikit_learn_standins", *options, str(path)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout[-2000:] + done.stderr[-2000:]
    cases = list(ElementTree.parse(folder / "report.xml").iter("testcase"))
    failed = {case.get("name") for case in cases if {part.tag for part in case} & {"failure", "error"}}
    skipped = {case.get("name") for case in cases if "skipped" in {part.tag for part in case}}
    return {case.get("name") for case in cases} - failed - skipped, failed


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_only_what_is_listed_differs(suite, tmp_path):
    file, standins, which, differences, at_least = SUITES[suite]
    passed, failed = outcomes_of(file, standins, which, tmp_path)
    assert sorted(failed - set(differences)) == []
    assert sorted(passed & set(differences)) == [], "these pass now: take them off the list"
    assert len(passed) >= at_least
