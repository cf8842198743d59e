// Newton's method for one lane on the products of its rows with one another (squared hinge loss).
//
// Few rows have positive multipliers once descent has gone over them some times, and the weights are their sum. With
// the products K of these rows, a step of Newton's method solves (K + 1 / 2C) a = 1 for the rows that lack a margin
// (Woodbury): some steps lead to the minimum over these rows, which coordinate descent may need hundreds of epochs for.
#pragma once

#include "lane_rows.hpp"
#include "problem.hpp"

namespace bncc::linear {

template <class Value, class Real>
class LaneNewton {
 public:
  LaneNewton(const Loops<Value, Real>& loops, const std::atomic<bool>& cancel) : loops_(loops), cancel_(cancel) {}

  // Write to `rows` the multipliers of the minimum over those at some places (all others must be zero), within `tol`
  // of its value. False, and nothing written, where it would take more than `budget` steps of one number each, or
  // rounding or `cancel` prevents it.
  bool run(const Block<Value, Real>& block, int lane, std::vector<LaneRow<Real>>& rows,
           const std::vector<size_t>& places, double budget, double tol);

  static constexpr int64_t most_rows = 1500;  // 9 MB of products in single precision, and as much for a system

  // Whether the last run was within its budget, be it in vain.
  bool was_tried() const { return was_tried_; }

 private:
  bool multiply_rows();
  void start(const std::vector<LaneRow<Real>>& rows, const std::vector<size_t>& places);
  void list_short();
  Real pull_of(size_t i) const;
  bool is_solved(double tol);
  bool find_target();
  bool step();
  double objective(const Real* multipliers, const Real* margins) const;

  const Loops<Value, Real>& loops_;
  const std::atomic<bool>& cancel_;
  LaneRows<Value, Real> rows_;
  bool was_tried_ = false;
  int64_t n_ = 0, stride_ = 0;
  std::vector<double> cost_;
  std::vector<Real> multiplier_, margin_, target_, target_margin_, trial_, trial_margin_, right_side_;
  std::vector<int32_t> short_, last_short_;  // rows that lack a margin
  Buffer<Real> products_, system_, turned_;
};

}  // namespace bncc::linear
