// A bounded store of rows: filled on first touch, the least recently used row makes room for a new one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "loops.hpp"
#include "native/array.hpp"

namespace bncc {

// Numbers on huge pages where the system offers them: rows are read in random order, so address translation counts.
template <class Real>
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { release(); }

  Real* reserve(int64_t count) {
    if (count > size_) {
      release();
      const size_t bytes = (static_cast<size_t>(count) * sizeof(Real) + align - 1) / align * align;
      data_ = static_cast<Real*>(::operator new(bytes, std::align_val_t{align}));
#if defined(__linux__)
      madvise(data_, bytes, MADV_HUGEPAGE);
#endif
      size_ = count;
    }
    return data_;
  }

 private:
  static constexpr size_t align = size_t{1} << 21;

  void release() {
    if (data_) ::operator delete(data_, std::align_val_t{align});
    data_ = nullptr;
    size_ = 0;
  }

  Real* data_ = nullptr;
  int64_t size_ = 0;
};

template <class Real>
class RowCacheOf {
 public:
  static constexpr int least = 16;  // rows that are held whatever the budget

  void prepare(int n, int64_t budget_bytes) {
    stride_ = (n + block - 1) / block * block;
    const int64_t row_bytes = static_cast<int64_t>(stride_) * static_cast<int64_t>(sizeof(Real));
    capacity_ = static_cast<int>(std::min<int64_t>(n, std::max<int64_t>(least, budget_bytes / row_bytes)));
    bounded_ = capacity_ < n;
    data_ = arena_.reserve(static_cast<int64_t>(capacity_) * stride_);
    slot_of_.assign(n, -1);
    row_of_.assign(capacity_, -1);
    before_.assign(capacity_, -1);
    after_.assign(capacity_, -1);
    used_ = 0;
    front_ = back_ = -1;
  }

  // The row, or null when it is not held. The last `least` rows asked for stay where they are.
  const Real* find(int row) {
    const int slot = slot_of_[row];
    if (slot < 0) return nullptr;
    if (bounded_ && slot != front_) {
      unlink(slot);
      link_front(slot);
    }
    return at(slot);
  }

  // Room for a row that is not held.
  Real* claim(int row) {
    int slot = used_;
    if (used_ < capacity_) {
      ++used_;
    } else {
      slot = back_;
      unlink(slot);
      slot_of_[row_of_[slot]] = -1;
    }
    slot_of_[row] = slot;
    row_of_[slot] = row;
    if (bounded_) link_front(slot);
    return at(slot);
  }

  int stride() const { return stride_; }

 private:
  Real* at(int slot) {
    BNCC_ASSERT(slot >= 0 && slot < capacity_);
    return data_ + static_cast<int64_t>(slot) * stride_;
  }

  void unlink(int slot) {
    const int b = before_[slot], a = after_[slot];
    (b < 0 ? front_ : after_[b]) = a;
    (a < 0 ? back_ : before_[a]) = b;
  }

  void link_front(int slot) {
    before_[slot] = -1;
    after_[slot] = front_;
    (front_ < 0 ? back_ : before_[front_]) = slot;
    front_ = slot;
  }

  Arena<Real> arena_;
  Real* data_ = nullptr;
  int stride_ = 0, capacity_ = 0, used_ = 0;
  bool bounded_ = false;
  Array<int32_t> slot_of_, row_of_, before_, after_;
  int front_ = -1, back_ = -1;
};

using RowCache = RowCacheOf<float>;

}  // namespace bncc
