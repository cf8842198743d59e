// Other multipliers for a lane, which are taken over only where the dual objective grows by them.
#pragma once

#include "problem.hpp"

namespace bncc::linear {

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
