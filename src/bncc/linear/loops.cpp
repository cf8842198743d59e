// See loops.hpp. This file is compiled several times: BNCC_TARGET names the instruction set of the build.
//
// It must not include standard templates: an inline function emitted here with wide instructions could be the copy
// the linker keeps for the whole library, which would crash on a smaller machine.
#include "loops.hpp"

#include <math.h>

#include "cholesky.hpp"
#include "lanes.hpp"
#include "one_lane.hpp"

#ifndef BNCC_TARGET
#define BNCC_TARGET baseline
#endif
#define BNCC_JOIN2(a, b) a##b
#define BNCC_JOIN(a, b) BNCC_JOIN2(a, b)
#define BNCC_TEXT2(a) #a
#define BNCC_TEXT(a) BNCC_TEXT2(a)

namespace bncc::linear {
namespace {

constexpr int ahead = 8;                 // rows whose values are asked for before they are needed
constexpr int just_ahead = 2;            // rows whose lines are
constexpr int64_t most_fetched = 128;    // entries of a row; those behind follow by themselves
constexpr int64_t near_bytes = 1 << 19;  // lines that take no more stay near by themselves

BNCC_INLINE void fetch(const void* p) {
#if defined(__GNUC__)
  __builtin_prefetch(p);
#else
  (void)p;
#endif
}

template <class Value, class Real>
BNCC_INLINE int64_t bias_line(const Block<Value, Real>& block) {
  return (block.x.n_features + block.context.n_labels) * width;
}

// What row s + 2 ahead needs to be found, and what is kept per row.
template <class Value, class Real>
BNCC_INLINE void fetch_facts(const Block<Value, Real>& block, int64_t row) {
  fetch(block.x.indptr + row);
  fetch(block.positive + row);
  fetch(block.member + row);
  if (block.square) fetch(block.square + row);
  if (block.weight) fetch(block.weight + row);
  if (block.state) fetch(block.state + row * width);
  if (block.context.indptr) fetch(block.context.indptr + row);
}

template <class Value, class Real>
BNCC_INLINE void fetch_entries(const Block<Value, Real>& block, int64_t row) {
  const Features<Value>& x = block.x;
  const int64_t begin = x.indptr[row], end = x.indptr[row + 1];
  for (int64_t k = begin; k < end && k < begin + most_fetched; k += 16) fetch(x.indices + k);
  for (int64_t k = begin; k < end && k < begin + most_fetched; k += 64 / static_cast<int64_t>(sizeof(Value)))
    fetch(x.values + k);
  if (block.context.indptr) fetch(block.context.labels + block.context.indptr[row]);
}

template <class Value, class Real>
BNCC_INLINE void fetch_lines(const Block<Value, Real>& block, const Real* lines, int64_t row) {
  const Features<Value>& x = block.x;
  const int64_t begin = x.indptr[row], end = x.indptr[row + 1];
  for (int64_t k = begin; k < end && k < begin + most_fetched; ++k)
    fetch(lines + static_cast<int64_t>(x.indices[k]) * width);
}

// Rows come in any order: ask early for what the next ones need, and before that for what tells where it is.
template <class Value, class Real>
BNCC_INLINE void fetch_row(const Block<Value, Real>& block, const Real* lines, const int32_t* rows, int64_t s,
                           int64_t n) {
  if (!block.x.indices) return;
  if (s + 2 * ahead < n) fetch_facts(block, rows[s + 2 * ahead]);
  if (s + ahead < n) fetch_entries(block, rows[s + ahead]);
  const bool far = bias_line(block) * static_cast<int64_t>(sizeof(Real)) > near_bytes;
  if (far && s + just_ahead < n) fetch_lines(block, lines, rows[s + just_ahead]);
}

// The product of a row with lines, without the bias. Two sums, so that no addition waits for the one before.
template <class Value, class Real>
BNCC_INLINE Lanes<Real> product(const Block<Value, Real>& block, const Real* lines, int64_t row) {
  const Features<Value>& x = block.x;
  Lanes<Real> even = fill<Real>(0), odd = fill<Real>(0);
  if (x.indices) {
    const int64_t end = x.indptr[row + 1];
    int64_t k = x.indptr[row];
    for (; k + 1 < end; k += 2) {
      even += fill<Real>(x.values[k]) * load(lines + static_cast<int64_t>(x.indices[k]) * width);
      odd += fill<Real>(x.values[k + 1]) * load(lines + static_cast<int64_t>(x.indices[k + 1]) * width);
    }
    if (k < end) even += fill<Real>(x.values[k]) * load(lines + static_cast<int64_t>(x.indices[k]) * width);
  } else {
    const Value* values = x.values + row * x.n_features;
    int64_t j = 0;
    for (; j + 1 < x.n_features; j += 2) {
      even += fill<Real>(values[j]) * load(lines + j * width);
      odd += fill<Real>(values[j + 1]) * load(lines + (j + 1) * width);
    }
    if (j < x.n_features) even += fill<Real>(values[j]) * load(lines + j * width);
  }
  if (block.context.indptr) {  // the lines of labels are zero in the lanes that do not see them
    const Real* labels = lines + x.n_features * width;
    for (int64_t k = block.context.indptr[row]; k < block.context.indptr[row + 1]; ++k)
      even += load(labels + static_cast<int64_t>(block.context.labels[k]) * width);
  }
  return even + odd;
}

// lines += row * step, in the lanes that see what is added to.
template <class Value, class Real>
BNCC_INLINE void add_row(const Block<Value, Real>& block, Real* lines, int64_t row, Lanes<Real> step) {
  const Features<Value>& x = block.x;
  if (x.indices) {
    for (int64_t k = x.indptr[row]; k < x.indptr[row + 1]; ++k) {
      Real* line = lines + static_cast<int64_t>(x.indices[k]) * width;
      store(line, load(line) + fill<Real>(x.values[k]) * step);
    }
  } else {
    const Value* values = x.values + row * x.n_features;
    for (int64_t j = 0; j < x.n_features; ++j)
      store(lines + j * width, load(lines + j * width) + fill<Real>(values[j]) * step);
  }
  if (block.context.indptr)
    for (int64_t k = block.context.indptr[row]; k < block.context.indptr[row + 1]; ++k) {
      const int64_t label = block.context.labels[k];
      Real* line = lines + (x.n_features + label) * width;
      store(line, load(line) + load(block.seen + label * width) * step);
    }
  Real* bias = lines + bias_line(block);
  store(bias, load(bias) + fill<Real>(block.bias_feature) * step);
}

// |x|^2 per lane: features, constant, labels seen.
template <class Value, class Real>
BNCC_INLINE Lanes<Real> squared_norm(const Block<Value, Real>& block, int64_t row) {
  Lanes<Real> out = fill<Real>(block.square[row] + block.bias_feature * block.bias_feature);
  if (block.context.indptr)
    for (int64_t k = block.context.indptr[row]; k < block.context.indptr[row + 1]; ++k)
      out += load(block.seen + static_cast<int64_t>(block.context.labels[k]) * width);
  return out;
}

template <class Value, class Real>
BNCC_INLINE Lanes<Real> row_cost(const Block<Value, Real>& block, int64_t row, Mask<Real> positive) {
  const Lanes<Real> cost = pick<Real>(positive, load(block.cost[1]), load(block.cost[0]));
  return block.weight ? cost * fill<Real>(block.weight[row]) : cost;
}

// The terms of one row in the primal, in the gap between primal and dual, and in the dual. `lack` is 1 - y f.
template <Loss loss, class Real>
struct Terms {
  Lanes<Real> loss_sum, gap_sum;

  void see(Lanes<Real> lack, Lanes<Real> multiplier, Lanes<Real> cost, Lanes<Real> half, Mask<Real> on) {
    const Lanes<Real> zero = fill<Real>(0), short_of = larger<Real>(lack, zero);
    if (loss == Loss::hinge) {
      loss_sum += pick<Real>(on, cost * short_of, zero);
      gap_sum += pick<Real>(on, cost * short_of - multiplier * lack, zero);
    } else {
      const Lanes<Real> miss = short_of - half * multiplier;
      const Lanes<Real> beyond = larger<Real>(zero - lack, zero);
      loss_sum += pick<Real>(on, cost * short_of * short_of, zero);
      gap_sum += pick<Real>(on, cost * miss * miss + multiplier * beyond, zero);
    }
  }

  void add_to(Sums& sums) const {
    for (int l = 0; l < width; ++l) {
      sums.loss[l] += static_cast<double>(loss_sum[l]);
      sums.gap[l] += static_cast<double>(gap_sum[l]);
    }
  }
};

template <Loss loss, class Value, class Real>
BNCC_INLINE int64_t descend_as(const Block<Value, Real>& block, int32_t* rows, int64_t n, uint16_t* inside,
                               uint16_t* needed, Sums& sums) {
  const Lanes<Real> zero = fill<Real>(0), one = fill<Real>(1);
  Terms<loss, Real> terms{zero, zero};
  Lanes<Real> excess = zero;
  const Lanes<Real> slack = load(block.slack);
  Real* bias = block.coef + bias_line(block);
  int64_t left = 0;
  for (int64_t s = 0; s < n; ++s) {
    const int32_t row = rows[s];
    fetch_row(block, block.coef, rows, s, n);
    const Mask<Real> positive = spread<Real>(block.positive[row]), on = spread<Real>(block.member[row] & block.live);
    const Lanes<Real> y = pick<Real>(positive, one, zero - one), cost = row_cost(block, row, positive);
    const Lanes<Real> half = loss == Loss::hinge ? zero : fill<Real>(Real(0.5)) / cost;
    Real* state = block.state + static_cast<int64_t>(row) * width;
    const Lanes<Real> multiplier = load(state);
    const Lanes<Real> f = product(block, block.coef, row) + fill<Real>(block.bias_feature) * load(bias);
    const Lanes<Real> lack = one - y * f, gradient = half * multiplier - lack;
    terms.see(lack, multiplier, cost, half, on);
    const Mask<Real> used = multiplier > zero;
    excess = pick<Real>(used & on, larger<Real>(excess, gradient), excess);
    needed[row] = static_cast<uint16_t>(gather_bits((gradient < slack) & on) | gather_bits(used));
    if (!needed[row]) {  // an inspection will look at it again
      store(state, zero - fill<Real>(Real(1e30)));
      inside[row] = 0;
      continue;
    }
    const Lanes<Real> curvature = larger<Real>(squared_norm(block, row) + half, fill<Real>(Real(1e-30)));
    Lanes<Real> next = larger<Real>(multiplier - gradient / curvature, zero);
    if (loss == Loss::hinge) next = smaller<Real>(next, cost);
    next = pick<Real>(on, next, multiplier);
    rows[left++] = row;
    const Lanes<Real> step = (next - multiplier) * y;
    if (!gather_bits((step > zero) | (step < zero))) continue;
    store(state, next);
    add_row(block, block.coef, row, step);
  }
  terms.add_to(sums);
  for (int l = 0; l < width; ++l)
    if (static_cast<double>(excess[l]) > sums.excess[l]) sums.excess[l] = static_cast<double>(excess[l]);
  return left;
}

template <class Value, class Real>
int64_t descend(const Block<Value, Real>& block, int32_t* rows, int64_t n, uint16_t* inside, uint16_t* needed,
                Sums& sums) {
  if (block.loss == Loss::hinge) return descend_as<Loss::hinge>(block, rows, n, inside, needed, sums);
  return descend_as<Loss::squared_hinge>(block, rows, n, inside, needed, sums);
}

template <Loss loss, class Value, class Real>
BNCC_INLINE void measure_as(const Block<Value, Real>& block, const int32_t* rows, int64_t n, Sums& sums) {
  const Lanes<Real> zero = fill<Real>(0), one = fill<Real>(1);
  Terms<loss, Real> terms{zero, zero};
  Lanes<Real> dual = zero;
  const Real* bias = block.coef + bias_line(block);
  for (int64_t s = 0; s < n; ++s) {
    const int32_t row = rows[s];
    fetch_row(block, block.coef, rows, s, n);
    const Mask<Real> positive = spread<Real>(block.positive[row]), on = spread<Real>(block.member[row]);
    const Lanes<Real> y = pick<Real>(positive, one, zero - one), cost = row_cost(block, row, positive);
    const Lanes<Real> half = loss == Loss::hinge ? zero : fill<Real>(Real(0.5)) / cost;
    const Lanes<Real> multiplier = load(block.state + static_cast<int64_t>(row) * width);
    const Lanes<Real> f = product(block, block.coef, row) + fill<Real>(block.bias_feature) * load(bias);
    terms.see(one - y * f, multiplier, cost, half, on);
    dual += multiplier - fill<Real>(Real(0.5)) * half * multiplier * multiplier;
  }
  terms.add_to(sums);
  for (int l = 0; l < width; ++l) sums.dual[l] += static_cast<double>(dual[l]);
}

template <class Value, class Real>
void measure(const Block<Value, Real>& block, const int32_t* rows, int64_t n, Sums& sums) {
  if (block.loss == Loss::hinge) return measure_as<Loss::hinge>(block, rows, n, sums);
  return measure_as<Loss::squared_hinge>(block, rows, n, sums);
}

template <Loss loss, class Value, class Real>
BNCC_INLINE int64_t inspect_as(const Block<Value, Real>& block, const uint16_t* inside, int64_t first, int64_t last,
                               const Real* travel, Violator* violators, int64_t& looked, Sums& sums) {
  const Lanes<Real> zero = fill<Real>(0), one = fill<Real>(1), travelled = load(travel);
  const Lanes<Real> bias = fill<Real>(block.bias_feature) * load(block.coef + bias_line(block));
  Terms<loss, Real> terms{zero, zero};
  int64_t n_violators = 0;
  for (int64_t row = first; row < last; ++row) {
    const uint32_t members = block.member[row] & block.live & ~static_cast<uint32_t>(inside[row]);
    if (!members) continue;
    Real* state = block.state + row * width;
    const Mask<Real> positive = spread<Real>(block.positive[row]), on = spread<Real>(members);
    const Lanes<Real> y = pick<Real>(positive, one, zero - one), rest = y * bias - one;
    Real square = block.square[row];
    if (block.context.indptr) square += static_cast<Real>(block.context.indptr[row + 1] - block.context.indptr[row]);
    const Real norm = static_cast<Real>(__builtin_sqrt(static_cast<double>(square))) + Real(1e-30);
    const Lanes<Real> least = (load(state) - travelled) * fill<Real>(norm) + rest;
    if (!gather_bits((least < zero) & on)) continue;
    ++looked;
    const Lanes<Real> margin = y * product(block, block.coef, row), gradient = margin + rest;
    store(state, pick<Real>(on, margin / fill<Real>(norm) + travelled, load(state)));
    const uint32_t violated = gather_bits((gradient < zero) & on);
    if (!violated) continue;
    terms.see(zero - gradient, zero, row_cost(block, row, positive), zero, on);
    violators[n_violators++] = {static_cast<int32_t>(row), static_cast<uint16_t>(violated)};
  }
  terms.add_to(sums);
  return n_violators;
}

template <class Value, class Real>
int64_t inspect(const Block<Value, Real>& block, const uint16_t* inside, int64_t first, int64_t last,
                const Real* travel, Violator* violators, int64_t& looked, Sums& sums) {
  if (block.loss == Loss::hinge)
    return inspect_as<Loss::hinge>(block, inside, first, last, travel, violators, looked, sums);
  return inspect_as<Loss::squared_hinge>(block, inside, first, last, travel, violators, looked, sums);
}

template <class Real>
void travel(const Real* coef, Real* old, int64_t n_lines, double* moved, double* norm) {
  constexpr int64_t part = 512;  // short sums in single precision, long ones in double
  for (int64_t start = 0; start < n_lines; start += part) {
    const int64_t stop = n_lines - start < part ? n_lines : start + part;
    Lanes<Real> gone = fill<Real>(0), size = fill<Real>(0);
    for (int64_t j = start; j < stop; ++j) {
      const Lanes<Real> now = load(coef + j * width), change = now - load(old + j * width);
      if (j + 1 < n_lines) gone += change * change;
      size += now * now;
      store(old + j * width, now);
    }
    for (int l = 0; l < width; ++l) {
      moved[l] += static_cast<double>(gone[l]);
      norm[l] += static_cast<double>(size[l]);
    }
  }
}

template <class Value, class Real>
void multiply(const Block<Value, Real>& block, const Real* lines, const int32_t* rows, int64_t n, Real* out) {
  const Lanes<Real> bias = fill<Real>(block.bias_feature) * load(lines + bias_line(block));
  for (int64_t r = 0; r < n; ++r) {
    fetch_row(block, lines, rows, r, n);
    store(out + r * width, product(block, lines, rows[r]) + bias);
  }
}

template <class Value, class Real>
void scatter(const Block<Value, Real>& block, const Real* factors, const int32_t* rows, int64_t n, bool squares,
             Real* lines) {
  for (int64_t r = 0; r < n; ++r) {
    fetch_row(block, lines, rows, r, n);
    const Lanes<Real> factor = load(factors + r * width);
    if (!squares) {
      add_row(block, lines, rows[r], factor);
      continue;
    }
    const int64_t row = rows[r];
    const int64_t begin = block.x.indices ? block.x.indptr[row] : row * block.x.n_features;
    const int64_t end = block.x.indices ? block.x.indptr[row + 1] : begin + block.x.n_features;
    for (int64_t k = begin; k < end; ++k) {
      Real* line = lines + (block.x.indices ? static_cast<int64_t>(block.x.indices[k]) : k - begin) * width;
      const Real value = static_cast<Real>(block.x.values[k]);
      store(line, load(line) + fill<Real>(value * value) * factor);
    }
    if (block.context.indptr)
      for (int64_t k = block.context.indptr[row]; k < block.context.indptr[row + 1]; ++k) {
        const int64_t label = block.context.labels[k];
        Real* line = lines + (block.x.n_features + label) * width;
        store(line, load(line) + load(block.seen + label * width) * factor);
      }
    Real* bias = lines + bias_line(block);
    store(bias, load(bias) + fill<Real>(block.bias_feature * block.bias_feature) * factor);
  }
}

template <class Value, class Real>
void bend(const Block<Value, Real>& block, const Real* lines, const Real* curvature, const int32_t* rows, int64_t n,
          Real* image) {
  const Lanes<Real> bias = fill<Real>(block.bias_feature) * load(lines + bias_line(block));
  for (int64_t r = 0; r < n; ++r) {
    fetch_row(block, lines, rows, r, n);
    add_row(block, image, rows[r], load(curvature + r * width) * (product(block, lines, rows[r]) + bias));
  }
}

// log(1 + exp(-t)), its slope and its curvature, without overflow.
BNCC_INLINE void logistic(double t, double& loss, double& slope, double& curvature) {
  const double e = exp(t > 0 ? -t : t), p = 1.0 / (1.0 + e);
  loss = (t > 0 ? 0.0 : -t) + log1p(e);
  slope = t > 0 ? -e * p : -p;
  curvature = e * p * p;
}

template <Loss loss, class Value, class Real>
BNCC_INLINE void derive_as(const Block<Value, Real>& block, const int32_t* rows, int64_t n, const Real* z,
                           const Real* along, const Real* step, Real* slope, Real* curvature, double* total) {
  const Lanes<Real> zero = fill<Real>(0), one = fill<Real>(1), two = fill<Real>(2);
  alignas(64) Real at[width], value[width], first[width], second[width];
  for (int64_t r = 0; r < n; ++r) {
    const int64_t row = rows[r];
    const Mask<Real> positive = spread<Real>(block.positive[row]), on = spread<Real>(block.member[row] & block.live);
    const Lanes<Real> y = pick<Real>(positive, one, zero - one), cost = row_cost(block, row, positive);
    Lanes<Real> f = load(z + r * width);
    if (along) f += load(step) * load(along + r * width);
    Lanes<Real> l, s, c;
    if (loss == Loss::logistic) {
      store(at, y * f);
      for (int lane = 0; lane < width; ++lane) {
        double v, d1, d2;
        logistic(static_cast<double>(at[lane]), v, d1, d2);
        value[lane] = static_cast<Real>(v);
        first[lane] = static_cast<Real>(d1);
        second[lane] = static_cast<Real>(d2);
      }
      l = load(value), s = load(first), c = load(second);
    } else {
      const Lanes<Real> lack = larger<Real>(one - y * f, zero);
      l = lack * lack, s = zero - two * lack, c = pick<Real>(lack > zero, two, zero);
    }
    store(value, pick<Real>(on, cost * l, zero));
    for (int lane = 0; lane < width; ++lane) total[lane] += static_cast<double>(value[lane]);
    if (!slope) continue;
    store(slope + r * width, pick<Real>(on, cost * s * y, zero));
    store(curvature + r * width, pick<Real>(on, cost * c, zero));
  }
}

template <class Value, class Real>
void derive(const Block<Value, Real>& block, const int32_t* rows, int64_t n, const Real* z, const Real* along,
            const Real* step, Real* slope, Real* curvature, double* loss) {
  if (block.loss == Loss::logistic)
    return derive_as<Loss::logistic>(block, rows, n, z, along, step, slope, curvature, loss);
  return derive_as<Loss::squared_hinge>(block, rows, n, z, along, step, slope, curvature, loss);
}

template <class Value, class Real>
constexpr Loops<Value, Real> table() {
  return {descend<Value, Real>,  measure<Value, Real>,      descend_lane<Value, Real>,
          add_rows<Value, Real>, measure_lane<Value, Real>, inspect<Value, Real>,
          travel<Real>,          multiply<Value, Real>,     scatter<Value, Real>,
          bend<Value, Real>,     derive<Value, Real>,       factor_panel<Real>};
}

}  // namespace

const LoopTables& BNCC_JOIN(loops_, BNCC_TARGET)() {
  static const LoopTables tables = {BNCC_TEXT(BNCC_TARGET), table<float, float>(), table<float, double>(),
                                    table<double, double>()};
  return tables;
}

}  // namespace bncc::linear
