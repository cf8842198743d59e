// Python bindings of the searches for parents; arrays are held against each other here (native/checks.hpp).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>

#include "climb.hpp"
#include "ges.hpp"
#include "native/checks.hpp"
#include "search.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace bncc::checks;

// One list per line, of numbers below `end`, each once.
bncc::Lists lists(const In<int64_t>& start, const In<int32_t>& items, int64_t n, int64_t end, const char* name) {
  require(items.ndim() == 1, name, "must have one dimension");
  require(check_pointers(start, size_of(items), name) == n, name,
          "has another number of lists than what it belongs to");
  check_indices(items, 0, end, name);
  return {start.data(), items.data()};
}

// The labels of each row, told twice: by label and by row. Counts of one are subtracted from the other, so they must
// agree, entry by entry.
void check_transposed(const bncc::Lists& rows_of, const bncc::Lists& labels_of, int64_t n_labels, int64_t n_rows) {
  std::vector<int64_t> next(labels_of.start, labels_of.start + n_rows);
  bool same = true;
  for (int64_t label = 0; same && label < n_labels; ++label)
    for (const int32_t* row = rows_of.begin(label); same && row != rows_of.end(label); ++row) {
      int64_t& at = next[static_cast<size_t>(*row)];
      same = at < labels_of.start[*row + 1] && labels_of.items[at] == label;
      ++at;
    }
  for (int64_t row = 0; same && row < n_rows; ++row) same = next[static_cast<size_t>(row)] == labels_of.start[row + 1];
  require(same, "label_items", "must hold the labels of the rows that `row_items` holds, ascending");
}

// Sums of entries stay within 64 bits.
void check_table(const In<int64_t>& table, int64_t levels, int64_t n_rows, const char* name) {
  constexpr int64_t largest = int64_t{1} << 60;
  check_shape(table, {levels, n_rows + 1}, name);
  bool good = true;
  for (int64_t i = 0; i < size_of(table); ++i) good &= table.data()[i] <= largest && table.data()[i] >= -largest;
  require(good, name, "has entries beyond 60 bits");
}

// Scores are asked for up to as many parents as a label may get.
int64_t most_parents(const bncc::SearchProblem& problem) {
  int64_t most = std::min<int64_t>(problem.max_parents, problem.n_labels);
  for (int64_t child = 0; child < problem.n_labels; ++child) most = std::max(most, problem.required.size(child));
  return most;
}

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

nb::tuple search(In<int64_t> row_start, In<int32_t> row_items, In<int64_t> label_start, In<int32_t> label_items,
                 In<int64_t> required_start, In<int32_t> required_items, In<int64_t> forbidden_start,
                 In<int32_t> forbidden_items, In<int32_t> order, In<int32_t> child_limits, bool predecessors_only,
                 bool start_empty, bool informative, int max_parents, In<int64_t> cell, In<int64_t> total,
                 In<double> penalty, double offset, double scale, bool climbs, bool over_classes, int n_threads) {
  bncc::SearchProblem problem{};
  require(row_start.ndim() == 1 && label_start.ndim() == 1 && row_start.size() && label_start.size(), "row_start",
          "and `label_start` must be lists of pointers");
  problem.n_labels = size_of(row_start) - 1;
  problem.n_rows = size_of(label_start) - 1;
  require(problem.n_labels < INT32_MAX && problem.n_rows <= most_rows, "row_start", "has too many lists");
  problem.rows_of = lists(row_start, row_items, problem.n_labels, problem.n_rows, "row_items");
  problem.labels_of = lists(label_start, label_items, problem.n_rows, problem.n_labels, "label_items");
  problem.required = lists(required_start, required_items, problem.n_labels, problem.n_labels, "required_items");
  problem.forbidden = lists(forbidden_start, forbidden_items, problem.n_labels, problem.n_labels, "forbidden_items");
  check_transposed(problem.rows_of, problem.labels_of, problem.n_labels, problem.n_rows);
  check_shape(order, {problem.n_labels}, "order");
  check_distinct(order, problem.n_labels, "order");
  check_shape(child_limits, {problem.n_labels}, "child_limits");
  require(cell.ndim() == 2 && cell.shape(0) > 0, "cell", "must have two dimensions and a line");
  check_table(cell, length_of(cell, 0), problem.n_rows, "cell");
  check_table(total, length_of(cell, 0), problem.n_rows, "total");
  require(max_parents >= 0, "max_parents", "must not be negative");
  check_threads(n_threads);
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
  require(penalty.ndim() == 1 && size_of(penalty) > most_parents(problem), "penalty",
          "must have a value for every number of parents");
  check_aligned(penalty, "penalty");
  require((!climbs && !over_classes) || most_parents(problem) < 63, "max_parents", "must be below 63 for climbing");
  const int used_threads = static_cast<int>(std::max<int64_t>(1, std::min<int64_t>(n_threads, problem.n_labels)));
  bncc::Array<bncc::FoundParents> found;
  {
    nb::gil_scoped_release release;
    bncc::Array<bncc::Array<int32_t>> start;
    if (over_classes) start = bncc::search_classes(problem, no_signal);
    found = climbs || over_classes ? bncc::climb(problem, start, no_signal)
                                   : bncc::search_parents(problem, used_threads, no_signal);
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
  const auto exactly = [](const char* name) { return nb::arg(name).noconvert(); };
  m.def("search", &search, nb::kw_only(), exactly("row_start"), exactly("row_items"), exactly("label_start"),
        exactly("label_items"), exactly("required_start"), exactly("required_items"), exactly("forbidden_start"),
        exactly("forbidden_items"), exactly("order"), exactly("child_limits"), exactly("predecessors_only"),
        exactly("start_empty"), exactly("informative"), exactly("max_parents"), exactly("cell"), exactly("total"),
        exactly("penalty"), "offset"_a, "scale"_a, exactly("climbs"), exactly("over_classes"), exactly("n_threads"));
}
