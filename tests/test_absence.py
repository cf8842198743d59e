"""Where data sets or a browser are absent, tests are skipped, and fail only where they are asked for."""

import pytest

from absence import absent, needs_source_tree


@pytest.mark.parametrize("ci", [None, "true"])
@pytest.mark.parametrize("required", [None, "", "0"])
def test_absent_is_skipped_whoever_runs(monkeypatch, ci, required):
    for name, value in (("CI", ci), ("BNCC_REQUIRE_DATA", required)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    with pytest.raises(pytest.skip.Exception, match="no real data sets"):
        absent("no real data sets")


def test_absent_fails_where_it_is_required(monkeypatch):
    monkeypatch.setenv("BNCC_REQUIRE_DATA", "1")
    with pytest.raises(pytest.fail.Exception, match="no browser"):
        absent("no browser")


@pytest.mark.parametrize(("installed", "skipped"), [("1", True), ("", False)])
def test_source_tree_is_missed_by_installed_packages_alone(monkeypatch, installed, skipped):
    monkeypatch.setenv("BNCC_TEST_INSTALLED", installed)
    mark = needs_source_tree("src", "Makefile").mark
    assert mark.args == (skipped,)
    assert mark.kwargs["reason"].endswith("without src, Makefile")
