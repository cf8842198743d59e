// Hill climbing: add, remove or reverse the edge that improves a score most, until none does.
#pragma once

#include <functional>

#include "search.hpp"

namespace bncc {

// The parents of every label in an acyclic graph, from the required edges and those of `start` on; scores are those of
// the first parent, the first two, and so on. `poll` is asked at every change whether to go on; after a no the graph so
// far is returned.
Array<FoundParents> climb(const SearchProblem& problem, const Array<Array<int32_t>>& start,
                          const std::function<bool()>& poll);

}  // namespace bncc
