// Scores of sparse rows by dense weights: sixteen problems side by side, as they were solved.
#pragma once

#include "problem.hpp"

namespace bncc::linear {

// Some problems of a table of weights, features first in every line of it.
template <class Real>
struct DenseLinks {
  int64_t n_links = 0, n_columns = 0;
  const int64_t* problems = nullptr;  // lines of the table
  const Real* weights = nullptr;
  const double* bias = nullptr;  // one per link
};

struct ScoreOptions {
  int n_threads = 1;
  const LoopTables* loops = nullptr;
  Poll poll;
};

// scores[r * n_links + link] of rows first_row..first_row + n_rows, by features and bias alone. False where `poll` has
// stopped it.
template <class Real>
bool score_rows(const Features<Real>& x, const DenseLinks<Real>& links, int64_t first_row, int64_t n_rows,
                const ScoreOptions& options, double* scores);

}  // namespace bncc::linear
