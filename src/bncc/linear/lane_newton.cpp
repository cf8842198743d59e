#include "lane_newton.hpp"

#include <algorithm>

namespace bncc::linear {
namespace {

constexpr int64_t most_steps = 20, most_halvings = 20;
constexpr int64_t chunk = 64;  // rows between two looks at `cancel`
constexpr double sufficient = 0.01;

// Steps of one number each that the factorisations of some systems of n rows take, about, and all that goes with them.
double fixed_cost(int64_t n, int64_t n_weights) {
  const double size = static_cast<double>(n);
  return size * size * (size / 50.0 + 4.0) + 8.0 * static_cast<double>(n_weights);
}

}  // namespace

template <class Value, class Real>
bool LaneNewton<Value, Real>::multiply_rows() {
  const RowsOfLane<Real> rows = rows_.arrange();
  stride_ = rows.stride;
  const int64_t size = (n_ + 1) * stride_;
  products_.ensure(size), system_.ensure(size), turned_.ensure(panel_width * stride_);
  for (int64_t first = 0; first < n_; first += chunk) {
    if (cancel_.load(std::memory_order_relaxed)) return false;
    loops_.multiply_rows(rows, first, std::min(n_, first + chunk), products_.data());
  }
  return true;
}

// |w|^2 / 2 + sum C max(0, 1 - margin)^2, where w is the sum of the rows times their multipliers.
template <class Value, class Real>
double LaneNewton<Value, Real>::objective(const Real* multipliers, const Real* margins) const {
  double norm = 0.0, loss = 0.0;
  for (size_t i = 0; i < cost_.size(); ++i) {
    const double margin = static_cast<double>(margins[i]), lack = std::max(0.0, 1.0 - margin);
    norm += static_cast<double>(multipliers[i]) * margin;
    loss += cost_[i] * lack * lack;
  }
  return 0.5 * norm + loss;
}

// From the multipliers of the rows; at first all of them count as lacking a margin.
template <class Value, class Real>
void LaneNewton<Value, Real>::start(const std::vector<LaneRow<Real>>& rows, const std::vector<size_t>& places) {
  cost_.clear(), multiplier_.clear(), short_.clear();
  for (const size_t place : places) {
    short_.push_back(static_cast<int32_t>(cost_.size()));
    cost_.push_back(static_cast<double>(rows[place].cost));
    multiplier_.push_back(rows[place].multiplier);
  }
  for (std::vector<Real>* each : {&margin_, &target_, &target_margin_, &trial_, &trial_margin_})
    each->resize(places.size());
  loops_.multiply_symmetric(products_.data(), n_, stride_, multiplier_.data(), margin_.data());
}

template <class Value, class Real>
void LaneNewton<Value, Real>::list_short() {
  short_.clear();
  for (size_t i = 0; i < margin_.size(); ++i)
    if (margin_[i] < 1) short_.push_back(static_cast<int32_t>(i));
}

// The multiplier of a row by what it lacks of its margin.
template <class Value, class Real>
Real LaneNewton<Value, Real>::pull_of(size_t i) const {
  return static_cast<Real>(2.0 * cost_[i] * std::max(0.0, 1.0 - static_cast<double>(margin_[i])));
}

// Whether the gap is small where multipliers below zero are zero; these and their margins are then in `trial_`.
template <class Value, class Real>
bool LaneNewton<Value, Real>::is_solved(double tol) {
  for (size_t i = 0; i < cost_.size(); ++i) trial_[i] = std::max(multiplier_[i], Real(0));
  loops_.multiply_symmetric(products_.data(), n_, stride_, trial_.data(), trial_margin_.data());
  double gap = 0.0;
  for (size_t i = 0; i < cost_.size(); ++i) {
    const double lack = 1.0 - static_cast<double>(trial_margin_[i]), multiplier = static_cast<double>(trial_[i]);
    const double miss = std::max(lack, 0.0) - 0.5 * multiplier / cost_[i];
    gap += cost_[i] * miss * miss + multiplier * std::max(-lack, 0.0);
  }
  return gap <= tol * objective(trial_.data(), trial_margin_.data());
}

// Multipliers that are the minimum if the rows that lack a margin now are those that do there.
template <class Value, class Real>
bool LaneNewton<Value, Real>::find_target() {
  const int64_t n = static_cast<int64_t>(short_.size()), stride = (n + n_lanes) / n_lanes * n_lanes;
  Real* system = system_.data();
  for (int64_t i = 0; i < n; ++i) {
    const int32_t row = short_[static_cast<size_t>(i)];
    const Real* from = products_.data() + row * stride_;
    Real* line = system + i * stride;
    for (int64_t j = 0; j <= i; ++j) line[j] = from[short_[static_cast<size_t>(j)]];
    line[i] += static_cast<Real>(0.5 / cost_[static_cast<size_t>(row)]);
    std::fill(line + i + 1, line + stride, Real(0));
  }
  for (int64_t first = 0; first < n; first += panel_width) {
    if (cancel_.load(std::memory_order_relaxed)) return false;
    if (!loops_.factor_panel(system, n, stride, first, turned_.data())) return false;
  }
  right_side_.assign(static_cast<size_t>(n), Real(1));
  loops_.substitute(system, n, stride, right_side_.data());
  std::fill(target_.begin(), target_.end(), Real(0));
  for (size_t i = 0; i < short_.size(); ++i) target_[static_cast<size_t>(short_[i])] = right_side_[i];
  loops_.multiply_symmetric(products_.data(), n_, stride_, target_.data(), target_margin_.data());
  return true;
}

// Go to the target, or as far towards it as the objective falls. False where that is nowhere.
template <class Value, class Real>
bool LaneNewton<Value, Real>::step() {
  const double now = objective(multiplier_.data(), margin_.data());
  double slope = 0.0;  // of the objective along the step
  for (size_t i = 0; i < cost_.size(); ++i) {
    slope += static_cast<double>(multiplier_[i] - pull_of(i)) * static_cast<double>(target_margin_[i] - margin_[i]);
  }
  double share = 1.0;
  for (int64_t halvings = 0; halvings < most_halvings; ++halvings, share *= 0.5) {
    for (size_t i = 0; i < cost_.size(); ++i) {
      trial_[i] = multiplier_[i] + static_cast<Real>(share) * (target_[i] - multiplier_[i]);
      trial_margin_[i] = margin_[i] + static_cast<Real>(share) * (target_margin_[i] - margin_[i]);
    }
    if (objective(trial_.data(), trial_margin_.data()) > now + sufficient * share * slope) continue;
    multiplier_.swap(trial_);
    margin_.swap(trial_margin_);
    return true;
  }
  return false;
}

template <class Value, class Real>
bool LaneNewton<Value, Real>::run(const Block<Value, Real>& block, int lane, std::vector<LaneRow<Real>>& rows,
                                  const std::vector<size_t>& places, double budget, double tol) {
  const int64_t n = static_cast<int64_t>(places.size());
  const double fixed = fixed_cost(n, block.n_lines() - 1);
  was_tried_ = false;
  if (n == 0 || n > most_rows || fixed > budget) return false;
  rows_.read(block, lane, rows, places);
  if (fixed + rows_.cost_of_products() > budget) return false;
  was_tried_ = true;
  n_ = n;
  if (!multiply_rows()) return false;
  start(rows, places);
  for (int64_t steps = 0; steps < most_steps; ++steps) {
    if (!find_target()) return false;
    if (!step() || is_solved(tol)) break;
    short_.swap(last_short_);
    list_short();
    if (short_ == last_short_) break;
  }
  for (size_t i = 0; i < places.size(); ++i) rows[places[i]].multiplier = std::max(multiplier_[i], Real(0));
  return true;
}

template class LaneNewton<float, float>;
template class LaneNewton<double, double>;

}  // namespace bncc::linear
