// Products of the rows of one lane with one another.
//
// Only loops.cpp includes this, as it does lanes.hpp.
#pragma once

#include "dense.hpp"
#include "loops.hpp"

namespace bncc::linear {
namespace {

// line[0..n) += the columns of this row that are kept as lines, times its values there.
template <class Real>
BNCC_INLINE void add_lines(const RowsOfLane<Real>& rows, int64_t row, int64_t n, Real* line) {
  const int64_t begin = rows.row_ptr[row], end = rows.dense_end[row];
  for (int64_t j = 0; j < n; j += width) {
    Lanes<Real> even = load(line + j), odd = fill<Real>(0);
    int64_t e = begin;
    for (; e + 1 < end; e += 2) {
      even += fill(rows.values[e]) * load(rows.lines + rows.columns[e] * rows.stride + j);
      odd += fill(rows.values[e + 1]) * load(rows.lines + rows.columns[e + 1] * rows.stride + j);
    }
    if (e < end) even += fill(rows.values[e]) * load(rows.lines + rows.columns[e] * rows.stride + j);
    store(line + j, even + odd);
  }
}

template <class Real>
void multiply_rows(const RowsOfLane<Real>& rows, int64_t first, int64_t last, Real* matrix) {
  for (int64_t i = first; i < last; ++i) {
    Real* line = matrix + i * rows.stride;
    for (int64_t j = 0; j <= i; j += width) store(line + j, fill<Real>(0));
    for (int64_t e = rows.dense_end[i]; e < rows.row_ptr[i + 1]; ++e) {
      const Real value = rows.values[e];
      const int64_t column = rows.columns[e];
      for (int64_t k = rows.column_ptr[column]; k < rows.column_ptr[column + 1] && rows.rows[k] <= i; ++k)
        line[rows.rows[k]] += value * rows.column_values[k];
    }
    add_lines(rows, i, i + 1, line);
  }
}

// out = K x, where the lower triangle of K is given.
template <class Real>
void multiply_symmetric(const Real* matrix, int64_t n, int64_t stride, const Real* x, Real* out) {
  for (int64_t i = 0; i < n; ++i) {
    const Real* line = matrix + i * stride;
    dense_add(line, i, x[i], out);
    out[i] = dense_product(line, i + 1, x);
  }
}

}  // namespace
}  // namespace bncc::linear
