// Descent of lanes that have parted: each by itself, on whatever threads are free.
//
// After its first epochs a lane is helped: by Newton's method on its own rows where that costs no more than what it has
// spent, else by cycles of epochs that end in an extrapolation.
#pragma once

#include <memory>

#include "lane_sets.hpp"
#include "native/crew.hpp"
#include "problem.hpp"

namespace bncc::linear {

// A row leaves a working set when its margins have this share of the largest gradient that pulled at a multiplier in
// the last epoch to spare. Rows that leave too early make the others swing.
constexpr double slack_factor = 0.05;

// Each thread's, made when it is first needed.
template <class Value, class Real>
using ToolsOfThreads = std::vector<std::unique_ptr<LaneTools<Value, Real>>>;

// What is asked of lanes, after so many epochs of all of them together: a gap now, one in the end, and at most so many
// epochs of each.
struct LaneGoals {
  double gap, tol;
  int64_t epochs_before, limit;
};

template <class Value, class Real>
class LoneLanes {
 public:
  LoneLanes(const Loops<Value, Real>& loops, const std::atomic<bool>& cancel, Crew& crew, int thread,
            ToolsOfThreads<Value, Real>& tools, LaneSets<Value, Real>& sets)
      : loops_(loops), cancel_(cancel), crew_(crew), thread_(thread), tools_(tools), sets_(sets) {}

  // Forget what was spent.
  void begin();

  // Epochs of the live lanes, until each reaches the goal or has spent some; rows that leave their sets are no longer
  // `inside`. `norm` is |w|^2 at the last look. False if `cancel` came.
  bool descend(Block<Value, Real>& block, const double* norm, const LaneGoals& goals, uint16_t* inside, Sums& sums,
               BlockCosts& costs);

  // Exact sums of the lanes that are wanted, and their best biases where these are asked for. False if `cancel` came.
  bool measure(const Block<Value, Real>& block, uint32_t wanted, double tol, Sums& sums, BestBias& best,
               BlockCosts& costs);

  int64_t epochs(int lane) const { return epochs_[lane]; }
  int64_t most_epochs() const;

  // The lanes whose epochs are spent, or that crawl: Newton's method on all rows is for them.
  uint32_t exhausted(int64_t limit) const;

 private:
  void descend_lane(Block<Value, Real>& block, int lane, double norm, const LaneGoals& goals,
                    LaneTools<Value, Real>& tools, Sums& sums);
  bool leap(const Block<Value, Real>& block, int lane, Real* weights, const LaneGoals& goals,
            LaneTools<Value, Real>& tools, LaneSums& sums);
  bool crawls(int lane, double share, const LaneGoals& goals);
  LaneTools<Value, Real>& tools_of(int thread) const;

  const Loops<Value, Real>& loops_;
  const std::atomic<bool>& cancel_;
  Crew& crew_;
  int thread_;
  ToolsOfThreads<Value, Real>& tools_;
  LaneSets<Value, Real>& sets_;
  Buffer<Real> weights_;
  // Of each lane: its epochs, those at which a leap may be tried again, the gap after the last cycle (as a share of the
  // objective), how many cycles in turn got on too slowly, and whether it crawls.
  int64_t epochs_[n_lanes] = {}, next_leap_[n_lanes] = {};
  double last_share_[n_lanes] = {};
  int slow_cycles_[n_lanes] = {};
  bool crawls_[n_lanes] = {};
  BlockCosts costs_[n_lanes];
};

}  // namespace bncc::linear
