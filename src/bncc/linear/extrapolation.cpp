#include "extrapolation.hpp"

#include <algorithm>
#include <cmath>

namespace bncc::linear {
namespace {

constexpr double ridge = 1e-10;  // of the system's trace: epochs that repeat one another leave it singular

// x of A x = 1 for a symmetric positive matrix, by elimination; false where a pivot is not positive.
template <size_t n>
bool solve_for_ones(double (&a)[n][n], double* x) {
  for (size_t i = 0; i < n; ++i) x[i] = 1.0;
  for (size_t i = 0; i < n; ++i) {
    if (!(a[i][i] > 0.0)) return false;
    for (size_t j = i + 1; j < n; ++j) {
      const double factor = a[j][i] / a[i][i];
      for (size_t k = i; k < n; ++k) a[j][k] -= factor * a[i][k];
      x[j] -= factor * x[i];
    }
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
  return true;
}

}  // namespace

template <class Value, class Real>
void Extrapolation<Value, Real>::note(const std::vector<LaneRow<Real>>& rows, int epoch) {
  n_rows_ = rows.size();
  noted_[epoch].resize(n_rows_);
  for (size_t k = 0; k < n_rows_; ++k) noted_[epoch][k] = rows[k].multiplier;
}

// Shares of the epochs, which sum to 1, that make their combined change least.
template <class Value, class Real>
bool Extrapolation<Value, Real>::combine(double* shares) const {
  double products[n_epochs][n_epochs] = {}, trace = 0.0, total = 0.0;
  for (size_t k = 0; k < n_rows_; ++k) {
    double change[n_epochs];
    for (int e = 0; e < n_epochs; ++e)
      change[e] = static_cast<double>(noted_[e + 1][k]) - static_cast<double>(noted_[e][k]);
    for (int a = 0; a < n_epochs; ++a)
      for (int b = 0; b <= a; ++b) products[a][b] += change[a] * change[b];
  }
  for (int a = 0; a < n_epochs; ++a) {
    trace += products[a][a];
    for (int b = 0; b < a; ++b) products[b][a] = products[a][b];
  }
  for (int a = 0; a < n_epochs; ++a) products[a][a] += ridge * trace;
  if (!solve_for_ones(products, shares)) return false;
  for (int e = 0; e < n_epochs; ++e) total += shares[e];
  for (int e = 0; e < n_epochs; ++e) shares[e] /= total;
  return std::isfinite(total) && total > 0.0;
}

template <class Value, class Real>
void Extrapolation<Value, Real>::apply(const Block<Value, Real>& block, int lane, std::vector<LaneRow<Real>>& rows,
                                       Real* weights) {
  double shares[n_epochs];
  if (!combine(shares)) return;
  std::vector<LaneRow<Real>>& trial = proposal_.copy(rows);
  for (size_t k = 0; k < n_rows_; ++k) {
    double heading = 0.0;
    for (int e = 0; e < n_epochs; ++e) heading += shares[e] * static_cast<double>(noted_[e + 1][k]);
    const double most = block.loss == Loss::hinge ? static_cast<double>(rows[k].cost) : heading;
    trial[k].multiplier = static_cast<Real>(std::max(0.0, std::min(heading, most)));
  }
  proposal_.adopt(block, lane, rows, weights);
}

template class Extrapolation<float, float>;
template class Extrapolation<double, double>;

}  // namespace bncc::linear
