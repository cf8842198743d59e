// What the bindings of the linear engine share: arrays of a batch, checked against what they index.
//
// Only files of bindings include this.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

#include "native/checks.hpp"
#include "native/progress.hpp"
#include "problem.hpp"

namespace nb = nanobind;

namespace {

using namespace bncc::linear;

using bncc::make_poll;
using bncc::checks::check_indices;
using bncc::checks::check_pointers;
using bncc::checks::In;
using bncc::checks::Out;
using bncc::checks::require;
using bncc::checks::size_of;

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(held->data(), {held->size()}, owner);
}

template <class T>
In<T> get(const nb::object& source, const char* name) {
  return bncc::checks::array_field<T>(source, name);
}

// ---- Checks: every pointer array ascends and ends where its indices do; every index has something to point at.

template <class T>
void check_size(const In<T>& array, int64_t size, const char* name) {
  require(size_of(array) == size, name, "has another number of elements than what it belongs to");
}

void check_lists(const In<int64_t>& pointers, int64_t n, int64_t end, const char* name) {
  require(check_pointers(pointers, end, name) == n, name, "has another number of lists than what it belongs to");
}

// The arrays of a batch (problems.py), held while the engine works on them.
template <class Value>
struct Held {
  In<Value> values;
  In<int64_t> indptr, label_ptr, target_ptr, row_ptr;
  In<int32_t> indices, label_index, target_rows, row_index, target, row_set, weight;
  In<double> weights, cost_positive, cost_negative;
  In<uint32_t> context;
  Batch<Value> batch;
};

template <class Value, class Written>
void check_apart(const char* name, const Written& written, const Held<Value>& held) {
  bncc::checks::check_apart(name, written, held.values, held.indptr, held.label_ptr, held.target_ptr, held.row_ptr,
                            held.indices, held.label_index, held.target_rows, held.row_index, held.target, held.row_set,
                            held.weight, held.weights, held.cost_positive, held.cost_negative, held.context);
}

template <class Value>
void read_features(const nb::object& source, Held<Value>& held) {
  Features<Value>& x = held.batch.x;
  const nb::object record = nb::getattr(source, "features", nb::none());
  x.n_rows = bncc::checks::field<int64_t>(record, "n_rows");
  x.n_features = bncc::checks::field<int64_t>(record, "n_features");
  require(x.n_rows >= 0 && x.n_rows < INT32_MAX, "n_rows", "must lie below 2^31");
  require(x.n_features >= 0 && x.n_features < INT32_MAX / 2, "n_features", "must lie below 2^30");
  held.values = get<Value>(record, "values");
  x.values = held.values.data();
  if (nb::getattr(record, "indices", nb::none()).is_none())
    return check_size(held.values, x.n_rows * x.n_features, "values");
  held.indptr = get<int64_t>(record, "indptr");
  held.indices = get<int32_t>(record, "indices");
  check_lists(held.indptr, x.n_rows, size_of(held.indices), "indptr");
  check_indices(held.indices, 0, x.n_features, "indices");
  check_size(held.values, size_of(held.indices), "values");
  x.indptr = held.indptr.data();
  x.indices = held.indices.data();
}

}  // namespace
