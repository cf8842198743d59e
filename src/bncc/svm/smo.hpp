// One group of problems that share rows, gamma and context, solved in turn.
#pragma once

#include "batch.hpp"
#include "kernel_rows.hpp"
#include "pairs.hpp"

namespace bncc {

// The work space of one thread; solving a second group reuses its memory.
class GroupSolver {
 public:
  GroupSolver(const Batch& batch, const Options& options, int64_t cache_bytes, const std::atomic<bool>& cancel)
      : batch_(batch), options_(options), loops_(*options.loops), cache_bytes_(cache_bytes), cancel_(cancel) {}

  // Solve the problems one after the other (they name each other in batch.start); outcomes are indexed by problem.
  void solve(const Array<int32_t>& members, Array<Outcome>& outcomes, std::atomic<int64_t>& done);

  Costs costs() const;

 private:
  struct Saved {
    int32_t problem;
    Array<double> alpha;
    Array<float> f;
    double offset, drift;
  };

  void collect_rows(const Array<int32_t>& members);
  void solve_one(int32_t problem, Outcome& outcome);
  bool set_bounds(int32_t problem);
  void start_cold();
  void start_warm(const Saved& from, double ratio);
  double share(double missing);
  bool spread(double missing);
  End iterate_refreshed(double longest, int64_t* iterations);
  End iterate(int64_t limit, int64_t* iterations);
  End iterate_active(double tol, int64_t limit, int64_t* iterations);
  End run(Pairs& pairs, Rows& rows, double tol, int64_t steps, int64_t* iterations);
  bool refresh();
  void write(Outcome& outcome) const;
  const Saved* find_saved(int32_t problem) const;

  const Batch& batch_;
  const Options& options_;
  const Loops& loops_;
  const int64_t cache_bytes_;
  const std::atomic<bool>& cancel_;

  Array<int32_t> rows_;
  Array<int32_t> local_;  // row of the source -> local row, -1 outside
  KernelRows kernel_;
  Pairs pairs_;
  ActiveRows active_kernel_;
  Pairs active_;
  Array<int32_t> active_rows_;
  Array<double> sums_;
  Array<Saved> saved_;
  Costs costs_;
};

}  // namespace bncc
