// Sequential minimal optimisation of one group of problems that share rows, gamma and context.
#pragma once

#include "batch.hpp"
#include "kernel_rows.hpp"

namespace bncc {

// The work space of one thread; solving a second group reuses its memory.
class GroupSolver {
 public:
  GroupSolver(const Batch& batch, const Options& options, int64_t cache_bytes, const std::atomic<bool>& cancel)
      : batch_(batch), options_(options), loops_(*options.loops), cache_bytes_(cache_bytes), cancel_(cancel) {}

  // Solve the problems one after the other (they name each other in batch.start); outcomes are indexed by problem.
  void solve(const std::vector<int32_t>& members, std::vector<Outcome>& outcomes, std::atomic<int64_t>& done);

  Costs costs() const;

 private:
  struct Saved {
    int32_t problem;
    std::vector<double> alpha;
    std::vector<float> f;
  };

  void collect_rows(const std::vector<int32_t>& members);
  void solve_one(int32_t problem, Outcome& outcome);
  bool set_bounds(int32_t problem);
  void start_cold();
  void start_warm(const Saved& from, double ratio);
  void mark(int t);
  void mark_all();
  void refresh();
  bool iterate(int64_t limit, Outcome& outcome);
  void step(int i, int j, float gmax, const float* row_i, const float* row_j);
  bool move_out(int row);
  void write(Outcome& outcome) const;
  const Saved* find_saved(int32_t problem) const;

  const Batch& batch_;
  const Options& options_;
  const Loops& loops_;
  const int64_t cache_bytes_;
  const std::atomic<bool>& cancel_;

  KernelRows kernel_;
  std::vector<int32_t> rows_;
  std::vector<int32_t> local_;  // row of the source -> local row, -1 outside
  int n_ = 0, n_blocks_ = 0;
  std::vector<int8_t> y_;
  std::vector<double> alpha_, bound_, sums_;
  std::vector<float> f_, up_, down_, tops_;
  std::vector<Saved> saved_;
  double drift_ = 0.0;
  float gmax_ = 0.0f, gmin_ = 0.0f;
  Costs costs_;
};

}  // namespace bncc
