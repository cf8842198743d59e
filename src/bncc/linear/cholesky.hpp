// One step of the factorisation of a symmetric positive matrix into L L'.
//
// Only loops.cpp includes this, as it does lanes.hpp.
#pragma once

#include <stddef.h>

#include "lanes.hpp"
#include "loops.hpp"

namespace bncc::linear {
namespace {

constexpr int64_t rows_per_tile = 4;

// Columns first..last of L, from what is left of the matrix there; false where it is not positive.
template <class Real>
BNCC_INLINE bool factor_columns(Real* matrix, int64_t n, int64_t stride, int64_t first, int64_t last) {
  for (int64_t j = first; j < last; ++j) {
    Real* pivot = matrix + j * stride;
    for (int64_t i = j; i < n; ++i) {
      Real* row = matrix + i * stride;
      Real value = row[j];
      for (int64_t t = first; t < j; ++t) value -= row[t] * pivot[t];
      if (i == j) {
        if (!(value > 0)) return false;
        row[j] = static_cast<Real>(__builtin_sqrt(static_cast<double>(value)));
      } else {
        row[j] = value / pivot[j];
      }
    }
  }
  return true;
}

// Take what the columns explain from tiles of the rows below them: `turned` has the columns as lines.
template <int64_t n_rows, class Real>
BNCC_INLINE void reduce_rows(Real* matrix, int64_t stride, int64_t row, int64_t first, int64_t last,
                             const Real* turned) {
  for (int64_t column = last; column < row + n_rows; column += width) {
    Lanes<Real> tile[static_cast<size_t>(n_rows)];
    for (int64_t r = 0; r < n_rows; ++r) tile[r] = load(matrix + (row + r) * stride + column);
    for (int64_t t = first; t < last; ++t) {
      const Lanes<Real> line = load(turned + (t - first) * stride + column);
      for (int64_t r = 0; r < n_rows; ++r) tile[r] = tile[r] - fill(matrix[(row + r) * stride + t]) * line;
    }
    for (int64_t r = 0; r < n_rows; ++r) store(matrix + (row + r) * stride + column, tile[r]);
  }
}

template <class Real>
bool factor_panel(Real* matrix, int64_t n, int64_t stride, int64_t first, Real* turned) {
  const int64_t last = n - first < panel_width ? n : first + panel_width;
  if (!factor_columns(matrix, n, stride, first, last)) return false;
  for (int64_t i = last; i < n; ++i)
    for (int64_t t = first; t < last; ++t) turned[(t - first) * stride + i] = matrix[i * stride + t];
  int64_t row = last;
  for (; row + rows_per_tile <= n; row += rows_per_tile)
    reduce_rows<rows_per_tile>(matrix, stride, row, first, last, turned);
  for (; row < n; ++row) reduce_rows<1>(matrix, stride, row, first, last, turned);
  return true;
}

}  // namespace
}  // namespace bncc::linear
