// Other multipliers for a lane, which are taken over only where the dual objective grows by them.
#pragma once

#include "problem.hpp"

namespace bncc::linear {

// |weights|^2, in four sums, so that no addition waits for the one before.
template <class Real>
double square_of(const Real* weights, int64_t n) {
  double sums[4] = {};
  int64_t j = 0;
  for (; j + 3 < n; j += 4)
    for (int64_t k = 0; k < 4; ++k)
      sums[k] += static_cast<double>(weights[j + k]) * static_cast<double>(weights[j + k]);
  for (; j < n; ++j) sums[0] += static_cast<double>(weights[j]) * static_cast<double>(weights[j]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class Value, class Real>
class Proposal {
 public:
  explicit Proposal(const Loops<Value, Real>& loops) : loops_(loops) {}

  // A copy of the rows, whose multipliers are to be changed.
  std::vector<LaneRow<Real>>& copy(const std::vector<LaneRow<Real>>& rows) { return rows_ = rows; }

  // Move rows and weights to what the copy has become, if the dual objective grows by it; says whether it does.
  bool adopt(const Block<Value, Real>& block, int lane, std::vector<LaneRow<Real>>& rows, Real* weights);

 private:
  const Loops<Value, Real>& loops_;
  std::vector<LaneRow<Real>> rows_;
  std::vector<Real> weights_;
};

}  // namespace bncc::linear
