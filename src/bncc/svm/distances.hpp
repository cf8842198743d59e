// Squared distances between points, dense or sparse: whole matrices, and single rows on demand with the same bits.
//
// Dense points are held in panels of 32: panel p holds feature after feature of the points 32p .. 32p + 31, side by
// side. |x - x'|^2 = |x|^2 + |x'|^2 - 2 <x, x'> is cheap but cancels for close points; where more than two digits are
// lost the distance is taken from the differences, in double. Duplicates thus have distance 0, and the result is
// accurate to about 1e-5 whatever the scale.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "loops.hpp"
#include "native/array.hpp"

namespace bncc {

struct Points {
  int64_t n_rows = 0, n_features = 0;
  const float* norms = nullptr;     // squared norms, padded to whole panels
  const float* panels = nullptr;    // dense: (n_panels, n_features, panel), or
  const int64_t* indptr = nullptr;  // sparse: CSR ...
  const int32_t* indices = nullptr;
  const float* values = nullptr;
  const int64_t* column_ptr = nullptr;  // ... and CSC, row indices ascending within a column
  const int32_t* rows = nullptr;
  const float* column_values = nullptr;

  int64_t n_panels() const { return (n_rows + panel - 1) / panel; }
};

// Centre, cut to single precision and lay out in panels; norms[r] = squared norm of the result.
template <class T>
void pack_panels(const T* X, int64_t n_rows, int64_t n_features, const double* centre, float* panels, float* norms);

// Distances of the points left[first..last) to all of `right`, row after row with stride ldc.
// `scratch` is reused between calls.
void distances_of(const Points& left, int64_t first, int64_t last, const Points& right, const Loops& loops,
                  Array<float>& scratch, float* out, int64_t ldc);

// The whole matrix, on n_threads threads. When left and right are the same points, half the work is saved.
// `poll` is asked about ten times a second whether to go on.
void all_distances(const Points& left, const Points& right, bool same, const Loops& loops, int n_threads, float* out,
                   const std::function<bool()>& poll);

}  // namespace bncc
