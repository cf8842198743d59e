// See loops.hpp. This file is compiled several times: BNCC_TARGET names the instruction set of the build.
//
// It must not include standard templates: an inline function emitted here with wide instructions could be the copy
// the linker keeps for the whole library, which would crash on a smaller machine.
#include "loops.hpp"

#ifndef BNCC_TARGET
#define BNCC_TARGET baseline
#endif
#define BNCC_JOIN2(a, b) a##b
#define BNCC_JOIN(a, b) BNCC_JOIN2(a, b)
#define BNCC_TEXT2(a) #a
#define BNCC_TEXT(a) BNCC_TEXT2(a)

#if defined(_MSC_VER)
#define BNCC_INLINE static __forceinline
#define BNCC_RESTRICT __restrict
#else
#define BNCC_INLINE static inline __attribute__((always_inline))
#define BNCC_RESTRICT __restrict__
#endif

namespace bncc {
namespace {

constexpr int lanes = 16;

BNCC_INLINE float larger(float a, float b) { return a > b ? a : b; }
BNCC_INLINE float smaller(float a, float b) { return a < b ? a : b; }

// expm1 for x <= 0 with a relative error of about 1e-7: x = n ln 2 + r, then 2^n expm1(r) + (2^n - 1).
// The two parts of ln 2 keep r exact; truncation of x/ln 2 - 1/2 rounds to nearest, since x is not positive.
BNCC_INLINE float expm1_negative(float x) {
  x = larger(x, -87.0f);
  const int n = static_cast<int>(x * 1.44269504f - 0.5f);
  const float whole = static_cast<float>(n);
  const float r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  float p = 1.98412698e-4f;
  p = p * r + 1.38888889e-3f;
  p = p * r + 8.33333333e-3f;
  p = p * r + 4.16666667e-2f;
  p = p * r + 1.66666667e-1f;
  p = p * r + 0.5f;
  p = p * r * r + r;
  union {
    int32_t bits;
    float value;
  } scale;
  scale.bits = (n + 127) * (1 << 23);
  return scale.value * p + (scale.value - 1.0f);
}

BNCC_INLINE int32_t count_bits(uint32_t v) {
#if defined(__AVX512VPOPCNTDQ__)
  return __builtin_popcount(v);
#else
  v = v - ((v >> 1) & 0x55555555u);
  v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
  v = (v + (v >> 4)) & 0x0f0f0f0fu;
  v = v + (v >> 8);
  v = v + (v >> 16);
  return static_cast<int32_t>(v & 0x3fu);
#endif
}

// d[t] = squared distance plus Hamming distance for one block of rows.
BNCC_INLINE void gather_distances(const float* BNCC_RESTRICT d2, const int32_t* BNCC_RESTRICT index, Words words,
                                  const uint32_t* own, int start, int n, float* BNCC_RESTRICT d) {
  if (index) {
    for (int t = 0; t < n; ++t) d[t] = d2[index[start + t]];
  } else {
    for (int t = 0; t < n; ++t) d[t] = d2[start + t];
  }
  for (int w = 0; w < words.count; ++w) {
    const uint32_t* BNCC_RESTRICT column = words.values + w * words.stride + start;
    const uint32_t mine = own[w];
    for (int t = 0; t < n; ++t) d[t] += static_cast<float>(count_bits(column[t] ^ mine));
  }
  for (int t = 0; t < n; ++t) d[t] = larger(d[t], 0.0f);
}

BNCC_INLINE void apply_kernel(float* d, int n, float gamma, Kernel kernel) {
  if (kernel == Kernel::rbf) {
    const float scale = -gamma;
    for (int t = 0; t < n; ++t) d[t] = expm1_negative(scale * d[t]);
  } else {
    for (int t = 0; t < n; ++t) d[t] *= -0.5f;
  }
}

void form_row(const float* d2, const int32_t* index, Words words, const uint32_t* own, int n, float gamma,
              Kernel kernel, float* out) {
  int start = 0;
  for (; start + block <= n; start += block) {
    gather_distances(d2, index, words, own, start, block, out + start);
    apply_kernel(out + start, block, gamma, kernel);
  }
  if (start < n) {
    gather_distances(d2, index, words, own, start, n - start, out + start);
    apply_kernel(out + start, n - start, gamma, kernel);
  }
}

int choose(const float* BNCC_RESTRICT f, const float* BNCC_RESTRICT down, const float* BNCC_RESTRICT row, int n_blocks,
           float gmax, float* gmin) {
  float least = far, best = 0.0f;
  int best_block = -1;
  for (int b = 0; b < n_blocks; ++b) {
    const int start = b * block;
    float bottom = far, gain = 0.0f;
    for (int t = start; t < start + block; ++t) {
      const float v = f[t] - down[t];
      bottom = smaller(bottom, v);
      const float d = larger(gmax - v, 0.0f);
      gain = larger(gain, d * d / larger(-2.0f * row[t], tau));
    }
    least = smaller(least, bottom);
    if (gain > best) {
      best = gain;
      best_block = b;
    }
  }
  *gmin = least;
  if (best_block < 0) return -1;
  float gains[block];
  const int start = best_block * block;
  for (int t = 0; t < block; ++t) {
    const float d = larger(gmax - (f[start + t] - down[start + t]), 0.0f);
    gains[t] = d * d / larger(-2.0f * row[start + t], tau);
  }
  int place = 0;
  for (int t = 1; t < block; ++t)
    if (gains[t] > gains[place]) place = t;
  return start + place;
}

void update(float* BNCC_RESTRICT f, const float* BNCC_RESTRICT up, const float* BNCC_RESTRICT first,
            const float* BNCC_RESTRICT second, float step, int n_blocks, float* BNCC_RESTRICT tops) {
  for (int b = 0; b < n_blocks; ++b) {
    const int start = b * block;
    float top = -far;
    for (int t = start; t < start + block; ++t) {
      const float v = f[t] - step * (first[t] - second[t]);
      f[t] = v;
      top = larger(top, v + up[t]);
    }
    tops[b] = top;
  }
}

void find_tops(const float* BNCC_RESTRICT f, const float* BNCC_RESTRICT up, int n_blocks, float* BNCC_RESTRICT tops) {
  for (int b = 0; b < n_blocks; ++b) {
    float top = -far;
    for (int t = b * block; t < (b + 1) * block; ++t) top = larger(top, f[t] + up[t]);
    tops[b] = top;
  }
}

int find_top(const float* f, const float* up, int start) {
  float values[block];
  for (int t = 0; t < block; ++t) values[t] = f[start + t] + up[start + t];
  float top = values[0];
  for (int t = 0; t < block; ++t) top = larger(top, values[t]);
  int place = 0;
  while (place < block - 1 && values[place] != top) ++place;
  return start + place;
}

void accumulate(double* BNCC_RESTRICT sums, const float* BNCC_RESTRICT row, double scale, int n) {
  for (int t = 0; t < n; ++t) sums[t] += scale * static_cast<double>(row[t]);
}

int nearest(const float* row, const float* allowed, int n_blocks) {
  float best = -far;
  int best_block = -1;
  for (int b = 0; b < n_blocks; ++b) {
    float top = -far;
    for (int t = b * block; t < (b + 1) * block; ++t) top = larger(top, row[t] + allowed[t]);
    if (top > best) {
      best = top;
      best_block = b;
    }
  }
  return best > -0.5f * far ? find_top(row, allowed, best_block * block) : -1;
}

double decide(const float* d2, const int32_t* index, Words words, const uint32_t* own, const float* coef, int n,
              float gamma, Kernel kernel) {
  float k[block];
  double total = 0.0;
  for (int start = 0; start < n; start += block) {
    const int size = n - start < block ? n - start : block;
    gather_distances(d2, index, words, own, start, size, k);
    for (int t = size; t < block; ++t) k[t] = 0.0f;
    apply_kernel(k, block, gamma, kernel);
    float partial[lanes] = {};
    const float* BNCC_RESTRICT c = coef + start;
    for (int t = 0; t < block; t += lanes)
      for (int u = 0; u < lanes; ++u) partial[u] += c[t + u] * k[t + u];
    double sum = 0.0;
    for (int u = 0; u < lanes; ++u) sum += static_cast<double>(partial[u]);
    total += sum;
  }
  return total;
}

void dense_distances(const float* points, const float* norms, int64_t d, const float* BNCC_RESTRICT x, float norm,
                     const int32_t* index, int n, float* BNCC_RESTRICT out) {
  for (int t = 0; t < n; ++t) {
    const int64_t r = index ? index[t] : t;
    const float* BNCC_RESTRICT y = points + r * d;
    float partial[lanes] = {};
    int64_t c = 0;
    for (; c + lanes <= d; c += lanes)
      for (int u = 0; u < lanes; ++u) partial[u] += x[c + u] * y[c + u];
    float dot = 0.0f;
    for (; c < d; ++c) dot += x[c] * y[c];
    for (int u = 0; u < lanes; ++u) dot += partial[u];
    out[t] = larger(norm + norms[r] - 2.0f * dot, 0.0f);
  }
}

}  // namespace

const Loops& BNCC_JOIN(loops_, BNCC_TARGET)() {
  static const Loops table = {BNCC_TEXT(BNCC_TARGET), form_row,   choose,  update, find_tops,
                              find_top,               accumulate, nearest, decide, dense_distances};
  return table;
}

}  // namespace bncc
