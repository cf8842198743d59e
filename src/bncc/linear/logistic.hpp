// The logistic loss in sixteen lanes at a time.
//
// Only loops.cpp includes this, as it does lanes.hpp.
#pragma once

#include <math.h>

#include "lanes.hpp"

namespace bncc::linear {
namespace {

#if defined(__GNUC__) && !defined(BNCC_PLAIN_LANES)

// What exp needs to know of a type: 1.5 times 2 to the number of its stored digits, how many these are, the exponent of
// 1, ln 2 in two parts of which the first has few digits, the most that exp(-x) bears, and how many terms of the
// series.
template <class Real>
struct Series;
template <>
struct Series<float> {
  static constexpr float magic = 12582912.0f, high = 0.693359375f, low = -2.12194440e-4f, most = 87.0f;
  static constexpr int digits = 23, one = 127, exp_terms = 7, log_terms = 7;
};
template <>
struct Series<double> {
  static constexpr double magic = 6755399441055744.0, high = 6.93147180369123816490e-01,
                          low = 1.90821492927058770002e-10, most = 708.0;
  static constexpr int digits = 52, one = 1023, exp_terms = 13, log_terms = 17;
};

// exp(-x) for x >= 0; 0 beyond `most`.
template <class T, int n>
BNCC_INLINE Numbers<T, n> exp_minus(Numbers<T, n> x) {
  using S = Series<T>;
  if constexpr (!is_vector<T, n>) {
    return {exp_minus(x.low), exp_minus(x.high)};
  } else {
    typedef typename Numbers<Whole<T>, n>::Vector Bits;
    typedef typename Numbers<T, n>::Vector Vector;
    const Vector zero{}, at = x.all < S::most ? -x.all : zero - S::most;
    // The addition rounds to whole numbers, which the last digits then hold.
    const Vector rounded = at * T(1.4426950408889634) + S::magic, whole = rounded - S::magic;
    const Vector r = (at - whole * S::high) - whole * S::low;
    Vector sum = zero + T(1);
    for (int k = S::exp_terms; k > 0; --k) sum = T(1) + sum * r * T(1.0 / k);
    const Bits exponent = reinterpret_cast<const Bits&>(rounded) << S::digits;  // all others fall off
    const Bits power = exponent + (Bits{} + (Whole<T>{S::one} << S::digits));
    return {x.all < S::most ? sum * reinterpret_cast<const Vector&>(power) : zero};
  }
}

// log(1 + e) for e from 0 to 1, by the series of atanh.
template <class Real>
BNCC_INLINE Lanes<Real> log_one_plus(Lanes<Real> e) {
  const Lanes<Real> u = e / (fill<Real>(2) + e), square = u * u;
  Lanes<Real> sum = fill<Real>(Real(1.0 / (2 * Series<Real>::log_terms + 1)));
  for (int k = Series<Real>::log_terms - 1; k >= 0; --k) sum = fill<Real>(Real(1.0 / (2 * k + 1))) + square * sum;
  return fill<Real>(2) * u * sum;
}

#else

template <class Real>
BNCC_INLINE Lanes<Real> exp_minus(Lanes<Real> x) {
  for (int l = 0; l < width; ++l) x[l] = static_cast<Real>(exp(-static_cast<double>(x[l])));
  return x;
}

template <class Real>
BNCC_INLINE Lanes<Real> log_one_plus(Lanes<Real> e) {
  for (int l = 0; l < width; ++l) e[l] = static_cast<Real>(log1p(static_cast<double>(e[l])));
  return e;
}

#endif

// log(1 + exp(-t)), its slope and its curvature, without overflow.
template <class Real>
BNCC_INLINE void logistic(Lanes<Real> t, Lanes<Real>& loss, Lanes<Real>& slope, Lanes<Real>& curvature) {
  const Lanes<Real> zero = fill<Real>(0), one = fill<Real>(1);
  const Mask<Real> right = t > zero;
  const Lanes<Real> e = exp_minus(pick<Real>(right, t, zero - t)), p = one / (one + e);
  loss = pick<Real>(right, zero, zero - t) + log_one_plus<Real>(e);
  slope = zero - p * pick<Real>(right, e, one);
  curvature = e * p * p;
}

}  // namespace
}  // namespace bncc::linear
