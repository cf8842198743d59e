// Newton's direction of one lane by orthogonal transformations of its rows, where products of rows lose what matters.
//
// The Hessian is I + B'B, with the rows times the roots of their stiffness in B. With more rows than columns, the
// direction is the least squares solution of [B; I]; else it is what is left of weights and pulls after a projection
// on [B'; I]. Either is made triangular by Householder's reflections, the longest column first, over rows that are
// sorted by their largest value: so rows and columns of very different sizes each keep their own precision.
#pragma once

#include "problem.hpp"

namespace bncc::linear {

// Multiplications of a factorisation, about: one takes some tenths of a second at most.
constexpr double most_orthogonal = 2e8;

template <class Value>
class Orthogonal {
 public:
  explicit Orthogonal(const std::atomic<bool>& cancel) : cancel_(cancel) {}

  // Whether it takes little enough.
  static bool pays(int64_t n_weights, int64_t n_active);

  // Write the lane's direction; `slope` and `curvature` have a line per active row. False where `cancel` or numbers out
  // of range prevent it.
  bool solve(const Block<Value, double>& block, int lane, const std::vector<int32_t>& active, const double* slope,
             const double* curvature, double* direction);

  // The length of a vector under the inverse of the Hessian, and of all that it may be off by.
  double measure(const std::vector<double>& vector, const std::vector<double>& rounding) const;

 private:
  void read(const Block<Value, double>& block, int lane, const std::vector<int32_t>& active, const double* slope,
            const double* curvature);
  void sort_rows();
  bool factor();
  void reflect(int64_t k, double* vector) const;
  void project(std::vector<double>& vector) const;
  double* line(int64_t i) { return matrix_.data() + static_cast<size_t>(i * width_); }
  const double* line(int64_t i) const { return matrix_.data() + static_cast<size_t>(i * width_); }

  const std::atomic<bool>& cancel_;
  bool tall_ = true;
  int64_t n_weights_ = 0, height_ = 0, width_ = 0;
  // In the order of the lines: right sides; of each line, where it comes from. Of the columns as well.
  std::vector<double> matrix_, right_, scale_, head_;
  std::vector<int64_t> source_, column_;
};

}  // namespace bncc::linear
