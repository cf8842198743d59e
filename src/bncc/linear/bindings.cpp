// Python bindings: arrays in, arrays out. Whatever indexes something is checked here against what it indexes, so that
// no array from outside can lead the engine astray; errors of callers get better words in Python (problems.py).
#include <cmath>

#include "binding_arrays.hpp"
#include "engine.hpp"
#include "score_bindings.hpp"
#include "walks.hpp"

namespace {

template <class Value>
void read_labels(const nb::object& source, Held<Value>& held) {
  Batch<Value>& batch = held.batch;
  batch.n_problems = static_cast<int64_t>(held.target.size());
  held.context = get<uint32_t>(source, "context");
  const int64_t n_labels = bncc::checks::field<int64_t>(source, "n_labels");
  require(n_labels >= 0 && n_labels < INT32_MAX / 2, "n_labels", "must lie below 2^30");
  if (n_labels == 0) return;
  held.label_ptr = get<int64_t>(source, "label_ptr");
  held.label_index = get<int32_t>(source, "label_index");
  check_lists(held.label_ptr, batch.x.n_rows, size_of(held.label_index), "label_ptr");
  check_indices(held.label_index, 0, n_labels, "label_index");
  batch.n_words = (n_labels + 31) / 32;
  check_size(held.context, batch.n_problems * batch.n_words, "context");
  batch.context = {n_labels, held.label_ptr.data(), held.label_index.data()};
  batch.context_words = held.context.data();
}

template <class Value>
void read_rows(const nb::object& source, Held<Value>& held) {
  Batch<Value>& batch = held.batch;
  const int64_t n = batch.x.n_rows;
  held.target_ptr = get<int64_t>(source, "target_ptr");
  held.target_rows = get<int32_t>(source, "target_rows");
  held.row_ptr = get<int64_t>(source, "row_ptr");
  held.row_index = get<int32_t>(source, "row_index");
  held.weights = get<double>(source, "weights");
  const int64_t n_targets = check_pointers(held.target_ptr, size_of(held.target_rows), "target_ptr");
  const int64_t n_sets = check_pointers(held.row_ptr, size_of(held.row_index), "row_ptr");
  check_indices(held.target_rows, 0, n, "target_rows");
  check_indices(held.row_index, 0, n, "row_index");
  require(held.weights.ndim() == 2 && static_cast<int64_t>(held.weights.shape(1)) == n, "weights",
          "must have one column per row");
  check_indices(held.target, 0, n_targets, "target");
  check_indices(held.row_set, -1, n_sets, "row_set");
  check_indices(held.weight, -1, static_cast<int64_t>(held.weights.shape(0)), "weight");
  batch.target_ptr = held.target_ptr.data();
  batch.target_rows = held.target_rows.data();
  batch.row_ptr = held.row_ptr.data();
  batch.row_index = held.row_index.data();
  batch.weights = held.weights.data();
}

void check_costs(const In<double>& costs, int64_t n, const char* name) {
  check_size(costs, n, name);
  bool good = true;
  for (int64_t i = 0; i < n; ++i) good &= std::isfinite(costs.data()[i]) && costs.data()[i] >= 0.0;
  require(good, name, "must be finite and not negative");
}

template <class Value>
void read_problems(const nb::object& source, Held<Value>& held) {
  Batch<Value>& batch = held.batch;
  held.target = get<int32_t>(source, "target");
  held.row_set = get<int32_t>(source, "row_set");
  held.weight = get<int32_t>(source, "weight");
  held.cost_positive = get<double>(source, "cost_positive");
  held.cost_negative = get<double>(source, "cost_negative");
  const int64_t n = size_of(held.target);
  check_size(held.row_set, n, "row_set");
  check_size(held.weight, n, "weight");
  check_costs(held.cost_positive, n, "cost_positive");
  check_costs(held.cost_negative, n, "cost_negative");
  const int loss = bncc::checks::field<int>(source, "loss_code");
  require(loss >= 0 && loss <= 2, "loss", "must be 0, 1 or 2");
  batch.loss = static_cast<Loss>(loss);
  batch.bias_feature = bncc::checks::field<double>(source, "bias_feature");
  require(std::isfinite(batch.bias_feature), "bias_feature", "must be finite");
  batch.target = held.target.data();
  batch.row_set = held.row_set.data();
  batch.weight = held.weight.data();
  batch.cost_positive = held.cost_positive.data();
  batch.cost_negative = held.cost_negative.data();
}

// Each problem has a lane of its own; lanes of a block share their weights, and the first is taken.
Plan read_plan(const In<int32_t>& problems, const In<int64_t>& unit_ptr, const In<int32_t>& weight) {
  require(problems.ndim() == 2 && problems.shape(1) == n_lanes, "problems", "must have 16 columns");
  const int64_t n_blocks = static_cast<int64_t>(problems.shape(0)), n_problems = size_of(weight);
  check_pointers(unit_ptr, n_blocks, "unit_ptr");
  check_indices(problems, -1, n_problems, "problems");
  std::vector<uint8_t> used(static_cast<size_t>(n_problems), 0);
  for (int64_t b = 0; b < n_blocks; ++b) {
    const int32_t* lanes = problems.data() + b * n_lanes;
    require(lanes[0] >= 0, "problems", "must not have an empty first lane");
    for (int l = 0; l < n_lanes; ++l) {
      if (lanes[l] < 0) continue;
      require(weight.data()[lanes[l]] == weight.data()[lanes[0]], "problems", "of one block must share their weights");
      require(!used[static_cast<size_t>(lanes[l])], "problems", "must not repeat");
      used[static_cast<size_t>(lanes[l])] = 1;
    }
  }
  Plan plan;
  plan.problems = problems.data();
  plan.unit_ptr.assign(unit_ptr.data(), unit_ptr.data() + unit_ptr.size());
  return plan;
}

// ---- Results

template <class Real>
nb::dict write(std::vector<Outcome<Real>>& outcomes, const std::vector<BlockCosts>& blocks) {
  std::vector<int64_t> ptr{0}, iterations;
  std::vector<double> bias, primal, dual, costs;
  std::vector<int8_t> status;
  size_t size = 0;
  for (const Outcome<Real>& outcome : outcomes) size += outcome.columns.size();
  std::vector<int32_t> columns;
  std::vector<Real> values;
  columns.reserve(size);
  values.reserve(size);
  for (Outcome<Real>& outcome : outcomes) {
    columns.insert(columns.end(), outcome.columns.begin(), outcome.columns.end());
    values.insert(values.end(), outcome.values.begin(), outcome.values.end());
    outcome.columns = {};
    outcome.values = {};
    ptr.push_back(static_cast<int64_t>(columns.size()));
    bias.push_back(outcome.bias);
    primal.push_back(outcome.primal);
    dual.push_back(outcome.dual);
    iterations.push_back(outcome.iterations);
    status.push_back(outcome.status);
  }
  for (const BlockCosts& block : blocks)
    costs.insert(costs.end(), {block.rows, block.updates, block.checks, block.active, block.seconds});
  nb::dict out;
  out["ptr"] = to_numpy(std::move(ptr));
  out["columns"] = to_numpy(std::move(columns));
  out["values"] = to_numpy(std::move(values));
  out["bias"] = to_numpy(std::move(bias));
  out["objective"] = to_numpy(std::move(primal));
  out["dual_objective"] = to_numpy(std::move(dual));
  out["iterations"] = to_numpy(std::move(iterations));
  out["status"] = to_numpy(std::move(status));
  out["costs"] = to_numpy(std::move(costs));
  return out;
}

// `dense` has a row per problem for its weights; without rows, weights come back sparse.
template <class Real>
nb::dict solve(const nb::object& source, In<int32_t> problems, In<int64_t> unit_ptr, Out<Real> dense, double tol,
               int64_t max_iter, double drop, int n_threads, const char* simd, nb::object progress) {
  Held<Real> held;
  read_features(source, held);
  read_problems(source, held);
  read_rows(source, held);
  read_labels(source, held);
  bncc::checks::check_aligned(problems, "problems");
  const Plan plan = read_plan(problems, unit_ptr, held.weight);
  const Batch<Real>& batch = held.batch;
  require(dense.ndim() == 2, "dense", "must have two dimensions");
  const bool sparse = dense.shape(0) == 0;
  if (!sparse)
    require(static_cast<int64_t>(dense.shape(0)) == batch.n_problems &&
                static_cast<int64_t>(dense.shape(1)) == batch.n_lines() - 1,
            "dense", "must have a row per problem and a column per feature and label");
  require(std::isfinite(tol) && tol > 0.0, "tol", "must be finite and positive");
  require(max_iter >= 0, "max_iter", "must not be negative");
  require(std::isfinite(drop) && drop >= 0.0, "drop", "must be finite and not negative");
  const LoopTables* loops = pick_loops(simd);
  if (!loops) throw nb::value_error("this machine cannot run the instruction set asked for");
  bncc::checks::check_threads(n_threads);
  bncc::checks::check_aligned(dense, "dense");
  check_apart("dense", dense, held);
  bncc::checks::check_apart("dense", dense, problems, unit_ptr);
  const Options options{tol, max_iter, drop, sparse, n_threads, loops};
  const Poll poll = make_poll(progress);
  std::vector<Outcome<Real>> outcomes;
  std::vector<BlockCosts> costs;
  {
    nb::gil_scoped_release unlocked;
    costs = solve_batch(batch, plan, options, poll, sparse ? nullptr : dense.data(), outcomes);
  }
  if (PyErr_Occurred()) throw nb::python_error();
  return write(outcomes, costs);
}

// ---- Walks

// The arrays of rows and of a chain of links (walking.py), held while they are walked.
template <class Real>
struct HeldChain {
  Held<Real> rows;
  In<int64_t> line_ptr;
  In<int32_t> links, writes, columns;
  In<Real> weights;
  In<double> bias;
  Chain<Real> chain;
};

template <class Real, class Written>
void check_apart(const char* name, const Written& written, const HeldChain<Real>& held) {
  check_apart(name, written, held.rows);
  bncc::checks::check_apart(name, written, held.line_ptr, held.links, held.writes, held.columns, held.weights,
                            held.bias);
}

template <class Real>
void read_chain(const nb::object& source, HeldChain<Real>& held) {
  read_features(source, held.rows);
  const Features<Real>& x = held.rows.batch.x;
  require(x.indices != nullptr || x.n_rows == 0, "features", "must be sparse");
  held.line_ptr = get<int64_t>(source, "line_ptr");
  held.links = get<int32_t>(source, "links");
  held.weights = get<Real>(source, "weights");
  held.bias = get<double>(source, "bias");
  held.writes = get<int32_t>(source, "writes");
  held.columns = get<int32_t>(source, "columns");
  const int64_t n_links = size_of(held.bias);
  const int64_t n_lines = check_pointers(held.line_ptr, size_of(held.links), "line_ptr");
  require(n_links < INT32_MAX, "bias", "must have fewer than 2^31 links");
  require(n_lines >= x.n_features, "line_ptr", "must have a line per feature");
  check_indices(held.links, 0, n_links, "links");
  check_size(held.weights, size_of(held.links), "weights");
  check_size(held.writes, n_links, "writes");
  check_indices(held.writes, -1, n_lines - x.n_features, "writes");
  check_size(held.columns, n_links, "columns");
  check_indices(held.columns, 0, n_links, "columns");
  held.chain = {n_links,          x.n_features,      held.line_ptr.data(), held.links.data(), held.weights.data(),
                held.bias.data(), held.writes.data()};
}

// `best` and `scores` have a line per row: of k columns and their scores where `best` has any, else of all scores.
template <class Real>
void walk(const nb::object& source, Out<int64_t> best, Out<double> scores, int n_threads) {
  HeldChain<Real> held;
  read_chain(source, held);
  const Features<Real>& x = held.rows.batch.x;
  bncc::checks::check_threads(n_threads);
  bncc::checks::check_aligned(best, "best");
  bncc::checks::check_aligned(scores, "scores");
  require(best.ndim() == 2 && scores.ndim() == 2, "scores", "must have two dimensions, as `best`");
  const int64_t k = static_cast<int64_t>(best.shape(1)), width = static_cast<int64_t>(scores.shape(1));
  require(static_cast<int64_t>(scores.shape(0)) == x.n_rows, "scores", "must have a line per row");
  require(static_cast<int64_t>(best.shape(0)) == x.n_rows, "best", "must have a line per row");
  require(k <= held.chain.n_links, "best", "must not have more columns than there are links");
  require(width == (k ? k : held.chain.n_links), "scores", "must be as wide as `best`, or have a column per link");
  check_apart("best", best, held);
  check_apart("scores", scores, held);
  bncc::checks::check_apart("scores", scores, best);
  const WalkOptions options{n_threads, make_poll(nb::none())};
  {
    nb::gil_scoped_release unlocked;
    if (k)
      score_top(x, held.chain, options, held.columns.data(), k, best.data(), scores.data());
    else
      score_all(x, held.chain, options, scores.data());
  }
  if (PyErr_Occurred()) throw nb::python_error();
}

template <class Real>
nb::tuple positives(const nb::object& source, int n_threads) {
  HeldChain<Real> held;
  read_chain(source, held);
  bncc::checks::check_threads(n_threads);
  const WalkOptions options{n_threads, make_poll(nb::none())};
  std::vector<int64_t> ptr;
  std::vector<int32_t> found;
  {
    nb::gil_scoped_release unlocked;
    find_positives(held.rows.batch.x, held.chain, options, held.columns.data(), ptr, found);
  }
  if (PyErr_Occurred()) throw nb::python_error();
  return nb::make_tuple(to_numpy(std::move(ptr)), to_numpy(std::move(found)));
}

template <class Real>
void define_walks(nb::module_& m, const char* walk_name, const char* positives_name) {
  m.def(walk_name, &walk<Real>, nb::arg("walk"), nb::arg("best").noconvert(), nb::arg("scores").noconvert(),
        nb::arg("n_threads"));
  m.def(positives_name, &positives<Real>, nb::arg("walk"), nb::arg("n_threads"));
}

}  // namespace

NB_MODULE(_linear, m) {
  define_scores(m);
  define_walks<float>(m, "walk_single", "positives_single");
  define_walks<double>(m, "walk_double", "positives_double");
  m.def("solve_single", &solve<float>, nb::arg("batch"), nb::arg("problems").noconvert(),
        nb::arg("unit_ptr").noconvert(), nb::arg("dense").noconvert(), nb::arg("tol"), nb::arg("max_iter"),
        nb::arg("drop"), nb::arg("n_threads"), nb::arg("simd"), nb::arg("progress").none());
  m.def("solve_double", &solve<double>, nb::arg("batch"), nb::arg("problems").noconvert(),
        nb::arg("unit_ptr").noconvert(), nb::arg("dense").noconvert(), nb::arg("tol"), nb::arg("max_iter"),
        nb::arg("drop"), nb::arg("n_threads"), nb::arg("simd"), nb::arg("progress").none());
  m.def(
      "simd",
      [](const char* name) -> nb::object {
        const LoopTables* loops = pick_loops(name);
        if (!loops) return nb::none();
        return nb::str(loops->name);
      },
      nb::arg("name") = "");
}
