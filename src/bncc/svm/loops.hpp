// The inner loops of the engine, compiled once per instruction set and chosen at run time.
//
// loops.cpp is built several times with different target flags; each build exports one table of plain functions.
// Everything else (smo.cpp, walk.cpp, bindings.cpp) is built for the baseline and calls through the table.
#pragma once

#include <cstdint>

namespace bncc {

// Every array of rows handed to the loops is padded to a multiple of this many elements.
constexpr int block = 64;

constexpr int panel = 32;      // points per panel (see distances.hpp)
constexpr float far = 1e30f;   // a penalty of -far takes a row out of a selection, 0 leaves it in
constexpr float tau = 1e-12f;  // least curvature of a pair, as in LIBSVM

enum class Kernel : int { rbf = 0, linear = 1 };

// The context part of a problem: label words of its rows, one array of `stride` words per 32 labels.
struct Words {
  const uint32_t* values;
  int64_t stride;
  int count;
};

struct Loops {
  const char* name;

  // out[t] = k(i, t) - k(i, i) for t < n, from squared distances d2[index[t]] (d2[t] without index) and the Hamming
  // distance between the words `own` and those of row t. For "rbf" this is expm1(-gamma d), for "linear" -d/2.
  void (*form_row)(const float* d2, const int32_t* index, Words words, const uint32_t* own, int n, float gamma,
                   Kernel kernel, float* out);

  // Second-order choice of j given row i: the arg-max of (top - f)^2 / eta over the rows that may go down.
  // Ties go to the lowest index. Returns -1 when no row helps; *bottom receives the least f among those rows.
  int (*choose)(const float* f, const float* down, const float* row, int n, float top, float* bottom);

  // f -= step * (first - second); returns the arg-max of f + up, the lowest on ties, and its value in *top.
  int (*update)(float* f, const float* up, const float* first, const float* second, float step, int n, float* top);

  // The arg-max of f + up alone.
  int (*find_top)(const float* f, const float* up, int n, float* top);

  // f -= sum over r < n_rows <= 8 of steps[r] * rows[r].
  void (*subtract)(float* f, const float* const* rows, const float* steps, int n_rows, int n);

  // out[t] = row[index[t]] for t < n.
  void (*pick)(const float* row, const int32_t* index, int n, float* out);

  // sums[t] += scale * row[t], in double.
  void (*accumulate)(double* sums, const float* row, double scale, int n);

  // sum over s of coef[s] * (k(s, row) - 1) for support rows given by index into d2, or all rows (see form_row).
  double (*decide)(const float* d2, const int32_t* index, Words words, const uint32_t* own, const float* coef, int n,
                   float gamma, Kernel kernel);

  // c[r, t] += sum over k < depth of left[k, r] * right[k, t], for r < n_left and t < panel. Both factors are panels:
  // `panel` points side by side, one feature per line. Every sum runs in the order of k, however the work is cut.
  void (*multiply)(const float* left, int n_left, const float* right, int64_t depth, float* c, int64_t ldc);

  // out[t] = max(0, norm + norms[t] - 2 products[t]), or -1 where cancellation took too many digits.
  // Returns how many times it did.
  int (*assemble)(const float* products, const float* norms, float norm, int n, float* out);
};

const Loops& loops_baseline();
#ifdef BNCC_X86_TARGETS
const Loops& loops_avx2();
const Loops& loops_avx512();
#endif

}  // namespace bncc
