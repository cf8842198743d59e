#include "extrapolation.hpp"

#include <algorithm>
#include <cmath>

namespace bncc::linear {
namespace {

constexpr double ridge = 1e-10;  // of the system's trace: epochs that repeat one another leave it singular

// D = sum a - |w|^2 / 2 - sum a^2 / 4C (the last for the squared hinge loss).
template <class Real>
double dual_of(const std::vector<LaneRow<Real>>& rows, const Real* weights, int64_t n_weights, Loss loss) {
  double sum = 0.0, norm = 0.0;
  for (const LaneRow<Real>& row : rows) {
    const double a = static_cast<double>(row.multiplier);
    sum += a - (loss == Loss::hinge ? 0.0 : 0.25 * a * a / static_cast<double>(row.cost));
  }
  for (int64_t j = 0; j < n_weights; ++j) norm += static_cast<double>(weights[j]) * static_cast<double>(weights[j]);
  return sum - 0.5 * norm;
}

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
  const int64_t n_weights = block.x.n_features + block.context.n_labels + 1;
  double shares[n_epochs];
  if (!combine(shares)) return;
  trial_ = rows;
  for (size_t k = 0; k < n_rows_; ++k) {
    double heading = 0.0;
    for (int e = 0; e < n_epochs; ++e) heading += shares[e] * static_cast<double>(noted_[e + 1][k]);
    const double most = block.loss == Loss::hinge ? static_cast<double>(rows[k].cost) : heading;
    trial_[k].multiplier = static_cast<Real>(std::max(0.0, std::min(heading, most)));
  }
  trial_weights_.assign(static_cast<size_t>(n_weights), Real(0));
  loops_.add_rows(block, lane, trial_.data(), static_cast<int64_t>(n_rows_), trial_weights_.data());
  const double now = dual_of(rows, weights, n_weights, block.loss);
  if (!(dual_of(trial_, trial_weights_.data(), n_weights, block.loss) > now)) return;
  rows.swap(trial_);
  std::copy(trial_weights_.begin(), trial_weights_.end(), weights);
}

template class Extrapolation<float, float>;
template class Extrapolation<double, double>;

}  // namespace bncc::linear
