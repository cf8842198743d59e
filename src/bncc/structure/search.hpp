// Parent search (Algorithm 3 of the paper, and K2's) for scores that are sums over counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "native/array.hpp"

namespace bncc {

// Why the search for a child ended; search.py names them in the same order.
enum class Stop : int32_t { no_gain = 0, no_candidate = 1, parent_limit = 2, cannot_pay = 3, no_change = 4 };

// Lists of numbers, one list per label or row.
struct Lists {
  const int64_t* start;
  const int32_t* items;
  const int32_t* begin(int64_t i) const { return items + start[i]; }
  const int32_t* end(int64_t i) const { return items + start[i + 1]; }
  int64_t size(int64_t i) const { return start[i + 1] - start[i]; }
};

// What to search for: plain views of the caller's arrays.
struct SearchProblem {
  int64_t n_rows, n_labels;
  Lists rows_of;                // label -> its rows
  Lists labels_of;              // row -> its labels
  Lists required;               // child -> parents that it must have
  Lists forbidden;              // child -> labels that it must not have as parents
  const int32_t* order;         // place -> label: children are decided in this order
  const int32_t* child_limits;  // label -> how many children it may take besides those that require it
  bool predecessors_only;       // K2: candidates come before the child
  bool start_empty;             // K2: a first parent must beat having none
  bool informative;             // data term is -N H(child | parents): no further parent leaves less than none of it
  int32_t max_parents;
  const int64_t* cell;   // (levels, n_rows + 1) fixed point
  const int64_t* total;  // (levels, n_rows + 1) fixed point
  int64_t levels;
  const double* penalty;  // by number of parents
  double offset;
  double scale;

  const int64_t* cell_at(int32_t k) const { return cell + std::min<int64_t>(k, levels - 1) * (n_rows + 1); }
  const int64_t* total_at(int32_t k) const { return total + std::min<int64_t>(k, levels - 1) * (n_rows + 1); }
  double rounded(int64_t data, int32_t k) const {
    return std::nearbyint((offset + static_cast<double>(data) / scale - penalty[k]) * 1e6);
  }
};

struct FoundParents {
  Array<int32_t> parents;
  Array<double> scores;  // by number of parents, from none (or the required ones) on; rounded
  Stop stop = Stop::no_gain;
};

// The parents of every label. `poll` is asked about ten times a second, and after every batch of children, whether to
// go on; after a no the labels that are left have none.
Array<FoundParents> search_parents(const SearchProblem& problem, int n_threads, const std::function<bool()>& poll);

}  // namespace bncc
