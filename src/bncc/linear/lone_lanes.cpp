#include "lone_lanes.hpp"

#include <algorithm>
#include <cmath>

#include "turned_lines.hpp"

namespace bncc::linear {
namespace {

constexpr int64_t epochs_at_a_time = 20;  // at most, before the rows outside are inspected
constexpr int64_t plain_epochs = 10;      // of a lane, after which it is helped
// A leap by Newton's method may cost as much as the epochs of the lane so far, times this.
constexpr double epochs_per_leap = 1.0;
constexpr double share_of_leap = 0.5;  // of the tolerance: the rows outside may add to the gap
// A lane crawls that after its first epochs would need too many more, as some cycles in turn have it; one that may leap
// sooner or later has more of them.
constexpr int64_t first_doubt = 40, first_doubt_of_leaps = 100;
constexpr double too_many_epochs = 200.0;
constexpr int most_slow_cycles = 3;

}  // namespace

template <class Value, class Real>
void LoneLanes<Value, Real>::begin() {
  std::fill(epochs_, epochs_ + n_lanes, 0);
  std::fill(next_leap_, next_leap_ + n_lanes, 0);
  std::fill(last_share_, last_share_ + n_lanes, 1.0);
  std::fill(slow_cycles_, slow_cycles_ + n_lanes, 0);
  std::fill(crawls_, crawls_ + n_lanes, false);
}

template <class Value, class Real>
int64_t LoneLanes<Value, Real>::most_epochs() const {
  return *std::max_element(epochs_, epochs_ + n_lanes);
}

template <class Value, class Real>
uint32_t LoneLanes<Value, Real>::exhausted(int64_t limit) const {
  uint32_t out = 0;
  for (int l = 0; l < n_lanes; ++l)
    if (epochs_[l] >= limit || crawls_[l]) out |= 1u << l;
  return out;
}

template <class Value, class Real>
LaneTools<Value, Real>& LoneLanes<Value, Real>::tools_of(int thread) const {
  std::unique_ptr<LaneTools<Value, Real>>& tools = tools_[static_cast<size_t>(thread)];
  if (!tools) tools = std::make_unique<LaneTools<Value, Real>>(loops_, cancel_);
  return *tools;
}

// Newton's method, where it costs no more than the epochs so far; counts as one. After one that was in vain, as where
// rounding is in its way, the next is tried when twice as many epochs are spent.
template <class Value, class Real>
bool LoneLanes<Value, Real>::leap(const Block<Value, Real>& block, int lane, Real* weights, const LaneGoals& goals,
                                  LaneTools<Value, Real>& tools, LaneSums& sums) {
  if (block.loss != Loss::squared_hinge) return false;
  const int64_t spent = goals.epochs_before + epochs_[lane];
  if (spent < next_leap_[lane]) return false;
  const double epochs = epochs_per_leap * static_cast<double>(spent);
  if (!sets_.leap(block, lane, weights, epochs, share_of_leap * goals.tol, tools, sums, costs_[lane])) {
    if (tools.newton.was_tried()) next_leap_[lane] = 2 * spent;
    sums = LaneSums{};
    return false;
  }
  ++epochs_[lane];
  return true;
}

// `share` is the gap after a cycle of epochs and one more, as a share of the objective.
template <class Value, class Real>
bool LoneLanes<Value, Real>::crawls(int lane, double share, const LaneGoals& goals) {
  const double factor = share / last_share_[lane];
  last_share_[lane] = share;
  const bool may_leap = sets_.size(lane) <= LaneNewton<Value, Real>::most_rows;
  if (epochs_[lane] < (may_leap ? first_doubt_of_leaps : first_doubt) || !(share > goals.tol)) return false;
  const double cycles = factor < 1.0 ? std::log(goals.tol / share) / std::log(factor) : too_many_epochs;
  const bool slow = cycles * static_cast<double>(LaneSets<Value, Real>::cycle_epochs) > too_many_epochs;
  slow_cycles_[lane] = slow ? slow_cycles_[lane] + 1 : 0;
  return slow_cycles_[lane] >= most_slow_cycles;
}

// Epochs of one lane, until its gap is small.
template <class Value, class Real>
void LoneLanes<Value, Real>::descend_lane(Block<Value, Real>& block, int lane, double norm, const LaneGoals& goals,
                                          LaneTools<Value, Real>& tools, Sums& sums) {
  Real* weights = weights_.data() + lane * block.n_lines();
  const int64_t last = std::min(goals.limit, epochs_[lane] + epochs_at_a_time);
  while (epochs_[lane] < last) {
    LaneSums own;
    const bool helped = epochs_[lane] >= plain_epochs;
    const bool leaps = helped && leap(block, lane, weights, goals, tools, own);
    if (!leaps) {
      const int64_t n_epochs = helped ? LaneSets<Value, Real>::cycle_epochs : 1;
      costs_[lane].updates += static_cast<double>(n_epochs * sets_.size(lane)) / n_lanes;
      if (helped && !sets_.cycle(block, lane, weights, tools)) return;
      if (!sets_.epoch(block, lane, weights, own)) return;
      epochs_[lane] += n_epochs;
      block.slack[lane] = static_cast<Real>(slack_factor * own.excess);
    }
    sums.loss[lane] = own.loss;
    sums.gap[lane] = own.gap;
    const double objective = 0.5 * norm + own.loss;
    if (leaps || own.gap <= goals.gap * objective) break;
    if (!helped || block.loss != Loss::squared_hinge) continue;
    crawls_[lane] = crawls(lane, own.gap / (objective + 1e-300), goals);
    if (crawls_[lane]) break;
  }
}

// Those with most rows first, on whatever threads are free.
template <class Value, class Real>
bool LoneLanes<Value, Real>::descend(Block<Value, Real>& block, const double* norm, const LaneGoals& goals,
                                     uint16_t* inside, Sums& sums, BlockCosts& costs) {
  const int64_t n_lines = block.n_lines();
  weights_.ensure(n_lines * n_lanes);
  to_rows(block.coef, n_lines, block.live, weights_.data());
  sums = Sums{};
  std::vector<int> lanes;
  for (int l = 0; l < n_lanes; ++l)
    if (block.live >> l & 1u) lanes.push_back(l);
  std::stable_sort(lanes.begin(), lanes.end(), [&](int a, int b) { return sets_.size(a) > sets_.size(b); });
  const Block<Value, Real> whole = block;  // which no task writes to
  crew_.share(thread_, static_cast<int64_t>(lanes.size()), [&](int thread, int64_t k) {
    LaneTools<Value, Real>& tools = tools_of(thread);
    const int lane = lanes[static_cast<size_t>(k)];
    Block<Value, Real> copies = sets_.take_copies(whole, lane, tools);
    descend_lane(copies, lane, norm[lane], goals, tools, sums);
    sets_.put_back(whole, lane);
    block.slack[lane] = copies.slack[lane];
  });
  if (cancel_.load()) return false;
  for (int l = 0; l < n_lanes; ++l) {
    sets_.let_go(l, inside);
    costs.updates += costs_[l].updates;
    costs.checks += costs_[l].checks;
    costs_[l] = BlockCosts{};
  }
  to_lines(weights_.data(), n_lines, block.live, block.coef);
  return true;
}

template <class Value, class Real>
bool LoneLanes<Value, Real>::measure(const Block<Value, Real>& block, uint32_t wanted, double tol, Sums& sums,
                                     BestBias& best, BlockCosts& costs) {
  crew_.share(thread_, n_lanes, [&](int thread, int64_t number) {
    const int l = static_cast<int>(number);
    if (!(wanted >> l & 1u)) return;
    LaneTools<Value, Real>& tools = tools_of(thread);
    const LaneSums own = sets_.measure(block, l, weights_.data() + l * block.n_lines(), tools);
    sums.loss[l] = own.loss;
    sums.gap[l] = own.gap;
    const auto shift = [&](const double* by, Shifted& shifted) { sets_.shift(l, tools, by[l], shifted); };
    if (moves_bias(block)) find_best_bias(block, 1u << l, tol, shift, best);
  });
  for (int l = 0; l < n_lanes; ++l)
    if (wanted >> l & 1u) costs.checks += static_cast<double>(sets_.size(l)) / n_lanes;
  return !cancel_.load();
}

template class LoneLanes<float, float>;
template class LoneLanes<double, double>;

}  // namespace bncc::linear
