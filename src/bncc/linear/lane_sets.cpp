#include "lane_sets.hpp"

#include <algorithm>

namespace bncc::linear {
namespace {

constexpr int64_t chunk = 4096;  // rows between two looks at `cancel`
constexpr double reach = 1.15;   // steps go beyond the peaks of their rows: a lane needs fewer epochs so
constexpr int most_rounds = 4;   // of Newton's method, each with the rows that lacked a margin after the one before

}  // namespace

template <class Value, class Real>
void LaneSets<Value, Real>::clear() {
  uint64_t seed = 88172645463325252ull;
  for (int l = 0; l < n_lanes; ++l) {
    rows_[l].clear();
    leavers_[l].clear();
    draw(seed);
    seeds_[l] = seed;
  }
}

template <class Value, class Real>
LaneRow<Real> LaneSets<Value, Real>::describe(const Block<Value, Real>& block, int32_t row, int lane) const {
  const Features<Value>& x = block.x;
  LaneRow<Real> out;
  out.row = row;
  out.begin = x.indices ? x.indptr[row] : row * x.n_features;
  out.size = static_cast<int32_t>(x.indices ? x.indptr[row + 1] - out.begin : x.n_features);
  const bool positive = block.positive[row] >> lane & 1u;
  out.sign = positive ? Real(1) : Real(-1);
  out.cost = std::max(block.cost[positive][lane] * (block.weight ? block.weight[row] : Real(1)), least_cost<Real>);
  Real square = block.square[row] + block.bias_feature * block.bias_feature;
  if (block.context.indptr)
    for (int64_t k = block.context.indptr[row]; k < block.context.indptr[row + 1]; ++k)
      square += block.seen[static_cast<int64_t>(block.context.labels[k]) * n_lanes + lane];
  out.half = block.loss == Loss::squared_hinge ? Real(0.5) / out.cost : Real(0);
  out.rate = static_cast<Real>(reach) / std::max(square + out.half, Real(1e-30));
  out.multiplier = 0;
  return out;
}

template <class Value, class Real>
void LaneSets<Value, Real>::add(const Block<Value, Real>& block, int32_t row, uint32_t lanes, const Real* multipliers) {
  for (int l = 0; l < n_lanes; ++l) {
    if (!(lanes >> l & 1u)) continue;
    rows_[l].push_back(describe(block, row, l));
    if (multipliers) rows_[l].back().multiplier = multipliers[l];
  }
}

template <class Value, class Real>
void LaneSets<Value, Real>::change_costs(const Block<Value, Real>& block) {
  for (int l = 0; l < n_lanes; ++l)
    for (LaneRow<Real>& row : rows_[l]) {
      const Real multiplier = row.multiplier;
      row = describe(block, row.row, l);
      row.multiplier = multiplier;
    }
}

template <class Value, class Real>
void LaneSets<Value, Real>::add_up(double* sum, double* square) const {
  for (int l = 0; l < n_lanes; ++l)
    for (const LaneRow<Real>& row : rows_[l]) {
      const double multiplier = static_cast<double>(row.multiplier);
      sum[l] += multiplier;
      square[l] += multiplier * multiplier / static_cast<double>(row.cost);
    }
}

template <class Value, class Real>
void LaneSets<Value, Real>::multiply(const Real* factor) {
  for (int l = 0; l < n_lanes; ++l)
    for (LaneRow<Real>& row : rows_[l]) row.multiplier *= factor[l];
}

// One step for each row of a lane, in the order of its list.
template <class Value, class Real>
bool LaneSets<Value, Real>::visit(const Block<Value, Real>& block, int lane, Real* weights, LaneSums& sums) {
  std::vector<LaneRow<Real>>& rows = rows_[lane];
  std::vector<int32_t>& leavers = leavers_[lane];
  const int64_t n = size(lane);
  int64_t left = 0;
  for (int64_t first = 0; first < n; first += chunk) {
    if (cancel_.load(std::memory_order_relaxed)) return false;
    LaneRow<Real>* part = rows.data() + first;
    const int64_t length = std::min(chunk, n - first);
    const size_t gone = leavers.size();
    leavers.resize(gone + static_cast<size_t>(length));
    const int64_t kept = loops_.descend_lane(block, lane, weights, part, length, leavers.data() + gone, sums);
    leavers.resize(gone + static_cast<size_t>(length - kept));
    if (left < first) std::copy(part, part + kept, rows.data() + left);
    left += kept;
  }
  rows.resize(static_cast<size_t>(left));
  return true;
}

template <class Value, class Real>
void LaneSets<Value, Real>::let_go(int lane, uint16_t* inside) {
  for (const int32_t row : leavers_[lane]) inside[row] &= static_cast<uint16_t>(~(1u << lane));
  leavers_[lane].clear();
}

template <class Value, class Real>
bool LaneSets<Value, Real>::epoch(const Block<Value, Real>& block, int lane, Real* weights, LaneSums& sums) {
  shuffle(rows_[lane].data(), size(lane), seeds_[lane]);
  return visit(block, lane, weights, sums);
}

template <class Value, class Real>
bool LaneSets<Value, Real>::cycle(const Block<Value, Real>& block, int lane, Real* weights,
                                  LaneTools<Value, Real>& tools) {
  std::vector<LaneRow<Real>>& rows = rows_[lane];
  shuffle(rows.data(), size(lane), seeds_[lane]);
  tools.extrapolation.note(rows, 0);
  for (int epoch = 1; epoch <= Extrapolation<Value, Real>::n_epochs; ++epoch) {
    for (int64_t first = 0; first < size(lane); first += chunk) {
      if (cancel_.load(std::memory_order_relaxed)) return false;
      loops_.sweep_lane(block, lane, weights, rows.data() + first, std::min(chunk, size(lane) - first));
    }
    tools.extrapolation.note(rows, epoch);
  }
  tools.extrapolation.apply(block, lane, rows, weights);
  return true;
}

template <class Value, class Real>
bool LaneSets<Value, Real>::leap(const Block<Value, Real>& block, int lane, Real* weights, double epochs, double tol,
                                 LaneTools<Value, Real>& tools, LaneSums& sums, BlockCosts& costs) {
  std::vector<LaneRow<Real>>& rows = rows_[lane];
  const int64_t n_weights = block.n_lines();
  double steps = 0.0;  // of an epoch: each entry of a row is read, and perhaps added to
  for (const LaneRow<Real>& row : rows) steps += 2.0 * static_cast<double>(row.size);
  tools.lacks.resize(rows.size());
  for (int round = 0;; ++round) {
    sums = LaneSums{};
    loops_.measure_lane(block, weights, rows.data(), size(lane), sums, tools.lacks.data());
    costs.checks += static_cast<double>(rows.size()) / n_lanes;
    if (round == most_rounds || sums.gap <= tol * (sums.loss + 0.5 * square_of(weights, n_weights))) return true;
    tools.places.clear();
    for (size_t place = 0; place < rows.size(); ++place)
      if (rows[place].multiplier > 0 || tools.lacks[place] > 0) tools.places.push_back(place);
    std::vector<LaneRow<Real>>& proposed = tools.proposal.copy(rows);
    if (!tools.newton.run(block, lane, proposed, tools.places, epochs * steps, 0.1 * tol)) return round > 0;
    costs.updates += static_cast<double>(tools.places.size()) / n_lanes;
    if (!tools.proposal.adopt(block, lane, rows, weights)) return round > 0;
  }
}

template <class Value, class Real>
LaneSums LaneSets<Value, Real>::measure(const Block<Value, Real>& block, int lane, const Real* weights,
                                        LaneTools<Value, Real>& tools) const {
  LaneSums sums;
  tools.lacks.resize(rows_[lane].size());
  loops_.measure_lane(block, weights, rows_[lane].data(), size(lane), sums, tools.lacks.data());
  return sums;
}

template <class Value, class Real>
void LaneSets<Value, Real>::shift(int lane, const LaneTools<Value, Real>& tools, double by, Shifted& shifted) const {
  loops_.shift_lane(rows_[lane].data(), size(lane), tools.lacks.data(), static_cast<Real>(by), shifted.loss[lane],
                    shifted.slope[lane], shifted.curvature[lane]);
}

template class LaneSets<float, float>;
template class LaneSets<double, double>;

}  // namespace bncc::linear
