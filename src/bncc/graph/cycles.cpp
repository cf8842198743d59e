// The nodes stand in a topological order. An edge that agrees with it closes no cycle. For any other edge, the nodes
// below its child and those above its parent are searched at the same time, an edge of either in turn, between the two
// ends in the order. They meet if the edge closes a cycle. Otherwise the search that ends first has found all nodes
// that stand on the wrong side of the other end, and only these move. The cost is that of the smaller of the two
// searches, which a hierarchy keeps small: few nodes are above a node near the top, few are below one near the bottom.

#include "cycles.hpp"

#include <algorithm>

namespace bncc {

bool AcyclicGraph::insert(Node parent, Node child) {
  if (parent == child) return false;
  if (order_.number(child) < order_.number(parent)) {
    if (reaches(child, parent)) return false;
    reorder(child, parent);
  }
  children_[parent].push_back(child);
  parents_[child].push_back(parent);
  return true;
}

// Searches until both sides meet (true) or one of them comes to its end.
bool AcyclicGraph::reaches(Node child, Node parent) {
  start(below_, child);
  start(above_, parent);
  const uint64_t first = order_.number(child), last = order_.number(parent);
  bool met = false;
  while (!met && !below_.at_end() && !above_.at_end()) {
    const Node lower = below_.take(), upper = above_.take();
    met = side_[lower] == Side::above;
    if (side_[lower] == Side::none && order_.number(lower) < last) meet(below_, lower);
    met = met || side_[upper] == Side::below;
    if (side_[upper] == Side::none && order_.number(upper) > first) meet(above_, upper);
  }
  for (const Front* front : {&below_, &above_})
    for (const Node node : front->nodes) side_[node] = Side::none;
  return met;
}

// All nodes of the side that came to its end change places with the other end of the edge.
void AcyclicGraph::reorder(Node child, Node parent) {
  std::vector<Node>& nodes = below_.at_end() ? below_.nodes : above_.nodes;
  std::sort(nodes.begin(), nodes.end(), [&](Node a, Node b) { return order_.number(a) < order_.number(b); });
  if (below_.at_end())
    order_.move_after(nodes, parent);
  else
    order_.move_before(nodes, child);
}

void AcyclicGraph::start(Front& front, Node node) {
  front.nodes.clear();
  front.next = front.next_edge = 0;
  meet(front, node);
}

void AcyclicGraph::meet(Front& front, Node node) {
  side_[node] = front.side;
  front.nodes.push_back(node);
}

bool AcyclicGraph::Front::at_end() {
  for (; next < nodes.size() && next_edge == (*neighbours)[nodes[next]].size(); ++next) next_edge = 0;
  return next == nodes.size();
}

}  // namespace bncc
