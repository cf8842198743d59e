#include "walks.hpp"

#include <algorithm>

#include "native/thread_pool.hpp"

namespace bncc::linear {
namespace {

constexpr int64_t rows_per_unit = 128;

// One thread's scores of one row.
template <class Real>
class RowScores {
 public:
  RowScores(const Features<Real>& x, const Chain<Real>& chain)
      : x_(x), chain_(chain), sums_(static_cast<size_t>(chain.n_links)), scores_(static_cast<size_t>(chain.n_links)) {}

  const double* walk(int64_t row) {
    std::fill(sums_.begin(), sums_.end(), Real(0));
    for (int64_t k = x_.indptr[row]; k < x_.indptr[row + 1]; ++k) add_line(x_.indices[k], x_.values[k]);
    for (size_t link = 0; link < scores_.size(); ++link)
      scores_[link] = static_cast<double>(sums_[link]) + chain_.bias[link];
    for (int32_t link = 0; link < chain_.n_links; ++link)
      if (scores_[static_cast<size_t>(link)] > 0.0 && chain_.writes[link] >= 0) hand_on(link);
    return scores_.data();
  }

 private:
  void add_line(int64_t line, Real value) {
    for (int64_t e = chain_.line_ptr[line]; e < chain_.line_ptr[line + 1]; ++e)
      sums_[static_cast<size_t>(chain_.links[e])] += value * chain_.weights[e];
  }

  // What the positive label of a link adds to the links after it.
  void hand_on(int32_t link) {
    const int64_t line = chain_.n_features + chain_.writes[link];
    for (int64_t e = chain_.line_ptr[line]; e < chain_.line_ptr[line + 1]; ++e)
      if (chain_.links[e] > link)
        scores_[static_cast<size_t>(chain_.links[e])] += static_cast<double>(chain_.weights[e]);
  }

  const Features<Real>& x_;
  const Chain<Real>& chain_;
  std::vector<Real> sums_;
  std::vector<double> scores_;
};

// Calls keep(unit, row, scores) for every row, units of rows in parallel.
template <class Real, class Keep>
bool walk_rows(const Features<Real>& x, const Chain<Real>& chain, const WalkOptions& options, const Keep& keep) {
  const int64_t n_units = (x.n_rows + rows_per_unit - 1) / rows_per_unit;
  const int n_threads = static_cast<int>(std::min<int64_t>(options.n_threads, n_units));
  if (n_threads == 0) return true;
  std::vector<RowScores<Real>> of_thread(static_cast<size_t>(n_threads), RowScores<Real>(x, chain));
  std::atomic<bool> cancel{false};
  ThreadPool pool(n_threads);
  pool.run(
      n_units, cancel,
      [&](int thread, int64_t unit) {
        const int64_t last = std::min(x.n_rows, (unit + 1) * rows_per_unit);
        for (int64_t row = unit * rows_per_unit; row < last && !cancel.load(std::memory_order_relaxed); ++row)
          keep(unit, row, of_thread[static_cast<size_t>(thread)].walk(row));
      },
      [&] { return options.poll(0); });
  return !cancel.load();
}

struct Ranked {
  double score;
  int64_t column;
};

bool is_better(const Ranked& a, const Ranked& b) {
  return a.score > b.score || (a.score == b.score && a.column < b.column);
}

}  // namespace

template <class Real>
bool score_all(const Features<Real>& x, const Chain<Real>& chain, const WalkOptions& options, double* scores) {
  return walk_rows(x, chain, options, [&](int64_t, int64_t row, const double* of_row) {
    std::copy(of_row, of_row + chain.n_links, scores + row * chain.n_links);
  });
}

template <class Real>
bool score_top(const Features<Real>& x, const Chain<Real>& chain, const WalkOptions& options, const int32_t* columns,
               int64_t k, int64_t* best, double* scores) {
  return walk_rows(x, chain, options, [&](int64_t, int64_t row, const double* of_row) {
    std::vector<Ranked> heap;  // the worst of the best on top
    heap.reserve(static_cast<size_t>(k) + 1);
    for (int64_t column = 0; column < chain.n_links; ++column) {
      const double score = of_row[columns[column]];
      const bool full = static_cast<int64_t>(heap.size()) == k;
      if (full && !(score > heap.front().score)) continue;
      heap.push_back({score, column});
      std::push_heap(heap.begin(), heap.end(), is_better);
      if (!full) continue;
      std::pop_heap(heap.begin(), heap.end(), is_better);
      heap.pop_back();
    }
    std::sort_heap(heap.begin(), heap.end(), is_better);
    for (int64_t place = 0; place < k; ++place) {
      best[row * k + place] = heap[static_cast<size_t>(place)].column;
      scores[row * k + place] = heap[static_cast<size_t>(place)].score;
    }
  });
}

template <class Real>
bool find_positives(const Features<Real>& x, const Chain<Real>& chain, const WalkOptions& options,
                    const int32_t* columns, std::vector<int64_t>& ptr, std::vector<int32_t>& positives) {
  std::vector<std::vector<int32_t>> of_unit(static_cast<size_t>((x.n_rows + rows_per_unit - 1) / rows_per_unit));
  ptr.assign(static_cast<size_t>(x.n_rows) + 1, 0);
  const bool done = walk_rows(x, chain, options, [&](int64_t unit, int64_t row, const double* of_row) {
    std::vector<int32_t>& found = of_unit[static_cast<size_t>(unit)];
    const size_t before = found.size();
    for (int32_t column = 0; column < chain.n_links; ++column)
      if (of_row[columns[column]] > 0.0) found.push_back(column);
    ptr[static_cast<size_t>(row) + 1] = static_cast<int64_t>(found.size() - before);
  });
  for (size_t row = 1; row < ptr.size(); ++row) ptr[row] += ptr[row - 1];
  for (std::vector<int32_t>& found : of_unit) {
    positives.insert(positives.end(), found.begin(), found.end());
    found = {};
  }
  return done;
}

#define BNCC_WALKS(Real)                                                                                          \
  template bool score_all(const Features<Real>&, const Chain<Real>&, const WalkOptions&, double*);                \
  template bool score_top(const Features<Real>&, const Chain<Real>&, const WalkOptions&, const int32_t*, int64_t, \
                          int64_t*, double*);                                                                     \
  template bool find_positives(const Features<Real>&, const Chain<Real>&, const WalkOptions&, const int32_t*,     \
                               std::vector<int64_t>&, std::vector<int32_t>&);
BNCC_WALKS(float)
BNCC_WALKS(double)
#undef BNCC_WALKS

}  // namespace bncc::linear
