// What one call of the engine works on: plain views of the caller's arrays.
#pragma once

#include <atomic>
#include <cstdint>

#include "distances.hpp"

namespace bncc {

// Where squared distances between rows come from: a held matrix, or points from which rows are computed on demand.
struct Source {
  int64_t n_rows = 0;
  const float* matrix = nullptr;  // (n_rows, n_rows), or null
  Points points;                  // when there is no matrix
};

struct Batch {
  Source source;
  Kernel kernel = Kernel::rbf;
  int n_words = 0;
  const uint32_t* words = nullptr;  // (n_words, n_rows): 32 labels per word
  const int8_t* targets = nullptr;  // (n_targets, n_rows): +1 / -1
  const int64_t* row_ptr = nullptr;
  const int32_t* row_index = nullptr;
  const double* weights = nullptr;  // (n_weights, n_rows)

  int64_t n_problems = 0;  // one entry per problem in each array below
  const int32_t* target = nullptr;
  const int32_t* row_set = nullptr;
  const int32_t* weight = nullptr;  // row of weights, -1 = all ones
  const int32_t* start = nullptr;   // earlier problem of the same group whose solution is the start, -1 = zero
  const double* gamma = nullptr;
  const double* C = nullptr;
  const uint32_t* context = nullptr;  // (n_problems, n_words): which labels are context
  const double* longest = nullptr;    // length of the multipliers beyond which single precision is not enough
};

struct Options {
  double tol = 1e-3;
  int64_t max_iter = -1;
  int64_t cache_bytes = 0;  // for kernel rows, all threads together
  int n_threads = 1;
  const Loops* loops = nullptr;
};

enum Status : int8_t { converged = 0, iteration_limit = 1, one_class = 2, interrupted = 3 };

struct Outcome {
  Array<int32_t> support;
  Array<double> coef;
  double bias = 0.0;
  double objective = 0.0;
  int64_t iterations = 0;
  int8_t status = interrupted;
};

// Where the time of a call went, summed over threads.
struct Costs {
  double row_seconds = 0.0;    // forming kernel rows
  double total_seconds = 0.0;  // everything
  int64_t rows = 0;
  int64_t iterations = 0;
  int64_t refreshes = 0;
  double bytes = 0.0;  // read or written by the passes of the SMO loop
};

}  // namespace bncc
