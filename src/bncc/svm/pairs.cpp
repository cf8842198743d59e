#include "pairs.hpp"

#include <algorithm>
#include <cmath>

namespace bncc {

void Pairs::resize(int count) {
  n = count;
  padded = (n + block - 1) / block * block;
  y.assign(padded, 0);
  alpha.assign(padded, 0.0);
  bound.assign(padded, 0.0);
  f.assign(padded, 0.0f);
  up.assign(padded, -far);
  down.assign(padded, -far);
  drift = largest = 0.0;
}

double Pairs::length() const {
  double sum = 0.0;
  for (const double a : alpha) sum += (a / largest) * (a / largest);
  return largest > 0.0 ? largest * std::sqrt(sum) : 0.0;
}

void Pairs::mark(int t) {
  const bool can_grow = alpha[t] < bound[t], can_fall = alpha[t] > 0.0 && bound[t] > 0.0;
  up[t] = (y[t] > 0 ? can_grow : can_fall) ? 0.0f : -far;
  down[t] = (y[t] > 0 ? can_fall : can_grow) ? 0.0f : -far;
}

void Pairs::mark_all(const Loops& loops) {
  for (int t = 0; t < n; ++t) mark(t);
  top = loops.find_top(f.data(), up.data(), padded, &gmax);
}

void Pairs::shift(int t, double amount, bool full) {
  const bool grows = (amount > 0.0) == (y[t] > 0);
  alpha[t] = full ? (grows ? bound[t] : 0.0) : snap(alpha[t] + y[t] * amount, bound[t], largest);
  largest = std::max(largest, alpha[t]);
  mark(t);
}

double snap(double value, double bound, double largest) {
  if (value < edge * std::min(bound, largest)) return 0.0;
  return value > (1.0 - edge) * bound ? bound : value;
}

namespace {

void take_step(Pairs& pairs, int i, int j, const float* row_i, const float* row_j, const Loops& loops) {
  const double eta = std::max(-2.0 * static_cast<double>(row_i[j]), static_cast<double>(tau));
  const double room_i = pairs.room_up(i), room_j = pairs.room_down(j);
  double change = (static_cast<double>(pairs.gmax) - pairs.f[j]) / eta;
  const bool full_i = change >= room_i && room_i <= room_j, full_j = change >= room_j && room_j <= room_i;
  change = std::min(change, std::min(room_i, room_j));
  pairs.shift(i, change, full_i);
  pairs.shift(j, -change, full_j);
  const double error = rounding * (std::fabs(pairs.gmax) + std::fabs(pairs.gmin) + change);
  pairs.drift += error * error;
  pairs.top = loops.update(pairs.f.data(), pairs.up.data(), row_i, row_j, static_cast<float>(change), pairs.padded,
                           &pairs.gmax);
}

}  // namespace

End improve(Pairs& pairs, Rows& rows, const Loops& loops, double tol, int64_t steps, const std::atomic<bool>& cancel,
            int64_t* iterations) {
  for (int64_t done = 0;; ++done) {
    const int i = pairs.top;
    if (i < 0) return End::reached;
    const float* row_i = rows.row(i);
    const int j = loops.choose(pairs.f.data(), pairs.down.data(), row_i, pairs.padded, pairs.gmax, &pairs.gmin);
    if (j < 0 || pairs.gmax - pairs.gmin < static_cast<float>(tol)) return End::reached;
    if (done >= steps) return End::paused;
    if (done % 512 == 0 && cancel.load(std::memory_order_relaxed)) return End::cancelled;
    take_step(pairs, i, j, row_i, rows.row(j), loops);
    ++*iterations;
  }
}

void find_active(const Pairs& pairs, Array<int32_t>& active) {
  active.clear();
  for (int t = 0; t < pairs.n; ++t) {
    const bool up = pairs.up[t] == 0.0f, down = pairs.down[t] == 0.0f;
    if ((up && (down || pairs.f[t] >= pairs.gmin)) || (down && !up && pairs.f[t] <= pairs.gmax)) active.push_back(t);
  }
}

}  // namespace bncc
