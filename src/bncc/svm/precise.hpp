// One problem in double precision throughout: slower, for numbers that single precision cannot tell apart.
#pragma once

#include "batch.hpp"
#include "engine.hpp"
#include "row_cache.hpp"

namespace bncc {

// Features are rows of a matrix, dense or CSR.
struct PreciseProblem {
  int n = 0;
  int64_t n_features = 0;
  const double* dense = nullptr;  // (n, n_features), or
  const int64_t* indptr = nullptr;
  const int32_t* indices = nullptr;  // ascending within a row
  const double* values = nullptr;
  int64_t n_words = 0;
  const uint32_t* words = nullptr;  // (n_words, n): the labels of the context alone
  Kernel kernel = Kernel::rbf;
  double gamma = 1.0;
  const int8_t* y = nullptr;
  const double* bound = nullptr;
};

struct PreciseOutcome {
  Array<double> alpha, f;
  double top = 0.0, bottom = 0.0;  // largest f that may grow, least that may fall
  int64_t iterations = 0;
  int8_t status = interrupted;
};

// Both classes must have a row with a box. `poll` is asked about ten times a second whether to go on.
PreciseOutcome solve_precisely(const PreciseProblem& problem, double tol, int64_t max_iter, int64_t cache_bytes,
                               const Poll& poll);

}  // namespace bncc
