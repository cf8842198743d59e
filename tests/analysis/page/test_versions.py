from importlib.metadata import PackageNotFoundError

from bncc.analysis.page import versions
from bncc.analysis.page.versions import versions_now


def test_versions_name_what_decides_results():
    assert {"python", "bncc", "numpy", "scipy", "scikit-learn"} == set(versions_now())


def test_a_package_that_is_not_installed_has_no_known_version(monkeypatch):
    def version(package):
        raise PackageNotFoundError(package)

    monkeypatch.setattr(versions, "version", version)
    assert versions_now()["bncc"] == "unknown"
