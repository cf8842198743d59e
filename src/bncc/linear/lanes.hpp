// Sixteen numbers side by side, one per problem of a block: the vectors of GCC and Clang, or plain arrays elsewhere.
//
// Only loops.cpp includes this: it is compiled once per instruction set, and nothing here may be shared between them.
#pragma once

#include <cstdint>

#if defined(__AVX512F__) && defined(__AVX512DQ__) || defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__GNUC__) && !defined(__clang__)
// How wide vectors are passed to functions does not matter: all of these are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#if defined(_MSC_VER)
#define BNCC_INLINE static __forceinline
#else
#define BNCC_INLINE static inline __attribute__((always_inline))
#endif

namespace bncc::linear {
namespace {

constexpr int width = 16;

#if defined(__GNUC__) && !defined(BNCC_PLAIN_LANES)

// Bytes of one vector: wider ones GCC would take apart number by number.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class T, int n>
constexpr bool is_vector = n * static_cast<int>(sizeof(T)) <= vector_bytes;

// Some numbers: one vector, or two halves.
template <class T, int n, bool whole = is_vector<T, n>>
struct Numbers;

template <class T, int n>
struct Numbers<T, n, true> {
  typedef T Vector __attribute__((vector_size(n * sizeof(T)), may_alias));
  Vector all;
  T operator[](int l) const { return all[l]; }
};

template <class T, int n>
struct Numbers<T, n, false> {
  Numbers<T, n / 2> low, high;
  T operator[](int l) const { return l < n / 2 ? low[l] : high[l - n / 2]; }
};

template <class Real>
struct WholeOf;
template <>
struct WholeOf<float> {
  typedef int32_t Type;
};
template <>
struct WholeOf<double> {
  typedef int64_t Type;
};
template <class T>
using Whole = typename WholeOf<T>::Type;

template <class Real>
using Lanes = Numbers<Real, width>;
template <class Real>
using Mask = Numbers<Whole<Real>, width>;

#define BNCC_ARITHMETIC(op)                                                 \
  template <class T, int n>                                                 \
  BNCC_INLINE Numbers<T, n> operator op(Numbers<T, n> a, Numbers<T, n> b) { \
    if constexpr (is_vector<T, n>)                                          \
      return {a.all op b.all};                                              \
    else                                                                    \
      return {a.low op b.low, a.high op b.high};                            \
  }
#define BNCC_COMPARISON(op)                                                        \
  template <class T, int n>                                                        \
  BNCC_INLINE Numbers<Whole<T>, n> operator op(Numbers<T, n> a, Numbers<T, n> b) { \
    if constexpr (is_vector<T, n>)                                                 \
      return {a.all op b.all};                                                     \
    else                                                                           \
      return {a.low op b.low, a.high op b.high};                                   \
  }
BNCC_ARITHMETIC(+)
BNCC_ARITHMETIC(-)
BNCC_ARITHMETIC(*)
BNCC_ARITHMETIC(/)
BNCC_ARITHMETIC(&)
BNCC_ARITHMETIC(|)
BNCC_COMPARISON(>)
BNCC_COMPARISON(<)
#undef BNCC_ARITHMETIC
#undef BNCC_COMPARISON

template <class T, int n>
BNCC_INLINE Numbers<T, n>& operator+=(Numbers<T, n>& a, Numbers<T, n> b) {
  return a = a + b;
}

template <class T, int n>
BNCC_INLINE Numbers<T, n> load_numbers(const T* p) {
  if constexpr (is_vector<T, n>)
    return {*reinterpret_cast<const typename Numbers<T, n>::Vector*>(p)};
  else
    return {load_numbers<T, n / 2>(p), load_numbers<T, n / 2>(p + n / 2)};
}

template <class T, int n>
BNCC_INLINE void store_numbers(T* p, Numbers<T, n> v) {
  if constexpr (is_vector<T, n>) {
    *reinterpret_cast<typename Numbers<T, n>::Vector*>(p) = v.all;
  } else {
    store_numbers<T, n / 2>(p, v.low);
    store_numbers<T, n / 2>(p + n / 2, v.high);
  }
}

template <class T, int n>
BNCC_INLINE Numbers<T, n> fill_numbers(T x) {
  if constexpr (is_vector<T, n>)
    return {typename Numbers<T, n>::Vector{} + x};
  else
    return {fill_numbers<T, n / 2>(x), fill_numbers<T, n / 2>(x)};
}

template <class T, int n>
BNCC_INLINE Numbers<T, n> pick_numbers(Numbers<Whole<T>, n> m, Numbers<T, n> a, Numbers<T, n> b) {
  if constexpr (is_vector<T, n>)
    return {m.all ? a.all : b.all};
  else
    return {pick_numbers(m.low, a.low, b.low), pick_numbers(m.high, a.high, b.high)};
}

// Number l is -1 where bit l is on, else 0.
template <class T, int n>
BNCC_INLINE Numbers<T, n> spread_bits(uint32_t bits) {
  if constexpr (is_vector<T, n>) {
    alignas(64) static constexpr T bit[16] = {1,   2,   4,    8,    16,   32,   64,    128,
                                              256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    const typename Numbers<T, n>::Vector held = typename Numbers<T, n>::Vector{} + static_cast<T>(bits);
    return {(held & load_numbers<T, n>(bit).all) != 0};
  } else {
    return {spread_bits<T, n / 2>(bits), spread_bits<T, n / 2>(bits >> n / 2)};
  }
}

template <class T, int n>
BNCC_INLINE uint32_t gather_bits(Numbers<T, n> m) {
  if constexpr (!is_vector<T, n>) {
    return gather_bits(m.low) | gather_bits(m.high) << n / 2;
  } else {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    const __m512i all = reinterpret_cast<const __m512i&>(m.all);
    return sizeof(T) == 4 ? uint32_t{_mm512_movepi32_mask(all)} : uint32_t{_mm512_movepi64_mask(all)};
#elif defined(__AVX2__)
    const __m256i all = reinterpret_cast<const __m256i&>(m.all);
    return static_cast<uint32_t>(sizeof(T) == 4 ? _mm256_movemask_ps(_mm256_castsi256_ps(all))
                                                : _mm256_movemask_pd(_mm256_castsi256_pd(all)));
#elif defined(__SSE2__)
    const __m128i all = reinterpret_cast<const __m128i&>(m.all);
    return static_cast<uint32_t>(sizeof(T) == 4 ? _mm_movemask_ps(_mm_castsi128_ps(all))
                                                : _mm_movemask_pd(_mm_castsi128_pd(all)));
#else
    uint32_t bits = 0;
    for (int l = 0; l < n; ++l) bits |= (m.all[l] ? 1u : 0u) << l;
    return bits;
#endif
  }
}

// The sum of all numbers.
template <class T, int n>
BNCC_INLINE T sum_of(Numbers<T, n> v) {
  if constexpr (!is_vector<T, n>) {
    return sum_of(v.low + v.high);
  } else {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    if constexpr (sizeof(T) == 4)
      return _mm512_reduce_add_ps(reinterpret_cast<const __m512&>(v.all));
    else
      return _mm512_reduce_add_pd(reinterpret_cast<const __m512d&>(v.all));
#else
    T sum = 0;
    for (int l = 0; l < n; ++l) sum += v.all[l];
    return sum;
#endif
  }
}

template <class Real>
BNCC_INLINE Lanes<Real> load(const Real* p) {
  return load_numbers<Real, width>(p);
}

template <class Real>
BNCC_INLINE void store(Real* p, Lanes<Real> v) {
  store_numbers<Real, width>(p, v);
}

// At addresses that are not those of a line.
template <class Real>
BNCC_INLINE Lanes<Real> load_anywhere(const Real* p) {
  Lanes<Real> out;
  __builtin_memcpy(&out, p, sizeof out);
  return out;
}

template <class Real>
BNCC_INLINE void store_anywhere(Real* p, Lanes<Real> v) {
  __builtin_memcpy(p, &v, sizeof v);
}

template <class Real>
BNCC_INLINE Lanes<Real> fill(Real x) {
  return fill_numbers<Real, width>(x);
}

// Lane l of the mask is on where bit l is.
template <class Real>
BNCC_INLINE Mask<Real> spread(uint32_t bits) {
  return spread_bits<Whole<Real>, width>(bits);
}

template <class Real>
BNCC_INLINE Lanes<Real> pick(Mask<Real> m, Lanes<Real> a, Lanes<Real> b) {
  return pick_numbers(m, a, b);
}

#else

template <class T>
struct Array {
  T at[width];
  T& operator[](int l) { return at[l]; }
  const T& operator[](int l) const { return at[l]; }
};

template <class Real>
struct WholeOf;
template <>
struct WholeOf<float> {
  typedef int32_t Type;
};
template <>
struct WholeOf<double> {
  typedef int64_t Type;
};

template <class Real>
using Lanes = Array<Real>;
template <class Real>
using Mask = Array<typename WholeOf<Real>::Type>;

#define BNCC_ARITHMETIC(op)                                                \
  template <class T>                                                       \
  BNCC_INLINE Array<T> operator op(const Array<T>& a, const Array<T>& b) { \
    Array<T> out;                                                          \
    for (int l = 0; l < width; ++l) out[l] = static_cast<T>(a[l] op b[l]); \
    return out;                                                            \
  }
#define BNCC_COMPARISON(op)                                                        \
  template <class Real>                                                            \
  BNCC_INLINE Mask<Real> operator op(const Array<Real>& a, const Array<Real>& b) { \
    Mask<Real> out;                                                                \
    for (int l = 0; l < width; ++l) out[l] = a[l] op b[l] ? -1 : 0;                \
    return out;                                                                    \
  }
BNCC_ARITHMETIC(+)
BNCC_ARITHMETIC(-)
BNCC_ARITHMETIC(*)
BNCC_ARITHMETIC(/)
BNCC_ARITHMETIC(&)
BNCC_ARITHMETIC(|)
BNCC_COMPARISON(>)
BNCC_COMPARISON(<)
#undef BNCC_ARITHMETIC
#undef BNCC_COMPARISON

template <class T>
BNCC_INLINE Array<T>& operator+=(Array<T>& a, const Array<T>& b) {
  return a = a + b;
}

template <class T>
BNCC_INLINE T sum_of(const Array<T>& v) {
  T sums[width];
  for (int l = 0; l < width; ++l) sums[l] = v[l];
  for (int n = width / 2; n > 0; n /= 2)
    for (int l = 0; l < n; ++l) sums[l] += sums[l + n];
  return sums[0];
}

template <class Real>
BNCC_INLINE Lanes<Real> load(const Real* p) {
  Lanes<Real> out;
  for (int l = 0; l < width; ++l) out[l] = p[l];
  return out;
}

template <class Real>
BNCC_INLINE void store(Real* p, const Lanes<Real>& v) {
  for (int l = 0; l < width; ++l) p[l] = v[l];
}

template <class Real>
BNCC_INLINE Lanes<Real> load_anywhere(const Real* p) {
  return load(p);
}

template <class Real>
BNCC_INLINE void store_anywhere(Real* p, const Lanes<Real>& v) {
  store(p, v);
}

template <class Real>
BNCC_INLINE Lanes<Real> fill(Real x) {
  Lanes<Real> out;
  for (int l = 0; l < width; ++l) out[l] = x;
  return out;
}

template <class Real>
BNCC_INLINE Mask<Real> spread(uint32_t bits) {
  Mask<Real> out;
  for (int l = 0; l < width; ++l) out[l] = (bits >> l & 1u) ? -1 : 0;
  return out;
}

template <class T>
BNCC_INLINE uint32_t gather_bits(const Array<T>& m) {
  uint32_t bits = 0;
  for (int l = 0; l < width; ++l) bits |= (m[l] ? 1u : 0u) << l;
  return bits;
}

template <class Real>
BNCC_INLINE Lanes<Real> pick(const Mask<Real>& m, const Lanes<Real>& a, const Lanes<Real>& b) {
  Lanes<Real> out;
  for (int l = 0; l < width; ++l) out[l] = m[l] ? a[l] : b[l];
  return out;
}

#endif

template <class Real>
BNCC_INLINE Lanes<Real> larger(Lanes<Real> a, Lanes<Real> b) {
  return pick<Real>(a > b, a, b);
}

template <class Real>
BNCC_INLINE Lanes<Real> smaller(Lanes<Real> a, Lanes<Real> b) {
  return pick<Real>(a < b, a, b);
}

}  // namespace
}  // namespace bncc::linear
