// Python bindings: arrays in, arrays out, held against each other before the engine sees them (native/checks.hpp).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>

#include "engine.hpp"
#include "native/checks.hpp"
#include "native/progress.hpp"
#include "precise.hpp"

namespace nb = nanobind;

namespace {

using namespace bncc::checks;

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(held->data(), {held->size()}, owner);
}

const bncc::Loops* loops_named(const char* name) {
  const bncc::Loops* loops = bncc::pick_loops(name);
  if (!loops) throw nb::value_error("this machine cannot run the instruction set asked for");
  return loops;
}

// The arrays of a batch, as problems.py describes them.
struct BatchArrays {
  In<uint32_t> words;   // (n_words, n_rows)
  In<int8_t> targets;   // (n_targets, n_rows)
  In<int64_t> row_ptr;  // (n_sets + 1,)
  In<int32_t> row_index;
  In<double> weights;  // (n_weights, n_rows)
  In<int32_t> target, row_set, weight, start;
  In<double> gamma, C;
  In<uint32_t> context;  // (n_problems, n_words)
};

BatchArrays read_arrays(const nb::object& batch) {
  return {array_field<uint32_t>(batch, "words"),  array_field<int8_t>(batch, "targets"),
          array_field<int64_t>(batch, "row_ptr"), array_field<int32_t>(batch, "row_index"),
          array_field<double>(batch, "weights"),  array_field<int32_t>(batch, "target"),
          array_field<int32_t>(batch, "row_set"), array_field<int32_t>(batch, "weight"),
          array_field<int32_t>(batch, "start"),   array_field<double>(batch, "gamma"),
          array_field<double>(batch, "C"),        array_field<uint32_t>(batch, "context")};
}

// What both solving and walking read: kernels and labels.
void check_kernels(const BatchArrays& arrays, int64_t n_rows) {
  require(n_rows >= 0 && n_rows <= most_rows, "n_rows", "must lie within 31 bits");
  const int64_t n_words = check_width(arrays.words, n_rows, "words"), n_problems = size_of(arrays.target);
  require(n_words <= INT32_MAX / 32, "words", "has too many lines");
  check_shape(arrays.context, {n_problems, n_words}, "context");
  check_shape(arrays.gamma, {n_problems}, "gamma");
  check_numbers(arrays.gamma, false, "gamma");
}

void check_signs(const In<int8_t>& targets) {
  bool good = true;
  for (int64_t i = 0, n = size_of(targets); i < n; ++i) good &= targets.data()[i] == 1 || targets.data()[i] == -1;
  require(good, "targets", "must hold +1 and -1");
}

// What solving reads besides: targets, rows, weights and starts of the problems.
void check_problems(const BatchArrays& arrays, int64_t n_rows) {
  const int64_t n_problems = size_of(arrays.target);
  const int64_t n_targets = check_width(arrays.targets, n_rows, "targets");
  const int64_t n_weights = check_width(arrays.weights, n_rows, "weights");
  const int64_t n_sets = check_pointers(arrays.row_ptr, size_of(arrays.row_index), "row_ptr");
  check_signs(arrays.targets);
  check_numbers(arrays.weights, true, "weights");
  check_indices(arrays.row_index, 0, n_rows, "row_index");
  for (const auto* each : {&arrays.target, &arrays.row_set, &arrays.weight, &arrays.start})
    check_shape(*each, {n_problems}, "target, row_set, weight or start");
  check_indices(arrays.target, 0, n_targets, "target");
  check_indices(arrays.row_set, 0, n_sets, "row_set");
  check_indices(arrays.weight, -1, n_weights, "weight");
  check_indices(arrays.start, -1, n_problems, "start");
  check_shape(arrays.C, {n_problems}, "C");
  check_numbers(arrays.C, false, "C");
  for (int64_t p = 0; p < n_problems; ++p) {
    const int32_t set = arrays.row_set.data()[p];
    require(arrays.row_ptr.data()[set] < arrays.row_ptr.data()[set + 1], "row_set", "names a set without rows");
  }
}

bncc::Batch view(const BatchArrays& arrays, int64_t n_rows, bool linear) {
  bncc::Batch out;
  out.source.n_rows = n_rows;
  out.kernel = linear ? bncc::Kernel::linear : bncc::Kernel::rbf;
  out.n_words = static_cast<int>(arrays.words.shape(0));
  out.words = arrays.words.data();
  out.targets = arrays.targets.data();
  out.row_ptr = arrays.row_ptr.data();
  out.row_index = arrays.row_index.data();
  out.weights = arrays.weights.data();
  out.n_problems = static_cast<int64_t>(arrays.target.shape(0));
  out.target = arrays.target.data();
  out.row_set = arrays.row_set.data();
  out.weight = arrays.weight.data();
  out.start = arrays.start.data();
  out.gamma = arrays.gamma.data();
  out.C = arrays.C.data();
  out.context = arrays.context.data();
  return out;
}

// The arrays of a `Points` record (points.py): panels if dense, CSR and CSC if sparse.
struct PointArrays {
  In<float> norms, panels, values, column_values;
  In<int64_t> indptr, column_ptr;
  In<int32_t> indices, rows;
};

void read_sparse(const nb::object& record, PointArrays& arrays, bncc::Points& out) {
  const nb::object by_row = nb::getattr(record, "by_row", nb::none());
  const nb::object by_column = nb::getattr(record, "by_column", nb::none());
  arrays.indptr = array_field<int64_t>(by_row, "indptr");
  arrays.indices = array_field<int32_t>(by_row, "indices");
  arrays.values = array_field<float>(by_row, "data");
  arrays.column_ptr = array_field<int64_t>(by_column, "indptr");
  arrays.rows = array_field<int32_t>(by_column, "indices");
  arrays.column_values = array_field<float>(by_column, "data");
  require(check_pointers(arrays.indptr, size_of(arrays.indices), "indptr of by_row") == out.n_rows, "indptr of by_row",
          "must have one list per row");
  require(check_pointers(arrays.column_ptr, size_of(arrays.rows), "indptr of by_column") == out.n_features,
          "indptr of by_column", "must have one list per feature");
  check_indices(arrays.indices, 0, out.n_features, "indices of by_row");
  check_indices(arrays.rows, 0, out.n_rows, "indices of by_column");
  check_ascending(arrays.column_ptr, arrays.rows, "indices of by_column");  // rows are looked up by bisection
  check_shape(arrays.values, {size_of(arrays.indices)}, "data of by_row");
  check_shape(arrays.column_values, {size_of(arrays.rows)}, "data of by_column");
  out.indptr = arrays.indptr.data();
  out.indices = arrays.indices.data();
  out.values = arrays.values.data();
  out.column_ptr = arrays.column_ptr.data();
  out.rows = arrays.rows.data();
  out.column_values = arrays.column_values.data();
}

void check_apart_from(const char* name, const Out<float>& written, const PointArrays& read) {
  check_apart(name, written, read.norms, read.panels, read.values, read.column_values, read.indptr, read.column_ptr,
              read.indices, read.rows);
}

bncc::Points read_points(const nb::object& record, PointArrays& arrays) {
  bncc::Points out;
  out.n_rows = field<int64_t>(record, "n_rows");
  out.n_features = field<int64_t>(record, "n_features");
  require(out.n_rows >= 0 && out.n_rows <= most_rows, "n_rows", "must lie within 31 bits");
  require(out.n_features >= 0 && out.n_features <= INT32_MAX, "n_features", "must lie within 31 bits");
  arrays.norms = array_field<float>(record, "norms");
  check_shape(arrays.norms, {out.n_panels() * bncc::panel}, "norms");
  out.norms = arrays.norms.data();
  if (nb::getattr(record, "panels", nb::none()).is_none()) {
    read_sparse(record, arrays, out);
    return out;
  }
  arrays.panels = array_field<float>(record, "panels");
  check_shape(arrays.panels, {out.n_panels(), out.n_features, bncc::panel}, "panels");
  out.panels = arrays.panels.data();
  return out;
}

void read_source(const nb::object& distances, In<float>& matrix, PointArrays& arrays, bncc::Source& source) {
  if (!nb::getattr(distances, "matrix", nb::none()).is_none()) {
    matrix = array_field<float>(distances, "matrix");
    check_shape(matrix, {source.n_rows, source.n_rows}, "matrix");
    source.matrix = matrix.data();
  } else {
    source.points = read_points(nb::getattr(distances, "points", nb::none()), arrays);
    require(source.points.n_rows == source.n_rows, "points", "must have as many rows as the distances");
  }
}

template <class T>
void pack(In<T> X, In<double> centre, Out<float> panels, Out<float> norms) {
  require(X.ndim() == 2 && length_of(X, 0) <= most_rows, "X", "must have two dimensions and rows within 31 bits");
  check_aligned(X, "X");
  const int64_t n_panels = (length_of(X, 0) + bncc::panel - 1) / bncc::panel;
  check_shape(centre, {length_of(X, 1)}, "centre");
  check_shape(panels, {n_panels, length_of(X, 1), bncc::panel}, "panels");
  check_shape(norms, {n_panels * bncc::panel}, "norms");
  check_apart("panels", panels, X, centre, norms);
  check_apart("norms", norms, X, centre);
  nb::gil_scoped_release unlocked;
  bncc::pack_panels(X.data(), static_cast<int64_t>(X.shape(0)), static_cast<int64_t>(X.shape(1)), centre.data(),
                    panels.data(), norms.data());
}

void distances(const nb::object& left, const nb::object& right, Out<float> out, int n_threads, const char* simd) {
  PointArrays left_arrays, right_arrays;
  const bncc::Points a = read_points(left, left_arrays), b = read_points(right, right_arrays);
  require(a.n_features == b.n_features, "right", "must have as many features as `left`");
  require(!a.panels == !b.panels, "right", "must be dense or sparse as `left`");
  check_shape(out, {a.n_rows, b.n_rows}, "out");
  check_apart_from("out", out, left_arrays);
  check_apart_from("out", out, right_arrays);
  check_threads(n_threads);
  const bncc::Loops* loops = loops_named(simd);
  const bncc::Poll poll = bncc::make_poll(nb::none());
  {
    nb::gil_scoped_release unlocked;
    bncc::all_distances(a, b, left.is(right), *loops, n_threads, out.data(), [&] { return poll(0); });
  }
  if (PyErr_Occurred()) throw nb::python_error();
}

// Each problem in one group at most: threads write where no other does.
bncc::Array<bncc::Array<int32_t>> read_groups(const In<int32_t>& order, const In<int64_t>& group_ptr, int64_t n) {
  check_distinct(order, n, "order");
  const int64_t n_groups = check_pointers(group_ptr, size_of(order), "group_ptr");
  bncc::Array<bncc::Array<int32_t>> groups;
  for (int64_t g = 0; g < n_groups; ++g)
    if (group_ptr.data()[g] < group_ptr.data()[g + 1])
      groups.push_back({order.data() + group_ptr.data()[g], order.data() + group_ptr.data()[g + 1]});
  return groups;
}

nb::dict write(bncc::Array<bncc::Outcome>& outcomes, const bncc::Costs& costs) {
  std::vector<int64_t> ptr{0}, iterations;
  std::vector<int32_t> support;
  std::vector<double> coef, bias, objective;
  std::vector<int8_t> status;
  for (bncc::Outcome& outcome : outcomes) {
    support.insert(support.end(), outcome.support.begin(), outcome.support.end());
    coef.insert(coef.end(), outcome.coef.begin(), outcome.coef.end());
    outcome.support = {};
    outcome.coef = {};
    ptr.push_back(static_cast<int64_t>(support.size()));
    bias.push_back(outcome.bias);
    objective.push_back(outcome.objective);
    iterations.push_back(outcome.iterations);
    status.push_back(outcome.status);
  }
  nb::dict stats;
  stats["row_seconds"] = costs.row_seconds;
  stats["total_seconds"] = costs.total_seconds;
  stats["rows"] = costs.rows;
  stats["iterations"] = costs.iterations;
  stats["refreshes"] = costs.refreshes;
  stats["bytes"] = costs.bytes;
  nb::dict out;
  out["support_ptr"] = to_numpy(std::move(ptr));
  out["support"] = to_numpy(std::move(support));
  out["coef"] = to_numpy(std::move(coef));
  out["bias"] = to_numpy(std::move(bias));
  out["objective"] = to_numpy(std::move(objective));
  out["iterations"] = to_numpy(std::move(iterations));
  out["status"] = to_numpy(std::move(status));
  out["costs"] = stats;
  return out;
}

nb::dict solve(const nb::object& batch, In<int32_t> order, In<int64_t> group_ptr, In<double> longest, double tol,
               int64_t max_iter, int64_t cache_bytes, int n_threads, const char* simd, nb::object progress) {
  const nb::object source = nb::getattr(batch, "distances", nb::none());
  const int64_t n_rows = field<int64_t>(source, "n_rows");
  const BatchArrays arrays = read_arrays(batch);
  check_kernels(arrays, n_rows);
  check_problems(arrays, n_rows);
  check_threads(n_threads);
  require(std::isfinite(tol) && tol > 0.0, "tol", "must be finite and positive");
  require(max_iter >= -1, "max_iter", "must be -1 or more");
  require(cache_bytes >= 0, "cache_bytes", "must not be negative");
  bncc::Batch native = view(arrays, n_rows, field<bool>(batch, "is_linear"));
  In<float> matrix;
  PointArrays points;
  read_source(source, matrix, points, native.source);
  check_shape(longest, {native.n_problems}, "longest");
  native.longest = longest.data();
  const auto groups = read_groups(order, group_ptr, native.n_problems);
  const bncc::Options options{tol, max_iter, cache_bytes, n_threads, loops_named(simd)};
  const bncc::Poll poll = bncc::make_poll(progress);
  bncc::Array<bncc::Outcome> outcomes;
  bncc::Costs costs;
  {
    nb::gil_scoped_release unlocked;
    costs = bncc::solve_batch(native, groups, options, poll, outcomes);
  }
  if (PyErr_Occurred()) throw nb::python_error();
  return write(outcomes, costs);
}

void walk(const nb::object& batch, const nb::object& solutions, In<float> distances, In<uint32_t> words,
          In<int64_t> row_ptr, In<int32_t> rows, In<int32_t> problems, In<int32_t> writes, Out<double> out,
          int n_threads, const char* simd) {
  require(distances.ndim() == 2 && length_of(distances, 0) <= most_rows, "distances", "must have two dimensions");
  const int64_t n_new = length_of(distances, 0), n_rows = length_of(distances, 1);
  const BatchArrays arrays = read_arrays(batch);
  check_kernels(arrays, n_rows);
  const bncc::Batch native = view(arrays, n_rows, field<bool>(batch, "is_linear"));
  const auto support_ptr = array_field<int64_t>(solutions, "support_ptr");
  const auto support = array_field<int32_t>(solutions, "support");
  const auto coef = array_field<double>(solutions, "coef");
  const auto bias = array_field<double>(solutions, "bias");
  check_shape(support_ptr, {native.n_problems + 1}, "support_ptr");
  check_pointers(support_ptr, size_of(support), "support_ptr");
  check_indices(support, 0, n_rows, "support");
  check_shape(coef, {size_of(support)}, "coef");
  check_shape(bias, {native.n_problems}, "bias");
  check_shape(words, {native.n_words, n_new}, "words");
  require(problems.ndim() == 2, "problems", "must have two dimensions");
  check_shape(writes, {length_of(problems, 0), length_of(problems, 1)}, "writes");
  check_indices(problems, 0, native.n_problems, "problems");
  check_indices(writes, -1, int64_t{32} * native.n_words, "writes");
  require(check_pointers(row_ptr, size_of(rows), "row_ptr") == length_of(problems, 0), "row_ptr",
          "must have one list per walk");
  check_indices(rows, 0, n_new, "rows");
  check_shape(out, {size_of(rows), length_of(problems, 1)}, "out");
  check_aligned(distances, "distances");
  check_apart("out", out, distances, words, row_ptr, rows, problems, writes, support_ptr, support, coef, bias,
              arrays.words, arrays.gamma, arrays.context);
  check_threads(n_threads);
  bncc::Walks walks;
  walks.batch = &native;
  walks.support_ptr = support_ptr.data();
  walks.support = support.data();
  walks.coef = coef.data();
  walks.bias = bias.data();
  walks.distances = distances.data();
  walks.n_new = n_new;
  walks.words = words.data();
  walks.n_walks = static_cast<int64_t>(problems.shape(0));
  walks.length = static_cast<int64_t>(problems.shape(1));
  walks.row_ptr = row_ptr.data();
  walks.rows = rows.data();
  walks.problems = problems.data();
  walks.writes = writes.data();
  bncc::Options options;
  options.n_threads = n_threads;
  options.loops = loops_named(simd);
  const bncc::Poll poll = bncc::make_poll(nb::none());
  {
    nb::gil_scoped_release unlocked;
    bncc::walk(walks, options, poll, out.data());
  }
  if (PyErr_Occurred()) throw nb::python_error();
}

// One problem in double precision: `features` is an array or a CSR matrix, a row for each of its rows.
nb::dict solve_precisely(const nb::object& features, In<uint32_t> words, In<int8_t> targets, In<double> bounds,
                         double gamma, bool linear, double tol, int64_t max_iter, int64_t cache_bytes,
                         nb::object progress) {
  bncc::PreciseProblem problem;
  const int64_t n = size_of(targets);
  require(n > 0 && n <= most_rows, "targets", "must have a row, and rows within 31 bits");
  check_shape(targets, {n}, "targets");
  check_signs(targets);
  check_shape(bounds, {n}, "bounds");
  check_numbers(bounds, true, "bounds");
  problem.n_words = check_width(words, n, "words");
  require(std::isfinite(gamma) && gamma > 0.0, "gamma", "must be finite and positive");
  require(std::isfinite(tol) && tol > 0.0, "tol", "must be finite and positive");
  require(max_iter >= -1, "max_iter", "must be -1 or more");
  require(cache_bytes >= 0, "cache_bytes", "must not be negative");
  In<double> dense, values;
  In<int64_t> indptr;
  In<int32_t> indices;
  if (nb::try_cast<In<double>>(features, dense, false)) {
    require(dense.ndim() == 2 && length_of(dense, 0) == n, "features", "must have two dimensions and a line per row");
    check_aligned(dense, "features");
    problem.n_features = length_of(dense, 1);
    problem.dense = dense.data();
  } else {
    indptr = array_field<int64_t>(features, "indptr");
    indices = array_field<int32_t>(features, "indices");
    values = array_field<double>(features, "data");
    require(check_pointers(indptr, size_of(indices), "indptr") == n, "indptr", "must have one list per row");
    check_shape(values, {size_of(indices)}, "data");
    problem.indptr = indptr.data();
    problem.indices = indices.data();
    problem.values = values.data();
  }
  problem.n = static_cast<int>(n);
  problem.words = words.data();
  problem.kernel = linear ? bncc::Kernel::linear : bncc::Kernel::rbf;
  problem.gamma = gamma;
  problem.y = targets.data();
  problem.bound = bounds.data();
  const bncc::Poll poll = bncc::make_poll(progress);
  bncc::PreciseOutcome outcome;
  {
    nb::gil_scoped_release unlocked;
    outcome = bncc::solve_precisely(problem, tol, max_iter, cache_bytes, poll);
  }
  if (PyErr_Occurred()) throw nb::python_error();
  nb::dict out;
  out["alpha"] = to_numpy(std::vector<double>(outcome.alpha.begin(), outcome.alpha.end()));
  out["f"] = to_numpy(std::vector<double>(outcome.f.begin(), outcome.f.end()));
  out["top"] = outcome.top;
  out["bottom"] = outcome.bottom;
  out["iterations"] = outcome.iterations;
  out["status"] = static_cast<int>(outcome.status);
  return out;
}

}  // namespace

NB_MODULE(_smo, m) {
  m.def("solve", &solve, nb::arg("batch"), nb::arg("order").noconvert(), nb::arg("group_ptr").noconvert(),
        nb::arg("longest").noconvert(), nb::arg("tol"), nb::arg("max_iter"), nb::arg("cache_bytes"),
        nb::arg("n_threads"), nb::arg("simd"), nb::arg("progress").none());
  m.def("solve_precisely", &solve_precisely, nb::arg("features"), nb::arg("words").noconvert(),
        nb::arg("targets").noconvert(), nb::arg("bounds").noconvert(), nb::arg("gamma"), nb::arg("linear"),
        nb::arg("tol"), nb::arg("max_iter"), nb::arg("cache_bytes"), nb::arg("progress").none());
  m.def("walk", &walk, nb::arg("batch"), nb::arg("solutions"), nb::arg("distances").noconvert(),
        nb::arg("words").noconvert(), nb::arg("row_ptr").noconvert(), nb::arg("rows").noconvert(),
        nb::arg("problems").noconvert(), nb::arg("writes").noconvert(), nb::arg("out").noconvert(),
        nb::arg("n_threads"), nb::arg("simd"));
  m.def("pack", &pack<float>, nb::arg("X").noconvert(), nb::arg("centre").noconvert(), nb::arg("panels").noconvert(),
        nb::arg("norms").noconvert());
  m.def("pack", &pack<double>, nb::arg("X").noconvert(), nb::arg("centre").noconvert(), nb::arg("panels").noconvert(),
        nb::arg("norms").noconvert());
  m.def("distances", &distances, nb::arg("left"), nb::arg("right"), nb::arg("out").noconvert(), nb::arg("n_threads"),
        nb::arg("simd"));
  m.def(
      "simd",
      [](const char* name) -> nb::object {
        const bncc::Loops* loops = bncc::pick_loops(name);
        if (!loops) return nb::none();
        return nb::str(loops->name);
      },
      nb::arg("name") = "");
}
