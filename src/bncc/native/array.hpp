// A vector whose places are counted by signed numbers, as rows, labels and problems are everywhere in this code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

// Looked at in builds with BNCC_CHECKED (cmake -DBNCC_CHECKED=ON), which the tests of the compiled code make; elsewhere
// what comes from outside is checked once per call, and the loops trust it.
#ifdef BNCC_CHECKED
#undef NDEBUG
#include <cassert>
#define BNCC_ASSERT(condition) assert(condition)
#else
#define BNCC_ASSERT(condition) static_cast<void>(0)
#endif

namespace bncc {

template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(int64_t count, const T& value = T()) : values_(static_cast<size_t>(count), value) {}
  Array(std::initializer_list<T> values) : values_(values) {}
  Array(const T* first, const T* last) : values_(first, last) {}

  T& operator[](int64_t place) {
    BNCC_ASSERT(place >= 0 && place < size());
    return values_[static_cast<size_t>(place)];
  }
  const T& operator[](int64_t place) const {
    BNCC_ASSERT(place >= 0 && place < size());
    return values_[static_cast<size_t>(place)];
  }
  bool operator==(const Array& other) const { return values_ == other.values_; }

  int64_t size() const { return static_cast<int64_t>(values_.size()); }
  bool empty() const { return values_.empty(); }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  T* begin() { return values_.data(); }
  T* end() { return values_.data() + values_.size(); }
  const T* begin() const { return values_.data(); }
  const T* end() const { return values_.data() + values_.size(); }
  T& front() { return values_.front(); }
  const T& front() const { return values_.front(); }
  T& back() { return values_.back(); }
  const T& back() const { return values_.back(); }

  void clear() { values_.clear(); }
  void assign(int64_t count, const T& value) { values_.assign(static_cast<size_t>(count), value); }
  void resize(int64_t count, const T& value = T()) { values_.resize(static_cast<size_t>(count), value); }
  void push_back(T value) { values_.push_back(std::move(value)); }
  void append(const Array& more) { values_.insert(values_.end(), more.values_.begin(), more.values_.end()); }

 private:
  std::vector<T> values_;
};

}  // namespace bncc
