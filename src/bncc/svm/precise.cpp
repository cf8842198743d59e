#include "precise.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "pairs.hpp"

namespace bncc {

namespace {

constexpr double nowhere = std::numeric_limits<double>::infinity();
constexpr double least_curvature = 1e-12;  // of a pair of duplicates, as in LIBSVM
constexpr double unit = 2.3e-16;           // rounding of one operation
constexpr int max_refreshes = 20;

double distance(const PreciseProblem& problem, int i, int t) {
  double sum = 0.0;
  if (problem.dense) {
    const double *a = problem.dense + i * problem.n_features, *b = problem.dense + t * problem.n_features;
    for (int64_t k = 0; k < problem.n_features; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
  }
  int64_t p = problem.indptr[i], q = problem.indptr[t];
  const int64_t p_end = problem.indptr[i + 1], q_end = problem.indptr[t + 1];
  while (p < p_end || q < q_end) {
    const int64_t a = p < p_end ? problem.indices[p] : INT64_MAX, b = q < q_end ? problem.indices[q] : INT64_MAX;
    const double d = (a <= b ? problem.values[p] : 0.0) - (b <= a ? problem.values[q] : 0.0);
    p += a <= b;
    q += b <= a;
    sum += d * d;
  }
  return sum;
}

int count_bits(uint32_t v) {
  int count = 0;
  for (; v; v &= v - 1) ++count;
  return count;
}

class Solver {
 public:
  Solver(const PreciseProblem& problem, double tol, int64_t cache_bytes, const Poll& poll)
      : problem_(problem), tol_(tol), poll_(poll), n_(problem.n) {
    cache_.prepare(n_, cache_bytes);
    out_.alpha.assign(n_, 0.0);
    out_.f.resize(n_);
    for (int t = 0; t < n_; ++t) out_.f[t] = problem.y[t];
  }

  PreciseOutcome solve(int64_t limit) {
    out_.status = iteration_limit;
    for (int attempt = 0; attempt < max_refreshes; ++attempt) {
      const End end = improve(limit);
      if (end != End::reached) {
        out_.status = end == End::cancelled ? interrupted : iteration_limit;
        break;
      }
      // Rounding has added up in f: it is reached when it is for an f formed anew.
      refresh();
      choose_first();
      if (out_.top - out_.bottom < tol_) {
        out_.status = converged;
        break;
      }
    }
    return std::move(out_);
  }

 private:
  bool can_grow(int t) const { return out_.alpha[t] < problem_.bound[t]; }
  bool can_fall(int t) const { return out_.alpha[t] > 0.0; }
  bool up(int t) const { return problem_.y[t] > 0 ? can_grow(t) : can_fall(t); }
  bool down(int t) const { return problem_.y[t] > 0 ? can_fall(t) : can_grow(t); }
  double room(int t, double sign) const {
    return problem_.y[t] * sign > 0 ? problem_.bound[t] - out_.alpha[t] : out_.alpha[t];
  }

  // k(i, .) - k(i, i).
  const double* row(int i) {
    if (const double* held = cache_.find(i)) return held;
    double* k = cache_.claim(i);
    for (int t = 0; t < n_; ++t) {
      double d = distance(problem_, i, t);
      for (int64_t w = 0; w < problem_.n_words; ++w)
        d += count_bits(problem_.words[w * n_ + i] ^ problem_.words[w * n_ + t]);
      k[t] = problem_.kernel == Kernel::linear ? -0.5 * d : std::expm1(-problem_.gamma * d);
      deepest_ = std::min(deepest_, k[t]);
    }
    return k;
  }

  // The row with the largest f that may go up; *bottom and *top of the state.
  int choose_first() {
    int best = -1;
    out_.top = -nowhere;
    out_.bottom = nowhere;
    for (int t = 0; t < n_; ++t) {
      if (up(t) && out_.f[t] > out_.top) {
        out_.top = out_.f[t];
        best = t;
      }
      if (down(t)) out_.bottom = std::min(out_.bottom, out_.f[t]);
    }
    return best;
  }

  static double curvature(double k) { return k < 0.0 ? -2.0 * k : least_curvature; }

  int choose_second(int i, const double* k) const {
    int best = -1;
    double most = 0.0;
    for (int t = 0; t < n_; ++t) {
      const double lack = out_.f[i] - out_.f[t];
      if (!down(t) || lack <= 0.0) continue;
      const double gain = lack * (lack / curvature(k[t]));
      if (gain > most || best < 0) {
        most = gain;
        best = t;
      }
    }
    return best;
  }

  void shift(int t, double amount, bool full) {
    double& a = out_.alpha[t];
    const bool grows = (amount > 0.0) == (problem_.y[t] > 0);
    a = full ? (grows ? problem_.bound[t] : 0.0) : snap(a + problem_.y[t] * amount, problem_.bound[t], largest_);
    largest_ = std::max(largest_, a);
  }

  End improve(int64_t limit) {
    auto asked = std::chrono::steady_clock::now();
    for (;; ++out_.iterations) {
      const int i = choose_first();
      if (i < 0 || out_.top - out_.bottom < tol_) return End::reached;
      const double* k_i = row(i);
      const int j = choose_second(i, k_i);
      // Beyond this, f is rounding alone: no double precision can tell whether the tolerance is reached.
      if (j < 0 || out_.iterations >= limit || -deepest_ * unit * largest_ > tol_) return End::paused;
      if (out_.iterations % 256 == 0 && std::chrono::steady_clock::now() - asked > std::chrono::milliseconds(100)) {
        if (!poll_(0)) return End::cancelled;
        asked = std::chrono::steady_clock::now();
      }
      const double room_i = room(i, 1.0), room_j = room(j, -1.0);
      const double wanted = (out_.f[i] - out_.f[j]) / curvature(k_i[j]), change = std::min({wanted, room_i, room_j});
      shift(i, change, wanted >= room_i && room_i <= room_j);
      shift(j, -change, wanted >= room_j && room_j <= room_i);
      const double* k_j = row(j);
      for (int t = 0; t < n_; ++t) out_.f[t] -= change * (k_i[t] - k_j[t]);
    }
  }

  void refresh() {
    for (int t = 0; t < n_; ++t) out_.f[t] = problem_.y[t];
    for (int s = 0; s < n_; ++s) {
      if (out_.alpha[s] <= 0.0) continue;
      const double* k = row(s);
      const double coef = out_.alpha[s] * problem_.y[s];
      for (int t = 0; t < n_; ++t) out_.f[t] -= coef * k[t];
    }
  }

  const PreciseProblem& problem_;
  const double tol_;
  const Poll& poll_;
  const int n_;
  RowCacheOf<double> cache_;
  double largest_ = 0.0;  // of the multipliers
  double deepest_ = 0.0;  // of the kernel values
  PreciseOutcome out_;
};

}  // namespace

PreciseOutcome solve_precisely(const PreciseProblem& problem, double tol, int64_t max_iter, int64_t cache_bytes,
                               const Poll& poll) {
  const int64_t limit = max_iter >= 0 ? max_iter : std::max<int64_t>(10'000'000, int64_t{100} * problem.n);
  return Solver(problem, tol, cache_bytes, poll).solve(limit);
}

}  // namespace bncc
