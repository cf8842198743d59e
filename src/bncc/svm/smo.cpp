// The dual of the soft-margin SVM: min 1/2 a'Qa - sum a, 0 <= a_t <= C_t, sum a_t y_t = 0, Q = y y' k.
//
// f_t = y_t - sum_s a_s y_s k(s, t) is kept for all rows; row i may go up (a_i y_i may grow) and row j down. The pair
// is optimal when max f over "up" - min f over "down" < tol. i has the largest f, j the largest second-order gain
// (Fan, Chen, Lin 2005, as in LIBSVM). Since sum a y = 0, k may be shifted by any constant: k - 1 is used, which stays
// exact in single precision when gamma is tiny.
#include "smo.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bncc {

namespace {
constexpr double rounding = 6e-8;  // of one single-precision operation
constexpr int max_refreshes = 50;
}  // namespace

Costs GroupSolver::costs() const {
  Costs out = costs_;
  out.rows = kernel_.formed();
  out.row_seconds = kernel_.seconds();
  return out;
}

void GroupSolver::solve(const std::vector<int32_t>& members, std::vector<Outcome>& outcomes,
                        std::atomic<int64_t>& done) {
  const auto begin = std::chrono::steady_clock::now();
  collect_rows(members);
  const int32_t first = members.front();
  kernel_.prepare(batch_, loops_, rows_.data(), n_, batch_.gamma[first],
                  batch_.context + static_cast<int64_t>(first) * batch_.n_words, cache_bytes_);
  saved_.clear();
  for (const int32_t problem : members) {
    if (cancel_.load(std::memory_order_relaxed)) break;
    solve_one(problem, outcomes[problem]);
    const bool is_start = std::any_of(members.begin(), members.end(),
                                      [&](int32_t other) { return batch_.start[other] == problem; });
    if (is_start) saved_.push_back({problem, alpha_, f_});
    done.fetch_add(1, std::memory_order_relaxed);
  }
  costs_.total_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The union of the rows of all members, ascending.
void GroupSolver::collect_rows(const std::vector<int32_t>& members) {
  local_.assign(batch_.source.n_rows, -1);
  for (const int32_t problem : members) {
    const int32_t set = batch_.row_set[problem];
    for (int64_t p = batch_.row_ptr[set]; p < batch_.row_ptr[set + 1]; ++p) local_[batch_.row_index[p]] = 0;
  }
  rows_.clear();
  for (int64_t r = 0; r < batch_.source.n_rows; ++r) {
    if (local_[r] < 0) continue;
    local_[r] = static_cast<int32_t>(rows_.size());
    rows_.push_back(static_cast<int32_t>(r));
  }
  n_ = static_cast<int>(rows_.size());
  n_blocks_ = (n_ + block - 1) / block;
  const size_t padded = static_cast<size_t>(n_blocks_) * block;
  y_.assign(padded, 0);
  alpha_.assign(padded, 0.0);
  bound_.assign(padded, 0.0);
  f_.assign(padded, 0.0f);
  up_.assign(padded, -far);
  down_.assign(padded, -far);
  tops_.assign(n_blocks_, -far);
}

void GroupSolver::solve_one(int32_t problem, Outcome& outcome) {
  if (!set_bounds(problem)) {
    outcome.status = one_class;
    double sum = 0.0;
    for (int t = 0; t < n_; ++t) sum += bound_[t] > 0.0 ? y_[t] : 0;
    outcome.bias = sum >= 0.0 ? 1.0 : -1.0;
    start_cold();
    return;
  }
  const Saved* from = batch_.start[problem] >= 0 ? find_saved(batch_.start[problem]) : nullptr;
  drift_ = 0.0;
  if (from)
    start_warm(*from, batch_.C[problem] / batch_.C[from->problem]);
  else
    start_cold();
  const int64_t limit = options_.max_iter >= 0 ? options_.max_iter : std::max<int64_t>(10'000'000, int64_t{100} * n_);
  // Rounding adds up in f. When it could matter, f is formed anew in double and the loop goes on if need be.
  for (int attempt = 0; iterate(limit, outcome) && attempt < max_refreshes; ++attempt) {
    if (std::sqrt(drift_) < 0.1 * options_.tol) break;
    refresh();
  }
  write(outcome);
}

// Targets and box of one problem over the group's rows; rows that are no members get an empty box.
// Returns false when only one class is left.
bool GroupSolver::set_bounds(int32_t problem) {
  std::fill(bound_.begin(), bound_.end(), 0.0);
  const int8_t* target = batch_.targets + static_cast<int64_t>(batch_.target[problem]) * batch_.source.n_rows;
  const double* weights =
      batch_.weight[problem] < 0 ? nullptr
                                 : batch_.weights + static_cast<int64_t>(batch_.weight[problem]) * batch_.source.n_rows;
  for (int t = 0; t < n_; ++t) y_[t] = target[rows_[t]];
  const int32_t set = batch_.row_set[problem];
  bool positive = false, negative = false;
  for (int64_t p = batch_.row_ptr[set]; p < batch_.row_ptr[set + 1]; ++p) {
    const int32_t r = batch_.row_index[p], t = local_[r];
    bound_[t] = batch_.C[problem] * (weights ? weights[r] : 1.0);
    if (bound_[t] <= 0.0) continue;
    (y_[t] > 0 ? positive : negative) = true;
  }
  return positive && negative;
}

void GroupSolver::start_cold() {
  std::fill(alpha_.begin(), alpha_.end(), 0.0);
  for (int t = 0; t < n_; ++t) f_[t] = static_cast<float>(y_[t]);
  mark_all();
}

// Start from the solution of a problem on other rows or with another C: scale it, then empty the rows that left.
void GroupSolver::start_warm(const Saved& from, double ratio) {
  for (int t = 0; t < n_; ++t) {
    const double scaled = from.alpha[t] * ratio;
    alpha_[t] = bound_[t] > 0.0 ? std::min(scaled, bound_[t]) : scaled;
    f_[t] = static_cast<float>(y_[t] - ratio * (y_[t] - static_cast<double>(from.f[t])));
  }
  mark_all();
  for (int t = 0; t < n_; ++t) {
    if (bound_[t] > 0.0 || alpha_[t] <= 0.0) continue;
    if (!move_out(t)) return start_cold();
  }
}

// Hand the weight of a row that left to the nearest rows that can take it; sum a y stays 0 and f moves little.
// Returns false when no row can.
bool GroupSolver::move_out(int row) {
  while (alpha_[row] > 0.0) {
    const float* allowed = y_[row] > 0 ? up_.data() : down_.data();
    const int to = loops_.nearest(kernel_.row(row), allowed, n_blocks_);
    if (to < 0) return false;
    const bool same = y_[to] == y_[row];
    const double room = same ? bound_[to] - alpha_[to] : alpha_[to];
    const double amount = std::min(alpha_[row], room);
    alpha_[row] = amount < room ? 0.0 : alpha_[row] - amount;
    if (amount < room)
      alpha_[to] += same ? amount : -amount;
    else
      alpha_[to] = same ? bound_[to] : 0.0;
    mark(to);
    const float* from = kernel_.row(row);
    loops_.update(f_.data(), up_.data(), kernel_.row(to), from, static_cast<float>(y_[row] * amount), n_blocks_,
                  tops_.data());
    drift_ += rounding * rounding * amount * amount;
  }
  return true;
}

void GroupSolver::mark(int t) {
  const bool can_grow = alpha_[t] < bound_[t], can_fall = alpha_[t] > 0.0 && bound_[t] > 0.0;
  up_[t] = (y_[t] > 0 ? can_grow : can_fall) ? 0.0f : -far;
  down_[t] = (y_[t] > 0 ? can_fall : can_grow) ? 0.0f : -far;
}

void GroupSolver::mark_all() {
  for (int t = 0; t < n_; ++t) mark(t);
  loops_.find_tops(f_.data(), up_.data(), n_blocks_, tops_.data());
}

void GroupSolver::refresh() {
  sums_.assign(f_.size(), 0.0);
  for (int s = 0; s < n_; ++s)
    if (alpha_[s] > 0.0) loops_.accumulate(sums_.data(), kernel_.row(s), alpha_[s] * y_[s], n_);
  for (int t = 0; t < n_; ++t) f_[t] = static_cast<float>(y_[t] - sums_[t]);
  mark_all();
  drift_ = 0.0;
  ++costs_.refreshes;
}

// Iterate to the tolerance. Returns true when it was reached, false at the limit or on interruption.
bool GroupSolver::iterate(int64_t limit, Outcome& outcome) {
  const int64_t before = outcome.iterations;
  bool reached = false;
  for (;;) {
    const int top = static_cast<int>(std::max_element(tops_.begin(), tops_.end()) - tops_.begin());
    gmax_ = tops_[top];
    const int i = loops_.find_top(f_.data(), up_.data(), top * block);
    const float* row_i = kernel_.row(i);
    const int j = loops_.choose(f_.data(), down_.data(), row_i, n_blocks_, gmax_, &gmin_);
    if (j < 0 || gmax_ - gmin_ < static_cast<float>(options_.tol)) {
      outcome.status = converged;
      reached = true;
      break;
    }
    if (outcome.iterations >= limit) {
      outcome.status = iteration_limit;
      break;
    }
    if (outcome.iterations % 512 == 0 && cancel_.load(std::memory_order_relaxed)) {
      outcome.status = interrupted;
      break;
    }
    const float* row_j = kernel_.row(j);
    step(i, j, gmax_, row_i, row_j);
    ++outcome.iterations;
  }
  costs_.iterations += outcome.iterations - before;
  costs_.bytes += static_cast<double>(outcome.iterations - before) * n_blocks_ * block * sizeof(float) * 8;
  return reached;
}

void GroupSolver::step(int i, int j, float gmax, const float* row_i, const float* row_j) {
  const double eta = std::max(-2.0 * static_cast<double>(row_i[j]), static_cast<double>(tau));
  double change = (static_cast<double>(gmax) - f_[j]) / eta;
  const double room_i = y_[i] > 0 ? bound_[i] - alpha_[i] : alpha_[i];
  const double room_j = y_[j] > 0 ? alpha_[j] : bound_[j] - alpha_[j];
  const bool full_i = change >= room_i && room_i <= room_j, full_j = change >= room_j && !full_i;
  change = full_i ? room_i : full_j ? room_j : change;
  alpha_[i] = full_i ? (y_[i] > 0 ? bound_[i] : 0.0) : alpha_[i] + y_[i] * change;
  alpha_[j] = full_j ? (y_[j] > 0 ? 0.0 : bound_[j]) : alpha_[j] - y_[j] * change;
  alpha_[i] = std::min(std::max(alpha_[i], 0.0), bound_[i]);
  alpha_[j] = std::min(std::max(alpha_[j], 0.0), bound_[j]);
  mark(i);
  mark(j);
  loops_.update(f_.data(), up_.data(), row_i, row_j, static_cast<float>(change), n_blocks_, tops_.data());
  const double error = rounding * (std::fabs(gmax) + std::fabs(gmin_) + change);
  drift_ += error * error;
}

void GroupSolver::write(Outcome& outcome) const {
  double free_sum = 0.0, objective = 0.0;
  int64_t free_count = 0;
  for (int t = 0; t < n_; ++t) {
    if (alpha_[t] <= 0.0) continue;
    outcome.support.push_back(rows_[t]);
    outcome.coef.push_back(alpha_[t] * y_[t]);
    objective -= 0.5 * alpha_[t] * (1.0 + y_[t] * static_cast<double>(f_[t]));
    if (alpha_[t] < bound_[t]) {
      free_sum += f_[t];
      ++free_count;
    }
  }
  outcome.objective = objective;
  outcome.bias = free_count ? free_sum / static_cast<double>(free_count) : 0.5 * (static_cast<double>(gmax_) + gmin_);
}

const GroupSolver::Saved* GroupSolver::find_saved(int32_t problem) const {
  for (const Saved& saved : saved_)
    if (saved.problem == problem) return &saved;
  return nullptr;
}

}  // namespace bncc
