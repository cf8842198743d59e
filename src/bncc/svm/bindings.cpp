// Python bindings: arrays in, arrays out. All checks of values are made in Python (problems.py).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>

#include "engine.hpp"

namespace nb = nanobind;

namespace {

template <class T>
using In = nb::ndarray<const T, nb::numpy, nb::c_contig, nb::device::cpu>;

template <class T>
using Out = nb::ndarray<T, nb::numpy, nb::c_contig, nb::device::cpu>;

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(held->data(), {held->size()}, owner);
}

// Progress and Ctrl-C: both need the interpreter lock, which the engine has given up.
bncc::Poll make_poll(nb::handle progress) {
  return [progress](int64_t done) {
    nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) return false;
    if (progress.is_none()) return true;
    PyObject* result = PyObject_CallFunction(progress.ptr(), "L", static_cast<long long>(done));
    Py_XDECREF(result);
    return result != nullptr;
  };
}

const bncc::Loops* loops_named(const char* name) {
  const bncc::Loops* loops = bncc::pick_loops(name);
  if (!loops) throw nb::value_error("this machine cannot run the instruction set asked for");
  return loops;
}

// The arrays of a batch, in the order in which problems.py hands them over.
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

template <class T>
In<T> get(const nb::object& source, const char* name) {
  return nb::cast<In<T>>(source.attr(name));
}

BatchArrays read_arrays(const nb::object& batch) {
  return {get<uint32_t>(batch, "words"),    get<int8_t>(batch, "targets"), get<int64_t>(batch, "row_ptr"),
          get<int32_t>(batch, "row_index"), get<double>(batch, "weights"), get<int32_t>(batch, "target"),
          get<int32_t>(batch, "row_set"),   get<int32_t>(batch, "weight"), get<int32_t>(batch, "start"),
          get<double>(batch, "gamma"),      get<double>(batch, "C"),       get<uint32_t>(batch, "context")};
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

bncc::Points read_points(const nb::object& record, PointArrays& arrays) {
  bncc::Points out;
  out.n_rows = nb::cast<int64_t>(record.attr("n_rows"));
  out.n_features = nb::cast<int64_t>(record.attr("n_features"));
  arrays.norms = get<float>(record, "norms");
  out.norms = arrays.norms.data();
  if (!record.attr("panels").is_none()) {
    arrays.panels = get<float>(record, "panels");
    out.panels = arrays.panels.data();
    return out;
  }
  const nb::object by_row = record.attr("by_row"), by_column = record.attr("by_column");
  arrays.indptr = get<int64_t>(by_row, "indptr");
  arrays.indices = get<int32_t>(by_row, "indices");
  arrays.values = get<float>(by_row, "data");
  arrays.column_ptr = get<int64_t>(by_column, "indptr");
  arrays.rows = get<int32_t>(by_column, "indices");
  arrays.column_values = get<float>(by_column, "data");
  out.indptr = arrays.indptr.data();
  out.indices = arrays.indices.data();
  out.values = arrays.values.data();
  out.column_ptr = arrays.column_ptr.data();
  out.rows = arrays.rows.data();
  out.column_values = arrays.column_values.data();
  return out;
}

void read_source(const nb::object& distances, In<float>& matrix, PointArrays& arrays, bncc::Source& source) {
  if (!distances.attr("matrix").is_none()) {
    matrix = get<float>(distances, "matrix");
    source.matrix = matrix.data();
  } else {
    source.points = read_points(distances.attr("points"), arrays);
  }
}

template <class T>
void pack(In<T> X, In<double> centre, Out<float> panels, Out<float> norms) {
  nb::gil_scoped_release unlocked;
  bncc::pack_panels(X.data(), static_cast<int64_t>(X.shape(0)), static_cast<int64_t>(X.shape(1)), centre.data(),
                    panels.data(), norms.data());
}

void distances(const nb::object& left, const nb::object& right, Out<float> out, int n_threads, const char* simd) {
  PointArrays left_arrays, right_arrays;
  const bncc::Points a = read_points(left, left_arrays), b = read_points(right, right_arrays);
  const bncc::Loops* loops = loops_named(simd);
  const bncc::Poll poll = make_poll(nb::none());
  {
    nb::gil_scoped_release unlocked;
    bncc::all_distances(a, b, left.is(right), *loops, n_threads, out.data(), [&] { return poll(0); });
  }
  if (PyErr_Occurred()) throw nb::python_error();
}

bncc::Array<bncc::Array<int32_t>> read_groups(const In<int32_t>& order, const In<int64_t>& group_ptr) {
  bncc::Array<bncc::Array<int32_t>> groups;
  for (size_t g = 0; g + 1 < group_ptr.shape(0); ++g)
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

nb::dict solve(const nb::object& batch, In<int32_t> order, In<int64_t> group_ptr, double tol, int64_t max_iter,
               int64_t cache_bytes, int n_threads, const char* simd, nb::object progress) {
  const nb::object source = batch.attr("distances");
  const BatchArrays arrays = read_arrays(batch);
  bncc::Batch native = view(arrays, nb::cast<int64_t>(source.attr("n_rows")), nb::cast<bool>(batch.attr("is_linear")));
  In<float> matrix;
  PointArrays points;
  read_source(source, matrix, points, native.source);
  const auto groups = read_groups(order, group_ptr);
  const bncc::Options options{tol, max_iter, cache_bytes, n_threads, loops_named(simd)};
  const bncc::Poll poll = make_poll(progress);
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
  const BatchArrays arrays = read_arrays(batch);
  const bncc::Batch native =
      view(arrays, static_cast<int64_t>(distances.shape(1)), nb::cast<bool>(batch.attr("is_linear")));
  const auto support_ptr = get<int64_t>(solutions, "support_ptr");
  const auto support = get<int32_t>(solutions, "support");
  const auto coef = get<double>(solutions, "coef");
  const auto bias = get<double>(solutions, "bias");
  bncc::Walks walks;
  walks.batch = &native;
  walks.support_ptr = support_ptr.data();
  walks.support = support.data();
  walks.coef = coef.data();
  walks.bias = bias.data();
  walks.distances = distances.data();
  walks.n_new = static_cast<int64_t>(distances.shape(0));
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
  const bncc::Poll poll = make_poll(nb::none());
  {
    nb::gil_scoped_release unlocked;
    bncc::walk(walks, options, poll, out.data());
  }
  if (PyErr_Occurred()) throw nb::python_error();
}

}  // namespace

NB_MODULE(_smo, m) {
  m.def("solve", &solve, nb::arg("batch"), nb::arg("order"), nb::arg("group_ptr"), nb::arg("tol"), nb::arg("max_iter"),
        nb::arg("cache_bytes"), nb::arg("n_threads"), nb::arg("simd"), nb::arg("progress").none());
  m.def("walk", &walk, nb::arg("batch"), nb::arg("solutions"), nb::arg("distances"), nb::arg("words"),
        nb::arg("row_ptr"), nb::arg("rows"), nb::arg("problems"), nb::arg("writes"), nb::arg("out"),
        nb::arg("n_threads"), nb::arg("simd"));
  m.def("pack", &pack<float>, nb::arg("X").noconvert(), nb::arg("centre"), nb::arg("panels"), nb::arg("norms"));
  m.def("pack", &pack<double>, nb::arg("X").noconvert(), nb::arg("centre"), nb::arg("panels"), nb::arg("norms"));
  m.def("distances", &distances, nb::arg("left"), nb::arg("right"), nb::arg("out"), nb::arg("n_threads"),
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
