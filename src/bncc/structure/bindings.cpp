// Python bindings of the parent search. All checks of values are made in Python (search.py).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>

#include "search.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

bncc::Lists lists(const Array1<int64_t>& start, const Array1<int32_t>& items) { return {start.data(), items.data()}; }

bool no_signal() {
  nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() == 0;
}

template <class T>
nb::tuple to_tuple(const bncc::Array<T>& values) {
  nb::list out;
  for (const T& value : values) out.append(value);
  return nb::tuple(out);
}

nb::tuple search(Array1<int64_t> row_start, Array1<int32_t> row_items, Array1<int64_t> label_start,
                 Array1<int32_t> label_items, Array1<int64_t> required_start, Array1<int32_t> required_items,
                 Array1<int64_t> forbidden_start, Array1<int32_t> forbidden_items, Array1<int32_t> order,
                 Array1<int32_t> child_limits, bool predecessors_only, bool start_empty, bool informative,
                 int max_parents, Array2<int64_t> cell, Array2<int64_t> total, Array1<double> penalty, double offset,
                 double scale, int n_threads) {
  bncc::SearchProblem problem{};
  problem.n_labels = static_cast<int64_t>(row_start.shape(0)) - 1;
  problem.n_rows = static_cast<int64_t>(label_start.shape(0)) - 1;
  problem.rows_of = lists(row_start, row_items);
  problem.labels_of = lists(label_start, label_items);
  problem.required = lists(required_start, required_items);
  problem.forbidden = lists(forbidden_start, forbidden_items);
  problem.order = order.data();
  problem.child_limits = child_limits.data();
  problem.predecessors_only = predecessors_only;
  problem.start_empty = start_empty;
  problem.informative = informative;
  problem.max_parents = max_parents;
  problem.cell = cell.data();
  problem.total = total.data();
  problem.levels = static_cast<int64_t>(cell.shape(0));
  problem.penalty = penalty.data();
  problem.offset = offset;
  problem.scale = scale;
  bncc::Array<bncc::FoundParents> found;
  {
    nb::gil_scoped_release release;
    found = bncc::search_parents(problem, std::max(1, n_threads), no_signal);
  }
  if (PyErr_Occurred()) throw nb::python_error();
  nb::list parents, scores, stops;
  for (const bncc::FoundParents& child : found) {
    parents.append(to_tuple(child.parents));
    scores.append(to_tuple(child.scores));
    stops.append(static_cast<int>(child.stop));
  }
  return nb::make_tuple(parents, scores, stops);
}

}  // namespace

NB_MODULE(_search, m) {
  m.doc() = "Compiled parent search; see search.py for the contract.";
  m.def("search", &search, nb::kw_only(), "row_start"_a, "row_items"_a, "label_start"_a, "label_items"_a,
        "required_start"_a, "required_items"_a, "forbidden_start"_a, "forbidden_items"_a, "order"_a, "child_limits"_a,
        "predecessors_only"_a, "start_empty"_a, "informative"_a, "max_parents"_a, "cell"_a, "total"_a, "penalty"_a,
        "offset"_a, "scale"_a, "n_threads"_a);
}
