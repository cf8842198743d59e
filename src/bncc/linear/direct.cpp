#include "direct.hpp"

#include <algorithm>

#include "lane_entries.hpp"

namespace bncc::linear {

// What the lane sees of a row, columns ascending, the constant last.
template <class Value>
void Direct<Value>::read_row(const Block<Value, double>& block, int lane, int64_t row,
                             std::vector<Entry>& entries) const {
  entries.clear();
  visit_row(block, lane, row, [&](int64_t column, double value) { entries.push_back({column, value}); });
}

template <class Value>
void Direct<Value>::read_rows(const Block<Value, double>& block, int lane, const std::vector<int32_t>& active,
                              const double* curvature) {
  rows_.clear();
  curvature_.clear();
  for (size_t r = 0; r < active.size(); ++r) {
    const double own = curvature[r * n_lanes + static_cast<size_t>(lane)];
    if (!(own > 0.0)) continue;
    rows_.emplace_back();
    read_row(block, lane, active[r], rows_.back());
    curvature_.push_back(own);
  }
}

// A matrix of zeros.
template <class Value>
void Direct<Value>::reset(int64_t n) {
  n_ = n;
  stride_ = (n + n_lanes) / n_lanes * n_lanes;
  double* matrix = matrix_.ensure((n + 1) * stride_);
  std::fill(matrix, matrix + (n + 1) * stride_, 0.0);
  turned_.ensure(panel_width * stride_);
}

template <class Value>
bool Direct<Value>::factor() {
  for (int64_t first = 0; first < n_; first += panel_width) {
    if (cancel_.load(std::memory_order_relaxed)) return false;
    if (!loops_.factor_panel(matrix_.data(), n_, stride_, first, turned_.data())) return false;
  }
  return true;
}

template <class Value>
bool Direct<Value>::solve_for_weights(std::vector<double>& x, int64_t n_weights) {
  reset(n_weights);
  double* matrix = matrix_.data();
  for (int64_t j = 0; j < n_; ++j) matrix[j * stride_ + j] = 1.0;
  for (size_t r = 0; r < rows_.size(); ++r) {
    if (r % 64 == 0 && cancel_.load(std::memory_order_relaxed)) return false;
    const std::vector<Entry>& row = rows_[r];
    for (size_t a = 0; a < row.size(); ++a) {
      double* line = matrix + row[a].column * stride_;
      const double factor = curvature_[r] * row[a].value;
      for (size_t b = 0; b <= a; ++b) line[row[b].column] += factor * row[b].value;
    }
  }
  if (!factor()) return false;
  substitute(x);
  return true;
}

template <class Value>
bool Direct<Value>::solve_for_rows(std::vector<double>& x, int64_t n_weights) {
  reset(static_cast<int64_t>(rows_.size()));
  std::vector<double> spread(static_cast<size_t>(n_weights), 0.0), products(rows_.size());
  const auto times = [](const std::vector<Entry>& row, const std::vector<double>& line) {
    double sum = 0.0;
    for (const Entry& entry : row) sum += entry.value * line[static_cast<size_t>(entry.column)];
    return sum;
  };
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (i % 64 == 0 && cancel_.load(std::memory_order_relaxed)) return false;
    double* line = matrix_.data() + static_cast<int64_t>(i) * stride_;
    for (const Entry& entry : rows_[i]) spread[static_cast<size_t>(entry.column)] = entry.value;
    for (size_t j = 0; j <= i; ++j) line[j] = times(rows_[j], spread);
    line[i] += 1.0 / curvature_[i];
    for (const Entry& entry : rows_[i]) spread[static_cast<size_t>(entry.column)] = 0.0;
    products[i] = times(rows_[i], x);
  }
  if (!factor()) return false;
  substitute(products);
  for (size_t i = 0; i < rows_.size(); ++i)
    for (const Entry& entry : rows_[i]) x[static_cast<size_t>(entry.column)] -= entry.value * products[i];
  return true;
}

template <class Value>
bool Direct<Value>::solve(const Block<Value, double>& block, int lane, const std::vector<int32_t>& active,
                          const double* curvature, const double* gradient, double* direction) {
  const int64_t n_weights = block.n_lines();
  read_rows(block, lane, active, curvature);
  const int64_t n_rows = static_cast<int64_t>(rows_.size());
  if (std::min(n_weights, n_rows) > most_direct) return false;
  std::vector<double> x(static_cast<size_t>(n_weights));
  for (int64_t j = 0; j < n_weights; ++j) x[static_cast<size_t>(j)] = -gradient[j * n_lanes + lane];
  if (!(n_weights <= n_rows ? solve_for_weights(x, n_weights) : solve_for_rows(x, n_weights))) return false;
  for (int64_t j = 0; j < n_weights; ++j) direction[j * n_lanes + lane] = x[static_cast<size_t>(j)];
  return true;
}

template class Direct<float>;
template class Direct<double>;

}  // namespace bncc::linear
