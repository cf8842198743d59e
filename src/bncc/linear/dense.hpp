// Products and sums of arrays, sixteen numbers at a time.
//
// Only loops.cpp includes this, as it does lanes.hpp.
#pragma once

#include "lanes.hpp"

namespace bncc::linear {
namespace {

// Values of another type than the weights: the table of loops asks for them, and no descent does.
template <class Value, class Real>
BNCC_INLINE Real dense_product(const Value* values, int64_t n, const Real* weights) {
  Real sum = 0;
  for (int64_t k = 0; k < n; ++k) sum += static_cast<Real>(values[k]) * weights[k];
  return sum;
}

template <class Value, class Real>
BNCC_INLINE void dense_add(const Value* values, int64_t n, Real step, Real* weights) {
  for (int64_t k = 0; k < n; ++k) weights[k] += static_cast<Real>(values[k]) * step;
}

template <class Real>
BNCC_INLINE Real dense_product(const Real* values, int64_t n, const Real* weights) {
  Lanes<Real> even = fill<Real>(0), odd = fill<Real>(0);
  int64_t k = 0;
  for (; k + 2 * width <= n; k += 2 * width) {
    even += load_anywhere(values + k) * load_anywhere(weights + k);
    odd += load_anywhere(values + k + width) * load_anywhere(weights + k + width);
  }
  for (; k + width <= n; k += width) even += load_anywhere(values + k) * load_anywhere(weights + k);
  Real sum = sum_of(even + odd);
  for (; k < n; ++k) sum += values[k] * weights[k];
  return sum;
}

template <class Real>
BNCC_INLINE void dense_add(const Real* values, int64_t n, Real step, Real* weights) {
  int64_t k = 0;
  for (; k + width <= n; k += width)
    store_anywhere<Real>(weights + k, load_anywhere(weights + k) + load_anywhere(values + k) * fill<Real>(step));
  for (; k < n; ++k) weights[k] += values[k] * step;
}

}  // namespace
}  // namespace bncc::linear
