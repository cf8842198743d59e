// Newton's direction of one lane by factorisation, for problems that are too badly scaled for conjugate gradients.
//
// With rows Z of curvatures D, the Hessian is I + Z' D Z. The smaller of two systems is solved: this one, as wide as
// there are weights, or that of 1 / D + Z Z', as wide as there are rows with curvature (Woodbury).
#pragma once

#include "problem.hpp"

namespace bncc::linear {

// Weights or rows up to which systems are factorised: 72 MB, and some seconds each.
constexpr int64_t most_direct = 3000;

template <class Value>
class Direct {
 public:
  Direct(const Loops<Value, double>& loops, const std::atomic<bool>& cancel) : loops_(loops), cancel_(cancel) {}

  // Write the lane's direction; `curvature` has a line per active row. False where rounding or `cancel` prevents it.
  bool solve(const Block<Value, double>& block, int lane, const std::vector<int32_t>& active, const double* curvature,
             const double* gradient, double* direction);

 private:
  struct Entry {
    int64_t column;
    double value;
  };
  void read_row(const Block<Value, double>& block, int lane, int64_t row, std::vector<Entry>& entries) const;
  void read_rows(const Block<Value, double>& block, int lane, const std::vector<int32_t>& active,
                 const double* curvature);
  void reset(int64_t n);
  bool factor();
  void substitute(std::vector<double>& x) const { loops_.substitute(matrix_.data(), n_, stride_, x.data()); }
  bool solve_for_weights(std::vector<double>& x, int64_t n_weights);
  bool solve_for_rows(std::vector<double>& x, int64_t n_weights);

  const Loops<Value, double>& loops_;
  const std::atomic<bool>& cancel_;
  std::vector<std::vector<Entry>> rows_;
  std::vector<double> curvature_;
  int64_t n_ = 0, stride_ = 0;
  Buffer<double> matrix_, turned_;
};

}  // namespace bncc::linear
