#include "distances.hpp"

#include <algorithm>
#include <cmath>

#include "native/thread_pool.hpp"

namespace bncc {

namespace {

constexpr int64_t depth_step = 256;  // features per pass: a panel slice stays in the first-level cache
constexpr int64_t macro = 128;       // points per side of a work unit

double direct_dense(const Points& left, int64_t i, const Points& right, int64_t t) {
  const float* a = left.panels + (i / panel) * left.n_features * panel + i % panel;
  const float* b = right.panels + (t / panel) * right.n_features * panel + t % panel;
  double sum = 0.0;
  for (int64_t k = 0; k < left.n_features; ++k) {
    const double d = static_cast<double>(a[k * panel]) - static_cast<double>(b[k * panel]);
    sum += d * d;
  }
  return sum;
}

double direct_sparse(const Points& left, int64_t i, const Points& right, int64_t t) {
  int64_t p = left.indptr[i], q = right.indptr[t];
  const int64_t p_end = left.indptr[i + 1], q_end = right.indptr[t + 1];
  double sum = 0.0;
  while (p < p_end || q < q_end) {
    const int64_t a = p < p_end ? left.indices[p] : INT64_MAX, b = q < q_end ? right.indices[q] : INT64_MAX;
    const double d =
        (a <= b ? static_cast<double>(left.values[p]) : 0.0) - (b <= a ? static_cast<double>(right.values[q]) : 0.0);
    p += a <= b;
    q += b <= a;
    sum += d * d;
  }
  return sum;
}

// Turn products into distances, for points t0 .. t0 + n of `right`.
void finish_row(const Points& left, int64_t i, const Points& right, int64_t t0, int64_t n, const Loops& loops,
                const float* products, float* out) {
  if (!loops.assemble(products, right.norms + t0, left.norms[i], static_cast<int>(n), out)) return;
  for (int64_t t = 0; t < n; ++t) {
    if (out[t] >= 0.0f) continue;
    const double d = left.panels ? direct_dense(left, i, right, t0 + t) : direct_sparse(left, i, right, t0 + t);
    out[t] = static_cast<float>(d);
  }
}

// Products of left[i0..i1) with the panels p0..p1 of right, into c (row stride ldc).
void multiply_block(const Points& left, int64_t i0, int64_t i1, const Points& right, int64_t p0, int64_t p1,
                    const Loops& loops, float* c, int64_t ldc) {
  const int64_t d = left.n_features;
  for (int64_t i = i0; i < i1; ++i) std::fill_n(c + (i - i0) * ldc, (p1 - p0) * panel, 0.0f);
  for (int64_t k = 0; k < d; k += depth_step) {
    const int64_t depth = std::min(depth_step, d - k);
    for (int64_t p = p0; p < p1; ++p) {
      const float* b = right.panels + (p * d + k) * panel;
      for (int64_t i = i0; i < i1;) {
        const int64_t lane = i % panel, count = std::min<int64_t>(panel - lane, i1 - i);
        const float* a = left.panels + ((i / panel) * d + k) * panel + lane;
        loops.multiply(a, static_cast<int>(count), b, depth, c + (i - i0) * ldc + (p - p0) * panel, ldc);
        i += count;
      }
    }
  }
}

// Products of sparse point i with the points of `right` from t0 on: down the columns of its features.
void scatter(const Points& left, int64_t i, const Points& right, int64_t t0, float* out) {
  std::fill_n(out, right.n_rows - t0, 0.0f);
  for (int64_t p = left.indptr[i]; p < left.indptr[i + 1]; ++p) {
    const float v = left.values[p];
    const int32_t c = left.indices[p];
    const int32_t* begin = right.rows + right.column_ptr[c];
    const int32_t* end = right.rows + right.column_ptr[c + 1];
    const int32_t* row = t0 ? std::lower_bound(begin, end, static_cast<int32_t>(t0)) : begin;
    const float* w = right.column_values + (row - right.rows);
    for (; row != end; ++row, ++w) out[*row - t0] += v * *w;
  }
}

void mirror(float* out, int64_t n, int64_t i0, int64_t i1, int64_t t0, int64_t t1) {
  for (int64_t t = t0; t < t1; ++t)
    for (int64_t i = i0; i < std::min(i1, t); ++i) out[t * n + i] = out[i * n + t];
}

}  // namespace

template <class T>
void pack_panels(const T* X, int64_t n_rows, int64_t n_features, const double* centre, float* panels, float* norms) {
  const int64_t n_panels = (n_rows + panel - 1) / panel;
  for (int64_t p = 0; p < n_panels; ++p) {
    float* out = panels + p * n_features * panel;
    for (int64_t lane = 0; lane < panel; ++lane) {
      const int64_t r = p * panel + lane;
      double norm = 0.0;
      for (int64_t k = 0; k < n_features; ++k) {
        const float v = r < n_rows ? static_cast<float>(static_cast<double>(X[r * n_features + k]) - centre[k]) : 0.0f;
        out[k * panel + lane] = v;
        norm += static_cast<double>(v) * static_cast<double>(v);
      }
      norms[r] = static_cast<float>(norm);
    }
  }
}

template void pack_panels<float>(const float*, int64_t, int64_t, const double*, float*, float*);
template void pack_panels<double>(const double*, int64_t, int64_t, const double*, float*, float*);

void distances_of(const Points& left, int64_t first, int64_t last, const Points& right, const Loops& loops,
                  Array<float>& scratch, float* out, int64_t ldc) {
  if (!left.panels) {
    scratch.resize(right.n_rows);
    for (int64_t i = first; i < last; ++i) {
      scatter(left, i, right, 0, scratch.data());
      finish_row(left, i, right, 0, right.n_rows, loops, scratch.data(), out + (i - first) * ldc);
    }
    return;
  }
  const int64_t step = macro / panel;
  scratch.resize((last - first) * macro);
  for (int64_t p = 0; p < right.n_panels(); p += step) {
    multiply_block(left, first, last, right, p, std::min(p + step, right.n_panels()), loops, scratch.data(), macro);
    const int64_t t0 = p * panel, n = std::min(macro, right.n_rows - t0);
    for (int64_t i = first; i < last; ++i)
      finish_row(left, i, right, t0, n, loops, scratch.data() + (i - first) * macro, out + (i - first) * ldc + t0);
  }
}

void all_distances(const Points& left, const Points& right, bool same, const Loops& loops, int n_threads, float* out,
                   const std::function<bool()>& poll) {
  const int64_t n = right.n_rows;
  const int64_t side = (n + macro - 1) / macro, n_units = (left.n_rows + macro - 1) / macro;
  n_threads = static_cast<int>(std::max<int64_t>(1, std::min<int64_t>(n_threads, n_units)));
  Array<Array<float>> scratch(n_threads);
  std::atomic<bool> cancel{false};
  const auto work = [&](int thread, int64_t unit) {
    const int64_t i0 = unit * macro, i1 = std::min(i0 + macro, left.n_rows);
    Array<float>& c = scratch[thread];
    if (!same) return distances_of(left, i0, i1, right, loops, c, out + i0 * n, n);
    if (!left.panels) {
      c.resize(n);
      for (int64_t i = i0; i < i1; ++i) {
        scatter(left, i, right, i, c.data());
        finish_row(left, i, right, i, n - i, loops, c.data(), out + i * n + i);
      }
    } else {
      c.resize(macro * macro);
      for (int64_t u = unit; u < side; ++u) {
        const int64_t t0 = u * macro, t1 = std::min(t0 + macro, n);
        multiply_block(left, i0, i1, right, t0 / panel, (t1 + panel - 1) / panel, loops, c.data(), macro);
        for (int64_t i = i0; i < i1; ++i)
          finish_row(left, i, right, t0, t1 - t0, loops, c.data() + (i - i0) * macro, out + i * n + t0);
        mirror(out, n, i0, i1, t0, t1);
      }
    }
    if (!left.panels)
      for (int64_t t0 = i0; t0 < n; t0 += macro) mirror(out, n, i0, i1, t0, std::min(t0 + macro, n));
    for (int64_t i = i0; i < i1; ++i) out[i * n + i] = 0.0f;
  };
  ThreadPool(n_threads).run(n_units, cancel, work, poll);
}

}  // namespace bncc
