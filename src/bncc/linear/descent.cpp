#include "descent.hpp"

#include <algorithm>
#include <cmath>

namespace bncc::linear {
namespace {

constexpr int64_t chunk = 512;  // rows between two looks at `cancel`
// Of all lanes together, at most, before the rows outside are inspected: at first, and later.
constexpr int64_t epochs_at_first = 4, epochs_together = 7;
// Gaps of the working set (as shares of the objective) at which the rows outside are inspected: the first, and the
// factor from one to the next.
constexpr double first_goal = 0.01, goal_factor = 0.1;
// Lanes are measured when their gaps (of most of them, while they are together), as the last epoch saw them, are within
// the tolerance times this: seen row by row, with biases in motion, they are larger than they are at its end.
constexpr double near_end = 2.0;
constexpr double first_slack = 0.3;  // see slack_factor

// Steps of all lanes together go beyond the peaks of their rows, but in the first epochs: fewer epochs are needed so.
constexpr double reach_together = 1.3;
constexpr int64_t plain_together = 2;

// Epochs between which the gap is expected to shrink on as it did, but not in the first ones after rows have come in;
// and how many more are too many.
constexpr int64_t first_trial = 10, last_trial = 20, settling_epochs = 2;
constexpr double too_many_epochs = 40.0;

// The lanes part when they visit fewer rows in all than the set has, times this: a visit for all lanes takes as long as
// one or two for one. Problems that take longer part earlier, since each lane then ends by itself, and is helped by
// extrapolation.
constexpr double visits_apart = 1.5, visits_apart_later = 3.0;

// Where descent crawls: rows of a lane, on average, and visits for each row of all; or so small a share of these rows
// alone that epochs of each lane by itself, helped by extrapolation, take less than those of all together.
constexpr double rows_per_leap = 1000.0, visits_per_leap = 6.4, small_share = 0.25;

template <class Value, class Real>
Real* bias_of(const Block<Value, Real>& block) {
  return block.coef + (block.n_lines() - 1) * n_lanes;
}

// Bits of the low sixteen, by halves.
uint32_t count_lanes(uint32_t lanes) {
  lanes = (lanes & 0x5555u) + (lanes >> 1 & 0x5555u);
  lanes = (lanes & 0x3333u) + (lanes >> 2 & 0x3333u);
  lanes = (lanes & 0x0f0fu) + (lanes >> 4 & 0x0f0fu);
  return (lanes & 0x00ffu) + (lanes >> 8 & 0x00ffu);
}

// How many rows the live lanes of a set would visit by themselves, in all.
int64_t count_visits(const std::vector<int32_t>& rows, const std::vector<uint16_t>& needed, uint32_t live) {
  int64_t visits = 0;
  for (const int32_t row : rows) visits += count_lanes(needed[static_cast<size_t>(row)] & live);
  return visits;
}

// The lanes in `live` that have a gap within tol of their objectives.
uint32_t with_small_gaps(const Sums& sums, const double* norm, uint32_t live, double tol) {
  uint32_t within = 0;
  for (int l = 0; l < n_lanes; ++l) {
    const double primal = 0.5 * norm[l] + sums.loss[l];
    if ((live >> l & 1u) && sums.gap[l] <= tol * primal) within |= 1u << l;
  }
  return within;
}

}  // namespace

template <class Value, class Real>
void Descent<Value, Real>::start(Block<Value, Real>& block) {
  const int64_t n = block.x.n_rows, n_lines = block.n_lines();
  seed_ = 88172645463325252ull;
  set_.clear();
  lane_sets_.clear();
  apart_ = false;
  measured_.forget();
  moved_biases_.forget();
  inside_.assign(static_cast<size_t>(n), 0);
  needed_.assign(static_cast<size_t>(n), 0);
  Real* old = old_.ensure(n_lines * n_lanes);
  std::fill(old, old + n_lines * n_lanes, Real(0));
  std::fill(travel_, travel_ + n_lanes, Real(0));
  std::fill(norm_, norm_ + n_lanes, 0.0);
  std::fill(block.state, block.state + n * n_lanes, Real(-1e30));
  for (int64_t row = 0; row < n; ++row)
    if (block.member[row]) take_in(block, {static_cast<int32_t>(row), block.member[row]});
}

// A row comes into the set, or into those of some lanes.
template <class Value, class Real>
void Descent<Value, Real>::take_in(Block<Value, Real>& block, const Violator& violator) {
  const size_t row = static_cast<size_t>(violator.row);
  if (apart_) {
    inside_[row] |= violator.lanes;
    lane_sets_.add(block, violator.row, violator.lanes, nullptr);
    return;
  }
  inside_[row] = 0xffff;
  needed_[row] = violator.lanes;
  set_.push_back(violator.row);
  Real* state = block.state + static_cast<int64_t>(violator.row) * n_lanes;
  std::fill(state, state + n_lanes, Real(0));
}

// Whether fewer numbers are touched when each lane visits the rows that it needs.
template <class Value, class Real>
bool Descent<Value, Real>::is_faster_apart(uint32_t live) const {
  const int64_t visits = count_visits(set_, needed_, live);
  const double most = epochs_ <= last_trial ? visits_apart : visits_apart_later;
  return static_cast<double>(visits) < most * static_cast<double>(set_.size());
}

// Whether lanes by themselves have next to none of the rows that they have together, or few enough for Newton's method
// and in all not many more.
template <class Value, class Real>
bool Descent<Value, Real>::may_leap(uint32_t live) const {
  const int64_t visits = count_visits(set_, needed_, live);
  const double rows_per_lane = static_cast<double>(visits) / static_cast<double>(count_lanes(live));
  const double share = rows_per_lane / static_cast<double>(set_.size());
  const double most = visits_per_leap * static_cast<double>(set_.size());
  return share <= small_share || (rows_per_lane <= rows_per_leap && static_cast<double>(visits) <= most);
}

template <class Value, class Real>
void Descent<Value, Real>::part(Block<Value, Real>& block) {
  apart_ = true;
  Real slacks[n_lanes];
  std::fill(slacks, slacks + n_lanes, Real(-1e30));  // an inspection will look at it
  for (size_t place = 0; place < set_.size(); ++place) {
    const int32_t row = set_[place];
    const uint16_t lanes = inside_[static_cast<size_t>(row)] = needed_[static_cast<size_t>(row)];
    Real* state = block.state + static_cast<int64_t>(row) * n_lanes;
    lane_sets_.add(block, row, lanes, state);
    if (place < measured_.size()) measured_.find_slacks(block, set_, place, travel_, slacks);
    if (place == measured_.size()) std::fill(slacks, slacks + n_lanes, Real(-1e30));
    for (int l = 0; l < n_lanes; ++l)
      if (!(lanes >> l & 1u)) state[l] = slacks[l];
  }
  set_.clear();
}

template <class Value, class Real>
bool Descent<Value, Real>::epoch(Block<Value, Real>& block, Sums& sums) {
  block.reach = epochs_ < plain_together ? Real(1) : static_cast<Real>(reach_together);
  const int64_t n = static_cast<int64_t>(set_.size()), n_chunks = (n + chunk - 1) / chunk;
  measured_.forget();
  shuffle(set_.data(), n, seed_);
  for (int64_t part = 0; part < n_chunks; ++part) {
    if (cancel_.load(std::memory_order_relaxed)) return false;
    int32_t* rows = set_.data() + part * chunk;
    const int64_t size = std::min(chunk, n - part * chunk);
    const int64_t left = loops_.descend(block, rows, size, inside_.data(), needed_.data(), sums);
    std::fill(rows + left, rows + size, -1);
  }
  set_.erase(std::remove(set_.begin(), set_.end(), -1), set_.end());
  costs_->updates += static_cast<double>(n);
  ++epochs_;
  return true;
}

// Epochs of all lanes side by side, until their gaps are small or they part.
template <class Value, class Real>
typename Descent<Value, Real>::Course Descent<Value, Real>::descend_together(Block<Value, Real>& block, double tol,
                                                                             double goal, int64_t limit, Sums& sums) {
  for (int64_t e = 0, most = epochs_ ? epochs_together : epochs_at_first; e < most && epochs_ < limit; ++e) {
    if (is_faster_apart(block.live)) {
      part(block);
      break;
    }
    sums = Sums{};
    if (!epoch(block, sums)) return Course::cancelled;
    for (int l = 0; l < n_lanes; ++l) block.slack[l] = static_cast<Real>(slack_factor * sums.excess[l]);
    if (2 * count_lanes(with_small_gaps(sums, norm_, block.live, goal)) >= count_lanes(block.live)) break;
    const bool slow = crawls(sums, block.live, tol);
    if (!slow || e < settling_epochs || epochs_ == limit || block.loss != Loss::squared_hinge) continue;
    if (!may_leap(block.live)) return Course::too_slow;
    part(block);
    break;
  }
  return Course::go_on;
}

template <class Value, class Real>
bool Descent<Value, Real>::inspect(Block<Value, Real>& block, Sums& sums) {
  const int64_t n = block.x.n_rows, part = 8 * chunk;
  double moved[n_lanes] = {};
  std::fill(norm_, norm_ + n_lanes, 0.0);
  loops_.travel(block.coef, old_.data(), block.n_lines(), moved, norm_);
  for (int l = 0; l < n_lanes; ++l) travel_[l] += static_cast<Real>(std::sqrt(moved[l]) * (1.0 + 1e-6));
  violators_.resize(static_cast<size_t>(part));
  int64_t looked = 0;
  for (int64_t first = 0; first < n; first += part) {
    if (cancel_.load(std::memory_order_relaxed)) return false;
    const int64_t last = std::min(n, first + part);
    const int64_t size = loops_.inspect(block, inside_.data(), first, last, travel_, violators_.data(), looked, sums);
    for (int64_t k = 0; k < size; ++k) take_in(block, violators_[static_cast<size_t>(k)]);
  }
  costs_->checks += static_cast<double>(looked);
  return true;
}

// Exact sums of the lanes that are wanted (of all of them while they are together) at the best biases beside their
// weights, which the block then has.
template <class Value, class Real>
bool Descent<Value, Real>::measure(Block<Value, Real>& block, uint32_t wanted, Sums& sums) {
  Real* bias = bias_of(block);
  BestBias best;
  std::copy(bias, bias + n_lanes, best.weight);
  if (!(apart_ ? lone_lanes_.measure(block, wanted, tol_, sums, best, *costs_)
               : measure_together(block, wanted, sums, best)))
    return false;
  if (moves_bias(block)) moved_biases_.move(bias, wanted, best, sums);
  return true;
}

template <class Value, class Real>
bool Descent<Value, Real>::measure_together(const Block<Value, Real>& block, uint32_t wanted, Sums& sums,
                                            BestBias& best) {
  costs_->checks += static_cast<double>(set_.size());
  if (!measured_.measure(block, set_, sums)) return false;
  const auto shift = [&](const double* by, Shifted& shifted) { measured_.shift(block, set_, by, shifted); };
  if (moves_bias(block)) find_best_bias(block, wanted, tol_, shift, best);
  return true;
}

// `sums` are those of `measure`, and of the rows outside at the same biases.
template <class Value, class Real>
void Descent<Value, Real>::settle(const Sums& sums, uint32_t measured, double tol, LaneState& lanes) {
  for (int l = 0; l < n_lanes; ++l) {
    if (!(measured >> l & 1u)) continue;
    lanes.primal[l] = 0.5 * norm_[l] + sums.loss[l];
    lanes.dual[l] = lanes.primal[l] - sums.gap[l];
    lanes.iterations[l] = epochs_ + lone_lanes_.epochs(l);
  }
  const uint32_t within = with_small_gaps(sums, norm_, measured, tol);
  lanes.settled |= within;
  lanes.live &= ~within;
}

// Whether the gap shrinks so slowly, from one epoch to the next, that another method is called for.
template <class Value, class Real>
bool Descent<Value, Real>::crawls(const Sums& sums, uint32_t live, double tol) {
  double total = 0.0;
  int n_live = 0;
  for (int l = 0; l < n_lanes; ++l) {
    if (!(live >> l & 1u)) continue;
    total += sums.gap[l] / (0.5 * norm_[l] + sums.loss[l] + 1e-300);
    ++n_live;
  }
  const double gap = total / n_live, factor = gap / last_gap_;
  last_gap_ = gap;
  if (epochs_ < first_trial || epochs_ > last_trial) return false;
  return gap > tol && std::log(tol / gap) < too_many_epochs * std::log(factor);
}

// Per lane: by what to multiply the multipliers of the last costs, under those of now. Along them the dual is a
// parabola, sum(a) t - (|w|^2 + sum(a^2 / 2C)) t^2 / 2, and this is its peak.
template <class Value, class Real>
void Descent<Value, Real>::find_peaks(const Block<Value, Real>& block, Real* factor) const {
  double sum[n_lanes] = {}, square[n_lanes] = {};
  for (const int32_t row : set_) {
    const Real* state = block.state + static_cast<int64_t>(row) * n_lanes;
    const Real weight = block.weight ? block.weight[row] : Real(1);
    for (int l = 0; l < n_lanes; ++l) {
      const double multiplier = static_cast<double>(state[l]);
      const Real one = block.cost[block.positive[row] >> l & 1u][l];
      const double cost = static_cast<double>(std::max(weight * one, least_cost<Real>));
      sum[l] += multiplier;
      square[l] += multiplier * multiplier / cost;
    }
  }
  lane_sets_.add_up(sum, square);
  for (int l = 0; l < n_lanes; ++l)
    factor[l] = sum[l] > 0.0 ? static_cast<Real>(sum[l] / (norm_[l] + 0.5 * square[l])) : Real(1);
}

// Begin from the best multiple of what the block before has left.
template <class Value, class Real>
void Descent<Value, Real>::rescale(Block<Value, Real>& block) {
  alignas(64) Real factor[n_lanes];
  find_peaks(block, factor);
  const auto multiply = [&](Real* line) {
    for (int l = 0; l < n_lanes; ++l) line[l] *= factor[l];
  };
  for (const int32_t row : set_) multiply(block.state + static_cast<int64_t>(row) * n_lanes);
  lane_sets_.multiply(factor);
  for (int64_t line = 0, n_lines = block.n_lines(); line < n_lines; ++line) multiply(block.coef + line * n_lanes);
}

template <class Value, class Real>
int64_t Descent<Value, Real>::run(Block<Value, Real>& block, double tol, EpochLimits limits, LaneState& lanes,
                                  BlockCosts& costs) {
  costs_ = &costs;
  tol_ = tol;
  const double end = near_end * tol;
  double goal = std::max(first_goal, end);
  std::fill(block.slack, block.slack + n_lanes, Real(first_slack));
  epochs_ = 0;
  lone_lanes_.begin();
  if (apart_) lane_sets_.change_costs(block);
  moved_biases_.restore(bias_of(block), 0xffff, norm_);
  const bool is_warm = std::any_of(norm_, norm_ + n_lanes, [](double norm) { return norm > 0.0; });
  if (is_warm && block.loss == Loss::squared_hinge) rescale(block);
  for (uint32_t open = lanes.live; open; open = lanes.live & ~lone_lanes_.exhausted(limits.apart)) {
    block.live = open;
    Sums sums;
    if (!apart_) {
      const Course course = descend_together(block, tol, goal, limits.together, sums);
      if (course != Course::go_on) return epochs_;
    }
    const LaneGoals goals{goal, tol, epochs_, limits.apart};
    if (apart_ && !lone_lanes_.descend(block, norm_, goals, inside_.data(), sums, costs)) return epochs_;
    const bool spent = !apart_ && epochs_ >= limits.together;
    uint32_t near = with_small_gaps(sums, norm_, open, end);
    if (apart_) near |= open & lone_lanes_.exhausted(limits.apart);
    const bool most_are_near = 2 * count_lanes(near) >= count_lanes(open);
    const uint32_t measured = apart_ ? near : most_are_near || spent ? open : 0;
    Sums exact;
    if (measured && !measure(block, measured, exact)) return epochs_;
    if (!inspect(block, exact)) return epochs_;
    if (measured) settle(exact, measured, tol, lanes);
    if (spent) break;
    moved_biases_.restore(bias_of(block), lanes.live & ~lone_lanes_.exhausted(limits.apart), norm_);
    goal = std::max(goal * goal_factor, end);
  }
  costs.active += static_cast<double>(std::count_if(inside_.begin(), inside_.end(), [](uint16_t in) { return in; }));
  return epochs_ + lone_lanes_.most_epochs();
}

template class Descent<float, float>;
template class Descent<double, double>;

}  // namespace bncc::linear
