// What one call of the linear engine works on, plain views of the caller's arrays, and what comes out of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <new>
#include <vector>

#include "loops.hpp"

namespace bncc::linear {

// Lines of 16 numbers, aligned to a cache line. Not initialised.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }

  T* ensure(int64_t size) {
    if (size > size_) {
      release();
      data_ = static_cast<T*>(::operator new(static_cast<size_t>(size) * sizeof(T), std::align_val_t{128}));
      size_ = size;
    }
    return data_;
  }
  T* data() const { return data_; }

 private:
  void release() {
    if (data_) ::operator delete(data_, std::align_val_t{128});
    data_ = nullptr;
    size_ = 0;
  }
  T* data_ = nullptr;
  int64_t size_ = 0;
};

template <class Value>
struct Batch {
  Features<Value> x;
  Context context;  // labels of the rows
  Loss loss = Loss::squared_hinge;
  double bias_feature = 0.0;

  const int64_t* target_ptr = nullptr;  // positives of the targets, one column after the other
  const int32_t* target_rows = nullptr;
  const int64_t* row_ptr = nullptr;  // sets of rows
  const int32_t* row_index = nullptr;
  const double* weights = nullptr;  // (n_weights, n_rows)

  int64_t n_problems = 0;  // one entry per problem in each array below
  const int32_t* target = nullptr;
  const int32_t* row_set = nullptr;  // -1: all rows
  const int32_t* weight = nullptr;   // row of weights, -1: ones
  const double* cost_positive = nullptr;
  const double* cost_negative = nullptr;
  int64_t n_words = 0;
  const uint32_t* context_words = nullptr;  // (n_problems, n_words): which labels a problem sees

  int64_t n_lines() const { return x.n_features + context.n_labels + 1; }
};

// Blocks of 16 problems (-1: an empty lane). Blocks unit_ptr[u]..unit_ptr[u + 1] are solved in turn, each from the
// solution of the one before.
struct Plan {
  const int32_t* problems = nullptr;  // (n_blocks, 16)
  std::vector<int64_t> unit_ptr;
  int64_t n_units() const { return static_cast<int64_t>(unit_ptr.size()) - 1; }
};

struct Options {
  double tol = 1e-3;
  int64_t max_iter = 1000;
  double drop = 0.0;    // keep weights above this share of the largest
  bool sparse = false;  // hand weights back without the zeros
  int n_threads = 1;
  const LoopTables* loops = nullptr;
  // Stored values from which on threads beyond the blocks pay: starting one takes as long as a pass over few.
  int64_t least_shared = 1 << 17;
};

enum Status : int8_t { converged = 0, iteration_limit = 1, one_class = 2, interrupted = 3 };

template <class Real>
struct Outcome {
  std::vector<int32_t> columns;  // of nonzero weights, ascending; only where sparse is asked for
  std::vector<Real> values;
  double bias = 0.0, primal = 0.0, dual = 0.0;
  int64_t iterations = 0;
  int8_t status = interrupted;
};

// What a block has cost.
struct BlockCosts {
  double updates = 0, checks = 0, active = 0, rows = 0, seconds = 0;
};

// How the lanes of a block stand.
struct LaneState {
  double primal[n_lanes] = {}, dual[n_lanes] = {};
  int64_t iterations[n_lanes] = {};
  uint32_t live = 0;     // still being solved
  uint32_t settled = 0;  // converged
};

using Poll = std::function<bool(int64_t done)>;

}  // namespace bncc::linear
