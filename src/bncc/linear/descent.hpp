// Dual coordinate descent for the 16 problems of a block (hinge and squared hinge), on working sets of rows.
//
// The lanes begin together, with all rows in one set; rows that are well satisfied in every lane leave it. Once the
// lanes need different rows, they part, and each has a set of its own (lane_sets.hpp). Inspections of the rows outside,
// for all lanes at a time, bring back those that are not satisfied. An inspection looks at a row only if the weights
// may have moved further than its slack allows: |w - w'| |x| bounds the change of w.x. The bias is no part of that
// bound, as its change is known.
//
// The gap between primal and dual that ends it is that of the weights with the best bias beside them (best_bias.hpp).
//
// A set is shuffled for every epoch: with the classes in any order, the bias would swing from one to the other, and
// take five times as many epochs.
#pragma once

#include "lone_lanes.hpp"
#include "measured_rows.hpp"
#include "problem.hpp"

namespace bncc::linear {

// Epochs at most: of all lanes together, and then of each lane by itself.
struct EpochLimits {
  int64_t together, apart;
};

template <class Value, class Real>
class Descent {
 public:
  // Of this thread; lanes that have parted are shared with the crew.
  Descent(const Loops<Value, Real>& loops, const std::atomic<bool>& cancel, Crew& crew, int thread,
          ToolsOfThreads<Value, Real>& tools)
      : loops_(loops),
        cancel_(cancel),
        lane_sets_(loops, cancel),
        lone_lanes_(loops, cancel, crew, thread, tools, lane_sets_),
        measured_(loops, cancel) {}

  // Forget the multipliers of the block before: all are zero, and so must the weights be.
  void start(Block<Value, Real>& block);

  // Solve until every live lane has a duality gap of at most tol times its objective, or the epochs are spent, or, for
  // the squared hinge loss, the first epochs say that it would take many more. Returns the number of epochs.
  int64_t run(Block<Value, Real>& block, double tol, EpochLimits limits, LaneState& lanes, BlockCosts& costs);

 private:
  enum class Course { go_on, cancelled, too_slow };
  Course descend_together(Block<Value, Real>& block, double tol, double goal, int64_t limit, Sums& sums);
  bool may_leap(uint32_t live) const;
  bool epoch(Block<Value, Real>& block, Sums& sums);
  bool inspect(Block<Value, Real>& block, Sums& sums);
  bool measure(Block<Value, Real>& block, uint32_t wanted, Sums& sums);
  bool measure_together(const Block<Value, Real>& block, uint32_t wanted, Sums& sums, BestBias& best);
  void settle(const Sums& sums, uint32_t measured, double tol, LaneState& lanes);
  bool crawls(const Sums& sums, uint32_t live, double tol);
  bool is_faster_apart(uint32_t live) const;
  void part(Block<Value, Real>& block);
  void take_in(Block<Value, Real>& block, const Violator& violator);
  void find_peaks(const Block<Value, Real>& block, Real* factor) const;
  void rescale(Block<Value, Real>& block);

  const Loops<Value, Real>& loops_;
  const std::atomic<bool>& cancel_;
  LaneSets<Value, Real> lane_sets_;
  LoneLanes<Value, Real> lone_lanes_;
  bool apart_ = false;
  std::vector<int32_t> set_;  // of all lanes, while they are together
  MeasuredRows<Value, Real> measured_;
  MovedBiases<Real> moved_biases_;
  std::vector<Violator> violators_;
  std::vector<uint16_t> inside_, needed_;
  Buffer<Real> old_;
  alignas(64) Real travel_[n_lanes] = {};
  double norm_[n_lanes] = {};
  int64_t epochs_ = 0;  // of all lanes together
  double tol_ = 0.0;
  double last_gap_ = 0.0;  // mean over lanes, as a share of the objective
  uint64_t seed_ = 0;
  BlockCosts* costs_ = nullptr;
};

}  // namespace bncc::linear
