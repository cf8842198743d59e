// A row as one lane sees it, in double precision, one number after the other: for what is done so rarely that the loops
// for sixteen lanes have no part in it.
#pragma once

#include <algorithm>

#include "problem.hpp"

namespace bncc::linear {

// visit(column, value) for all that a lane sees of a row, columns ascending, the constant last.
template <class Value, class Visit>
void visit_row(const Block<Value, double>& block, int lane, int64_t row, const Visit& visit) {
  const Features<Value>& x = block.x;
  const int64_t begin = x.indices ? x.indptr[row] : row * x.n_features;
  const int64_t end = x.indices ? x.indptr[row + 1] : begin + x.n_features;
  for (int64_t k = begin; k < end; ++k)
    visit(x.indices ? static_cast<int64_t>(x.indices[k]) : k - begin, static_cast<double>(x.values[k]));
  if (block.context.indptr)
    for (int64_t k = block.context.indptr[row]; k < block.context.indptr[row + 1]; ++k) {
      const int64_t label = block.context.labels[k];
      if (block.seen[label * n_lanes + lane] > 0.0) visit(x.n_features + label, 1.0);
    }
  if (block.bias_feature > 0.0) visit(block.n_lines() - 1, block.bias_feature);
}

// What a row of a lane costs, and its sign; a cost of 0 where the lane does not have it.
struct RowOfLane {
  double cost, sign;
};

template <class Value>
RowOfLane row_of_lane(const Block<Value, double>& block, int lane, int64_t row) {
  const bool positive = block.positive[row] >> lane & 1u, member = block.member[row] >> lane & 1u;
  const double one = block.cost[positive][lane];
  const double cost = block.weight ? std::max(one * block.weight[row], least_cost<double>) : one;
  return {member ? cost : 0.0, positive ? 1.0 : -1.0};
}

}  // namespace bncc::linear
