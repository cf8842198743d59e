// Sixteen numbers side by side, one per problem of a block: the vectors of GCC and Clang, or plain arrays elsewhere.
//
// Only loops.cpp includes this: it is compiled once per instruction set, and nothing here may be shared between them.
#pragma once

#include <cstdint>

#if defined(__AVX512F__) && defined(__AVX512DQ__) || defined(__AVX2__)
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

template <class Real>
struct Vectors;

template <>
struct Vectors<float> {
  typedef float Number __attribute__((vector_size(64), aligned(64), may_alias));
  typedef int32_t Whole __attribute__((vector_size(64), aligned(64), may_alias));
};

template <>
struct Vectors<double> {
  typedef double Number __attribute__((vector_size(128), aligned(64), may_alias));
  typedef int64_t Whole __attribute__((vector_size(128), aligned(64), may_alias));
};

template <class Real>
using Lanes = typename Vectors<Real>::Number;
template <class Real>
using Mask = typename Vectors<Real>::Whole;

template <class Real>
BNCC_INLINE Lanes<Real> load(const Real* p) {
  return *reinterpret_cast<const Lanes<Real>*>(p);
}

template <class Real>
BNCC_INLINE void store(Real* p, Lanes<Real> v) {
  *reinterpret_cast<Lanes<Real>*>(p) = v;
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
  return Lanes<Real>{} + x;
}

// Lane l of the mask is on where bit l is.
template <class Real>
BNCC_INLINE Mask<Real> spread(uint32_t bits) {
  const Mask<Real> lane = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
  return ((Mask<Real>{} + static_cast<int32_t>(bits)) & lane) != 0;
}

BNCC_INLINE uint32_t gather_bits(Mask<float> m) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return static_cast<uint32_t>(_mm512_movepi32_mask(reinterpret_cast<__m512i&>(m)));
#elif defined(__AVX2__)
  const __m256i* parts = reinterpret_cast<const __m256i*>(&m);
  const uint32_t low = static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(parts[0])));
  return low | static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(parts[1]))) << 8;
#else
  uint32_t bits = 0;
  for (int l = 0; l < width; ++l) bits |= (m[l] ? 1u : 0u) << l;
  return bits;
#endif
}

BNCC_INLINE uint32_t gather_bits(Mask<double> m) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  const __m512i* parts = reinterpret_cast<const __m512i*>(&m);
  return static_cast<uint32_t>(_mm512_movepi64_mask(parts[0])) | static_cast<uint32_t>(_mm512_movepi64_mask(parts[1]))
                                                                     << 8;
#else
  uint32_t bits = 0;
  for (int l = 0; l < width; ++l) bits |= (m[l] ? 1u : 0u) << l;
  return bits;
#endif
}

template <class Real>
BNCC_INLINE Lanes<Real> pick(Mask<Real> m, Lanes<Real> a, Lanes<Real> b) {
  return m ? a : b;
}

template <class Real>
BNCC_INLINE Mask<Real> none_of() {
  return Mask<Real>{};
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

template <class Real>
BNCC_INLINE Mask<Real> none_of() {
  return spread<Real>(0);
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
