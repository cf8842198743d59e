#include "orthogonal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lane_entries.hpp"

namespace bncc::linear {

template <class Value>
bool Orthogonal<Value>::pays(int64_t n_weights, int64_t n_active) {
  const double least = static_cast<double>(std::min(n_weights, n_active));
  return static_cast<double>(n_weights + n_active) * least * least <= most_orthogonal;
}

// [B; I] and its right side, or [B'; I] and what is projected.
template <class Value>
void Orthogonal<Value>::read(const Block<Value, double>& block, int lane, const std::vector<int32_t>& active,
                             const double* slope, const double* curvature) {
  std::vector<size_t> stiff;
  for (size_t r = 0; r < active.size(); ++r)
    if (curvature[r * n_lanes + static_cast<size_t>(lane)] > 0.0) stiff.push_back(r);
  n_weights_ = block.n_lines();
  const int64_t n_rows = static_cast<int64_t>(stiff.size());
  tall_ = n_rows >= n_weights_;
  width_ = std::min(n_rows, n_weights_);
  height_ = n_rows + n_weights_;
  matrix_.assign(static_cast<size_t>(height_ * width_), 0.0);
  std::vector<double> rest(static_cast<size_t>(n_weights_)), force(stiff.size());
  for (int64_t j = 0; j < n_weights_; ++j) rest[static_cast<size_t>(j)] = block.coef[j * n_lanes + lane];
  for (size_t r = 0; r < active.size(); ++r) {
    const size_t at = r * n_lanes + static_cast<size_t>(lane);
    if (curvature[at] > 0.0 || slope[at] == 0.0) continue;
    visit_row(block, lane, active[r],
              [&](int64_t column, double value) { rest[static_cast<size_t>(column)] += slope[at] * value; });
  }
  for (int64_t k = 0; k < n_rows; ++k) {
    const size_t r = stiff[static_cast<size_t>(k)], at = r * n_lanes + static_cast<size_t>(lane);
    const double root = std::sqrt(curvature[at]);
    force[static_cast<size_t>(k)] = -slope[at] / root;
    visit_row(block, lane, active[r],
              [&](int64_t column, double value) { (tall_ ? line(k)[column] : line(column)[k]) = root * value; });
  }
  const int64_t before_ones = tall_ ? n_rows : n_weights_;
  for (int64_t k = 0; k < width_; ++k) line(before_ones + k)[k] = 1.0;
  if (tall_)
    for (double& one : rest) one = -one;
  right_ = tall_ ? force : rest;
  const std::vector<double>& last = tall_ ? rest : force;
  right_.insert(right_.end(), last.begin(), last.end());
}

// Columns of which the largest value is 1, and lines in the order of theirs.
template <class Value>
void Orthogonal<Value>::sort_rows() {
  scale_.assign(static_cast<size_t>(width_), 0.0);
  for (int64_t i = 0; i < height_; ++i)
    for (int64_t k = 0; k < width_; ++k)
      scale_[static_cast<size_t>(k)] = std::max(scale_[static_cast<size_t>(k)], std::abs(line(i)[k]));
  std::vector<double> size(static_cast<size_t>(height_), 0.0);
  for (int64_t i = 0; i < height_; ++i)
    for (int64_t k = 0; k < width_; ++k) {
      line(i)[k] /= scale_[static_cast<size_t>(k)];
      size[static_cast<size_t>(i)] = std::max(size[static_cast<size_t>(i)], std::abs(line(i)[k]));
    }
  source_.resize(static_cast<size_t>(height_));
  std::iota(source_.begin(), source_.end(), int64_t{0});
  std::stable_sort(source_.begin(), source_.end(),
                   [&](int64_t a, int64_t b) { return size[static_cast<size_t>(a)] > size[static_cast<size_t>(b)]; });
  std::vector<double> sorted;
  sorted.reserve(matrix_.size());
  for (const int64_t i : source_) sorted.insert(sorted.end(), line(i), line(i) + width_);
  matrix_.swap(sorted);
}

// Reflections below the diagonal (their heads apart), the triangle above and on it.
template <class Value>
bool Orthogonal<Value>::factor() {
  head_.assign(static_cast<size_t>(width_), 0.0);
  column_.resize(static_cast<size_t>(width_));
  std::iota(column_.begin(), column_.end(), int64_t{0});
  std::vector<double> square(static_cast<size_t>(width_)), product(static_cast<size_t>(width_));
  for (int64_t i = 0; i < height_; ++i)
    for (int64_t k = 0; k < width_; ++k) square[static_cast<size_t>(k)] += line(i)[k] * line(i)[k];
  for (int64_t k = 0; k < width_; ++k) {
    if (cancel_.load(std::memory_order_relaxed)) return false;
    const int64_t best = std::max_element(square.begin() + k, square.end()) - square.begin();  // the first of equals
    if (best != k) {
      for (int64_t i = 0; i < height_; ++i) std::swap(line(i)[k], line(i)[best]);
      std::swap(square[static_cast<size_t>(k)], square[static_cast<size_t>(best)]);
      std::swap(column_[static_cast<size_t>(k)], column_[static_cast<size_t>(best)]);
    }
    double length = 0.0;
    for (int64_t i = k; i < height_; ++i) length += line(i)[k] * line(i)[k];
    length = std::sqrt(length);
    if (!(length > 0.0)) return false;
    const double top = line(k)[k], diagonal = top > 0.0 ? -length : length, head = top - diagonal;
    const double factor = 1.0 / (length * (length + std::abs(top)));  // 2 over the square of the reflection
    head_[static_cast<size_t>(k)] = head;
    std::fill(product.begin() + k + 1, product.end(), 0.0);
    for (int64_t i = k; i < height_; ++i) {
      const double own = i == k ? head : line(i)[k];
      if (own == 0.0) continue;
      const double* from = line(i);
      for (int64_t j = k + 1; j < width_; ++j) product[static_cast<size_t>(j)] += own * from[j];
    }
    std::fill(square.begin() + k, square.end(), 0.0);
    for (int64_t i = k; i < height_; ++i) {
      const double own = factor * (i == k ? head : line(i)[k]);
      double* to = line(i);
      for (int64_t j = k + 1; j < width_; ++j) {
        to[j] -= own * product[static_cast<size_t>(j)];
        if (i > k) square[static_cast<size_t>(j)] += to[j] * to[j];
      }
    }
    line(k)[k] = diagonal;
  }
  return true;
}

template <class Value>
void Orthogonal<Value>::reflect(int64_t k, double* vector) const {
  const double head = head_[static_cast<size_t>(k)];
  double square = head * head, product = head * vector[k];
  for (int64_t i = k + 1; i < height_; ++i) {
    square += line(i)[k] * line(i)[k];
    product += line(i)[k] * vector[i];
  }
  const double factor = 2.0 * product / square;
  vector[k] -= factor * head;
  for (int64_t i = k + 1; i < height_; ++i) vector[i] -= factor * line(i)[k];
}

// What is left of a vector outside the columns; twice, so that it is left by rounding, too.
template <class Value>
void Orthogonal<Value>::project(std::vector<double>& vector) const {
  for (int times = 0; times < 2; ++times) {
    for (int64_t k = 0; k < width_; ++k) reflect(k, vector.data());
    std::fill(vector.begin(), vector.begin() + width_, 0.0);
    for (int64_t k = width_ - 1; k >= 0; --k) reflect(k, vector.data());
  }
}

template <class Value>
bool Orthogonal<Value>::solve(const Block<Value, double>& block, int lane, const std::vector<int32_t>& active,
                              const double* slope, const double* curvature, double* direction) {
  read(block, lane, active, slope, curvature);
  sort_rows();
  if (!factor()) return false;
  std::vector<double> sorted;
  for (const int64_t i : source_) sorted.push_back(right_[static_cast<size_t>(i)]);
  if (!tall_) {
    project(sorted);
    for (size_t i = 0; i < sorted.size(); ++i)
      if (source_[i] < n_weights_) direction[source_[i] * n_lanes + lane] = -sorted[i];
    return true;
  }
  for (int64_t k = 0; k < width_; ++k) reflect(k, sorted.data());
  for (int64_t k = width_ - 1; k >= 0; --k) {
    double sum = sorted[static_cast<size_t>(k)];
    for (int64_t j = k + 1; j < width_; ++j) sum -= line(k)[j] * sorted[static_cast<size_t>(j)];
    sorted[static_cast<size_t>(k)] = sum / line(k)[k];
  }
  for (int64_t k = 0; k < width_; ++k) {
    const int64_t column = column_[static_cast<size_t>(k)];
    direction[column * n_lanes + lane] = sorted[static_cast<size_t>(k)] / scale_[static_cast<size_t>(column)];
  }
  return true;
}

template <class Value>
double Orthogonal<Value>::measure(const std::vector<double>& vector, const std::vector<double>& rounding) const {
  const auto length = [](const std::vector<double>& line) {
    double square = 0.0;
    for (const double one : line) square += one * one;
    return std::sqrt(square);
  };
  if (!tall_) {
    std::vector<double> sorted;
    for (const int64_t i : source_) sorted.push_back(i < n_weights_ ? vector[static_cast<size_t>(i)] : 0.0);
    project(sorted);
    return length(sorted) + length(rounding);
  }
  // The transposed triangle takes what is sought to the vector.
  const auto divide = [&](std::vector<double>& x, int64_t first) {
    for (int64_t k = first; k < width_; ++k) {
      const double own = x[static_cast<size_t>(k)] /= line(k)[k];
      if (own == 0.0) continue;
      for (int64_t j = k + 1; j < width_; ++j) x[static_cast<size_t>(j)] -= line(k)[j] * own;
    }
  };
  const size_t n = static_cast<size_t>(width_);
  std::vector<double> x(n), worst(n, 0.0);
  const auto at = [&](const std::vector<double>& line, size_t k) {
    const size_t column = static_cast<size_t>(column_[k]);
    return line[column] / scale_[column];
  };
  for (size_t k = 0; k < n; ++k) x[k] = at(vector, k);
  divide(x, 0);
  std::vector<double> unit(n);
  for (size_t k = 0; k < n; ++k) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[k] = at(rounding, k);
    divide(unit, static_cast<int64_t>(k));
    for (size_t j = k; j < n; ++j) worst[j] += std::abs(unit[j]);
  }
  return length(x) + length(worst);
}

template class Orthogonal<float>;
template class Orthogonal<double>;

}  // namespace bncc::linear
