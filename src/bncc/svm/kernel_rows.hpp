// Kernel rows: of a whole group of problems, and of the few rows that are still active in one.
#pragma once

#include "batch.hpp"
#include "row_cache.hpp"

namespace bncc {

// k(i, .) - k(i, i) for local rows i, padded with zeros to whole blocks.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual const float* row(int i) = 0;
};

// Rows over a subset of the source's rows, for one gamma and one set of context labels; formed when first touched.
class KernelRows final : public Rows {
 public:
  void prepare(const Batch& batch, const Loops& loops, const int32_t* rows, int n, double gamma,
               const uint32_t* context, int64_t budget_bytes);

  const float* row(int i) override {
    const float* held = cache_.find(i);
    return held ? held : form(i);
  }

  int64_t formed() const { return formed_; }
  double seconds() const { return seconds_; }

 private:
  const float* form(int i);

  const Batch* batch_ = nullptr;
  const Loops* loops_ = nullptr;
  const int32_t* rows_ = nullptr;
  int n_ = 0, n_words_ = 0;
  bool contiguous_ = false;
  float gamma_ = 0.0f;
  RowCache cache_;
  Array<uint32_t> words_, own_;
  Array<float> scratch_, products_;
  int64_t formed_ = 0;
  double seconds_ = 0.0;
};

// The columns of other rows that belong to an index set.
class ActiveRows final : public Rows {
 public:
  void prepare(Rows& whole, const Loops& loops, const Array<int32_t>& index, int64_t budget_bytes) {
    whole_ = &whole;
    loops_ = &loops;
    index_ = &index;
    cache_.prepare(static_cast<int>(index.size()), budget_bytes);
  }

  const float* row(int i) override {
    if (const float* held = cache_.find(i)) return held;
    const int n = static_cast<int>(index_->size());
    const float* from = whole_->row((*index_)[i]);
    float* out = cache_.claim(i);
    loops_->pick(from, index_->data(), n, out);
    std::fill(out + n, out + cache_.stride(), 0.0f);
    return out;
  }

 private:
  Rows* whole_ = nullptr;
  const Loops* loops_ = nullptr;
  const Array<int32_t>* index_ = nullptr;
  RowCache cache_;
};

}  // namespace bncc
