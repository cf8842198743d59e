// The two entries of the native engine: solve a batch, and walk chains of solved problems over new rows.
#pragma once

#include <functional>

#include "batch.hpp"

namespace bncc {

// Called about ten times a second with the number of problems done; false asks to stop.
using Poll = std::function<bool(int64_t)>;

// The best loops this machine can run, or those named ("baseline", "avx2", "avx512"); null when it cannot run them.
const Loops* pick_loops(const char* name);

// Solve every problem. `groups` lists the problems that share kernel rows and are solved in turn by one thread.
Costs solve_batch(const Batch& batch, const Array<Array<int32_t>>& groups, const Options& options, const Poll& poll,
                  Array<Outcome>& outcomes);

// Decisions of chains of solved problems. A walk visits its problems in order for each of its rows; the sign of a
// decision becomes the row's bit of the label it writes, which later problems of the walk may read as context.
struct Walks {
  const Batch* batch = nullptr;  // problems: gamma, context, words of the training rows
  const int64_t* support_ptr = nullptr;
  const int32_t* support = nullptr;
  const double* coef = nullptr;
  const double* bias = nullptr;

  const float* distances = nullptr;  // (n_new, n_rows)
  int64_t n_new = 0;
  const uint32_t* words = nullptr;  // (n_words, n_new): labels known beforehand
  int64_t n_walks = 0;
  int64_t length = 0;
  const int64_t* row_ptr = nullptr;  // rows of `distances` per walk
  const int32_t* rows = nullptr;
  const int32_t* problems = nullptr;  // (n_walks, length)
  const int32_t* writes = nullptr;    // (n_walks, length): label that a link predicts, -1 = none
};

// out: (total rows of all walks, length)
void walk(const Walks& walks, const Options& options, const Poll& poll, double* out);

}  // namespace bncc
