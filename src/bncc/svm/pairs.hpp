// The state of one SMO problem and the loop that improves it pair by pair.
#pragma once

#include <atomic>

#include "kernel_rows.hpp"

namespace bncc {

// min 1/2 a'Qa - sum a, 0 <= a_t <= C_t, sum a_t y_t = 0, Q = y y' k; arrays are padded to whole blocks.
//
// f_t = y_t - sum_s a_s y_s k(s, t) - offset is kept for all rows, with an offset that changes nothing but rounding. A
// row is in "up" when a_t y_t may grow and in "down" when it may fall; the state is optimal when max f over up - min f
// over down < tol. Since sum a y = 0, k may be shifted by any constant: k - 1 is used, which stays exact in single
// precision when gamma is tiny.
struct Pairs {
  int n = 0, padded = 0;
  Array<int8_t> y;
  Array<double> alpha, bound;
  Array<float> f, up, down;
  int top = -1;  // the row that may go up with the largest f
  float gmax = 0.0f, gmin = 0.0f;
  double offset = 0.0;
  double drift = 0.0;    // square of the rounding error that f may have gathered
  double largest = 0.0;  // of the multipliers so far

  // Euclidean length of the multipliers.
  double length() const;
  void resize(int count);
  void mark(int t);
  void mark_all(const Loops& loops);
  // Add to a_t y_t, within the box, and forget rounding at its edges. `full`: the whole room is used.
  void shift(int t, double amount, bool full);
  double room_up(int t) const { return y[t] > 0 ? bound[t] - alpha[t] : alpha[t]; }
  double room_down(int t) const { return y[t] > 0 ? alpha[t] : bound[t] - alpha[t]; }
};

// A coefficient within rounding of its box is put onto it: a row that is free by rounding alone would set the bias.
// What counts as rounding is told by the largest multiplier: the box may be wider by any factor.
constexpr double edge = 1e-12;
double snap(double value, double bound, double largest);

enum class End { reached, paused, cancelled };

constexpr double rounding = 6e-8;  // of one single-precision operation

// Improve until the tolerance is reached, `steps` pairs are done or `cancel` is set; *iterations counts pairs.
// i has the largest f, j the largest second-order gain (Fan, Chen, Lin 2005, as in LIBSVM).
End improve(Pairs& pairs, Rows& rows, const Loops& loops, double tol, int64_t steps, const std::atomic<bool>& cancel,
            int64_t* iterations);

// Rows that may still take part in a violating pair: those free, and those at a bound on the wrong side of the gap.
void find_active(const Pairs& pairs, Array<int32_t>& active);

}  // namespace bncc
