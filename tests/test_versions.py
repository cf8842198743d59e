import platform

import numpy as np
import sklearn

import bncc
from bncc._versions import versions_now


def test_versions_are_those_in_use():
    versions = versions_now()
    assert versions["bncc"] == bncc.__version__
    assert versions["numpy"] == np.__version__
    assert versions["scikit-learn"] == sklearn.__version__
    assert versions["python"] == platform.python_version()


def test_others_can_be_asked_for_and_may_be_missing():
    versions = versions_now("joblib", "no-such-package")
    assert versions["joblib"][0].isdigit()
    assert versions["no-such-package"] == "unknown"
