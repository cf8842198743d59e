// The factorisation of a symmetric positive matrix into L L', some columns at a time.
//
// Only loops.cpp includes this, as it does lanes.hpp.
#pragma once

#include <stddef.h>

#include "dense.hpp"
#include "lanes.hpp"
#include "loops.hpp"

namespace bncc::linear {
namespace {

// A tile of so many rows and vectors stays in registers.
#if defined(__AVX512F__)
constexpr int64_t rows_per_tile = 8;
template <class Real>
constexpr int64_t vectors_per_tile = sizeof(Real) == 4 ? 2 : 1;
#else
constexpr int64_t rows_per_tile = 4;
template <class Real>
constexpr int64_t vectors_per_tile = 1;
#endif

// The columns first..last of the lower triangle as lines, from row `first` on, or back.
template <class Real>
BNCC_INLINE void turn(const Real* matrix, int64_t n, int64_t stride, int64_t first, int64_t last, Real* turned) {
  for (int64_t i = first; i < n; ++i)
    for (int64_t t = first; t < last; ++t) turned[(t - first) * stride + i] = t <= i ? matrix[i * stride + t] : Real(0);
}

template <class Real>
BNCC_INLINE void turn_back(Real* matrix, int64_t n, int64_t stride, int64_t first, int64_t last, const Real* turned) {
  for (int64_t i = first; i < n; ++i)
    for (int64_t t = first; t < last && t <= i; ++t) matrix[i * stride + t] = turned[(t - first) * stride + i];
}

// Columns first..last of L as lines, from what is left of the matrix there; false where it is not positive. Lines are
// worked on from a multiple of 16 on, so that what lies above the diagonal is of no meaning.
template <class Real>
BNCC_INLINE bool factor_columns(int64_t n, int64_t stride, int64_t first, int64_t last, Real* turned) {
  for (int64_t j = first; j < last; ++j) {
    Real* line = turned + (j - first) * stride;
    const int64_t start = j / width * width;
    Real factors[panel_width];
    for (int64_t t = first; t < j; ++t) factors[t - first] = turned[(t - first) * stride + j];
    for (int64_t i = start; i < n; i += width) {
      Lanes<Real> part = load(line + i);
      for (int64_t t = first; t < j; ++t)
        part = part - fill(factors[t - first]) * load(turned + (t - first) * stride + i);
      store(line + i, part);
    }
    if (!(line[j] > 0)) return false;
    const Real root = static_cast<Real>(__builtin_sqrt(static_cast<double>(line[j])));
    for (int64_t i = start; i < n; i += width) store(line + i, load(line + i) / fill(root));
    line[j] = root;
  }
  return true;
}

// Take what the columns explain from a tile of the matrix: `turned` has the columns as lines.
template <int64_t n_rows, int64_t n_vectors, class Real>
BNCC_INLINE void reduce_tile(Real* matrix, int64_t stride, int64_t row, int64_t column, int64_t first, int64_t last,
                             const Real* turned) {
  Lanes<Real> tile[static_cast<size_t>(n_rows)][static_cast<size_t>(n_vectors)];
  for (int64_t r = 0; r < n_rows; ++r)
    for (int64_t v = 0; v < n_vectors; ++v) tile[r][v] = load(matrix + (row + r) * stride + column + v * width);
  for (int64_t t = first; t < last; ++t) {
    const Real* from = turned + (t - first) * stride;
    Lanes<Real> line[static_cast<size_t>(n_vectors)];
    for (int64_t v = 0; v < n_vectors; ++v) line[v] = load(from + column + v * width);
    for (int64_t r = 0; r < n_rows; ++r) {
      const Lanes<Real> factor = fill(from[row + r]);
      for (int64_t v = 0; v < n_vectors; ++v) tile[r][v] = tile[r][v] - factor * line[v];
    }
  }
  for (int64_t r = 0; r < n_rows; ++r)
    for (int64_t v = 0; v < n_vectors; ++v) store(matrix + (row + r) * stride + column + v * width, tile[r][v]);
}

// From some rows below the columns, up to the diagonal.
template <int64_t n_rows, class Real>
BNCC_INLINE void reduce_rows(Real* matrix, int64_t stride, int64_t row, int64_t first, int64_t last,
                             const Real* turned) {
  constexpr int64_t n_vectors = vectors_per_tile<Real>;
  int64_t column = last;
  for (; column + n_vectors * width <= row + n_rows; column += n_vectors * width)
    reduce_tile<n_rows, n_vectors>(matrix, stride, row, column, first, last, turned);
  for (; column < row + n_rows; column += width)
    reduce_tile<n_rows, 1>(matrix, stride, row, column, first, last, turned);
}

template <class Real>
bool factor_panel(Real* matrix, int64_t n, int64_t stride, int64_t first, Real* turned) {
  const int64_t last = n - first < panel_width ? n : first + panel_width;
  turn(matrix, n, stride, first, last, turned);
  if (!factor_columns(n, stride, first, last, turned)) return false;
  turn_back(matrix, n, stride, first, last, turned);
  int64_t row = last;
  for (; row + rows_per_tile <= n; row += rows_per_tile)
    reduce_rows<rows_per_tile>(matrix, stride, row, first, last, turned);
  for (; row < n; ++row) reduce_rows<1>(matrix, stride, row, first, last, turned);
  return true;
}

// x becomes what L L' takes to x.
template <class Real>
void substitute(const Real* matrix, int64_t n, int64_t stride, Real* x) {
  for (int64_t i = 0; i < n; ++i) {
    const Real* line = matrix + i * stride;
    x[i] = (x[i] - dense_product(line, i, x)) / line[i];
  }
  for (int64_t i = n - 1; i >= 0; --i) {
    const Real* line = matrix + i * stride;
    x[i] /= line[i];
    dense_add(line, i, -x[i], x);
  }
}

}  // namespace
}  // namespace bncc::linear
