#include "lower_bounds.hpp"

#include <cmath>

namespace bncc::linear {
namespace {

constexpr int most_halvings_along = 60;
constexpr double near_margin = 4.0;  // times what may be rounded off it

// Of a row: the share of its cost that pulls, and the curvature.
struct Derivatives {
  double pull, curvature;
};

Derivatives derive(Loss loss, double margin) {
  if (loss != Loss::logistic) return margin < 1.0 ? Derivatives{2.0 * (1.0 - margin), 2.0} : Derivatives{0.0, 0.0};
  const double e = std::exp(-std::abs(margin)), p = margin > 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e);
  return {p, e / ((1.0 + e) * (1.0 + e))};
}

// What a row adds to the margins, as far as its multiplier stays what it may be, and this multiplier.
struct Change {
  double along, multiplier;
};

Change change_of(Loss loss, double cost, double margin, const Derivatives& d, double along) {
  const double t = loss == Loss::logistic ? std::clamp(along, -1.0, 1.0) : std::min(along, 1.0 - margin);
  return {t, cost * (d.pull - d.curvature * t)};
}

// What may be rounded off the product of a row with the weights.
template <class Value>
double rounding_of_margin(const Block<Value, double>& block, int lane, int64_t row) {
  double size = 0.0;
  visit_row(block, lane, row,
            [&](int64_t column, double value) { size += std::abs(value * block.coef[column * n_lanes + lane]); });
  return rounding_of_sums * size;
}

}  // namespace

// Whether every multiplier may change by the root of its row's stiffness times a length.
template <class Value>
bool LowerBounds<Value>::may_change(const Block<Value, double>& block, const PlaceOfLane& at, const double* along,
                                    double length) const {
  for (size_t r = 0; r < at.rows.size(); ++r) {
    const int64_t place = static_cast<int64_t>(r) * n_lanes + at.lane;
    const RowOfLane own = row_of_lane(block, at.lane, at.rows[r]);
    const double margin = own.sign * at.z[place];
    const Derivatives d = derive(block.loss, margin);
    const double multiplier = change_of(block.loss, own.cost, margin, d, own.sign * along[place]).multiplier;
    const double room = block.loss == Loss::logistic ? std::min(multiplier, own.cost - multiplier) : multiplier;
    if (!(room >= std::sqrt(own.cost * d.curvature) * length)) return false;
  }
  return true;
}

template <class Value>
double LowerBounds<Value>::find_gap(const Block<Value, double>& block, const PlaceOfLane& at, const double* along,
                                    const Orthogonal<Value>* factor) {
  const int64_t n_lines = block.n_lines();
  missing_.resize(static_cast<size_t>(n_lines));
  rounding_.assign(static_cast<size_t>(n_lines), 0.0);
  for (int64_t j = 0; j < n_lines; ++j) missing_[static_cast<size_t>(j)] = block.coef[j * n_lanes + at.lane];
  double moved = 0.0;
  for (size_t r = 0; r < at.rows.size(); ++r) {
    const int64_t row = at.rows[r], place = static_cast<int64_t>(r) * n_lanes + at.lane;
    const RowOfLane own = row_of_lane(block, at.lane, row);
    if (!(own.cost > 0.0)) continue;
    const double margin = own.sign * at.z[place];
    const Derivatives d = derive(block.loss, margin);
    const Change change = change_of(block.loss, own.cost, margin, d, own.sign * along[place]);
    moved += own.cost * d.curvature * change.along * change.along;
    if (change.multiplier == 0.0) continue;
    visit_row(block, at.lane, row, [&](int64_t column, double value) {
      missing_[static_cast<size_t>(column)] -= own.sign * change.multiplier * value;
      rounding_[static_cast<size_t>(column)] += rounding_of_sums * std::abs(change.multiplier * value);
    });
  }
  if (block.loss != Loss::logistic) moved *= 0.5;
  double square = 0.0, square_of_rounding = 0.0;
  for (const double one : missing_) square += one * one;
  for (const double one : rounding_) square_of_rounding += one * one;
  const double missing = std::sqrt(square) + std::sqrt(square_of_rounding), gap = 0.5 * missing * missing + moved;
  if (!factor) return gap;
  // Other multipliers have nothing missing: no row's changes by more than the root of its stiffness times this length,
  // and if all of them may, that is what it costs.
  const double length = factor->measure(missing_, rounding_), sum = std::sqrt(moved) + length;
  return sum * sum < gap && may_change(block, at, along, length) ? sum * sum : gap;
}

template <class Value>
double LowerBounds<Value>::best_step(const Block<Value, double>& block, const PlaceOfLane& at, const double* along,
                                     const double* direction) {
  double ws = 0.0, ss = 0.0;
  for (int64_t j = 0; j < block.n_lines(); ++j) {
    const double one = direction[j * n_lanes + at.lane];
    ws += block.coef[j * n_lanes + at.lane] * one;
    ss += one * one;
  }
  const auto slope_at = [&](double t) {
    double slope = ws + t * ss;
    for (size_t r = 0; r < at.rows.size(); ++r) {
      const int64_t place = static_cast<int64_t>(r) * n_lanes + at.lane;
      const RowOfLane own = row_of_lane(block, at.lane, at.rows[r]);
      const double change = own.sign * along[place];
      if (own.cost > 0.0 && change != 0.0)
        slope -= own.cost * derive(block.loss, own.sign * at.z[place] + t * change).pull * change;
    }
    return slope;
  };
  double least = 0.0, most = 1.0;
  while (slope_at(most) < 0.0) {
    least = most;
    if (most >= most_steps_along) return most;
    most *= 2.0;
  }
  for (int halvings = 0; halvings < most_halvings_along; ++halvings) {
    const double middle = 0.5 * (least + most);
    (slope_at(middle) < 0.0 ? least : most) = middle;
  }
  return least;
}

template <class Value>
double LowerBounds<Value>::rounding_of_gap(const Block<Value, double>& block, const PlaceOfLane& at) {
  double more = 0.0;
  for (size_t r = 0; r < at.rows.size(); ++r) {
    const RowOfLane own = row_of_lane(block, at.lane, at.rows[r]);
    if (!(own.cost > 0.0)) continue;
    const double margin = own.sign * at.z[static_cast<int64_t>(r) * n_lanes + at.lane];
    const double rounding = rounding_of_margin(block, at.lane, at.rows[r]);
    if (block.loss == Loss::logistic) {
      const double curvature = std::min(0.25, derive(block.loss, margin).curvature * std::exp(rounding));
      more += 0.5 * own.cost * curvature * rounding * rounding;
    } else {
      const double lack = std::max(rounding + std::min(1.0 - margin, 0.0), 0.0);
      more += own.cost * lack * lack;
    }
  }
  return more;
}

template <class Value>
double LowerBounds<Value>::overshoot(const Block<Value, double>& block, const PlaceOfLane& at, double near,
                                     double most) {
  if (block.loss != Loss::squared_hinge) return 0.0;
  double share = 0.0;
  for (size_t r = 0; r < at.rows.size(); ++r) {
    const RowOfLane own = row_of_lane(block, at.lane, at.rows[r]);
    if (!(own.cost > 0.0)) continue;
    const double rounding = rounding_of_margin(block, at.lane, at.rows[r]);
    const double lack = 1.0 - own.sign * at.z[static_cast<int64_t>(r) * n_lanes + at.lane] + rounding;
    if (lack > 0.0 && lack <= std::max(near, near_margin * rounding)) share = std::max(share, lack / (1.0 - lack));
  }
  return share <= most ? share : 0.0;
}

template class LowerBounds<float>;
template class LowerBounds<double>;

}  // namespace bncc::linear
