// Nodes in a line: which of two comes first is one comparison, and a block of nodes can be moved to any place.
//
// Every node holds a number, rising along the line, with gaps between. A block that finds no gap wide enough makes its
// surroundings move apart: the least aligned range of numbers around it that is thin enough is numbered anew, evenly.
// What counts as thin grows stricter with the width of the range, which keeps the cost at O(log n) per moved node, in
// the mean (Bender, Cole, Demaine, Farach-Colton and Zito, "Two simplified algorithms for maintaining order in a list",
// 2002).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bncc {

using Node = uint32_t;

class NodeList {
 public:
  // Nodes 0 .. n_nodes - 1, in this order; fewer than 2^31.
  explicit NodeList(size_t n_nodes)
      : head_(static_cast<Node>(n_nodes)), number_(n_nodes + 1), before_(n_nodes + 1), after_(n_nodes + 1) {
    const uint64_t gap = range / (n_nodes + 1);
    Node last = head_;
    for (Node node = 0; node < head_; last = node++) {
      number_[node] = gap * (node + 1);
      before_[node] = last;
      after_[last] = node;
    }
    before_[head_] = last;
    after_[last] = head_;
  }

  // Grows along the line; changes when nodes are moved.
  uint64_t number(Node node) const { return number_[node]; }

  // Moves the nodes, in the given order, to right after (before) `where`, which is none of them.
  void move_after(const std::vector<Node>& nodes, Node where) {
    for (const Node node : nodes) unlink(node);
    link(nodes, where);
  }
  void move_before(const std::vector<Node>& nodes, Node where) {
    for (const Node node : nodes) unlink(node);
    link(nodes, before_[where]);
  }

 private:
  static constexpr int range_bits = 62;
  static constexpr uint64_t range = uint64_t{1} << range_bits;
  static constexpr double growth = 1.42;  // of the nodes that a range twice as wide may hold: growth^62 > 2^31

  void unlink(Node node) {
    after_[before_[node]] = after_[node];
    before_[after_[node]] = before_[node];
  }

  void link(const std::vector<Node>& nodes, Node where) {
    const uint64_t begin = number_[where], end = after_[where] == head_ ? range : number_[after_[where]];
    const uint64_t gap = (end - begin) / (nodes.size() + 1);
    Node last = where;
    for (const Node node : nodes) {
      number_[node] = gap ? number_[last] + gap : begin;
      before_[node] = last;
      after_[node] = after_[last];
      before_[after_[last]] = node;
      after_[last] = node;
      last = node;
    }
    if (!gap) spread_around(where);
  }

  // Numbers the least range around the node that is thin enough anew; nodes without a number of their own have its.
  void spread_around(Node node) {
    double allowed = 1.0;
    Node first = node, last = node;
    uint64_t count = 1;
    for (int bits = 1; bits <= range_bits; ++bits) {
      const uint64_t width = uint64_t{1} << bits, begin = number_[node] & ~(width - 1);
      allowed *= growth;
      for (; first != head_ && number_[before_[first]] >= begin; ++count) first = before_[first];
      for (; after_[last] != head_ && number_[after_[last]] - begin < width; ++count) last = after_[last];
      if (bits<range_bits&& static_cast<double>(count)> allowed) continue;
      for (uint64_t place = 0; place < count; ++place, first = after_[first])
        number_[first] = begin + width / count * place;
      return;
    }
  }

  Node head_;  // begins the line and closes the circle; holds the number 0
  std::vector<uint64_t> number_;
  std::vector<Node> before_, after_;
};

}  // namespace bncc
