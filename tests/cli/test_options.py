from typing import get_args

import pytest

pytest.importorskip("typer")

from bncc.cli.options import BaseOption, DataArgument, EngineOption, MetricOption


def completed(option, incomplete):
    return get_args(option)[1].autocompletion(incomplete)


def test_data_complete_by_catalogue_and_files(tmp_path, monkeypatch):
    (tmp_path / "yes").mkdir()
    for name in ("year.csv", ".yeti", "yes/a.arff"):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    assert completed(DataArgument, "ye") == ["yeast", "year.csv", "yes/"]
    assert completed(DataArgument, "yes/") == ["yes/a.arff"]
    assert completed(DataArgument, "absent/") == []


def test_options_complete_by_their_names():
    assert completed(BaseOption, "k") == ["kernel"]
    assert completed(EngineOption, "cu") == ["cuda"]
    assert "micro_f1" in completed(MetricOption, "micro")
