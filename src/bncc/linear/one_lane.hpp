// The loops of one lane alone: its weights lie one after the other, and its rows in a list of their own.
//
// Only loops.cpp includes this, as it does lanes.hpp.
#pragma once

#include "dense.hpp"
#include "loops.hpp"

namespace bncc::linear {
namespace {

constexpr int64_t rows_ahead = 4;         // whose entries are asked for before they are needed
constexpr int64_t most_lines_ahead = 16;  // cache lines of such a row
constexpr int64_t most_labels_ahead = 16;

template <class Value, class Real>
BNCC_INLINE void fetch_entries(const Block<Value, Real>& block, const LaneRow<Real>& row) {
#if defined(__GNUC__)
  constexpr int64_t values_per_line = 64 / static_cast<int64_t>(sizeof(Value));
  if (block.x.values) {
    const Value* values = block.x.values + row.begin;
    for (int64_t k = 0; k < row.size && k < most_lines_ahead * values_per_line; k += values_per_line)
      __builtin_prefetch(values + k);
  }
  if (!block.x.indices) return;
  const int32_t* indices = block.x.indices + row.begin;
  for (int64_t k = 0; k < row.size && k < most_lines_ahead * 16; k += 16) __builtin_prefetch(indices + k);
#else
  (void)block, (void)row;
#endif
}

// Of the labels of later rows: where they are, which they are, and whether the lane sees them.
template <class Value, class Real>
BNCC_INLINE void fetch_labels(const Block<Value, Real>& block, const LaneRow<Real>* rows, int64_t s, int64_t n) {
#if defined(__GNUC__)
  const Context& context = block.context;
  if (!context.indptr) return;
  if (s + 3 * rows_ahead < n) __builtin_prefetch(context.indptr + rows[s + 3 * rows_ahead].row);
  if (s + 2 * rows_ahead < n) __builtin_prefetch(context.labels + context.indptr[rows[s + 2 * rows_ahead].row]);
  if (s + rows_ahead >= n) return;
  const int64_t begin = context.indptr[rows[s + rows_ahead].row], end = context.indptr[rows[s + rows_ahead].row + 1];
  for (int64_t k = begin; k < end && k < begin + most_labels_ahead; ++k)
    __builtin_prefetch(block.seen + static_cast<int64_t>(context.labels[k]) * width);
#else
  (void)block, (void)rows, (void)s, (void)n;
#endif
}

// What later rows of a lane need.
template <class Value, class Real>
BNCC_INLINE void fetch_ahead(const Block<Value, Real>& block, const LaneRow<Real>* rows, int64_t s, int64_t n) {
  if (s + rows_ahead < n) fetch_entries(block, rows[s + rows_ahead]);
  fetch_labels(block, rows, s, n);
}

// Keeps a loop as it is written: GCC would read indices into vectors, to take them apart again one by one.
BNCC_INLINE void keep_scalar() {
#if defined(__GNUC__)
  __asm__ volatile("");
#endif
}

// term(0) + ... + term(n - 1), in eight sums, so that no addition waits for the one before.
template <class Real, class Term>
BNCC_INLINE Real add_terms(int64_t n, const Term& term) {
  Real sums[8] = {};
  int64_t k = 0;
  for (; k + 7 < n; k += 8)
    for (int64_t part = 0; part < 8; ++part) {
      keep_scalar();
      sums[part] += term(k + part);
    }
  for (; k < n; ++k) {
    keep_scalar();
    sums[0] += term(k);
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// The product of stored entries with weights; no values are ones.
template <class Value, class Real>
BNCC_INLINE Real sparse_product(const Value* values, const int32_t* indices, int64_t n, const Real* weights) {
  if (!values) return add_terms<Real>(n, [&](int64_t k) { return weights[indices[k]]; });
  return add_terms<Real>(n, [&](int64_t k) { return static_cast<Real>(values[k]) * weights[indices[k]]; });
}

// The product of a row with the weights of the lane, bias included. Weights of labels that it does not see are zero.
template <class Value, class Real>
BNCC_INLINE Real lane_product(const Block<Value, Real>& block, const Real* weights, const LaneRow<Real>& row) {
  const Features<Value>& x = block.x;
  const Value* values = x.values ? x.values + row.begin : nullptr;
  Real sum = x.indices ? sparse_product(values, x.indices + row.begin, row.size, weights)
                       : dense_product(values, row.size, weights);
  const Real* labels = weights + x.n_features;
  if (block.context.indptr)
    for (int64_t k = block.context.indptr[row.row]; k < block.context.indptr[row.row + 1]; ++k)
      sum += labels[block.context.labels[k]];
  return sum + block.bias_feature * labels[block.context.n_labels];
}

// weights += row * step, where the lane sees what is added to.
template <class Value, class Real>
BNCC_INLINE void add_lane_row(const Block<Value, Real>& block, int lane, Real* weights, const LaneRow<Real>& row,
                              Real step) {
  const Features<Value>& x = block.x;
  const int32_t* indices = x.indices ? x.indices + row.begin : nullptr;
  const Value* values = x.values ? x.values + row.begin : nullptr;
  if (!indices)
    dense_add(values, row.size, step, weights);
  else if (!values)
    for (int64_t k = 0; k < row.size; ++k) weights[indices[k]] += step;
  else
    for (int64_t k = 0; k < row.size; ++k) weights[indices[k]] += static_cast<Real>(values[k]) * step;
  Real* labels = weights + x.n_features;
  if (block.context.indptr)
    for (int64_t k = block.context.indptr[row.row]; k < block.context.indptr[row.row + 1]; ++k) {
      const int64_t label = block.context.labels[k];
      labels[label] += block.seen[label * width + lane] * step;
    }
  labels[block.context.n_labels] += block.bias_feature * step;
}

// The terms of one row: see Terms in loops.cpp, of which this is one lane.
template <Loss loss, class Real>
BNCC_INLINE void see_row(const LaneRow<Real>& row, Real lack, LaneSums& sums) {
  const Real short_of = lack > 0 ? lack : Real(0);
  if (loss == Loss::hinge) {
    sums.loss += static_cast<double>(row.cost * short_of);
    sums.gap += static_cast<double>(row.cost * short_of - row.multiplier * lack);
  } else {
    const Real miss = short_of - row.multiplier * row.half, beyond = lack < 0 ? -lack : Real(0);
    sums.loss += static_cast<double>(row.cost * short_of * short_of);
    sums.gap += static_cast<double>(row.cost * miss * miss + row.multiplier * beyond);
  }
}

template <Loss loss, class Value, class Real>
BNCC_INLINE int64_t descend_lane_as(const Block<Value, Real>& block, int lane, Real* weights, LaneRow<Real>* rows,
                                    int64_t n, int32_t* leavers, LaneSums& sums) {
  const Real slack = block.slack[lane];
  Real excess = 0;
  int64_t left = 0;
  for (int64_t s = 0; s < n; ++s) {
    fetch_ahead(block, rows, s, n);
    LaneRow<Real> row = rows[s];
    const Real lack = 1 - row.sign * lane_product(block, weights, row);
    const Real gradient = row.multiplier * row.half - lack;
    see_row<loss>(row, lack, sums);
    if (row.multiplier > 0) {
      if (gradient > excess) excess = gradient;
    } else if (gradient >= slack) {  // an inspection will look at it again
      block.state[static_cast<int64_t>(row.row) * width + lane] = Real(-1e30);
      *leavers++ = row.row;
      continue;
    }
    Real next = row.multiplier - gradient * row.rate;
    if (next < 0) next = 0;
    if (loss == Loss::hinge && next > row.cost) next = row.cost;
    const Real step = (next - row.multiplier) * row.sign;
    row.multiplier = next;
    rows[left++] = row;
    if (step != 0) add_lane_row(block, lane, weights, row, step);
  }
  if (static_cast<double>(excess) > sums.excess) sums.excess = static_cast<double>(excess);
  return left;
}

template <class Value, class Real>
int64_t descend_lane(const Block<Value, Real>& block, int lane, Real* weights, LaneRow<Real>* rows, int64_t n,
                     int32_t* leavers, LaneSums& sums) {
  if (block.loss == Loss::hinge) return descend_lane_as<Loss::hinge>(block, lane, weights, rows, n, leavers, sums);
  return descend_lane_as<Loss::squared_hinge>(block, lane, weights, rows, n, leavers, sums);
}

// The steps of descend_lane alone.
template <Loss loss, class Value, class Real>
BNCC_INLINE void sweep_lane_as(const Block<Value, Real>& block, int lane, Real* weights, LaneRow<Real>* rows,
                               int64_t n) {
  for (int64_t s = 0; s < n; ++s) {
    fetch_ahead(block, rows, s, n);
    LaneRow<Real>& row = rows[s];
    const Real gradient = row.multiplier * row.half - 1 + row.sign * lane_product(block, weights, row);
    Real next = row.multiplier - gradient * row.rate;
    next = next > 0 ? next : Real(0);
    if (loss == Loss::hinge) next = next < row.cost ? next : row.cost;
    const Real step = (next - row.multiplier) * row.sign;
    row.multiplier = next;
    if (step != 0) add_lane_row(block, lane, weights, row, step);
  }
}

template <class Value, class Real>
void sweep_lane(const Block<Value, Real>& block, int lane, Real* weights, LaneRow<Real>* rows, int64_t n) {
  if (block.loss == Loss::hinge) return sweep_lane_as<Loss::hinge>(block, lane, weights, rows, n);
  return sweep_lane_as<Loss::squared_hinge>(block, lane, weights, rows, n);
}

template <class Value, class Real>
void add_rows(const Block<Value, Real>& block, int lane, const LaneRow<Real>* rows, int64_t n, Real* weights) {
  for (int64_t s = 0; s < n; ++s) {
    fetch_ahead(block, rows, s, n);
    if (rows[s].multiplier > 0) add_lane_row(block, lane, weights, rows[s], rows[s].sign * rows[s].multiplier);
  }
}

template <class Value, class Real>
void measure_lane(const Block<Value, Real>& block, const Real* weights, const LaneRow<Real>* rows, int64_t n,
                  LaneSums& sums, Real* lacks) {
  for (int64_t s = 0; s < n; ++s) {
    fetch_ahead(block, rows, s, n);
    const LaneRow<Real>& row = rows[s];
    const Real lack = 1 - row.sign * lane_product(block, weights, row);
    if (lacks) lacks[s] = lack;
    if (block.loss == Loss::hinge)
      see_row<Loss::hinge>(row, lack, sums);
    else
      see_row<Loss::squared_hinge>(row, lack, sums);
  }
}

template <class Real>
void shift_lane(const LaneRow<Real>* rows, int64_t n, const Real* lacks, Real shift, double& loss, double& slope,
                double& curvature) {
  for (int64_t s = 0; s < n; ++s) {
    const Real lack = lacks[s] - rows[s].sign * shift;
    if (!(lack > 0)) continue;
    loss += static_cast<double>(rows[s].cost * lack * lack);
    slope -= static_cast<double>(2 * rows[s].cost * rows[s].sign * lack);
    curvature += static_cast<double>(2 * rows[s].cost);
  }
}

}  // namespace
}  // namespace bncc::linear
