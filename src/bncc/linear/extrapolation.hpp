// Where the multipliers of a lane are heading (Anderson's extrapolation).
//
// While the same rows keep positive multipliers, an epoch in a fixed order is an affine map of the multipliers. A few
// epochs in a row then tell the fixed point much closer than the last of them: the combination of their results that
// moves least. A lane whose gap shrinks slowly saves most of its epochs that way.
#pragma once

#include "proposal.hpp"

namespace bncc::linear {

template <class Value, class Real>
class Extrapolation {
 public:
  static constexpr int n_epochs = 6;  // of a cycle

  explicit Extrapolation(const Loops<Value, Real>& loops) : proposal_(loops) {}

  // Note the multipliers before the first epoch of a cycle, and after each of them. Rows must stay where they are.
  void note(const std::vector<LaneRow<Real>>& rows, int epoch);

  // After the last epoch: move multipliers and weights to where they are heading, if the dual objective grows by it.
  void apply(const Block<Value, Real>& block, int lane, std::vector<LaneRow<Real>>& rows, Real* weights);

 private:
  bool combine(double* shares) const;

  Proposal<Value, Real> proposal_;
  size_t n_rows_ = 0;
  std::vector<Real> noted_[n_epochs + 1];
};

}  // namespace bncc::linear
