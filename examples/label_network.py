"""Learn how labels depend on each other, ask why, and write the network for other programs."""

from pathlib import Path

from bncc import learn_network
from bncc.datasets import make_scenes
from bncc.structure import to_bif, to_dot, to_json

data = make_scenes(2000, random_state=1)
net = learn_network(data.Y, label_names=data.label_names, max_children=None)

print(net)
print(net.explain("Market"))

# The strongest dependences among the edges of the network.
weights = net.dependence_of([(child, parent) for parent, child in net.edges])
for weight, (parent, child) in sorted(zip(weights, net.edges, strict=True), reverse=True)[:5]:
    print(f"{net.label_names[parent]} -> {net.label_names[child]}: {weight:.3f}")

# How likely is a village in the countryside, and in town?
table = net.tables[net.label_names.index("Village")]
for configuration, probability in enumerate(table.probability()):
    given = [net.label_names[parent] for bit, parent in enumerate(table.parents) if configuration >> bit & 1]
    print(f"P(Village | {', '.join(given) or 'none of its parents'}) = {probability:.2f}")

# Knowledge from elsewhere: this edge must be there, that one must not.
guided = learn_network(
    data.Y, label_names=data.label_names, required=[("River", "Paddy")], forbidden=[("Rural", "Village")]
)
print("with constraints:", [guided.label_names[label] for label in guided.order])

folder = Path("out")
folder.mkdir(exist_ok=True)
(folder / "scenes.dot").write_text(to_dot(net), encoding="utf-8")
(folder / "scenes.bif").write_text(to_bif(net), encoding="utf-8")
(folder / "scenes.json").write_text(to_json(net), encoding="utf-8")
print("written: out/scenes.dot, out/scenes.bif, out/scenes.json")
