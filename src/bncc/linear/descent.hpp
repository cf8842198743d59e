// Dual coordinate descent for the 16 problems of a block (hinge and squared hinge), on a working set of rows.
//
// The set begins with all rows; those that are well satisfied in every lane leave it, and inspections of the rows
// outside bring back those that are not. An inspection looks at a row only if the weights may have moved further than
// its slack allows: |w - w'| |x| bounds the change of w.x. The bias is no part of that bound, as its change is known.
//
// The whole set is shuffled for every epoch: with the classes in any order, the bias would swing from one to the
// other, and take five times as many epochs.
#pragma once

#include "problem.hpp"

namespace bncc::linear {

template <class Value, class Real>
class Descent {
 public:
  Descent(const Loops<Value, Real>& loops, const std::atomic<bool>& cancel) : loops_(loops), cancel_(cancel) {}

  // Forget the multipliers of the block before: all are zero, and so must the weights be.
  void start(const Block<Value, Real>& block);

  // Solve until every live lane has a duality gap of at most tol times its objective, or the epochs are spent, or, for
  // the squared hinge loss, the first epochs say that it would take many more. Returns the number of epochs.
  int64_t run(Block<Value, Real>& block, double tol, int64_t max_epochs, LaneState& lanes, BlockCosts& costs);

 private:
  bool epoch(Block<Value, Real>& block, Sums& sums);
  bool inspect(Block<Value, Real>& block, Sums& sums);
  bool measure(const Block<Value, Real>& block, Sums& sums);
  void settle(const Sums& sums, int64_t epochs, double tol, LaneState& lanes);
  bool crawls(const Sums& sums, uint32_t live, int64_t epochs, double tol);
  void shuffle(int32_t* rows, int64_t n);

  const Loops<Value, Real>& loops_;
  const std::atomic<bool>& cancel_;
  std::vector<int32_t> set_, violators_;
  std::vector<uint8_t> inside_;
  Buffer<Real> old_;
  alignas(64) Real travel_[n_lanes] = {};
  double norm_[n_lanes] = {};
  double last_gap_ = 0.0;  // mean over lanes, as a share of the objective
  uint64_t seed_ = 0;
  BlockCosts* costs_ = nullptr;
};

}  // namespace bncc::linear
