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
  float p = 1.39475742e-3f;  // minimax fit of (expm1(r) - r) / r^2 on |r| <= ln(2) / 2
  p = p * r + 8.36724803e-3f;
  p = p * r + 4.16662669e-2f;
  p = p * r + 1.66665380e-1f;
  p = p * r + 5.00000007e-1f;
  p = p * r * r + r;
  union {
    int32_t bits;
    float value;
  } scale;
  scale.bits = static_cast<int32_t>((static_cast<uint32_t>(n) + 127u) << 23);  // unsigned: any bits may come in
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

// k - k(own, own) at distance d.
template <Kernel kernel>
BNCC_INLINE float shifted_kernel(float d, float gamma) {
  return kernel == Kernel::rbf ? expm1_negative(-gamma * d) : -0.5f * d;
}

// Kernel values of n rows in one pass; `count` words of context are known to the compiler.
template <Kernel kernel, int count, bool gather>
BNCC_INLINE void form_part(const float* BNCC_RESTRICT d2, const int32_t* BNCC_RESTRICT index, Words words,
                           const uint32_t* own, int n, float gamma, float* BNCC_RESTRICT out) {
  const uint32_t* BNCC_RESTRICT first = words.values;
  const uint32_t* BNCC_RESTRICT second = words.values + words.stride;
  const uint32_t mine = count > 0 ? own[0] : 0, also = count > 1 ? own[1] : 0;
  for (int t = 0; t < n; ++t) {
    float d = gather ? d2[index[t]] : d2[t];
    if (count == 1) d += static_cast<float>(count_bits(first[t] ^ mine));
    if (count == 2) d += static_cast<float>(count_bits(first[t] ^ mine) + count_bits(second[t] ^ also));
    out[t] = shifted_kernel<kernel>(d, gamma);
  }
}

// More than two words: blocks of distances are summed up first.
template <Kernel kernel>
BNCC_INLINE void form_long(const float* BNCC_RESTRICT d2, const int32_t* BNCC_RESTRICT index, Words words,
                           const uint32_t* own, int n, float gamma, float* BNCC_RESTRICT out) {
  for (int start = 0; start < n; start += block) {
    const int stop = n - start < block ? n : start + block;
    for (int t = start; t < stop; ++t) out[t] = index ? d2[index[t]] : d2[t];
    for (int w = 0; w < words.count; ++w) {
      const uint32_t* BNCC_RESTRICT column = words.values + w * words.stride;
      const uint32_t mine = own[w];
      for (int t = start; t < stop; ++t) out[t] += static_cast<float>(count_bits(column[t] ^ mine));
    }
    for (int t = start; t < stop; ++t) out[t] = shifted_kernel<kernel>(out[t], gamma);
  }
}

template <Kernel kernel, bool gather>
BNCC_INLINE void form_kernel(const float* d2, const int32_t* index, Words words, const uint32_t* own, int n,
                             float gamma, float* out) {
  switch (words.count) {
    case 0:
      return form_part<kernel, 0, gather>(d2, index, words, own, n, gamma, out);
    case 1:
      return form_part<kernel, 1, gather>(d2, index, words, own, n, gamma, out);
    case 2:
      return form_part<kernel, 2, gather>(d2, index, words, own, n, gamma, out);
    default:
      return form_long<kernel>(d2, index, words, own, n, gamma, out);
  }
}

void form_row(const float* d2, const int32_t* index, Words words, const uint32_t* own, int n, float gamma,
              Kernel kernel, float* out) {
  if (kernel == Kernel::linear) {
    if (index) return form_kernel<Kernel::linear, true>(d2, index, words, own, n, gamma, out);
    return form_kernel<Kernel::linear, false>(d2, index, words, own, n, gamma, out);
  }
  if (index) return form_kernel<Kernel::rbf, true>(d2, index, words, own, n, gamma, out);
  return form_kernel<Kernel::rbf, false>(d2, index, words, own, n, gamma, out);
}

#if defined(__GNUC__)
// Vectors of the width of the machine, as GCC and Clang offer them.
#if defined(__AVX512F__)
constexpr int width = 16;
#elif defined(__AVX__)
constexpr int width = 8;
#else
constexpr int width = 4;
#endif
typedef float Vector __attribute__((vector_size(width * 4), aligned(4), may_alias));
typedef int32_t Whole __attribute__((vector_size(width * 4), aligned(4), may_alias));

BNCC_INLINE Vector at(const float* p) { return *reinterpret_cast<const Vector*>(p); }
BNCC_INLINE Vector pick_larger(Vector a, Vector b) { return a > b ? a : b; }
BNCC_INLINE Vector pick_smaller(Vector a, Vector b) { return a < b ? a : b; }
#else
// Elsewhere, vectors of one element: the compiler makes what it can of them.
constexpr int width = 1;
typedef float Vector;
typedef int32_t Whole;

BNCC_INLINE Vector at(const float* p) { return *p; }
BNCC_INLINE Vector pick_larger(Vector a, Vector b) { return a > b ? a : b; }
BNCC_INLINE Vector pick_smaller(Vector a, Vector b) { return a < b ? a : b; }
#endif

// The largest value seen in each lane, and where. The lowest index wins ties, in a lane and across lanes. Several run
// side by side, so that no step waits for the one before.
struct Best {
  Vector value;
  Whole where;
};
constexpr int beside = 4;

BNCC_INLINE void start(Best* best, float floor) {
  for (int b = 0; b < beside; ++b) {
    best[b].value = Vector{} + floor;
    best[b].where = Whole{} - 1;
  }
}

BNCC_INLINE void see(Best& best, Vector candidate, int t) {
  const auto better = candidate > best.value;
  best.value = better ? candidate : best.value;
  best.where = better ? Whole{} + t : best.where;
}

BNCC_INLINE void merge(Best& best, const Best& other) {
  const auto better = (other.value > best.value) | ((other.value == best.value) & (other.where < best.where));
  best.value = better ? other.value : best.value;
  best.where = better ? other.where : best.where;
}

BNCC_INLINE int finish(Best* best, float* top) {
  merge(best[0], best[1]);
  merge(best[2], best[3]);
  merge(best[0], best[2]);
  const float* values = reinterpret_cast<const float*>(&best[0].value);
  const int32_t* places = reinterpret_cast<const int32_t*>(&best[0].where);
  float largest = values[0];
  for (int u = 0; u < width; ++u) largest = larger(largest, values[u]);
  *top = largest;
  constexpr int32_t nowhere = 0x7fffffff;
  int32_t chosen = nowhere;
  for (int u = 0; u < width; ++u) {
    const int32_t here = values[u] == largest && places[u] >= 0 ? places[u] + u : nowhere;
    chosen = here < chosen ? here : chosen;
  }
  return chosen == nowhere ? -1 : chosen;
}

// 1 / q to about one percent, for q > 0: enough to rank pairs, and several times cheaper than a division.
BNCC_INLINE Vector rough_inverse(Vector q) {
  union {
    Vector value;
    Whole bits;
  } guess;
  guess.value = q;
  guess.bits = 0x7ef311c7 - guess.bits;
  return guess.value * (2.0f - q * guess.value);
}

int choose(const float* f, const float* down, const float* row, int n, float top, float* bottom) {
  Best best[beside];
  start(best, 0.0f);
  Vector least[beside];
  for (int b = 0; b < beside; ++b) least[b] = Vector{} + far;
  for (int t = 0; t < n; t += beside * width) {
#pragma GCC unroll 4
    for (int b = 0; b < beside; ++b) {
      const int s = t + b * width;
      const Vector v = at(f + s) - at(down + s);
      least[b] = pick_smaller(least[b], v);
      const Vector lack = pick_larger(top - v, Vector{});
      see(best[b], lack * lack * rough_inverse(pick_larger(-2.0f * at(row + s), Vector{} + tau)), s);
    }
  }
  least[0] = pick_smaller(pick_smaller(least[0], least[1]), pick_smaller(least[2], least[3]));
  const float* values = reinterpret_cast<const float*>(least);
  *bottom = values[0];
  for (int u = 1; u < width; ++u) *bottom = smaller(*bottom, values[u]);
  float gain;
  return finish(best, &gain);
}

int update(float* f, const float* up, const float* first, const float* second, float step, int n, float* top) {
  Best best[beside];
  start(best, -far);
  for (int t = 0; t < n; t += beside * width) {
#pragma GCC unroll 4
    for (int b = 0; b < beside; ++b) {
      const int s = t + b * width;
      const Vector v = at(f + s) - step * (at(first + s) - at(second + s));
      *reinterpret_cast<Vector*>(f + s) = v;
      see(best[b], v + at(up + s), s);
    }
  }
  return finish(best, top);
}

int find_top(const float* f, const float* up, int n, float* top) {
  Best best[beside];
  start(best, -far);
  for (int t = 0; t < n; t += beside * width)
    for (int b = 0; b < beside; ++b) see(best[b], at(f + t + b * width) + at(up + t + b * width), t + b * width);
  return finish(best, top);
}

template <int count>
BNCC_INLINE void subtract_rows(float* BNCC_RESTRICT f, const float* const* rows, const float* steps, int n) {
  for (int t = 0; t < n; ++t) {
    float v = f[t];
    for (int r = 0; r < count; ++r) v -= steps[r] * rows[r][t];
    f[t] = v;
  }
}

void subtract(float* f, const float* const* rows, const float* steps, int n_rows, int n) {
  if (n_rows == 8) return subtract_rows<8>(f, rows, steps, n);
  for (int r = 0; r < n_rows; ++r) subtract_rows<1>(f, rows + r, steps + r, n);
}

void pick(const float* BNCC_RESTRICT row, const int32_t* BNCC_RESTRICT index, int n, float* BNCC_RESTRICT out) {
  for (int t = 0; t < n; ++t) out[t] = row[index[t]];
}

void accumulate(double* BNCC_RESTRICT sums, const float* BNCC_RESTRICT row, double scale, int n) {
  for (int t = 0; t < n; ++t) sums[t] += scale * static_cast<double>(row[t]);
}

double decide(const float* d2, const int32_t* index, Words words, const uint32_t* own, const float* coef, int n,
              float gamma, Kernel kernel) {
  constexpr int part = 8 * block;
  float k[part];
  double total = 0.0;
  for (int start = 0; start < n; start += part) {
    const int size = n - start < part ? n - start : part, padded = (size + block - 1) / block * block;
    form_row(index ? d2 : d2 + start, index ? index + start : nullptr,
             Words{words.values + start, words.stride, words.count}, own, size, gamma, kernel, k);
    for (int t = size; t < padded; ++t) k[t] = 0.0f;
    float partial[lanes] = {};
    const float* BNCC_RESTRICT c = coef + start;
    for (int t = 0; t < padded; t += lanes)
      for (int u = 0; u < lanes; ++u) partial[u] += c[t + u] * k[t + u];
    double sum = 0.0;
    for (int u = 0; u < lanes; ++u) sum += static_cast<double>(partial[u]);
    total += sum;
  }
  return total;
}

// A tile of `rows` x (2 vectors) sums stays in registers over the whole depth.
#if defined(__GNUC__)
constexpr int wide = 2, tile = width == 16 ? 8 : 4;

template <int rows>
BNCC_INLINE void multiply_tile(const float* left, const float* right, int64_t depth, float* c, int64_t ldc) {
  Vector sums[static_cast<unsigned>(rows)][wide];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int w = 0; w < wide; ++w) sums[r][w] = *reinterpret_cast<const Vector*>(c + r * ldc + w * width);
  for (int64_t k = 0; k < depth; ++k) {
    Vector b[wide];
#pragma GCC unroll 2
    for (int w = 0; w < wide; ++w) b[w] = *reinterpret_cast<const Vector*>(right + k * panel + w * width);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
      for (int w = 0; w < wide; ++w) sums[r][w] += left[k * panel + r] * b[w];
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int w = 0; w < wide; ++w) *reinterpret_cast<Vector*>(c + r * ldc + w * width) = sums[r][w];
}
#else
constexpr int wide = 8, tile = 4;

template <int rows>
BNCC_INLINE void multiply_tile(const float* left, const float* right, int64_t depth, float* c, int64_t ldc) {
  for (int64_t k = 0; k < depth; ++k)
    for (int r = 0; r < rows; ++r)
      for (int t = 0; t < width * wide; ++t) c[r * ldc + t] += left[k * panel + r] * right[k * panel + t];
}
#endif

void multiply(const float* left, int n_left, const float* right, int64_t depth, float* c, int64_t ldc) {
  for (int t = 0; t < panel; t += width * wide) {
    int r = 0;
    for (; r + tile <= n_left; r += tile) multiply_tile<tile>(left + r, right + t, depth, c + r * ldc + t, ldc);
    for (; r < n_left; ++r) multiply_tile<1>(left + r, right + t, depth, c + r * ldc + t, ldc);
  }
}

int assemble(const float* BNCC_RESTRICT products, const float* BNCC_RESTRICT norms, float norm, int n,
             float* BNCC_RESTRICT out) {
  int lost = 0;
  for (int t = 0; t < n; ++t) {
    const float scale = norm + norms[t];
    const float d = scale - 2.0f * products[t];
    const bool cancelled = d < 0.01f * scale;
    lost += cancelled;
    out[t] = cancelled ? -1.0f : d;
  }
  return lost;
}

}  // namespace

const Loops& BNCC_JOIN(loops_, BNCC_TARGET)() {
  static const Loops table = {BNCC_TEXT(BNCC_TARGET),
                              form_row,
                              choose,
                              update,
                              find_top,
                              subtract,
                              pick,
                              accumulate,
                              decide,
                              multiply,
                              assemble};
  return table;
}

}  // namespace bncc
