"""Compare methods in a small study, and put labels, network and results on one page that works offline."""

from pathlib import Path

from bncc.analysis.page import join_summaries, summarise_labels, summarise_results, write_page
from bncc.datasets import SCENES, make_scenes, save
from bncc.experiment import Store, load_protocol, run_study

PROTOCOL = """
datasets = [{ name = "scenes", path = "scenes.csv", labels = -10 }]
metrics = ["hamming_loss", "example_f1", "macro_f1", "micro_f1"]

[folds]
n = 5

[selection]
mode = "whole"
folds = 3
sigma = [0.5, 1, 2, 4, 8, 16]
C = [1, 10, 100]

[methods.BR]
estimator = "BinaryRelevance"
[methods.CC]
estimator = "ClassifierChain"
[methods.BNCC]
estimator = "BNCC"
"""

folder = Path("out")
folder.mkdir(exist_ok=True)
data = make_scenes(400)
save(data, folder / "scenes.csv")
(folder / "scenes.toml").write_text(PROTOCOL, encoding="utf-8")

# Results go into a store; a study that was stopped goes on where it was.
run_study(load_protocol(folder / "scenes.toml"), folder / "scenes.sqlite")

# A page needs the store alone: it can be drawn again at any time.
with Store.read(folder / "scenes.sqlite") as store:
    results = summarise_results(store.records(), store.candidates(), settings=store.protocol)
labels = summarise_labels(data, title="Village and city scenes", true_parents=SCENES.parents)

for ranks in results.results.ranks:
    print(f"{ranks.metric}: {', '.join(ranks.methods)}")
print("written:", write_page(join_summaries(labels, results), folder / "scenes.html"))
