#include "descent.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bncc::linear {
namespace {

constexpr int64_t chunk = 512;            // rows between two looks at `cancel`
constexpr int64_t epochs_per_round = 20;  // at most, before the rows outside are inspected
// Gaps of the working set (as shares of the objective) at which the rows outside are inspected: the first, and the
// factor from one to the next.
constexpr double first_goal = 0.01, goal_factor = 0.1;
// A row leaves the working set when all its margins have this to spare: at first, and as a share of the largest
// gradient that pulled at a multiplier in the last epoch. Rows that leave too early make the others swing.
constexpr double first_slack = 0.2, slack_factor = 0.2;

// Epochs after which the gap is expected to shrink as it did, and how many more are too many.
constexpr int64_t trial_epochs = 10;
constexpr double too_many_epochs = 40.0;

// xorshift64*: fast, and the same everywhere.
uint64_t draw(uint64_t& seed) {
  seed ^= seed >> 12;
  seed ^= seed << 25;
  seed ^= seed >> 27;
  return seed * 2685821657736338717ull;
}

template <class Value, class Real>
int64_t count_lines(const Block<Value, Real>& block) {
  return block.x.n_features + block.context.n_labels + 1;
}

// Whether every lane in `live` has a gap within tol of its objective; those that have, in `within`.
bool small_gaps(const Sums& sums, const double* norm, uint32_t live, double tol, uint32_t& within) {
  within = 0;
  for (int l = 0; l < n_lanes; ++l) {
    const double primal = 0.5 * norm[l] + sums.loss[l];
    if ((live >> l & 1u) && sums.gap[l] <= tol * primal) within |= 1u << l;
  }
  return within == live;
}

}  // namespace

template <class Value, class Real>
void Descent<Value, Real>::shuffle(int32_t* rows, int64_t n) {
  for (int64_t i = n - 1; i > 0; --i) {
    const uint64_t j = (draw(seed_) >> 32) * static_cast<uint64_t>(i + 1) >> 32;
    std::swap(rows[i], rows[j]);
  }
}

template <class Value, class Real>
void Descent<Value, Real>::start(const Block<Value, Real>& block) {
  const int64_t n = block.x.n_rows, n_lines = count_lines(block);
  seed_ = 88172645463325252ull;
  set_.clear();
  inside_.assign(static_cast<size_t>(n), 0);
  Real* old = old_.ensure(n_lines * n_lanes);
  std::fill(old, old + n_lines * n_lanes, Real(0));
  std::fill(travel_, travel_ + n_lanes, Real(0));
  std::fill(norm_, norm_ + n_lanes, 0.0);
  std::fill(block.state, block.state + n * n_lanes, Real(-1e30));
  for (int64_t row = 0; row < n; ++row) {
    if (!block.member[row]) continue;
    set_.push_back(static_cast<int32_t>(row));
    inside_[static_cast<size_t>(row)] = 1;
    std::fill(block.state + row * n_lanes, block.state + (row + 1) * n_lanes, Real(0));
  }
}

template <class Value, class Real>
bool Descent<Value, Real>::epoch(Block<Value, Real>& block, Sums& sums) {
  const int64_t n = static_cast<int64_t>(set_.size()), n_chunks = (n + chunk - 1) / chunk;
  shuffle(set_.data(), n);
  for (int64_t part = 0; part < n_chunks; ++part) {
    if (cancel_.load(std::memory_order_relaxed)) return false;
    int32_t* rows = set_.data() + part * chunk;
    const int64_t size = std::min(chunk, n - part * chunk);
    const int64_t left = loops_.descend(block, rows, size, inside_.data(), sums);
    std::fill(rows + left, rows + size, -1);
  }
  set_.erase(std::remove(set_.begin(), set_.end(), -1), set_.end());
  costs_->updates += static_cast<double>(n);
  return true;
}

template <class Value, class Real>
bool Descent<Value, Real>::inspect(Block<Value, Real>& block, Sums& sums) {
  const int64_t n = block.x.n_rows, part = 8 * chunk;
  double moved[n_lanes] = {};
  std::fill(norm_, norm_ + n_lanes, 0.0);
  loops_.travel(block.coef, old_.data(), count_lines(block), moved, norm_);
  for (int l = 0; l < n_lanes; ++l) travel_[l] += static_cast<Real>(std::sqrt(moved[l]) * (1.0 + 1e-6));
  violators_.resize(static_cast<size_t>(part));
  int64_t looked = 0;
  for (int64_t first = 0; first < n; first += part) {
    if (cancel_.load(std::memory_order_relaxed)) return false;
    const int64_t last = std::min(n, first + part);
    const int64_t size = loops_.inspect(block, inside_.data(), first, last, travel_, violators_.data(), looked, sums);
    set_.insert(set_.end(), violators_.begin(), violators_.begin() + size);
  }
  costs_->checks += static_cast<double>(looked);
  return true;
}

template <class Value, class Real>
bool Descent<Value, Real>::measure(const Block<Value, Real>& block, Sums& sums) {
  const int64_t n = static_cast<int64_t>(set_.size());
  for (int64_t first = 0; first < n; first += chunk) {
    if (cancel_.load(std::memory_order_relaxed)) return false;
    loops_.measure(block, set_.data() + first, std::min(chunk, n - first), sums);
  }
  costs_->checks += static_cast<double>(n);
  return true;
}

template <class Value, class Real>
void Descent<Value, Real>::settle(const Sums& sums, int64_t epochs, double tol, LaneState& lanes) {
  uint32_t within = 0;
  small_gaps(sums, norm_, lanes.live, tol, within);
  for (int l = 0; l < n_lanes; ++l) {
    if (!(lanes.live >> l & 1u)) continue;
    lanes.primal[l] = 0.5 * norm_[l] + sums.loss[l];
    lanes.dual[l] = sums.dual[l] - 0.5 * norm_[l];
    lanes.iterations[l] = epochs;
  }
  lanes.settled |= within;
  lanes.live &= ~within;
}

// Whether the gap shrinks so slowly, from one epoch to the next, that another method is called for.
template <class Value, class Real>
bool Descent<Value, Real>::crawls(const Sums& sums, uint32_t live, int64_t epochs, double tol) {
  double total = 0.0;
  int n_live = 0;
  for (int l = 0; l < n_lanes; ++l) {
    if (!(live >> l & 1u)) continue;
    total += sums.gap[l] / (0.5 * norm_[l] + sums.loss[l] + 1e-300);
    ++n_live;
  }
  const double gap = total / n_live, factor = gap / last_gap_;
  last_gap_ = gap;
  return epochs >= trial_epochs && gap > tol && std::log(tol / gap) < too_many_epochs * std::log(factor);
}

template <class Value, class Real>
int64_t Descent<Value, Real>::run(Block<Value, Real>& block, double tol, int64_t max_epochs, LaneState& lanes,
                                  BlockCosts& costs) {
  costs_ = &costs;
  double goal = std::max(first_goal, 0.5 * tol);
  std::fill(block.slack, block.slack + n_lanes, Real(first_slack));
  int64_t epochs = 0;
  bool first_round = block.loss == Loss::squared_hinge;
  while (lanes.live) {
    block.live = lanes.live;
    Sums sums;
    uint32_t within = 0;
    for (int64_t e = 0; e < epochs_per_round && epochs < max_epochs; ++e) {
      sums = Sums{};
      if (!epoch(block, sums)) return epochs;
      ++epochs;
      for (int l = 0; l < n_lanes; ++l) block.slack[l] = static_cast<Real>(slack_factor * sums.excess[l]);
      if (small_gaps(sums, norm_, lanes.live, goal, within)) break;
      if (first_round && crawls(sums, lanes.live, epochs, tol)) return epochs;
    }
    first_round = false;
    if (!inspect(block, sums)) return epochs;
    const bool spent = epochs >= max_epochs;
    if (small_gaps(sums, norm_, lanes.live, tol, within) || spent) {
      Sums exact;
      if (!measure(block, exact)) return epochs;
      settle(exact, epochs, tol, lanes);
      if (spent) break;
    }
    goal = std::max(goal * goal_factor, 0.5 * tol);
  }
  costs.active += static_cast<double>(set_.size());
  return epochs;
}

template class Descent<float, float>;
template class Descent<double, double>;

}  // namespace bncc::linear
