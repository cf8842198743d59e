// Kernel rows of one group of problems: formed when first touched and kept while the budget allows.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "batch.hpp"

namespace bncc {

// Floats on huge pages where the system offers them: rows are read in random order, so address translation counts.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { release(); }

  float* reserve(int64_t count) {
    if (count > size_) {
      release();
      const size_t align = size_t{1} << 21;
      bytes_ = (static_cast<size_t>(count) * sizeof(float) + align - 1) / align * align;
      data_ = static_cast<float*>(::operator new(bytes_, std::align_val_t{align}));
#if defined(__linux__)
      madvise(data_, bytes_, MADV_HUGEPAGE);
#endif
      size_ = count;
    }
    return data_;
  }

 private:
  void release() {
    if (data_) ::operator delete(data_, std::align_val_t{size_t{1} << 21});
    data_ = nullptr;
    size_ = 0;
  }

  float* data_ = nullptr;
  size_t bytes_ = 0;
  int64_t size_ = 0;
};

class KernelRows {
 public:
  // Kernel rows over `rows` (indices into the source) for one gamma and one set of context labels.
  void prepare(const Batch& batch, const Loops& loops, const int32_t* rows, int n, double gamma,
               const uint32_t* context, int64_t budget_bytes);

  // k(i, .) - k(i, i) for local row i, padded with zeros to whole blocks. The row asked for last stays valid while
  // the next one is asked for.
  const float* row(int i) {
    const int slot = slot_of_[i];
    if (slot < 0) return form(i);
    if (bounded_) touch(slot);
    return data_ + static_cast<int64_t>(slot) * stride_;
  }

  int stride() const { return stride_; }
  int64_t formed() const { return formed_; }
  double seconds() const { return seconds_; }

 private:
  const float* form(int i);
  int take_slot(int i);
  void touch(int slot);
  void unlink(int slot);
  void link_front(int slot);

  const Batch* batch_ = nullptr;
  const Loops* loops_ = nullptr;
  const int32_t* rows_ = nullptr;
  int n_ = 0, stride_ = 0, capacity_ = 0, used_ = 0;
  bool bounded_ = false, contiguous_ = false;
  float gamma_ = 0.0f;
  Arena arena_;
  float* data_ = nullptr;
  std::vector<int32_t> slot_of_, row_of_, before_, after_;  // `before_` and `after_`: least-recently-used list
  int front_ = -1, back_ = -1;
  std::vector<uint32_t> words_, own_;
  int n_words_ = 0;
  std::vector<float> scratch_, products_;
  int64_t formed_ = 0;
  double seconds_ = 0.0;
};

}  // namespace bncc
