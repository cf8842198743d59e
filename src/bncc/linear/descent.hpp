// Dual coordinate descent for the 16 problems of a block (hinge and squared hinge), on working sets of rows.
//
// The lanes begin together, with all rows in one set; rows that are well satisfied in every lane leave it. Once the
// lanes need different rows, they part, and each has a set of its own (lane_sets.hpp). Inspections of the rows outside,
// for all lanes at a time, bring back those that are not satisfied. An inspection looks at a row only if the weights
// may have moved further than its slack allows: |w - w'| |x| bounds the change of w.x. The bias is no part of that
// bound, as its change is known.
//
// A set is shuffled for every epoch: with the classes in any order, the bias would swing from one to the other, and
// take five times as many epochs.
#pragma once

#include <memory>

#include "lane_sets.hpp"
#include "native/crew.hpp"
#include "problem.hpp"

namespace bncc::linear {

// Epochs at most: of all lanes together, and then of each lane by itself.
struct EpochLimits {
  int64_t together, apart;
};

// Each thread's, made when it is first needed.
template <class Value, class Real>
using ToolsOfThreads = std::vector<std::unique_ptr<LaneTools<Value, Real>>>;

template <class Value, class Real>
class Descent {
 public:
  // Of this thread; lanes that have parted are shared with the crew.
  Descent(const Loops<Value, Real>& loops, const std::atomic<bool>& cancel, Crew& crew, int thread,
          ToolsOfThreads<Value, Real>& tools)
      : loops_(loops), cancel_(cancel), crew_(crew), thread_(thread), tools_(tools), lane_sets_(loops, cancel) {}

  // Forget the multipliers of the block before: all are zero, and so must the weights be.
  void start(Block<Value, Real>& block);

  // Solve until every live lane has a duality gap of at most tol times its objective, or the epochs are spent, or, for
  // the squared hinge loss, the first epochs say that it would take many more. Returns the number of epochs.
  int64_t run(Block<Value, Real>& block, double tol, EpochLimits limits, LaneState& lanes, BlockCosts& costs);

 private:
  enum class Course { go_on, cancelled, too_slow };
  Course descend_together(Block<Value, Real>& block, double tol, double goal, int64_t limit, Sums& sums);
  bool descend_apart(Block<Value, Real>& block, double goal, int64_t limit, Sums& sums);
  void descend_lane(Block<Value, Real>& block, int lane, double goal, int64_t limit, LaneTools<Value, Real>& tools,
                    Sums& sums);
  bool leap(const Block<Value, Real>& block, int lane, Real* weights, LaneTools<Value, Real>& tools, LaneSums& sums);
  bool may_leap(uint32_t live) const;
  bool epoch(Block<Value, Real>& block, Sums& sums);
  bool inspect(Block<Value, Real>& block, Sums& sums);
  bool measure(const Block<Value, Real>& block, uint32_t wanted, Sums& sums);
  void settle(const Sums& sums, uint32_t measured, double tol, LaneState& lanes);
  bool crawls(const Sums& sums, uint32_t live, double tol);
  bool is_faster_apart(uint32_t live) const;
  void part(Block<Value, Real>& block);
  void take_in(Block<Value, Real>& block, const Violator& violator);
  void find_peaks(const Block<Value, Real>& block, Real* factor) const;
  void rescale(Block<Value, Real>& block);
  uint32_t exhausted(int64_t limit) const;

  const Loops<Value, Real>& loops_;
  const std::atomic<bool>& cancel_;
  Crew& crew_;
  int thread_;
  ToolsOfThreads<Value, Real>& tools_;
  LaneSets<Value, Real> lane_sets_;
  bool apart_ = false;
  std::vector<int32_t> set_;  // of all lanes, while they are together
  std::vector<Violator> violators_;
  std::vector<uint16_t> inside_, needed_;
  Buffer<Real> old_, weights_of_lanes_;
  alignas(64) Real travel_[n_lanes] = {};
  double norm_[n_lanes] = {};
  int64_t epochs_ = 0, lane_epochs_[n_lanes] = {};
  double tol_ = 0.0;
  double last_gap_ = 0.0;  // mean over lanes, as a share of the objective
  uint64_t seed_ = 0;
  BlockCosts* costs_ = nullptr;
  BlockCosts lane_costs_[n_lanes];
};

}  // namespace bncc::linear
