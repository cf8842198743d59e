#include "smo.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bncc {

namespace {
constexpr int max_refreshes = 50;
constexpr double shrink_below = 0.8;  // share of rows under which the active ones are worth copying
// Changes of a_t y_t of several rows, brought into f eight rows at a time.
class Sum {
 public:
  Sum(Rows& rows, const Loops& loops, Pairs& pairs) : rows_(rows), loops_(loops), pairs_(pairs) {}

  void add(int t, double change) {
    held_[count_] = rows_.row(t);
    steps_[count_++] = static_cast<float>(change);
    pairs_.drift += rounding * rounding * change * change;
    if (count_ == 8) flush();
  }

  void flush() {
    loops_.subtract(pairs_.f.data(), held_, steps_, count_, pairs_.padded);
    count_ = 0;
  }

  void finish() {
    flush();
    pairs_.mark_all(loops_);
  }

 private:
  Rows& rows_;
  const Loops& loops_;
  Pairs& pairs_;
  const float* held_[8] = {};
  float steps_[8] = {};
  int count_ = 0;
};

}  // namespace

Costs GroupSolver::costs() const {
  Costs out = costs_;
  out.rows = kernel_.formed();
  out.row_seconds = kernel_.seconds();
  return out;
}

void GroupSolver::solve(const Array<int32_t>& members, Array<Outcome>& outcomes, std::atomic<int64_t>& done) {
  const auto begin = std::chrono::steady_clock::now();
  collect_rows(members);
  const int32_t first = members.front();
  kernel_.prepare(batch_, loops_, rows_.data(), pairs_.n, batch_.gamma[first],
                  batch_.context + static_cast<int64_t>(first) * batch_.n_words, cache_bytes_ / 4 * 3);
  saved_.clear();
  for (const int32_t problem : members) {
    if (cancel_.load(std::memory_order_relaxed)) break;
    solve_one(problem, outcomes[problem]);
    const bool is_start =
        std::any_of(members.begin(), members.end(), [&](int32_t other) { return batch_.start[other] == problem; });
    if (is_start) saved_.push_back({problem, pairs_.alpha, pairs_.f, pairs_.offset, pairs_.drift});
    done.fetch_add(1, std::memory_order_relaxed);
  }
  costs_.total_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The union of the rows of all members, ascending.
void GroupSolver::collect_rows(const Array<int32_t>& members) {
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
  pairs_.resize(static_cast<int>(rows_.size()));
}

void GroupSolver::solve_one(int32_t problem, Outcome& outcome) {
  if (!set_bounds(problem)) {
    double sum = 0.0;
    for (int t = 0; t < pairs_.n; ++t) sum += pairs_.bound[t] > 0.0 ? pairs_.y[t] : 0;
    outcome.status = one_class;
    outcome.bias = sum >= 0.0 ? 1.0 : -1.0;
    return start_cold();
  }
  const Saved* from = batch_.start[problem] >= 0 ? find_saved(batch_.start[problem]) : nullptr;
  if (from)
    start_warm(*from, batch_.C[problem] / batch_.C[from->problem]);
  else
    start_cold();
  const End end = iterate_refreshed(batch_.longest[problem], &outcome.iterations);
  outcome.status = end == End::reached ? converged : end == End::paused ? iteration_limit : interrupted;
  write(outcome);
}

// Rounding adds up in f. When it could matter, f is formed anew in double and the loop goes on if need be: at the end,
// and on the way after so many iterations that the cost is lost in theirs. What is left in the end has little rounding
// in it.
//
// Where the multipliers grow beyond the length that single precision bears, there is no point in going on.
End GroupSolver::iterate_refreshed(double longest, int64_t* iterations) {
  int64_t limit = options_.max_iter >= 0 ? options_.max_iter : std::max<int64_t>(10'000'000, int64_t{100} * pairs_.n);
  const int64_t period = 4096 + int64_t{16} * pairs_.n;
  for (int attempt = 0;;) {
    const int64_t left = limit - *iterations;  // shorter and shorter, so that the last iterations go by a good f
    const End end = iterate(*iterations + std::min(left > 128 ? left / 2 : left, period), iterations);
    if (end == End::cancelled || (end == End::paused && pairs_.length() > longest)) return end;
    if (std::sqrt(pairs_.drift) > 0.1 * options_.tol) {
      // Reached by rounding alone, again and again: the tolerance is out of reach.
      if (end == End::reached && ++attempt == max_refreshes) limit = *iterations;
      if (!refresh()) return End::cancelled;
    } else if (end == End::reached || *iterations >= limit) {
      return end;
    }
  }
}

// Targets and box of one problem over the group's rows; rows that are no members get an empty box.
// Returns false when only one class is left.
bool GroupSolver::set_bounds(int32_t problem) {
  std::fill(pairs_.bound.begin(), pairs_.bound.end(), 0.0);
  const int8_t* target = batch_.targets + static_cast<int64_t>(batch_.target[problem]) * batch_.source.n_rows;
  const double* weights = batch_.weight[problem] < 0
                              ? nullptr
                              : batch_.weights + static_cast<int64_t>(batch_.weight[problem]) * batch_.source.n_rows;
  for (int t = 0; t < pairs_.n; ++t) pairs_.y[t] = target[rows_[t]];
  const int32_t set = batch_.row_set[problem];
  bool positive = false, negative = false;
  for (int64_t p = batch_.row_ptr[set]; p < batch_.row_ptr[set + 1]; ++p) {
    const int32_t r = batch_.row_index[p], t = local_[r];
    pairs_.bound[t] = batch_.C[problem] * (weights ? weights[r] : 1.0);
    if (pairs_.bound[t] <= 0.0) continue;
    (pairs_.y[t] > 0 ? positive : negative) = true;
  }
  return positive && negative;
}

void GroupSolver::start_cold() {
  std::fill(pairs_.alpha.begin(), pairs_.alpha.end(), 0.0);
  for (int t = 0; t < pairs_.n; ++t) pairs_.f[t] = static_cast<float>(pairs_.y[t]);
  pairs_.offset = pairs_.drift = pairs_.largest = 0.0;
  pairs_.mark_all(loops_);
}

// Start from the solution of a problem with other rows, weights or C: scale it, cut it to the box (empty for rows that
// left), and give what that leaves open of sum a y to all free rows alike. With a narrow kernel that is next to the
// solution; moving weights to the nearest rows instead takes no fewer iterations.
void GroupSolver::start_warm(const Saved& from, double ratio) {
  pairs_.offset = ratio * from.offset;
  pairs_.drift = ratio * ratio * from.drift;
  for (int t = 0; t < pairs_.n; ++t)
    pairs_.f[t] = static_cast<float>(pairs_.y[t] - ratio * (pairs_.y[t] - static_cast<double>(from.f[t])));
  pairs_.largest = ratio * *std::max_element(from.alpha.begin(), from.alpha.end());
  double missing = 0.0;
  Sum cut(kernel_, loops_, pairs_);
  for (int t = 0; t < pairs_.n; ++t) {
    const double scaled = from.alpha[t] * ratio;
    pairs_.alpha[t] = snap(scaled, pairs_.bound[t], pairs_.largest);
    if (scaled <= pairs_.bound[t]) continue;
    const double excess = pairs_.y[t] * (scaled - pairs_.bound[t]);
    missing += excess;
    cut.add(t, -excess);
  }
  cut.finish();
  if (!spread(share(missing))) return start_cold();
  // f was rounded when it was scaled, cut and shared, each time by what its size makes of it.
  float largest = 0.0f;
  for (int t = 0; t < pairs_.n; ++t) largest = std::max(largest, std::fabs(pairs_.f[t]));
  pairs_.drift += 3.0 * rounding * rounding * largest * largest;
}

// Give the free rows equal parts of what is missing. Returns what they could not take.
double GroupSolver::share(double missing) {
  const double largest = *std::max_element(pairs_.bound.begin(), pairs_.bound.end());
  if (std::fabs(missing) < 1e-10 * largest) return 0.0;
  Array<int32_t> free_rows;
  for (int t = 0; t < pairs_.n; ++t)
    if (pairs_.up[t] == 0.0f && pairs_.down[t] == 0.0f) free_rows.push_back(t);
  if (free_rows.empty()) return missing;
  const double part = missing / static_cast<double>(free_rows.size());
  double left = 0.0;
  Sum given(kernel_, loops_, pairs_);
  for (const int t : free_rows) {
    const double room = part > 0.0 ? pairs_.room_up(t) : pairs_.room_down(t);
    const double amount = std::min(std::fabs(part), room) * (part > 0.0 ? 1.0 : -1.0);
    pairs_.shift(t, amount, std::fabs(amount) >= room);
    given.add(t, amount);
    left += part - amount;
  }
  given.finish();
  return std::fabs(left) < 1e-10 * largest ? 0.0 : left;
}

// Bring sum a y back to 0 by giving what is missing, in small parts, to the rows that want it most.
// Returns false when they cannot take it.
bool GroupSolver::spread(double missing) {
  const double part = std::fabs(missing) / 64.0;
  const double sign = missing > 0.0 ? 1.0 : -1.0;
  double left = std::fabs(missing);
  Sum change(kernel_, loops_, pairs_);
  for (int tries = 0; left > 0.0; ++tries) {
    int best = -1;
    for (int t = 0; t < pairs_.n; ++t) {
      const bool allowed = (sign > 0 ? pairs_.up[t] : pairs_.down[t]) == 0.0f;
      if (allowed && (best < 0 || sign * pairs_.f[t] > sign * pairs_.f[best])) best = t;
    }
    if (best < 0 || tries > 10000) return false;
    const double room = sign > 0 ? pairs_.room_up(best) : pairs_.room_down(best);
    const double amount = std::min({room, left, part});
    pairs_.shift(best, sign * amount, amount >= room);
    change.add(best, sign * amount);
    change.flush();
    left = amount == left ? 0.0 : left - amount;
  }
  change.finish();
  return true;
}

// Iterate to the tolerance. From time to time, when few rows are left that can move, go on with a copy of those.
End GroupSolver::iterate(int64_t limit, int64_t* iterations) {
  for (int64_t pause = std::min(pairs_.n, 50);; pause = std::min(pairs_.n, 500)) {
    const End end = run(pairs_, kernel_, options_.tol, std::min(pause, limit - *iterations), iterations);
    if (end != End::paused || *iterations >= limit) return end;
    find_active(pairs_, active_rows_);
    if (static_cast<double>(active_rows_.size()) > shrink_below * pairs_.n) continue;
    const double gap = static_cast<double>(pairs_.gmax) - pairs_.gmin;
    if (iterate_active(std::max(options_.tol, 0.02 * gap), limit, iterations) == End::cancelled) return End::cancelled;
  }
}

// Improve the active rows alone, then bring f of the others up to date.
End GroupSolver::iterate_active(double tol, int64_t limit, int64_t* iterations) {
  const int n = static_cast<int>(active_rows_.size());
  active_.resize(n);
  for (int a = 0; a < n; ++a) {
    const int t = active_rows_[a];
    active_.y[a] = pairs_.y[t];
    active_.alpha[a] = pairs_.alpha[t];
    active_.bound[a] = pairs_.bound[t];
    active_.f[a] = pairs_.f[t];
  }
  active_.largest = pairs_.largest;
  active_.mark_all(loops_);
  active_kernel_.prepare(kernel_, loops_, active_rows_, cache_bytes_ / 4);
  const End end = run(active_, active_kernel_, tol, limit - *iterations, iterations);

  Sum changes(kernel_, loops_, pairs_);
  for (int a = 0; a < n; ++a) {
    const int t = active_rows_[a];
    const double change = pairs_.y[t] * (active_.alpha[a] - pairs_.alpha[t]);
    if (change == 0.0) continue;
    pairs_.alpha[t] = active_.alpha[a];
    changes.add(t, change);
  }
  changes.finish();
  pairs_.drift += active_.drift;
  pairs_.largest = active_.largest;
  return end;
}

End GroupSolver::run(Pairs& pairs, Rows& rows, double tol, int64_t steps, int64_t* iterations) {
  const int64_t before = *iterations;
  const End end = improve(pairs, rows, loops_, tol, steps, cancel_, iterations);
  costs_.iterations += *iterations - before;
  costs_.bytes += static_cast<double>(*iterations - before) * pairs.padded * sizeof(float) * 8;
  return end;
}

// Form f anew in double. Returns false when cancelled meanwhile, which leaves f as it was.
bool GroupSolver::refresh() {
  sums_.assign(pairs_.f.size(), 0.0);
  for (int s = 0; s < pairs_.n; ++s) {
    if (pairs_.alpha[s] <= 0.0) continue;
    if (cancel_.load(std::memory_order_relaxed)) return false;
    loops_.accumulate(sums_.data(), kernel_.row(s), pairs_.alpha[s] * pairs_.y[s], pairs_.n);
  }
  // Rows that may still move have f near the middle of the gap. As differences from there they lose next to nothing in
  // single precision, so that a tolerance far below it can be reached.
  const double middle = 0.5 * (static_cast<double>(pairs_.gmax) + pairs_.gmin);
  if (std::fabs(middle) < 0.1 * far) pairs_.offset += middle;  // no row on one side otherwise
  for (int t = 0; t < pairs_.n; ++t) pairs_.f[t] = static_cast<float>(pairs_.y[t] - sums_[t] - pairs_.offset);
  pairs_.drift = 0.0;
  pairs_.mark_all(loops_);
  ++costs_.refreshes;
  return true;
}

void GroupSolver::write(Outcome& outcome) const {
  double free_sum = 0.0, objective = 0.0;
  int64_t free_count = 0;
  for (int t = 0; t < pairs_.n; ++t) {
    if (pairs_.alpha[t] <= 0.0) continue;
    outcome.support.push_back(rows_[t]);
    outcome.coef.push_back(pairs_.alpha[t] * pairs_.y[t]);
    objective -= 0.5 * pairs_.alpha[t] * (1.0 + pairs_.y[t] * (pairs_.offset + pairs_.f[t]));
    if (pairs_.alpha[t] < pairs_.bound[t]) {
      free_sum += pairs_.f[t];
      ++free_count;
    }
  }
  outcome.objective = objective;
  outcome.bias = pairs_.offset + (free_count ? free_sum / static_cast<double>(free_count)
                                             : 0.5 * (static_cast<double>(pairs_.gmax) + pairs_.gmin));
}

const GroupSolver::Saved* GroupSolver::find_saved(int32_t problem) const {
  for (const Saved& saved : saved_)
    if (saved.problem == problem) return &saved;
  return nullptr;
}

}  // namespace bncc
