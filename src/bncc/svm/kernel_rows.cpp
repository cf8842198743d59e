#include "kernel_rows.hpp"

#include <chrono>

namespace bncc {

void KernelRows::prepare(const Batch& batch, const Loops& loops, const int32_t* rows, int n, double gamma,
                         const uint32_t* context, int64_t budget_bytes) {
  batch_ = &batch;
  loops_ = &loops;
  rows_ = rows;
  n_ = n;
  gamma_ = static_cast<float>(gamma);
  contiguous_ = rows[n - 1] - rows[0] == n - 1;
  cache_.prepare(n, budget_bytes);

  const int64_t stride = cache_.stride();
  words_.clear();
  n_words_ = 0;
  for (int w = 0; w < batch.n_words; ++w) {
    if (!context[w]) continue;
    const uint32_t* column = batch.words + static_cast<int64_t>(w) * batch.source.n_rows;
    words_.resize((n_words_ + 1) * stride, 0);
    uint32_t* out = words_.data() + static_cast<int64_t>(n_words_) * stride;
    for (int t = 0; t < n; ++t) out[t] = column[rows[t]] & context[w];
    ++n_words_;
  }
  own_.resize(n_words_ + 1);
}

const float* KernelRows::form(int i) {
  const auto begin = std::chrono::steady_clock::now();
  float* out = cache_.claim(i);
  const int64_t stride = cache_.stride();
  for (int w = 0; w < n_words_; ++w) own_[w] = words_[w * stride + i];
  const Words words{words_.data(), stride, n_words_};
  const Source& source = batch_->source;
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
  std::fill(out + n_, out + stride, 0.0f);
  ++formed_;
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

}  // namespace bncc
