#include "dense_scores.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <type_traits>

#include "native/thread_pool.hpp"

namespace bncc::linear {
namespace {

constexpr int64_t rows_per_unit = 8192;  // enough to be worth laying out weights for
constexpr int64_t chunk = 256;           // rows between two looks at `cancel`

template <class Real>
const Loops<Real, Real>& table_of(const LoopTables& tables) {
  if constexpr (std::is_same_v<Real, double>)
    return tables.twice;
  else
    return tables.single;
}

// One thread's memory.
template <class Real>
class Scorer {
 public:
  Scorer(const Features<Real>& x, const DenseLinks<Real>& links, const Loops<Real, Real>& loops,
         const std::vector<uint16_t>& nothing)
      : links_(links), loops_(loops) {
    block_.x = x;
    block_.positive = block_.member = nothing.data();  // of all rows: asked for early, and not read
    lines_.ensure((x.n_features + 1) * n_lanes);
    products_.ensure(chunk * n_lanes);
  }

  // Rows first..last by the links of a block; the scores of the first of them begin at `scores`.
  void score(int64_t block, int64_t first, int64_t last, const std::atomic<bool>& cancel, double* scores) {
    const int64_t link = block * n_lanes, n = std::min<int64_t>(n_lanes, links_.n_links - link);
    lay_out(link, n);
    for (int64_t row = first; row < last && !cancel.load(std::memory_order_relaxed); row += chunk) {
      rows_.resize(static_cast<size_t>(std::min(chunk, last - row)));
      std::iota(rows_.begin(), rows_.end(), static_cast<int32_t>(row));
      loops_.multiply(block_, lines_.data(), rows_.data(), static_cast<int64_t>(rows_.size()), products_.data());
      for (size_t r = 0; r < rows_.size(); ++r)
        for (int64_t l = 0; l < n; ++l)
          scores[(row - first + static_cast<int64_t>(r)) * links_.n_links + link + l] =
              static_cast<double>(products_.data()[r * n_lanes + static_cast<size_t>(l)]) + links_.bias[link + l];
    }
  }

 private:
  // The weights of some links as lines of sixteen; zeros where there are fewer, and for the constant.
  void lay_out(int64_t link, int64_t n) {
    const int64_t n_lines = block_.x.n_features;
    Real* lines = lines_.data();
    if (n < n_lanes) std::fill(lines, lines + n_lines * n_lanes, Real(0));
    std::fill(lines + n_lines * n_lanes, lines + (n_lines + 1) * n_lanes, Real(0));
    for (int64_t first = 0; first < n_lines; first += n_lanes)
      for (int64_t l = 0; l < n; ++l) {
        const Real* weights = links_.weights + links_.problems[link + l] * links_.n_columns;
        for (int64_t j = first, last = std::min<int64_t>(n_lines, first + n_lanes); j < last; ++j)
          lines[j * n_lanes + l] = weights[j];
      }
  }

  const DenseLinks<Real>& links_;
  const Loops<Real, Real>& loops_;
  Block<Real, Real> block_;
  std::vector<int32_t> rows_;
  Buffer<Real> lines_, products_;
};

}  // namespace

template <class Real>
bool score_rows(const Features<Real>& x, const DenseLinks<Real>& links, int64_t first_row, int64_t n_rows,
                const ScoreOptions& options, double* scores) {
  const int64_t n_blocks = (links.n_links + n_lanes - 1) / n_lanes;
  const int64_t n_parts = (n_rows + rows_per_unit - 1) / rows_per_unit;
  const int n_threads = static_cast<int>(std::min<int64_t>(options.n_threads, n_blocks * n_parts));
  if (n_threads == 0) return true;
  const std::vector<uint16_t> nothing(static_cast<size_t>(x.n_rows));
  std::vector<std::unique_ptr<Scorer<Real>>> of_thread;
  for (int t = 0; t < n_threads; ++t)
    of_thread.push_back(std::make_unique<Scorer<Real>>(x, links, table_of<Real>(*options.loops), nothing));
  std::atomic<bool> cancel{false};
  ThreadPool pool(n_threads);
  pool.run(
      n_blocks * n_parts, cancel,
      [&](int thread, int64_t unit) {
        const int64_t first = first_row + unit / n_blocks * rows_per_unit;
        const int64_t last = std::min(first_row + n_rows, first + rows_per_unit);
        of_thread[static_cast<size_t>(thread)]->score(unit % n_blocks, first, last, cancel,
                                                      scores + (first - first_row) * links.n_links);
      },
      [&] { return options.poll(0); });
  return !cancel.load();
}

template bool score_rows(const Features<float>&, const DenseLinks<float>&, int64_t, int64_t, const ScoreOptions&,
                         double*);
template bool score_rows(const Features<double>&, const DenseLinks<double>&, int64_t, int64_t, const ScoreOptions&,
                         double*);

}  // namespace bncc::linear
