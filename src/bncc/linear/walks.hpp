// Scores of rows along a chain of links with sparse weights, row after row: only what a row's features and positive
// labels weigh is touched, and of all scores what is wanted is kept.
#pragma once

#include "problem.hpp"

namespace bncc::linear {

// Links in the order in which they decide. Lines of weights belong to features, then to labels; an entry names a link.
template <class Real>
struct Chain {
  int64_t n_links = 0, n_features = 0;
  const int64_t* line_ptr = nullptr;
  const int32_t* links = nullptr;
  const Real* weights = nullptr;
  const double* bias = nullptr;
  const int32_t* writes = nullptr;  // the label that a link decides; -1: none
};

struct WalkOptions {
  int n_threads = 1;
  Poll poll;
};

// Each of these is false where `poll` has stopped it.

// scores[row * n_links + link].
template <class Real>
bool score_all(const Features<Real>& x, const Chain<Real>& chain, const WalkOptions& options, double* scores);

// The k highest scores of each row, highest first, of equal ones the first column; columns[c] is the link of column c.
template <class Real>
bool score_top(const Features<Real>& x, const Chain<Real>& chain, const WalkOptions& options, const int32_t* columns,
               int64_t k, int64_t* best, double* scores);

// The columns with positive scores of each row (CSR), ascending.
template <class Real>
bool find_positives(const Features<Real>& x, const Chain<Real>& chain, const WalkOptions& options,
                    const int32_t* columns, std::vector<int64_t>& ptr, std::vector<int32_t>& positives);

}  // namespace bncc::linear
