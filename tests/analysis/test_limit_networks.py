from bncc.analysis.limit_networks import limit_networks
from bncc.experiment import Record


def record(dataset, method, n_labels, fold=0):
    parents = ((),) + ((0,),) * (n_labels - 1)
    return Record(dataset, method, 0, fold, {}, order=tuple(range(n_labels)), parents=parents)


def test_the_set_nearest_to_ten_labels_is_taken_with_its_names():
    records = [
        record(dataset, method, n_labels, fold)
        for dataset, n_labels in (("small", 6), ("middle", 12), ("large", 30))
        for method in ("BNCC no limit", "BNCC", "BNCC n=1", "CC")
        for fold in (0, 1)
    ]
    dataset, networks = limit_networks(records, {"middle": [f"m{label}" for label in range(12)]})
    assert dataset == "middle"
    assert list(networks) == ["at most 1 child", "at most 2 children", "no limit"]
    net = networks["no limit"]
    assert net.label_names[1] == "m1"
    assert len(net.edges) == 11


def test_one_limit_alone_is_nothing_to_compare():
    assert limit_networks([record("d", "BNCC", 12)], {}) == ("", {})
    assert limit_networks([Record("d", "BNCC", 0, 0, {}), Record("d", "BNCC n=1", 0, 0, {})], {}) == ("", {})
