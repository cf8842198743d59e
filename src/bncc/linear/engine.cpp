#include "engine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <type_traits>

#include "descent.hpp"
#include "native/thread_pool.hpp"
#include "newton.hpp"
#include "team.hpp"

namespace bncc::linear {

const LoopTables* pick_loops(const char* name) {
  const auto wanted = [&](const char* candidate) { return !*name || !std::strcmp(name, candidate); };
#ifdef BNCC_X86_TARGETS
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (wanted("avx512") && avx512) return &loops_avx512();
  if (wanted("avx2") && avx2) return &loops_avx2();
#endif
  return wanted("baseline") ? &loops_baseline() : nullptr;
}

namespace {

constexpr int64_t patience = 60;        // epochs of descent before Newton's method takes over,
constexpr int64_t lane_patience = 500;  // and of a lane by itself
// Of double precision: a tighter tolerance is also one of gradients, so that Newton's method on all rows has the last
// word; and how far descent goes before it.
constexpr double tight = 1e-3, descent_tol = 1e-8;
// Rows of few features have much in common, and descent moves one of them at a time. Newton's method from the start
// takes down to a quarter of the time there, but where C times the square of a row is small for the number of
// features: that is easy.
constexpr int64_t most_columns_at_once = 256, least_rows_per_column = 4;
constexpr double steepness_per_column = 0.05;
constexpr int64_t single_steps = 40;     // of Newton's method in single precision, before it goes on in double
constexpr double share_of_drift = 1e-4;  // of the tolerance: what descent may round off the weights
constexpr double square_of_rounding = rounding_of_sums * rounding_of_sums;
constexpr double most_weight = 1e10;      // over the tolerance: what rows may cost where costs are lowered
constexpr double share_of_lighter = 0.5;  // of the tolerance, there
constexpr double single_range = 1e30;     // of the sums of squares that Newton's method forms in single precision

template <class Value, class Real>
const Loops<Value, Real>& table_of(const LoopTables& tables) {
  if constexpr (std::is_same_v<Value, double>)
    return tables.twice;
  else if constexpr (std::is_same_v<Real, double>)
    return tables.mixed;
  else
    return tables.single;
}

// |x|^2 of every row, in double before it is rounded.
template <class Value, class Real>
std::vector<Real> squares_of(const Features<Value>& x) {
  std::vector<Real> out(static_cast<size_t>(x.n_rows));
  for (int64_t row = 0; row < x.n_rows; ++row) {
    const int64_t begin = x.indices ? x.indptr[row] : row * x.n_features;
    const int64_t end = x.indices ? x.indptr[row + 1] : begin + x.n_features;
    double sum = 0.0;
    for (int64_t k = begin; k < end; ++k) sum += static_cast<double>(x.values[k]) * static_cast<double>(x.values[k]);
    out[static_cast<size_t>(row)] = static_cast<Real>(sum);
  }
  return out;
}

template <class Real>
double largest(const std::vector<Real>& values) {
  return values.empty() ? 0.0 : static_cast<double>(*std::max_element(values.begin(), values.end()));
}

// One thread's memory, used for one block after the other.
template <class Value, class Real>
class Worker {
 public:
  Worker(const Batch<Value>& batch, const Options& options, const std::vector<Real>& squares, Team<Value, Real>& team,
         int thread)
      : batch_(batch),
        options_(options),
        squares_(squares),
        largest_square_(largest(squares)),
        cancel_(team.cancel),
        descent_(table_of<Value, Real>(*options.loops), team.cancel, team.crew, thread, team.tools),
        direct_(table_of<Value, double>(*options.loops), team.cancel),
        newton_(table_of<Value, Real>(*options.loops), team.cancel, team.crew, thread, team.n_threads,
                options.least_shared, std::is_same_v<Real, double> ? &direct_ : nullptr, largest_square_),
        exact_newton_(table_of<Value, double>(*options.loops), team.cancel, team.crew, thread, team.n_threads,
                      options.least_shared, &direct_, largest_square_),
        positive_(static_cast<size_t>(batch.x.n_rows)),
        member_(static_cast<size_t>(batch.x.n_rows)) {}

  // Solve a block; `follows` says that the last one had the same problems, but for C.
  BlockCosts solve(const int32_t* problems, bool follows, Real* dense, std::vector<Outcome<Real>>& outcomes) {
    const auto begin = std::chrono::steady_clock::now();
    BlockCosts costs;
    costs.rows = static_cast<double>(batch_.x.n_rows);
    problems_ = problems;
    prepare_rows();
    prepare_lanes();
    solve_lanes(follows, costs);
    if (!cancel_.load()) write(dense, outcomes);
    costs.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return costs;
  }

 private:
  void prepare_rows();
  void prepare_lanes();
  void exclude(int lane, int32_t problem);
  void solve_lanes(bool follows, BlockCosts& costs);
  bool may_continue(bool follows);
  int64_t descend(bool follows, double tol, EpochLimits limits, BlockCosts& costs);
  void refine(int64_t steps, BlockCosts& costs);
  bool bears_newton() const;
  bool is_steep() const;
  double heaviest(int lane) const;
  uint32_t heavier_than(double most) const;
  void lighten(Buffer<double>& coef, int64_t steps, BlockCosts& costs);
  bool lighten_lane(int lane, Block<Value, double>& block, int64_t steps, BlockCosts& costs);
  void write(Real* dense, std::vector<Outcome<Real>>& outcomes);
  template <class Number>
  void write_dense(const Number* lines, Real* dense) const;
  template <class Number>
  void write_sparse(const Number* lines, int lane, Outcome<Real>& outcome) const;
  template <class Number>
  void fill_block(Block<Value, Number>& block, std::vector<Number>& weight, Buffer<Number>& seen,
                  const Buffer<Number>& coef);

  const Batch<Value>& batch_;
  const Options& options_;
  const std::vector<Real>& squares_;
  const double largest_square_;
  const std::atomic<bool>& cancel_;
  Descent<Value, Real> descent_;
  Direct<Value> direct_;
  Newton<Value, Real> newton_;
  Newton<Value, double> exact_newton_;
  const int32_t* problems_ = nullptr;
  std::vector<uint16_t> positive_, member_;
  uint32_t solvable_ = 0, sides_ = 0;  // lanes with two classes; of the others, those with positives
  std::vector<Real> weight_;
  std::vector<double> exact_weight_;
  Buffer<Real> coef_, seen_, state_;
  Buffer<double> exact_coef_, exact_seen_;
  double last_cost_[2][n_lanes] = {};
  bool has_multipliers_ = false, has_minimum_ = false;  // what the last block left behind, in coef_
  bool exact_ = false;                                  // or in exact_coef_
  LaneState lanes_;
};

// Which rows each lane has, and which of them are positives.
template <class Value, class Real>
void Worker<Value, Real>::prepare_rows() {
  uint32_t everywhere = 0;
  for (int l = 0; l < n_lanes; ++l)
    if (problems_[l] >= 0 && batch_.row_set[problems_[l]] < 0) everywhere |= 1u << l;
  std::fill(positive_.begin(), positive_.end(), uint16_t{0});
  std::fill(member_.begin(), member_.end(), static_cast<uint16_t>(everywhere));
  for (int l = 0; l < n_lanes; ++l) {
    const int32_t problem = problems_[l];
    if (problem < 0) continue;
    const uint16_t bit = static_cast<uint16_t>(1u << l);
    const int32_t target = batch_.target[problem], set = batch_.row_set[problem];
    for (int64_t k = batch_.target_ptr[target]; k < batch_.target_ptr[target + 1]; ++k)
      positive_[static_cast<size_t>(batch_.target_rows[k])] |= bit;
    if (set >= 0)
      for (int64_t k = batch_.row_ptr[set]; k < batch_.row_ptr[set + 1]; ++k)
        member_[static_cast<size_t>(batch_.row_index[k])] |= bit;
    exclude(l, problem);
  }
}

// Rows of a class with a C of 0 are no part of the problem.
template <class Value, class Real>
void Worker<Value, Real>::exclude(int lane, int32_t problem) {
  const uint16_t bit = static_cast<uint16_t>(1u << lane);
  const bool no_positives = !(batch_.cost_positive[problem] > 0.0);
  const bool no_negatives = !(batch_.cost_negative[problem] > 0.0);
  if (!no_positives && !no_negatives) return;
  for (size_t row = 0; row < member_.size(); ++row)
    if ((positive_[row] & bit) ? no_positives : no_negatives) member_[row] &= static_cast<uint16_t>(~bit);
}

// Lanes with one class have nothing to solve. Rows of weight 0 leave here.
template <class Value, class Real>
void Worker<Value, Real>::prepare_lanes() {
  const int32_t weight = batch_.weight[problems_[0]];  // the same for all lanes of a block
  const double* weights = weight < 0 ? nullptr : batch_.weights + weight * batch_.x.n_rows;
  uint32_t positives = 0, negatives = 0;
  for (size_t row = 0; row < member_.size(); ++row) {
    if (weights && !(weights[row] > 0.0)) member_[row] = 0;
    positives |= static_cast<uint32_t>(positive_[row] & member_[row]);
    negatives |= ~static_cast<uint32_t>(positive_[row]) & member_[row];
  }
  solvable_ = positives & negatives;
  sides_ = positives;
  for (uint16_t& members : member_) members &= static_cast<uint16_t>(solvable_);
}

template <class Value, class Real>
template <class Number>
void Worker<Value, Real>::fill_block(Block<Value, Number>& block, std::vector<Number>& weight, Buffer<Number>& seen,
                                     const Buffer<Number>& coef) {
  const int64_t n = batch_.x.n_rows;
  block.x = batch_.x;
  block.context = batch_.context;
  block.positive = positive_.data();
  block.member = member_.data();
  block.coef = coef.data();
  block.bias_feature = static_cast<Number>(batch_.bias_feature);
  block.loss = batch_.loss;
  for (int l = 0; l < n_lanes; ++l) {
    const bool solved = solvable_ >> l & 1u;  // a C of 1 elsewhere keeps divisions finite
    const double negative = solved ? batch_.cost_negative[problems_[l]] : 1.0;
    const double positive = solved ? batch_.cost_positive[problems_[l]] : 1.0;
    block.cost[0][l] = std::max(static_cast<Number>(negative > 0.0 ? negative : 1.0), least_cost<Number>);
    block.cost[1][l] = std::max(static_cast<Number>(positive > 0.0 ? positive : 1.0), least_cost<Number>);
  }
  if (const int32_t row = batch_.weight[problems_[0]]; row >= 0) {
    weight.resize(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) weight[static_cast<size_t>(i)] = static_cast<Number>(batch_.weights[row * n + i]);
    block.weight = weight.data();
  }
  if (!batch_.context.indptr) return;
  Number* lines = seen.ensure(batch_.context.n_labels * n_lanes);
  for (int64_t label = 0; label < batch_.context.n_labels; ++label)
    for (int l = 0; l < n_lanes; ++l) {
      const uint32_t word = problems_[l] < 0 ? 0 : batch_.context_words[problems_[l] * batch_.n_words + label / 32];
      lines[label * n_lanes + l] = static_cast<Number>(word >> (label % 32) & 1u);
    }
  block.seen = lines;
}

// Whether the multipliers of the last block are those of this one: then descent starts from them.
template <class Value, class Real>
bool Worker<Value, Real>::may_continue(bool follows) {
  bool grows = true;
  for (int l = 0; l < n_lanes; ++l) {
    if (problems_[l] < 0) continue;
    const double cost[2] = {batch_.cost_negative[problems_[l]], batch_.cost_positive[problems_[l]]};
    for (int side = 0; side < 2; ++side) {
      grows &= cost[side] >= last_cost_[side][l];
      last_cost_[side][l] = cost[side];
    }
  }
  return follows && has_multipliers_ && (grows || batch_.loss != Loss::hinge);
}

template <class Value, class Real>
int64_t Worker<Value, Real>::descend(bool follows, double tol, EpochLimits limits, BlockCosts& costs) {
  const int64_t size = batch_.n_lines() * n_lanes;
  coef_.ensure(size);
  const bool warm = may_continue(follows);
  if (!warm) std::fill(coef_.data(), coef_.data() + size, Real(0));
  Block<Value, Real> block;
  fill_block(block, weight_, seen_, coef_);
  block.square = squares_.data();
  block.state = state_.ensure(batch_.x.n_rows * n_lanes);
  if (!warm) descent_.start(block);
  has_multipliers_ = true;
  return descent_.run(block, tol, limits, lanes_, costs);
}

// Whether sums over all rows of what Newton's method adds up stay within the range of Real.
template <class Value, class Real>
bool Worker<Value, Real>::bears_newton() const {
  if (std::is_same_v<Real, double>) return true;
  double cost = 0.0;
  for (int l = 0; l < n_lanes; ++l)
    if (problems_[l] >= 0)
      cost = std::max({cost, batch_.cost_negative[problems_[l]], batch_.cost_positive[problems_[l]]});
  const double bias = batch_.bias_feature * batch_.bias_feature;
  return (largest_square_ + bias) * cost * static_cast<double>(batch_.x.n_rows) < single_range;
}

// What the rows of a lane cost in all times the largest |x|^2, at most.
template <class Value, class Real>
double Worker<Value, Real>::heaviest(int lane) const {
  const int32_t number = batch_.weight[problems_[lane]];
  const int64_t n = batch_.x.n_rows;
  const double* weights = batch_.weights + std::max(number, 0) * n;
  const double weight = number < 0 ? static_cast<double>(n) : std::accumulate(weights, weights + n, 0.0);
  const double square =
      largest_square_ + static_cast<double>(batch_.context.n_labels) + batch_.bias_feature * batch_.bias_feature;
  return weight * square * std::max(batch_.cost_negative[problems_[lane]], batch_.cost_positive[problems_[lane]]);
}

template <class Value, class Real>
uint32_t Worker<Value, Real>::heavier_than(double most) const {
  uint32_t out = 0;
  for (int l = 0; l < n_lanes; ++l)
    if (problems_[l] >= 0 && heaviest(l) > most) out |= 1u << l;
  return out;
}

// Whether Newton's method takes less time than descent for the squared hinge loss.
template <class Value, class Real>
bool Worker<Value, Real>::is_steep() const {
  const int64_t n = batch_.x.n_rows, n_columns = batch_.n_lines();
  if (n_columns > most_columns_at_once || n < least_rows_per_column * n_columns) return false;
  double square = 0.0, cost = 0.0;
  for (const Real each : squares_) square += static_cast<double>(each);
  for (int l = 0; l < n_lanes; ++l)
    if (problems_[l] >= 0)
      cost = std::max({cost, batch_.cost_negative[problems_[l]], batch_.cost_positive[problems_[l]]});
  return cost * square >= steepness_per_column * static_cast<double>(n * n_columns);
}

// Lanes that were given up since rows cost so much that what they lack of their margins is rounding: solved at costs
// that are lower.
template <class Value, class Real>
void Worker<Value, Real>::lighten(Buffer<double>& coef, int64_t steps, BlockCosts& costs) {
  const uint32_t stuck = batch_.loss == Loss::squared_hinge ? solvable_ & ~lanes_.settled : 0;
  if (!stuck) return;
  const uint32_t heavy = stuck & heavier_than(most_weight / options_.tol);
  const int64_t size = batch_.n_lines() * n_lanes;
  Block<Value, double> block;
  fill_block(block, exact_weight_, exact_seen_, coef);
  for (int l = 0; l < n_lanes && !cancel_.load(); ++l) {
    if (!(heavy >> l & 1u)) continue;
    std::vector<double> before;
    for (int64_t k = l; k < size; k += n_lanes) before.push_back(coef.data()[k]);
    if (lighten_lane(l, block, steps, costs)) continue;
    for (int64_t k = l; k < size; k += n_lanes) coef.data()[k] = 0.0;  // from afar there may be a way
    if (lighten_lane(l, block, steps, costs)) continue;
    for (size_t j = 0; j < before.size(); ++j) coef.data()[j * n_lanes + static_cast<size_t>(l)] = before[j];
  }
}

// The minimum at lower costs is a lower bound, and where the weights that reach it need only grow a little until no
// such row is short, they are the solution.
template <class Value, class Real>
bool Worker<Value, Real>::lighten_lane(int lane, Block<Value, double>& block, int64_t steps, BlockCosts& costs) {
  const double others = static_cast<double>(batch_.context.n_labels) + batch_.bias_feature * batch_.bias_feature;
  const double most = most_weight / options_.tol / static_cast<double>(batch_.x.n_rows);
  std::vector<double> weight(static_cast<size_t>(batch_.x.n_rows));
  for (size_t row = 0; row < weight.size(); ++row) {
    const double square = static_cast<double>(squares_[row]) + others;
    const double cost = block.cost[positive_[row] >> lane & 1u][lane] * (block.weight ? block.weight[row] : 1.0);
    weight[row] = square > 0.0 ? std::min(cost, most / square) : cost;
  }
  Block<Value, double> lighter = block;
  lighter.weight = weight.data();
  lighter.cost[0][lane] = lighter.cost[1][lane] = 1.0;
  LaneState found, there;
  found.live = 1u << lane;
  exact_newton_.run(lighter, share_of_lighter * options_.tol, steps, found, costs);
  there.live = found.settled;
  if (there.live) exact_newton_.run(block, options_.tol, 0, there, costs, found.dual);
  if (!there.settled) return false;
  lanes_.primal[lane] = there.primal[lane];
  lanes_.dual[lane] = there.dual[lane];
  lanes_.iterations[lane] += found.iterations[lane];
  lanes_.settled |= there.settled;
  lanes_.live &= ~there.settled;
  return true;
}

// Newton's method from coef_, then in double precision where single does not bear it.
template <class Value, class Real>
void Worker<Value, Real>::refine(int64_t steps, BlockCosts& costs) {
  const int64_t size = batch_.n_lines() * n_lanes;
  has_minimum_ = true;
  if (bears_newton()) {
    Block<Value, Real> block;
    fill_block(block, weight_, seen_, coef_);
    const int64_t most = std::is_same_v<Real, double> ? steps : std::min(steps, single_steps);
    newton_.run(block, options_.tol, most, lanes_, costs);
    has_multipliers_ = false;
  }
  if constexpr (std::is_same_v<Real, double>) {
    lighten(coef_, steps, costs);
    return;
  }
  if (!lanes_.live || cancel_.load()) return;
  exact_coef_.ensure(size);
  std::copy(coef_.data(), coef_.data() + size, exact_coef_.data());
  Block<Value, double> block;
  fill_block(block, exact_weight_, exact_seen_, exact_coef_);
  exact_newton_.run(block, options_.tol, steps, lanes_, costs);
  exact_ = true;
  lighten(exact_coef_, steps, costs);
}

template <class Value, class Real>
void Worker<Value, Real>::solve_lanes(bool follows, BlockCosts& costs) {
  lanes_ = LaneState{};
  lanes_.live = solvable_;
  exact_ = false;
  if (batch_.loss == Loss::hinge) {
    descend(follows, options_.tol, {options_.max_iter, options_.max_iter}, costs);
    return;
  }
  const int64_t size = batch_.n_lines() * n_lanes;
  if (follows && has_minimum_) return refine(options_.max_iter, costs);
  if (batch_.loss == Loss::logistic || is_steep()) {
    Real* lines = coef_.ensure(size);
    if (!(follows && has_multipliers_)) std::fill(lines, lines + size, Real(0));
    has_multipliers_ = false;
    return refine(options_.max_iter, costs);
  }
  has_minimum_ = false;
  const double tol = std::is_same_v<Real, double> ? std::max(options_.tol, descent_tol) : options_.tol;
  const int64_t half = options_.max_iter - options_.max_iter / 2;  // the rest is for Newton's method
  const EpochLimits limits{std::min(options_.max_iter, patience), std::min(half, lane_patience)};
  const int64_t epochs = descend(follows, tol, limits, costs);
  if (std::is_same_v<Real, double> && options_.tol < tight) {
    lanes_.live = solvable_;
    lanes_.settled = 0;
  }
  if (std::is_same_v<Real, double> && lanes_.settled) {  // what is rounded off weights with every step may count there
    const uint32_t heavy = lanes_.settled & heavier_than(share_of_drift * options_.tol / square_of_rounding);
    lanes_.live |= heavy;
    lanes_.settled &= ~heavy;
  }
  if (lanes_.live && !cancel_.load() && options_.max_iter > epochs) refine(options_.max_iter - epochs, costs);
}

template <class Value, class Real>
void Worker<Value, Real>::write(Real* dense, std::vector<Outcome<Real>>& outcomes) {
  const int64_t n_columns = batch_.n_lines() - 1, bias_at = n_columns * n_lanes;
  for (int l = 0; l < n_lanes; ++l) {
    if (problems_[l] < 0) continue;
    Outcome<Real>& outcome = outcomes[static_cast<size_t>(problems_[l])];
    if (!(solvable_ >> l & 1u)) {
      outcome.status = one_class;
      outcome.bias = sides_ >> l & 1u ? 1.0 : -1.0;
      if (dense) std::fill_n(dense + problems_[l] * n_columns, n_columns, Real(0));
      continue;
    }
    const double bias = exact_ ? exact_coef_.data()[bias_at + l] : static_cast<double>(coef_.data()[bias_at + l]);
    outcome.status = lanes_.settled >> l & 1u ? converged : iteration_limit;
    outcome.bias = batch_.bias_feature * bias;
    outcome.primal = lanes_.primal[l];
    outcome.dual = lanes_.dual[l];
    outcome.iterations = lanes_.iterations[l];
    if (dense) continue;
    exact_ ? write_sparse(exact_coef_.data(), l, outcome) : write_sparse(coef_.data(), l, outcome);
  }
  if (dense) exact_ ? write_dense(exact_coef_.data(), dense) : write_dense(coef_.data(), dense);
}

// All weights of the lanes that were solved, some lines at a time: a lane alone would touch every line for one number.
template <class Value, class Real>
template <class Number>
void Worker<Value, Real>::write_dense(const Number* lines, Real* dense) const {
  const int64_t n_columns = batch_.n_lines() - 1;
  for (int64_t first = 0; first < n_columns; first += n_lanes)
    for (int l = 0; l < n_lanes; ++l) {
      if (!(solvable_ >> l & 1u)) continue;
      Real* row = dense + problems_[l] * n_columns;
      for (int64_t j = first, last = std::min(n_columns, first + n_lanes); j < last; ++j)
        row[j] = static_cast<Real>(lines[j * n_lanes + l]);
    }
}

// The weights of a lane that are not dropped.
template <class Value, class Real>
template <class Number>
void Worker<Value, Real>::write_sparse(const Number* lines, int lane, Outcome<Real>& outcome) const {
  const int64_t n_columns = batch_.n_lines() - 1;
  const auto size_at = [&](int64_t j) { return std::abs(static_cast<double>(lines[j * n_lanes + lane])); };
  double most = 0.0;
  for (int64_t j = 0; j < n_columns && options_.drop > 0.0; ++j) most = std::max(most, size_at(j));
  for (int64_t j = 0; j < n_columns; ++j) {
    if (!(size_at(j) > options_.drop * most)) continue;
    outcome.columns.push_back(static_cast<int32_t>(j));
    outcome.values.push_back(static_cast<Real>(lines[j * n_lanes + lane]));
  }
}

}  // namespace

template <class Value, class Real>
std::vector<BlockCosts> solve_batch(const Batch<Value>& batch, const Plan& plan, const Options& options,
                                    const Poll& poll, Real* dense, std::vector<Outcome<Real>>& outcomes) {
  outcomes.assign(static_cast<size_t>(batch.n_problems), Outcome<Real>{});
  std::vector<BlockCosts> costs(static_cast<size_t>(plan.unit_ptr.back()));
  const int64_t n_values = batch.x.indices ? batch.x.indptr[batch.x.n_rows] : batch.x.n_rows * batch.x.n_features;
  const int64_t per_unit = n_values < options.least_shared ? 1 : n_lanes;  // threads beyond the units work on lanes
  const int n_threads = static_cast<int>(std::min<int64_t>(options.n_threads, plan.n_units() * per_unit));
  if (n_threads == 0) return costs;
  const std::vector<Real> squares = squares_of<Value, Real>(batch.x);
  std::atomic<bool> cancel{false};
  std::atomic<int64_t> done{0};
  Team<Value, Real> team(n_threads, plan.n_units(), cancel);
  std::vector<std::unique_ptr<Worker<Value, Real>>> workers(static_cast<size_t>(n_threads));
  ThreadPool pool(n_threads);
  pool.run(
      plan.n_units(), cancel,
      [&](int thread, int64_t unit) {
        std::unique_ptr<Worker<Value, Real>>& worker = workers[static_cast<size_t>(thread)];
        if (!worker) worker = std::make_unique<Worker<Value, Real>>(batch, options, squares, team, thread);
        const int64_t first = plan.unit_ptr[static_cast<size_t>(unit)];
        for (int64_t b = first; b < plan.unit_ptr[static_cast<size_t>(unit) + 1] && !cancel.load(); ++b) {
          const int32_t* problems = plan.problems + b * n_lanes;
          costs[static_cast<size_t>(b)] = worker->solve(problems, b > first, dense, outcomes);
          for (int l = 0; l < n_lanes; ++l) done.fetch_add(problems[l] >= 0, std::memory_order_relaxed);
        }
        team.crew.finish();
      },
      [&] { return poll(done.load()); }, [&](int thread) { team.crew.help(thread); });
  return costs;
}

template std::vector<BlockCosts> solve_batch(const Batch<float>&, const Plan&, const Options&, const Poll&, float*,
                                             std::vector<Outcome<float>>&);
template std::vector<BlockCosts> solve_batch(const Batch<double>&, const Plan&, const Options&, const Poll&, double*,
                                             std::vector<Outcome<double>>&);

}  // namespace bncc::linear
