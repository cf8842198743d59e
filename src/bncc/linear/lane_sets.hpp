// The working sets of lanes that have parted: each lane has a list of rows, and goes over it alone.
//
// Sixteen lanes side by side pay for every row that any of them needs, until the slowest is done. When the lanes need
// few rows, and each of them others, a lane by itself is faster: it visits its own rows, and ends by itself.
#pragma once

#include "best_bias.hpp"
#include "extrapolation.hpp"
#include "lane_newton.hpp"
#include "problem.hpp"
#include "row_copies.hpp"

namespace bncc::linear {

// What a thread works on a lane with.
template <class Value, class Real>
struct LaneTools {
  LaneTools(const Loops<Value, Real>& loops, const std::atomic<bool>& cancel)
      : extrapolation(loops), newton(loops, cancel), proposal(loops) {}

  Extrapolation<Value, Real> extrapolation;
  LaneNewton<Value, Real> newton;
  Proposal<Value, Real> proposal;
  RowCopies<Value, Real> copies;
  std::vector<Real> lacks;
  std::vector<size_t> places;
};

// Threads may work on different lanes at the same time: what has a lane for an argument touches this lane alone.
template <class Value, class Real>
class LaneSets {
 public:
  LaneSets(const Loops<Value, Real>& loops, const std::atomic<bool>& cancel) : loops_(loops), cancel_(cancel) {}

  // Forget all rows. Lanes are shuffled in orders of their own.
  void clear();

  // Put a row into the lists of some lanes; `multipliers` is its line of them, or null: zeros.
  void add(const Block<Value, Real>& block, int32_t row, uint32_t lanes, const Real* multipliers);

  // Take over the costs of the block: those before were others.
  void change_costs(const Block<Value, Real>& block);

  // Per lane, add up the multipliers, and their squares over the costs.
  void add_up(double* sum, double* square) const;

  // Multiply the multipliers of each lane.
  void multiply(const Real* factor);

  // One step for each row of a lane, in a new order; rows that are satisfied leave. False if `cancel` came.
  bool epoch(const Block<Value, Real>& block, int lane, Real* weights, LaneSums& sums);

  // Epochs in one order, and an extrapolation from them; no row leaves. False if `cancel` came.
  bool cycle(const Block<Value, Real>& block, int lane, Real* weights, LaneTools<Value, Real>& tools);
  static constexpr int64_t cycle_epochs = Extrapolation<Value, Real>::n_epochs + 1;  // with the one after it

  // Newton's method on the rows that matter, until the gap of the list is within `tol` of the objective. Sums are
  // those at the end. False where it would take more time than so many epochs, or does not help.
  bool leap(const Block<Value, Real>& block, int lane, Real* weights, double epochs, double tol,
            LaneTools<Value, Real>& tools, LaneSums& sums, BlockCosts& costs);

  // Take the rows that have left a lane since the last time out of `inside`.
  void let_go(int lane, uint16_t* inside);

  // Let a lane's list be one of copies of its rows (see row_copies.hpp); returns the block to work on then.
  Block<Value, Real> take_copies(const Block<Value, Real>& block, int lane, LaneTools<Value, Real>& tools) {
    return tools.copies.take(block, lane, rows_[lane]);
  }
  // And one of the rows of the block again.
  void put_back(const Block<Value, Real>& block, int lane) { RowCopies<Value, Real>::put_back(block, rows_[lane]); }

  // Exact sums of a lane; what its rows lack of their margins is then in the tools.
  LaneSums measure(const Block<Value, Real>& block, int lane, const Real* weights, LaneTools<Value, Real>& tools) const;

  // Its losses where these margins are those of products that are moved (see best_bias.hpp).
  void shift(int lane, const LaneTools<Value, Real>& tools, double by, Shifted& shifted) const;

  int64_t size(int lane) const { return static_cast<int64_t>(rows_[lane].size()); }

 private:
  LaneRow<Real> describe(const Block<Value, Real>& block, int32_t row, int lane) const;
  bool visit(const Block<Value, Real>& block, int lane, Real* weights, LaneSums& sums);

  const Loops<Value, Real>& loops_;
  const std::atomic<bool>& cancel_;
  std::vector<LaneRow<Real>> rows_[n_lanes];
  std::vector<int32_t> leavers_[n_lanes];
  uint64_t seeds_[n_lanes] = {};
};

// xorshift64*: fast, and the same everywhere.
inline uint64_t draw(uint64_t& seed) {
  seed ^= seed >> 12;
  seed ^= seed << 25;
  seed ^= seed >> 27;
  return seed * 2685821657736338717ull;
}

template <class Row>
void shuffle(Row* rows, int64_t n, uint64_t& seed) {
  for (int64_t i = n - 1; i > 0; --i) {
    const uint64_t j = (draw(seed) >> 32) * static_cast<uint64_t>(i + 1) >> 32;
    const Row moved = rows[i];
    rows[i] = rows[j];
    rows[j] = moved;
  }
}

}  // namespace bncc::linear
