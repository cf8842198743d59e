// Greedy search over equivalence classes of acyclic graphs (GES; Chickering, 2002).
#pragma once

#include <functional>

#include "search.hpp"

namespace bncc {

// The parents of every label in a member of the class that is found; limits and constraints are not looked at, except
// that no table has more than `max_parents` parents while the search goes on.
Array<Array<int32_t>> search_classes(const SearchProblem& problem, const std::function<bool()>& poll);

}  // namespace bncc
