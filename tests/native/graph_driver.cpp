// Drives the nodes in a line and the graph without cycles against plain versions of both.
#include <algorithm>
#include <random>
#include <vector>

#include "cycles.hpp"
#include "expect.hpp"

using bncc::AcyclicGraph;
using bncc::Node;
using bncc::NodeList;

namespace {

// Blocks of random nodes go to random places, and often to the same place, where the gaps are soon used up.
void drive_list(Node n_nodes, unsigned seed) {
  std::mt19937 random(seed);
  NodeList list(n_nodes);
  std::vector<Node> plain(n_nodes);
  for (Node node = 0; node < n_nodes; ++node) plain[node] = node;
  for (int move = 0; move < 400; ++move) {
    std::vector<Node> block = plain;
    std::shuffle(block.begin(), block.end(), random);
    block.resize(1 + random() % (n_nodes - 1));
    if (block.size() > 3 && move % 2) block.resize(3);
    const Node where = move % 3 ? 0 : plain[random() % n_nodes];
    block.erase(std::remove(block.begin(), block.end(), where), block.end());
    for (const Node node : block) plain.erase(std::find(plain.begin(), plain.end(), node));
    const auto at = std::find(plain.begin(), plain.end(), where);
    if (move % 5) {
      list.move_after(block, where);
      plain.insert(at + 1, block.begin(), block.end());
    } else {
      list.move_before(block, where);
      plain.insert(at, block.begin(), block.end());
    }
    for (size_t place = 1; place < plain.size(); ++place)
      expect(list.number(plain[place - 1]) < list.number(plain[place]), "numbers rise along the line");
  }
}

bool has_path(const std::vector<std::vector<Node>>& children, Node from, Node to) {
  std::vector<Node> reached{from};
  std::vector<char> seen(children.size(), 0);
  seen[from] = 1;
  for (size_t next = 0; next < reached.size(); ++next)
    for (const Node child : children[reached[next]]) {
      if (seen[child]) continue;
      seen[child] = 1;
      reached.push_back(child);
    }
  return seen[to] != 0;
}

void drive_graph(Node n_nodes, size_t n_edges, unsigned seed) {
  std::mt19937 random(seed);
  AcyclicGraph graph(n_nodes);
  std::vector<std::vector<Node>> children(n_nodes);
  for (size_t edge = 0; edge < n_edges; ++edge) {
    const Node parent = static_cast<Node>(random() % n_nodes), child = static_cast<Node>(random() % n_nodes);
    const bool closes = has_path(children, child, parent);
    expect(graph.insert(parent, child) == !closes, "an edge stays unless it closes a cycle");
    if (!closes) children[parent].push_back(child);
  }
}

}  // namespace

int main() {
  for (const Node n_nodes : {2u, 7u, 60u}) drive_list(n_nodes, n_nodes);
  for (unsigned seed = 0; seed < 50; ++seed) drive_graph(2 + seed, 4 * seed, seed);
  drive_graph(400, 2000, 1);
  std::puts("ok");
}
