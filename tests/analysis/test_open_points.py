from dataclasses import asdict

from bncc.analysis.open_points import settings_table
from bncc.experiment import load_protocol
from bncc.experiment.protocol import plain


def shown(protocol):
    return {row[0].text: row[1].text for row in settings_table(protocol).sections[0].rows}


def test_toml_and_store_say_the_same():
    toml = {
        "zero_division": 0.0,
        "folds": {"stratified": False},
        "selection": {"mode": "whole", "metric": "example_f1", "sigma": [0.5, 1.0]},
        "scaling": {"method": "range", "fit": "all"},
        "methods": {
            "BNCC": {"estimator": "BNCC", "max_children": 2},
            "ECC": {"n_chains": 10, "on": {"x": {"n_chains": 5}}},
        },
    }
    stored = {
        **toml,
        "methods": [
            {"name": "BNCC", "estimator": "BNCC", "params": {"max_children": 2}, "on": {}},
            {"name": "ECC", "estimator": "E", "params": {"n_chains": 10}, "on": {"x": {"n_chains": 5}}},
        ],
    }
    assert shown(toml) == shown(stored)
    setting_of = shown(toml)
    assert setting_of["Children that a label may have (n)"] == "max_children = 2"
    assert setting_of["Chains of ECC"] == "n_chains = 10; on = x: n_chains: 5"
    assert setting_of["Folds stratified by labels"] == "stratified = no"
    assert setting_of["Grid of sigma"] == "sigma = 0.5, 1"
    assert setting_of["Groups of GCC"] == "default of the package"


def test_the_protocol_of_the_paper_settles_every_point():
    setting_of = shown(plain(asdict(load_protocol("paper"))))
    assert "default of the package" not in setting_of.values()


def test_an_empty_protocol_leaves_all_to_defaults():
    assert set(shown({}).values()) == {"default of the package"}
