// The bias that suits given weights best.
//
// Coordinate descent moves the bias at every row, and leaves it where the last rows have pushed it: most of what the
// primal objective of its weights has above the minimum is due to that. Along the bias alone, the objective is convex
// and has a slope and a curvature that one pass over known products tells, so that a few passes find its minimum.
#pragma once

#include <cmath>
#include <limits>

#include "problem.hpp"

namespace bncc::linear {

// Losses of the lanes where their products are moved by a shift, and their first two derivatives by it.
struct Shifted {
  double loss[n_lanes] = {}, slope[n_lanes] = {}, curvature[n_lanes] = {};
};

// Per lane: the weight of the bias, what to add to it, and the losses there.
struct BestBias {
  double weight[n_lanes] = {}, change[n_lanes] = {}, loss[n_lanes] = {};
};

// Whether the best bias beside given weights is asked for.
template <class Value, class Real>
bool moves_bias(const Block<Value, Real>& block) {
  return block.loss == Loss::squared_hinge && block.bias_feature > 0;
}

// Finds what to add; `evaluate(shift, shifted)` tells the losses. Steps of Newton's method, halved where they leave
// what is known to hold the minimum, until one promises little of what `tol` leaves of the objective of the bias alone.
template <class Value, class Real, class Evaluate>
void find_best_bias(const Block<Value, Real>& block, uint32_t lanes, double tol, const Evaluate& evaluate,
                    BestBias& best) {
  constexpr int most_steps = 12;
  constexpr double share_of_tol = 0.01;
  const double feature = static_cast<double>(block.bias_feature), enough = share_of_tol * tol;
  constexpr double far = std::numeric_limits<double>::infinity();
  double least[n_lanes], most[n_lanes], lowest[n_lanes], trial[n_lanes] = {}, shift[n_lanes] = {};
  for (int l = 0; l < n_lanes; ++l) {
    least[l] = -far;
    most[l] = lowest[l] = far;
  }
  for (int steps = 0; lanes && steps < most_steps; ++steps) {
    Shifted shifted;
    for (int l = 0; l < n_lanes; ++l) shift[l] = feature * trial[l];
    evaluate(shift, shifted);
    for (int l = 0; l < n_lanes; ++l) {
      if (!(lanes >> l & 1u)) continue;
      const double at = best.weight[l] + trial[l], value = 0.5 * at * at + shifted.loss[l];
      if (value < lowest[l]) {
        lowest[l] = value;
        best.change[l] = trial[l];
        best.loss[l] = shifted.loss[l];
      }
      const double slope = at + feature * shifted.slope[l], curvature = 1.0 + feature * feature * shifted.curvature[l];
      (slope > 0.0 ? most : least)[l] = trial[l];
      if (slope * slope > 2.0 * enough * value * curvature) {
        trial[l] -= slope / curvature;
        if (!(trial[l] > least[l] && trial[l] < most[l])) trial[l] = 0.5 * (least[l] + most[l]);
        if (std::isfinite(trial[l])) continue;
      }
      lanes &= ~(1u << l);
      trial[l] = 0.0;
    }
  }
}

// Blocks whose lanes have the best biases, and remember those of their multipliers.
template <class Real>
class MovedBiases {
 public:
  // Let lanes have their best biases; sums are told of it.
  void move(Real* bias, uint32_t lanes, const BestBias& best, Sums& sums) {
    for (int l = 0; l < n_lanes; ++l) {
      if (!(lanes >> l & 1u)) continue;
      pulled_[l] = bias[l];
      bias[l] = static_cast<Real>(best.weight[l] + best.change[l]);
      const double now = static_cast<double>(bias[l]);
      sums.gap[l] += 0.5 * (now * now - best.weight[l] * best.weight[l]) + best.loss[l] - sums.loss[l];
      sums.loss[l] = best.loss[l];
    }
    moved_ |= lanes;
  }

  // Let lanes have those of their multipliers again; `norm` is |w|^2, bias included.
  void restore(Real* bias, uint32_t lanes, double* norm) {
    for (int l = 0; l < n_lanes; ++l) {
      if (!(moved_ & lanes & (1u << l))) continue;
      const double now = static_cast<double>(bias[l]), pulled = static_cast<double>(pulled_[l]);
      norm[l] += pulled * pulled - now * now;
      bias[l] = pulled_[l];
    }
    moved_ &= ~lanes;
  }

  void forget() { moved_ = 0; }

 private:
  uint32_t moved_ = 0;
  Real pulled_[n_lanes] = {};
};

}  // namespace bncc::linear
