import json

import numpy as np
import pandas as pd
import pytest

from bncc import learn_network
from bncc.datasets import load, make_scenes, save
from bncc.structure import describing_search


def test_scenes_in_words(bncc, as_json, tmp_path):
    save(make_scenes(1000), tmp_path / "scenes.arff")
    shown = bncc("analyse", "scenes.arff").stdout
    assert "Rural makes High building less likely: 0." in shown
    assert "Cardinality 2.971" in shown
    assert "Chain order: Rural → High building" in shown
    result = as_json("analyse", "scenes.arff")
    told = next(d for d in result["dependences"] if (d["parent"], d["child"]) == ("Rural", "High building"))
    Y = make_scenes(1000).Y
    rural = Y[:, 0] == 1
    assert told["with_parent"] == pytest.approx(Y[rural, 3].mean())
    assert told["without_parent"] == pytest.approx(Y[~rural, 3].mean())
    before, after = Y[~rural, 3].mean(), Y[rural, 3].mean()
    assert told["words"] == f"Rural makes High building less likely: {before:.2f} → {after:.2f}"


@pytest.mark.parametrize("name", ["emotions", "genbase", pytest.param("delicious", marks=pytest.mark.slow)])
def test_real_sets_are_analysed(as_json, data_folder, name):
    data, result = load(name), as_json("analyse", name)
    assert set(result) == {
        "data", "rows", "features", "cardinality", "density", "mean_imbalance", "label_sets", "labels",
        "dependences", "network", "order", "edges", "left_out", "page",
    }  # fmt: skip
    search = describing_search(data.n_labels)
    net = learn_network(data.Y_sparse, max_children=None, label_names=data.label_names, search=search)
    assert result["order"] == [data.label_names[label] for label in net.order]
    assert [entry["rows"] for entry in result["labels"]] == data.Y_sparse.sum(axis=0).tolist()
    assert len(result["dependences"]) <= 20


@pytest.mark.slow
def test_many_labels_are_shown_in_part(bncc, data_folder):
    shown = bncc("analyse", "delicious", "--top", 5).stdout
    assert "the 5 most frequent of 983" in shown
    assert "(883 more)" in shown


def test_options_reach_the_network(as_json, data_folder):
    many, few = as_json("analyse", "emotions"), as_json("analyse", "emotions", "--max-children", 1)
    children = [parent for parents in few["network"].values() for parent in parents]
    assert len(children) == len(set(children))
    assert json.dumps(many["network"]) != json.dumps(few["network"])
    assert len(as_json("analyse", "emotions", "--top", 1)["dependences"]) == 2
    assert as_json("analyse", "emotions", "--part", "test")["rows"] == 202


def test_mistakes(fails, data_folder):
    assert "score" in fails("analyse", "emotions", "--score", "magic")
    assert "without a train part" in fails("analyse", "virusgo", "--part", "train")


def test_labels_without_features(as_json, bncc, tmp_path):
    (tmp_path / "posts.csv").write_text('body,tags\n"a b","x,y"\n"c","x"\n"d e","y"\n"f","x,y"\n')
    found = as_json("analyse", "posts.csv", "--labels", "tags", "--drop", "body", "--no-page")
    assert (found["features"], [label["name"] for label in found["labels"]]) == (0, ["x", "y"])
    bncc("analyse", "posts.csv", "--labels", "tags", "--drop", "body")


def test_a_column_that_is_not_there(fails, tmp_path):
    (tmp_path / "posts.csv").write_text('body,tags\n"a b","x,y"\n"c","x"\n"d e","y"\n"f","x,y"\n')
    assert "no column is named 'bodi'" in fails("analyse", "posts.csv", "--labels", "tags", "--text", "bodi")


def test_one_edge_is_not_edges(bncc, tmp_path):
    (tmp_path / "a.csv").write_text("a,b,x\n" + "1,1,2\n0,0,1\n" * 20)
    assert "Label network (1 edge)" in " ".join(bncc("analyse", "a.csv", "--labels", 2, "--no-page").stdout.split())


def test_ids_and_text_are_no_hindrance(as_json, weather):
    """`analyse` needs labels alone."""
    found = as_json("analyse", weather, "--labels", "rain,wind", "--no-page")
    assert (found["rows"], [label["name"] for label in found["labels"]]) == (80, ["rain", "wind"])
    assert as_json("analyse", weather, "-l", "rain,wind", "--drop", "id,note", "--no-page")["features"] == 3


def test_edges_of_chance_are_left_out_and_counted(bncc, as_json, tmp_path):
    Y = np.random.default_rng(0).integers(0, 2, (2000, 20))
    names = [f"l{label}" for label in range(20)]
    pd.DataFrame(Y, columns=names).assign(x=1.5).to_csv(tmp_path / "noise.csv", index=False)
    options = ("noise.csv", "--labels", 20, "--search", "paper", "--no-page")
    found = as_json("analyse", *options)
    assert len(found["edges"]) <= 1
    assert len(found["left_out"]) >= 14
    assert f"Left out: {len(found['left_out'])} edges" in " ".join(bncc("analyse", *options).stdout.split())
    every = as_json("analyse", *options, "--all-edges")
    assert every["left_out"] == []
    assert len(every["edges"]) == len(found["edges"]) + len(found["left_out"])
    assert not any(edge["sure"] for edge in every["edges"] if [edge["parent"], edge["child"]] in found["left_out"])


def test_what_if(bncc, as_json, fails, tmp_path):
    save(make_scenes(1000), tmp_path / "scenes.arff")
    found = as_json("analyse", "scenes.arff", "--given", "Rural=1", "--resamples", 10, "--no-page")
    answers = found["given"]
    assert answers["exact"]
    assert answers["probabilities"]["Rural"] == 1
    assert answers["probabilities"]["High building"] < answers["before"]["High building"]
    assert all(edge["share"] is not None for edge in found["edges"])
    assert "Given Rural=1" in bncc("analyse", "scenes.arff", "--given", "Rural=1", "--no-page").stdout
    assert "unknown label 'Sea'" in fails("analyse", "scenes.arff", "--given", "Sea=1")
    assert "must be a label and 1 or 0" in fails("analyse", "scenes.arff", "--given", "Rural")
    assert "says that 'Rural' is 0 and 1" in fails("analyse", "scenes.arff", "--given", "Rural=1", "--given", "Rural=0")
    assert "`--search` must be one of" in fails("analyse", "scenes.arff", "--search", "magic")


def test_unknown_labels_are_not_absent(as_json, bncc, tmp_path):
    random = np.random.default_rng(0)
    rain = random.random(2000) < 0.5
    umbrella = rain ^ (random.random(2000) < 0.1)
    lost = rain & (random.random(2000) < 0.5)
    lines = [f"{int(a)},{'' if gone else int(b)}" for a, b, gone in zip(rain, umbrella, lost, strict=True)]
    (tmp_path / "gaps.csv").write_text("rain,umbrella\n" + "\n".join(lines) + "\n")
    given = as_json("analyse", "gaps.csv", "--labels", "rain,umbrella", "--given", "rain=1")["given"]["probabilities"]
    assert given["umbrella"] == pytest.approx(umbrella[rain].mean(), abs=0.03)
    share = f"{50 * lost.mean():.1f} % of the labels are unknown"
    assert share in " ".join(bncc("analyse", "gaps.csv", "--labels", "rain,umbrella").stdout.split())
    assert share in (tmp_path / "report.html").read_text()
