#include "measured_rows.hpp"

#include <algorithm>
#include <cmath>

namespace bncc::linear {
namespace {

constexpr int64_t chunk = 512;  // rows between two looks at `cancel`; and short sums stay in the precision of the lanes

}  // namespace

template <class Value, class Real>
bool MeasuredRows<Value, Real>::measure(const Block<Value, Real>& block, const std::vector<int32_t>& rows, Sums& sums) {
  const int64_t n = static_cast<int64_t>(rows.size());
  Real* products = products_.ensure(n * n_lanes);
  for (int64_t first = 0; first < n; first += chunk) {
    if (cancel_.load(std::memory_order_relaxed)) return false;
    loops_.measure(block, rows.data() + first, std::min(chunk, n - first), products + first * n_lanes, sums);
  }
  size_ = rows.size();
  const Real* bias = block.coef + (block.n_lines() - 1) * n_lanes;
  for (int l = 0; l < n_lanes; ++l) bias_[l] = block.bias_feature * bias[l];
  return true;
}

template <class Value, class Real>
void MeasuredRows<Value, Real>::shift(const Block<Value, Real>& block, const std::vector<int32_t>& rows,
                                      const double* by, Shifted& shifted) const {
  alignas(64) Real rounded[n_lanes];
  for (int l = 0; l < n_lanes; ++l) rounded[l] = static_cast<Real>(by[l]);
  const int64_t n = static_cast<int64_t>(size_);
  for (int64_t first = 0; first < n; first += chunk)
    loops_.shift_products(block, rows.data() + first, std::min(chunk, n - first), products_.data() + first * n_lanes,
                          rounded, shifted.loss, shifted.slope, shifted.curvature);
}

template <class Value, class Real>
void MeasuredRows<Value, Real>::find_slacks(const Block<Value, Real>& block, const std::vector<int32_t>& rows,
                                            size_t place, const Real* travel, Real* slacks) const {
  const int32_t row = rows[place];
  double square = static_cast<double>(block.square[row]);
  if (block.context.indptr) square += static_cast<double>(block.context.indptr[row + 1] - block.context.indptr[row]);
  const Real norm = static_cast<Real>(std::sqrt(square)) + Real(1e-30);
  const Real* products = products_.data() + static_cast<int64_t>(place) * n_lanes;
  for (int l = 0; l < n_lanes; ++l) {
    const Real product = products[l] - bias_[l];
    slacks[l] = (block.positive[row] >> l & 1u ? product : -product) / norm + travel[l];
  }
}

template class MeasuredRows<float, float>;
template class MeasuredRows<double, double>;

}  // namespace bncc::linear
