// The loops of Newton's method on sixteen lanes side by side.
//
// Only loops.cpp includes this, as it does lanes.hpp.
#pragma once

#include "block_rows.hpp"
#include "logistic.hpp"

namespace bncc::linear {
namespace {

template <class Value, class Real>
void multiply(const Block<Value, Real>& block, const Real* lines, const int32_t* rows, int64_t n, Real* out) {
  const Lanes<Real> bias = fill<Real>(block.bias_feature) * load(lines + bias_line(block));
  for (int64_t r = 0; r < n; ++r) {
    fetch_row(block, lines, rows, r, n);
    store(out + r * width, product(block, lines, rows[r]) + bias);
  }
}

template <class Value, class Real>
void scatter(const Block<Value, Real>& block, const Real* factors, const int32_t* rows, int64_t n, bool squares,
             Real* lines) {
  for (int64_t r = 0; r < n; ++r) {
    fetch_row(block, lines, rows, r, n);
    const Lanes<Real> factor = load(factors + r * width);
    if (!squares) {
      add_row(block, lines, rows[r], factor);
      continue;
    }
    const int64_t row = rows[r];
    const int64_t begin = block.x.indices ? block.x.indptr[row] : row * block.x.n_features;
    const int64_t end = block.x.indices ? block.x.indptr[row + 1] : begin + block.x.n_features;
    for (int64_t k = begin; k < end; ++k) {
      Real* line = lines + (block.x.indices ? static_cast<int64_t>(block.x.indices[k]) : k - begin) * width;
      const Real value = static_cast<Real>(block.x.values[k]);
      store(line, load(line) + fill<Real>(value * value) * factor);
    }
    if (block.context.indptr)
      for (int64_t k = block.context.indptr[row]; k < block.context.indptr[row + 1]; ++k) {
        const int64_t label = block.context.labels[k];
        Real* line = lines + (block.x.n_features + label) * width;
        store(line, load(line) + load(block.seen + label * width) * factor);
      }
    Real* bias = lines + bias_line(block);
    store(bias, load(bias) + fill<Real>(block.bias_feature * block.bias_feature) * factor);
  }
}

template <class Value, class Real>
void bend(const Block<Value, Real>& block, const Real* lines, const Real* curvature, const int32_t* rows, int64_t n,
          Real* image) {
  const Lanes<Real> bias = fill<Real>(block.bias_feature) * load(lines + bias_line(block));
  for (int64_t r = 0; r < n; ++r) {
    fetch_row(block, lines, rows, r, n);
    add_row(block, image, rows[r], load(curvature + r * width) * (product(block, lines, rows[r]) + bias));
  }
}

template <Loss loss, class Value, class Real>
BNCC_INLINE void derive_as(const Block<Value, Real>& block, const int32_t* rows, int64_t n, const Real* z,
                           const Real* along, const Real* step, Real* slope, Real* curvature, double* total) {
  const Lanes<Real> zero = fill<Real>(0), one = fill<Real>(1), two = fill<Real>(2);
  alignas(64) Real value[width];
  for (int64_t r = 0; r < n; ++r) {
    const int64_t row = rows[r];
    const Mask<Real> positive = spread<Real>(block.positive[row]), on = spread<Real>(block.member[row] & block.live);
    const Lanes<Real> y = pick<Real>(positive, one, zero - one), cost = row_cost(block, row, positive);
    Lanes<Real> f = load(z + r * width);
    if (along) f += load(step) * load(along + r * width);
    Lanes<Real> l, s, c;
    if (loss == Loss::logistic) {
      logistic<Real>(y * f, l, s, c);
    } else {
      const Lanes<Real> lack = larger<Real>(one - y * f, zero);
      l = lack * lack, s = zero - two * lack, c = pick<Real>(lack > zero, two, zero);
    }
    store(value, pick<Real>(on, cost * l, zero));
    for (int lane = 0; lane < width; ++lane) total[lane] += static_cast<double>(value[lane]);
    if (!slope) continue;
    store(slope + r * width, pick<Real>(on, cost * s * y, zero));
    store(curvature + r * width, pick<Real>(on, cost * c, zero));
  }
}

template <class Value, class Real>
void derive(const Block<Value, Real>& block, const int32_t* rows, int64_t n, const Real* z, const Real* along,
            const Real* step, Real* slope, Real* curvature, double* loss) {
  if (block.loss == Loss::logistic)
    return derive_as<Loss::logistic>(block, rows, n, z, along, step, slope, curvature, loss);
  return derive_as<Loss::squared_hinge>(block, rows, n, z, along, step, slope, curvature, loss);
}

}  // namespace
}  // namespace bncc::linear
