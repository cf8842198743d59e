#include "proposal.hpp"

#include <algorithm>

namespace bncc::linear {
namespace {

// D = sum a - |w|^2 / 2 - sum a^2 / 4C (the last for the squared hinge loss).
template <class Real>
double dual_of(const std::vector<LaneRow<Real>>& rows, const Real* weights, int64_t n_weights, Loss loss) {
  double sum = 0.0;
  for (const LaneRow<Real>& row : rows) {
    const double a = static_cast<double>(row.multiplier);
    sum += a - (loss == Loss::hinge ? 0.0 : 0.25 * a * a / static_cast<double>(row.cost));
  }
  return sum - 0.5 * square_of(weights, n_weights);
}

}  // namespace

template <class Value, class Real>
bool Proposal<Value, Real>::adopt(const Block<Value, Real>& block, int lane, std::vector<LaneRow<Real>>& rows,
                                  Real* weights) {
  const int64_t n_weights = block.n_lines();
  weights_.assign(static_cast<size_t>(n_weights), Real(0));
  loops_.add_rows(block, lane, rows_.data(), static_cast<int64_t>(rows_.size()), weights_.data());
  const double now = dual_of(rows, weights, n_weights, block.loss);
  if (!(dual_of(rows_, weights_.data(), n_weights, block.loss) > now)) return false;
  rows.swap(rows_);
  std::copy(weights_.begin(), weights_.end(), weights);
  return true;
}

template class Proposal<float, float>;
template class Proposal<double, double>;

}  // namespace bncc::linear
