// Drives the parent search on random labels: one thread finds what four find, and workers may run out of memory.
// Then climbing, from nothing and from what the search over equivalence classes gives.
#include <cmath>
#include <limits>
#include <random>

#include "climb.hpp"
#include "expect.hpp"
#include "ges.hpp"
#include "search.hpp"

using namespace bncc;

namespace {

bool go_on() { return true; }

// Labels that follow each other along a path, with noise, and the score N - N H(child | parents) - size of the table.
struct Data {
  int32_t n_rows, n_labels;
  Array<int64_t> row_start{0}, label_start{0}, none, cell, total;
  Array<int32_t> row_items, label_items, order, child_limits;
  Array<double> penalty;
  static constexpr double scale = 1 << 20;

  Data(int32_t rows, int32_t labels, int32_t child_limit)
      : n_rows(rows),
        n_labels(labels),
        none(labels + 1, 0),
        cell(rows + 1),
        total(rows + 1),
        child_limits(labels, child_limit) {
    std::mt19937 random(1);
    Array<char> on(int64_t{n_rows} * n_labels);
    for (int32_t row = 0; row < n_rows; ++row) {
      for (int32_t label = 0; label < n_labels; ++label) {
        const bool copied = label > 0 && random() % 4 > 0;
        on[row * n_labels + label] = copied ? on[row * n_labels + label - 1] : random() % 5 == 0;
        if (on[row * n_labels + label]) label_items.push_back(label);
      }
      label_start.push_back(label_items.size());
    }
    for (int32_t label = 0; label < n_labels; ++label) {
      for (int32_t row = 0; row < n_rows; ++row)
        if (on[row * n_labels + label]) row_items.push_back(row);
      row_start.push_back(row_items.size());
      order.push_back(n_labels - 1 - label);
    }
    for (int32_t count = 0; count <= n_rows; ++count)
      cell[count] = total[count] = std::llround(scale * count * std::log2(std::max(1, count)));
    for (int k = 0; k <= 6; ++k) penalty.push_back(std::pow(2.0, k - 1) * std::log2(n_rows));
  }

  SearchProblem problem() const {
    SearchProblem problem{};
    problem.n_rows = n_rows;
    problem.n_labels = n_labels;
    problem.rows_of = {row_start.data(), row_items.data()};
    problem.labels_of = {label_start.data(), label_items.data()};
    problem.required = problem.forbidden = {none.data(), nullptr};
    problem.order = order.data();
    problem.child_limits = child_limits.data();
    problem.informative = true;
    problem.max_parents = 6;
    problem.cell = cell.data();
    problem.total = total.data();
    problem.levels = 1;
    problem.penalty = penalty.data();
    problem.offset = n_rows;
    problem.scale = scale;
    return problem;
  }

  Array<FoundParents> search(int n_threads) const { return search_parents(problem(), n_threads, go_on); }
};

void expect_same(const Array<FoundParents>& a, const Array<FoundParents>& b) {
  for (int64_t child = 0; child < a.size(); ++child)
    expect(a[child].parents == b[child].parents && a[child].scores == b[child].scores && a[child].stop == b[child].stop,
           "threads do not matter");
}

// Labels that can be taken one after the other, parents before children.
int64_t n_ordered(const Array<FoundParents>& found) {
  Array<char> taken(found.size(), 0);
  int64_t count = 0;
  for (bool more = true; more;) {
    more = false;
    for (int64_t child = 0; child < found.size(); ++child) {
      bool ready = !taken[child];
      for (const int32_t parent : found[child].parents) ready = ready && taken[parent];
      if (!ready) continue;
      taken[child] = 1;
      more = true;
      ++count;
    }
  }
  return count;
}

void expect_climbed(const Data& data, const Array<Array<int32_t>>& start) {
  const Array<FoundParents> found = climb(data.problem(), start, go_on);
  expect(n_ordered(found) == data.n_labels, "climbing leaves no cycle");
  int64_t n_parents = 0;
  for (const FoundParents& child : found) n_parents += child.parents.size();
  expect(n_parents >= data.n_labels - 1, "labels along a path are joined");
  expect_same(found, climb(data.problem(), start, go_on));
}

}  // namespace

int main() {
  for (const int32_t child_limit : {2, std::numeric_limits<int32_t>::max()}) {
    const Data data(300, 150, child_limit);
    const Array<FoundParents> alone = data.search(1);
    int64_t n_parents = 0;
    for (const FoundParents& child : alone) n_parents += child.parents.size();
    expect(n_parents >= data.n_labels, "nearly every label follows another one");
    expect_same(alone, data.search(4));
    try_with_failing_workers([&] { expect_same(alone, data.search(3)); });
    expect_same(alone, data.search(3));
  }
  for (const int32_t n_labels : {1, 2, 40}) {
    const Data data(300, n_labels, std::numeric_limits<int32_t>::max());
    expect_climbed(data, {});
    expect_climbed(data, search_classes(data.problem(), go_on));
  }
  std::puts("ok");
}
