// A directed graph that takes edges one by one and refuses those that would close a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "node_list.hpp"

namespace bncc {

class AcyclicGraph {
 public:
  explicit AcyclicGraph(size_t n_nodes) : order_(n_nodes), children_(n_nodes), parents_(n_nodes), side_(n_nodes) {}
  AcyclicGraph(const AcyclicGraph&) = delete;  // the fronts point into it
  AcyclicGraph& operator=(const AcyclicGraph&) = delete;

  // Adds the edge unless it closes a cycle; says whether it did.
  bool insert(Node parent, Node child);

 private:
  using Neighbours = std::vector<std::vector<Node>>;
  enum class Side : uint8_t { none, below, above };

  // One end of the search: the nodes met so far, of which those before `next` have been read.
  struct Front {
    const Neighbours* neighbours;
    Side side;
    std::vector<Node> nodes;
    size_t next = 0, next_edge = 0;

    bool at_end();
    Node take() { return (*neighbours)[nodes[next]][next_edge++]; }
  };

  bool reaches(Node child, Node parent);
  void start(Front& front, Node node);
  void meet(Front& front, Node node);
  void reorder(Node child, Node parent);

  NodeList order_;  // parents before children
  Neighbours children_, parents_;
  std::vector<Side> side_;
  Front below_{&children_, Side::below, {}}, above_{&parents_, Side::above, {}};
};

}  // namespace bncc
