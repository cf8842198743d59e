// The loops of coordinate descent on sixteen lanes side by side.
//
// Only loops.cpp includes this, as it does lanes.hpp.
#pragma once

#include "block_rows.hpp"

namespace bncc::linear {
namespace {

// The terms of one row in the primal, in the gap between primal and dual, and in the dual. `lack` is 1 - y f.
template <Loss loss, class Real>
struct Terms {
  Lanes<Real> loss_sum, gap_sum;

  void see(Lanes<Real> lack, Lanes<Real> multiplier, Lanes<Real> cost, Lanes<Real> half, Mask<Real> on) {
    const Lanes<Real> zero = fill<Real>(0), short_of = larger<Real>(lack, zero);
    if (loss == Loss::hinge) {
      loss_sum += pick<Real>(on, cost * short_of, zero);
      gap_sum += pick<Real>(on, cost * short_of - multiplier * lack, zero);
    } else {
      const Lanes<Real> miss = short_of - half * multiplier;
      const Lanes<Real> beyond = larger<Real>(zero - lack, zero);
      loss_sum += pick<Real>(on, cost * short_of * short_of, zero);
      gap_sum += pick<Real>(on, cost * miss * miss + multiplier * beyond, zero);
    }
  }

  void add_to(Sums& sums) const {
    for (int l = 0; l < width; ++l) {
      sums.loss[l] += static_cast<double>(loss_sum[l]);
      sums.gap[l] += static_cast<double>(gap_sum[l]);
    }
  }
};

// 1 / 2C for the squared hinge loss, 0 for the hinge.
template <Loss loss, class Real>
BNCC_INLINE Lanes<Real> half_of(Lanes<Real> cost) {
  if (loss == Loss::hinge) return fill<Real>(0);
  return fill<Real>(Real(0.5)) / cost;
}

template <Loss loss, class Value, class Real>
BNCC_INLINE int64_t descend_as(const Block<Value, Real>& block, int32_t* rows, int64_t n, uint16_t* inside,
                               uint16_t* needed, Sums& sums) {
  const Lanes<Real> zero = fill<Real>(0), one = fill<Real>(1);
  Terms<loss, Real> terms{zero, zero};
  Lanes<Real> excess = zero;
  const Lanes<Real> slack = load(block.slack), reach = fill<Real>(block.reach);
  Real* bias = block.coef + bias_line(block);
  int64_t left = 0;
  for (int64_t s = 0; s < n; ++s) {
    const int32_t row = rows[s];
    fetch_row(block, block.coef, rows, s, n);
    const Mask<Real> positive = spread<Real>(block.positive[row]), on = spread<Real>(block.member[row] & block.live);
    const Lanes<Real> y = pick<Real>(positive, one, zero - one), cost = row_cost(block, row, positive);
    const Lanes<Real> half = half_of<loss, Real>(cost);
    Real* state = block.state + static_cast<int64_t>(row) * width;
    const Lanes<Real> multiplier = load(state);
    const Lanes<Real> f = product(block, block.coef, row) + fill<Real>(block.bias_feature) * load(bias);
    const Lanes<Real> lack = one - y * f, gradient = half * multiplier - lack;
    terms.see(lack, multiplier, cost, half, on);
    const Mask<Real> used = multiplier > zero;
    excess = pick<Real>(used & on, larger<Real>(excess, gradient), excess);
    needed[row] = static_cast<uint16_t>(gather_bits((gradient < slack) & on) | gather_bits(used));
    if (!needed[row]) {  // an inspection will look at it again
      store(state, zero - fill<Real>(Real(1e30)));
      inside[row] = 0;
      continue;
    }
    const Lanes<Real> curvature = larger<Real>(squared_norm(block, row) + half, fill<Real>(Real(1e-30)));
    Lanes<Real> next = larger<Real>(multiplier - reach * gradient / curvature, zero);
    if (loss == Loss::hinge) next = smaller<Real>(next, cost);
    next = pick<Real>(on, next, multiplier);
    rows[left++] = row;
    const Lanes<Real> step = (next - multiplier) * y;
    if (!gather_bits((step > zero) | (step < zero))) continue;
    store(state, next);
    add_row(block, block.coef, row, step);
  }
  terms.add_to(sums);
  for (int l = 0; l < width; ++l)
    if (static_cast<double>(excess[l]) > sums.excess[l]) sums.excess[l] = static_cast<double>(excess[l]);
  return left;
}

template <class Value, class Real>
int64_t descend(const Block<Value, Real>& block, int32_t* rows, int64_t n, uint16_t* inside, uint16_t* needed,
                Sums& sums) {
  if (block.loss == Loss::hinge) return descend_as<Loss::hinge>(block, rows, n, inside, needed, sums);
  return descend_as<Loss::squared_hinge>(block, rows, n, inside, needed, sums);
}

template <Loss loss, class Value, class Real>
BNCC_INLINE void measure_as(const Block<Value, Real>& block, const int32_t* rows, int64_t n, Real* products,
                            Sums& sums) {
  const Lanes<Real> zero = fill<Real>(0), one = fill<Real>(1);
  Terms<loss, Real> terms{zero, zero};
  const Real* bias = block.coef + bias_line(block);
  for (int64_t s = 0; s < n; ++s) {
    const int32_t row = rows[s];
    fetch_row(block, block.coef, rows, s, n);
    const Mask<Real> positive = spread<Real>(block.positive[row]), on = spread<Real>(block.member[row]);
    const Lanes<Real> y = pick<Real>(positive, one, zero - one), cost = row_cost(block, row, positive);
    const Lanes<Real> half = half_of<loss, Real>(cost);
    const Lanes<Real> multiplier = load(block.state + static_cast<int64_t>(row) * width);
    const Lanes<Real> f = product(block, block.coef, row) + fill<Real>(block.bias_feature) * load(bias);
    store(products + s * width, f);
    terms.see(one - y * f, multiplier, cost, half, on);
  }
  terms.add_to(sums);
}

template <class Value, class Real>
void measure(const Block<Value, Real>& block, const int32_t* rows, int64_t n, Real* products, Sums& sums) {
  if (block.loss == Loss::hinge) return measure_as<Loss::hinge>(block, rows, n, products, sums);
  return measure_as<Loss::squared_hinge>(block, rows, n, products, sums);
}

template <class Value, class Real>
void shift_products(const Block<Value, Real>& block, const int32_t* rows, int64_t n, const Real* products,
                    const Real* shift, double* loss, double* slope, double* curvature) {
  const Lanes<Real> zero = fill<Real>(0), one = fill<Real>(1), two = fill<Real>(2), by = load(shift);
  Lanes<Real> losses = zero, slopes = zero, curvatures = zero;
  for (int64_t s = 0; s < n; ++s) {
    const int32_t row = rows[s];
    const Mask<Real> positive = spread<Real>(block.positive[row]), on = spread<Real>(block.member[row]);
    const Lanes<Real> y = pick<Real>(positive, one, zero - one), cost = row_cost(block, row, positive);
    const Lanes<Real> lack = pick<Real>(on, larger<Real>(one - y * (load(products + s * width) + by), zero), zero);
    losses += cost * lack * lack;
    slopes += zero - two * cost * y * lack;
    curvatures += pick<Real>(lack > zero, two * cost, zero);
  }
  for (int l = 0; l < width; ++l) {
    loss[l] += static_cast<double>(losses[l]);
    slope[l] += static_cast<double>(slopes[l]);
    curvature[l] += static_cast<double>(curvatures[l]);
  }
}

template <Loss loss, class Value, class Real>
BNCC_INLINE int64_t inspect_as(const Block<Value, Real>& block, const uint16_t* inside, int64_t first, int64_t last,
                               const Real* travel, Violator* violators, int64_t& looked, Sums& sums) {
  const Lanes<Real> zero = fill<Real>(0), one = fill<Real>(1), travelled = load(travel);
  const Lanes<Real> bias = fill<Real>(block.bias_feature) * load(block.coef + bias_line(block));
  Terms<loss, Real> terms{zero, zero};
  int64_t n_violators = 0;
  for (int64_t row = first; row < last; ++row) {
    const uint32_t members = block.member[row] & block.live & ~static_cast<uint32_t>(inside[row]);
    if (!members) continue;
    Real* state = block.state + row * width;
    const Mask<Real> positive = spread<Real>(block.positive[row]), on = spread<Real>(members);
    const Lanes<Real> y = pick<Real>(positive, one, zero - one), rest = y * bias - one;
    Real square = block.square[row];
    if (block.context.indptr) square += static_cast<Real>(block.context.indptr[row + 1] - block.context.indptr[row]);
    const Real norm = static_cast<Real>(__builtin_sqrt(static_cast<double>(square))) + Real(1e-30);
    const Lanes<Real> least = (load(state) - travelled) * fill<Real>(norm) + rest;
    if (!gather_bits((least < zero) & on)) continue;
    ++looked;
    const Lanes<Real> margin = y * product(block, block.coef, row), gradient = margin + rest;
    store(state, pick<Real>(on, margin / fill<Real>(norm) + travelled, load(state)));
    const uint32_t violated = gather_bits((gradient < zero) & on);
    if (!violated) continue;
    terms.see(zero - gradient, zero, row_cost(block, row, positive), zero, on);
    violators[n_violators++] = {static_cast<int32_t>(row), static_cast<uint16_t>(violated)};
  }
  terms.add_to(sums);
  return n_violators;
}

template <class Value, class Real>
int64_t inspect(const Block<Value, Real>& block, const uint16_t* inside, int64_t first, int64_t last,
                const Real* travel, Violator* violators, int64_t& looked, Sums& sums) {
  if (block.loss == Loss::hinge)
    return inspect_as<Loss::hinge>(block, inside, first, last, travel, violators, looked, sums);
  return inspect_as<Loss::squared_hinge>(block, inside, first, last, travel, violators, looked, sums);
}

template <class Real>
void travel(const Real* coef, Real* old, int64_t n_lines, double* moved, double* norm) {
  constexpr int64_t part = 512;  // short sums in single precision, long ones in double
  for (int64_t start = 0; start < n_lines; start += part) {
    const int64_t stop = n_lines - start < part ? n_lines : start + part;
    Lanes<Real> gone = fill<Real>(0), size = fill<Real>(0);
    for (int64_t j = start; j < stop; ++j) {
      const Lanes<Real> now = load(coef + j * width), change = now - load(old + j * width);
      if (j + 1 < n_lines) gone += change * change;
      size += now * now;
      store(old + j * width, now);
    }
    for (int l = 0; l < width; ++l) {
      moved[l] += static_cast<double>(gone[l]);
      norm[l] += static_cast<double>(size[l]);
    }
  }
}

}  // namespace
}  // namespace bncc::linear
