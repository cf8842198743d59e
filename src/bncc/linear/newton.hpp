// Newton's method on the primal for the 16 problems of a block (squared hinge and logistic loss), in double precision:
// directions by conjugate gradients, steps by backtracking, both on products that are kept. For exact solutions, and
// for data on which coordinate descent crawls.
#pragma once

#include "problem.hpp"

namespace bncc::linear {

template <class Value>
class Newton {
 public:
  Newton(const Loops<Value, double>& loops, const std::atomic<bool>& cancel) : loops_(loops), cancel_(cancel) {}

  // Solve from the weights in block.coef until every live lane is within tol of its objective.
  void run(const Block<Value, double>& block, double tol, int64_t max_steps, LaneState& lanes, BlockCosts& costs);

 private:
  void list_rows(const Block<Value, double>& block);
  bool multiply(const Block<Value, double>& block, const double* lines, const std::vector<int32_t>& rows, double* out);
  bool scatter(const Block<Value, double>& block, const double* factors, bool squares, double* lines);
  bool derive(const Block<Value, double>& block);
  bool find_direction(const Block<Value, double>& block, uint32_t live);
  bool search_line(const Block<Value, double>& block, uint32_t live, const double* slope, double* step);

  const Loops<Value, double>& loops_;
  const std::atomic<bool>& cancel_;
  std::vector<int32_t> rows_, active_;
  int64_t n_lines_ = 0;
  double loss_[n_lanes] = {}, objective_[n_lanes] = {};
  double first_residual_[n_lanes] = {};
  Buffer<double> z_, along_, slope_, curvature_, products_;
  Buffer<double> gradient_, direction_, residual_, search_, image_, diagonal_;
  BlockCosts* costs_ = nullptr;
};

}  // namespace bncc::linear
