// Products with a symmetric matrix in packed lines (see packed_line).
//
// Only loops.cpp includes this, as it does lanes.hpp.
#pragma once

#include "lanes.hpp"
#include "loops.hpp"

namespace bncc::linear {
namespace {

// Four lines at a time, so that x and out are read once for all of them. Blocks on the diagonal are whole, and only
// added; what lies left of them stands for what lies above them as well.
template <class Real>
void multiply_packed(const Real* matrix, int64_t n, const Real* x, Real* out) {
  for (int64_t first = 0; first < n; first += width) {
    const Real* lines = matrix + packed_line(first);
    const int64_t length = first + width;
    Lanes<Real> own = fill<Real>(0);
    for (int64_t r = 0; r < width; ++r) own += load(lines + r * length + first) * fill<Real>(x[first + r]);
    alignas(64) Real sums[width];
    for (int64_t r = 0; r < width; r += 4) {
      const Real *a = lines + r * length, *b = a + length, *c = b + length, *d = c + length;
      const Real* factors = x + first + r;
      Lanes<Real> sum_a = fill<Real>(0), sum_b = sum_a, sum_c = sum_a, sum_d = sum_a;
      for (int64_t j = 0; j < first; j += width) {
        const Lanes<Real> at = load(x + j);
        const Lanes<Real> of_a = load(a + j), of_b = load(b + j), of_c = load(c + j), of_d = load(d + j);
        sum_a += of_a * at, sum_b += of_b * at, sum_c += of_c * at, sum_d += of_d * at;
        store(out + j, load(out + j) + (of_a * fill(factors[0]) + of_b * fill(factors[1])) +
                           (of_c * fill(factors[2]) + of_d * fill(factors[3])));
      }
      sums[r] = sum_of(sum_a), sums[r + 1] = sum_of(sum_b);
      sums[r + 2] = sum_of(sum_c), sums[r + 3] = sum_of(sum_d);
    }
    store(out + first, own + load(sums));
  }
}

template <class Real>
void add_to_packed(const Real* values, int64_t n, Real factor, Real* line) {
  const Lanes<Real> factors = fill(factor);
  for (int64_t j = 0; j < n; j += width) store(line + j, load(line + j) + factors * load(values + j));
}

}  // namespace
}  // namespace bncc::linear
