// Weights side by side (a line of sixteen per feature), or one lane after the other (a row of all features each).
#pragma once

#include <algorithm>
#include <cstdint>

#include "problem.hpp"

namespace bncc::linear {

// Lines of 16 to 16 rows of n, or back, for some lanes.
template <class Real>
void to_rows(const Real* lines, int64_t n, uint32_t lanes, Real* rows) {
  for (int64_t first = 0; first < n; first += n_lanes)
    for (int l = 0; l < n_lanes; ++l)
      if (lanes >> l & 1u)
        for (int64_t j = first, last = std::min(n, first + n_lanes); j < last; ++j)
          rows[l * n + j] = lines[j * n_lanes + l];
}

template <class Real>
void to_lines(const Real* rows, int64_t n, uint32_t lanes, Real* lines) {
  for (int64_t first = 0; first < n; first += n_lanes)
    for (int l = 0; l < n_lanes; ++l)
      if (lanes >> l & 1u)
        for (int64_t j = first, last = std::min(n, first + n_lanes); j < last; ++j)
          lines[j * n_lanes + l] = rows[l * n + j];
}

}  // namespace bncc::linear
