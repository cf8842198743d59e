// Checks at the entries of the compiled code: whatever indexes something is held against what it indexes, once per
// call, so that no array from outside can lead the loops astray. Errors of callers get better words in Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace bncc::checks {

namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::numpy, nb::c_contig, nb::device::cpu>;

template <class T>
using Out = nb::ndarray<T, nb::numpy, nb::c_contig, nb::device::cpu>;

// Beyond this nobody has cores, and room for each thread is made beforehand.
constexpr int most_threads = 1 << 15;
// Rows are numbered by 32 bits, and padded.
constexpr int64_t most_rows = INT32_MAX - 256;

inline void require(bool condition, const char* name, const char* what) {
  if (!condition) throw nb::value_error((std::string("`") + name + "` " + what).c_str());
}

template <class Array>
int64_t size_of(const Array& array) {
  return static_cast<int64_t>(array.size());
}

template <class Array>
int64_t length_of(const Array& array, size_t dimension) {
  return static_cast<int64_t>(array.shape(dimension));
}

// Arrays may begin anywhere in a buffer of bytes; loops read whole elements.
template <class Array>
void check_aligned(const Array& array, const char* name) {
  using Scalar = typename Array::Scalar;
  require(reinterpret_cast<uintptr_t>(array.data()) % alignof(Scalar) == 0, name, "must be aligned to its elements");
}

template <class Array>
void check_shape(const Array& array, const std::vector<int64_t>& shape, const char* name) {
  bool same = array.ndim() == shape.size();
  for (size_t d = 0; same && d < shape.size(); ++d) same = length_of(array, d) == shape[d];
  require(same, name, "has another shape than what it belongs to");
  check_aligned(array, name);
}

// Any number of lines of a known width. Returns the number of lines.
template <class Array>
int64_t check_width(const Array& array, int64_t width, const char* name) {
  require(array.ndim() == 2 && length_of(array, 1) == width, name, "must have two dimensions and one column per row");
  check_aligned(array, name);
  return length_of(array, 0);
}

// Pointers ascend from 0 to the number of entries. Returns the number of lists.
template <class Array>
int64_t check_pointers(const Array& pointers, int64_t n_entries, const char* name) {
  require(pointers.ndim() == 1 && pointers.shape(0) > 0, name, "must be a list of pointers that is not empty");
  check_aligned(pointers, name);
  const int64_t n = length_of(pointers, 0) - 1;
  const auto* p = pointers.data();
  require(p[0] == 0 && p[n] == n_entries, name, "must run from 0 to the number of its entries");
  bool ascends = true;
  for (int64_t i = 0; i < n; ++i) ascends &= p[i] <= p[i + 1];
  require(ascends, name, "must not descend");
  return n;
}

template <class Array>
void check_indices(const Array& indices, int64_t least, int64_t end, const char* name) {
  check_aligned(indices, name);
  const auto* p = indices.data();
  bool inside = true;
  for (int64_t i = 0, n = size_of(indices); i < n; ++i) inside &= p[i] >= least && p[i] < end;
  require(inside, name, "has an index out of range");
}

// Entries of every list ascend, with checked pointers.
template <class Pointers, class Indices>
void check_ascending(const Pointers& pointers, const Indices& indices, const char* name) {
  bool ascends = true;
  for (int64_t line = 0, n = length_of(pointers, 0) - 1; line < n; ++line)
    for (auto p = pointers.data()[line] + 1; p < pointers.data()[line + 1]; ++p)
      ascends &= indices.data()[p - 1] < indices.data()[p];
  require(ascends, name, "must ascend within a list");
}

// Every index is there once at most.
template <class Array>
void check_distinct(const Array& indices, int64_t end, const char* name) {
  check_indices(indices, 0, end, name);
  std::vector<uint8_t> seen(static_cast<size_t>(end), 0);
  for (int64_t i = 0, n = size_of(indices); i < n; ++i) {
    uint8_t& mine = seen[static_cast<size_t>(indices.data()[i])];
    require(!mine, name, "must not repeat an index");
    mine = 1;
  }
}

template <class Array>
void check_numbers(const Array& values, bool zero_allowed, const char* name) {
  bool good = true;
  for (int64_t i = 0, n = size_of(values); i < n; ++i) {
    const double value = values.data()[i];
    good &= std::isfinite(value) && (zero_allowed ? value >= 0.0 : value > 0.0);
  }
  require(good, name, zero_allowed ? "must be finite and not negative" : "must be finite and positive");
}

// Whether two arrays have a byte in common; an empty one has none.
template <class One, class Other>
bool overlap(const One& one, const Other& other) {
  const auto begin = reinterpret_cast<uintptr_t>(one.data()), start = reinterpret_cast<uintptr_t>(other.data());
  return begin < start + other.size() * sizeof(*other.data()) && start < begin + one.size() * sizeof(*one.data());
}

// What is written lies apart from what is read: an index that was looked at must not become another.
template <class Written, class... Read>
void check_apart(const char* name, const Written& written, const Read&... read) {
  require(!(overlap(written, read) || ...), name, "must not share memory with an array that is read");
}

inline void check_threads(int n_threads) {
  require(n_threads >= 1 && n_threads <= most_threads, "n_threads", "must lie in 1..32768");
}

// ---- Fields of records: what is missing or of another type is a TypeError, as for an argument.

template <class T>
T field(const nb::object& record, const char* name) {
  const nb::object value = nb::getattr(record, name, nb::none());
  T out;
  if (!nb::try_cast<T>(value, out, false))
    throw nb::type_error((std::string("`") + name + "` is missing or of another type than expected").c_str());
  return out;
}

template <class T>
In<T> array_field(const nb::object& record, const char* name) {
  const In<T> out = field<In<T>>(record, name);
  check_aligned(out, name);
  return out;
}

}  // namespace bncc::checks
