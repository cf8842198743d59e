#include "kernel_rows.hpp"

#include <algorithm>
#include <chrono>

namespace bncc {

void KernelRows::prepare(const Batch& batch, const Loops& loops, const int32_t* rows, int n, double gamma,
                         const uint32_t* context, int64_t budget_bytes) {
  batch_ = &batch;
  loops_ = &loops;
  rows_ = rows;
  n_ = n;
  stride_ = (n + block - 1) / block * block;
  gamma_ = static_cast<float>(gamma);
  contiguous_ = n > 0 && rows[n - 1] - rows[0] == n - 1;

  const int64_t row_bytes = static_cast<int64_t>(stride_) * static_cast<int64_t>(sizeof(float));
  capacity_ = static_cast<int>(std::min<int64_t>(n, std::max<int64_t>(2, budget_bytes / row_bytes)));
  bounded_ = capacity_ < n;
  data_ = arena_.reserve(static_cast<int64_t>(capacity_) * stride_);
  slot_of_.assign(n, -1);
  row_of_.assign(capacity_, -1);
  before_.assign(capacity_, -1);
  after_.assign(capacity_, -1);
  used_ = 0;
  front_ = back_ = -1;

  words_.clear();
  n_words_ = 0;
  for (int w = 0; w < batch.n_words; ++w) {
    if (!context[w]) continue;
    const uint32_t* column = batch.words + static_cast<int64_t>(w) * batch.source.n_rows;
    words_.resize(static_cast<size_t>(n_words_ + 1) * stride_, 0);
    uint32_t* out = words_.data() + static_cast<int64_t>(n_words_) * stride_;
    for (int t = 0; t < n; ++t) out[t] = column[rows[t]] & context[w];
    ++n_words_;
  }
  own_.resize(static_cast<size_t>(n_words_) + 1);
}

const float* KernelRows::form(int i) {
  const auto begin = std::chrono::steady_clock::now();
  const int slot = take_slot(i);
  float* out = data_ + static_cast<int64_t>(slot) * stride_;
  for (int w = 0; w < n_words_; ++w) own_[w] = words_[static_cast<int64_t>(w) * stride_ + i];
  const Source& source = batch_->source;
  const Words words{words_.data(), stride_, n_words_};
  const float* d2;
  if (source.matrix) {
    d2 = source.matrix + static_cast<int64_t>(rows_[i]) * source.n_rows;
  } else {
    scratch_.resize(source.n_rows);
    distances_of(source.points, rows_[i], rows_[i] + 1, source.points, *loops_, products_, scratch_.data(), 0);
    d2 = scratch_.data();
  }
  if (contiguous_)
    loops_->form_row(d2 + rows_[0], nullptr, words, own_.data(), n_, gamma_, batch_->kernel, out);
  else
    loops_->form_row(d2, rows_, words, own_.data(), n_, gamma_, batch_->kernel, out);
  out[i] = 0.0f;
  std::memset(out + n_, 0, static_cast<size_t>(stride_ - n_) * sizeof(float));
  ++formed_;
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

int KernelRows::take_slot(int i) {
  int slot;
  if (used_ < capacity_) {
    slot = used_++;
  } else {
    slot = back_;
    unlink(slot);
    slot_of_[row_of_[slot]] = -1;
  }
  slot_of_[i] = slot;
  row_of_[slot] = i;
  if (bounded_) link_front(slot);
  return slot;
}

void KernelRows::touch(int slot) {
  if (slot == front_) return;
  unlink(slot);
  link_front(slot);
}

void KernelRows::unlink(int slot) {
  const int b = before_[slot], a = after_[slot];
  (b < 0 ? front_ : after_[b]) = a;
  (a < 0 ? back_ : before_[a]) = b;
}

void KernelRows::link_front(int slot) {
  before_[slot] = -1;
  after_[slot] = front_;
  (front_ < 0 ? back_ : before_[front_]) = slot;
  front_ = slot;
}

}  // namespace bncc
