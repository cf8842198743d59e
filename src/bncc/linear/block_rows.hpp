// Rows and lines: what a row is asked for in sixteen lanes at a time, and what it adds to them.
//
// Only loops.cpp includes this, as it does lanes.hpp.
#pragma once

#include "lanes.hpp"
#include "loops.hpp"

namespace bncc::linear {
namespace {

constexpr int ahead = 8;                 // rows whose values are asked for before they are needed
constexpr int just_ahead = 2;            // rows whose lines are
constexpr int64_t most_fetched = 128;    // entries of a row; those behind follow by themselves
constexpr int64_t near_bytes = 1 << 21;  // lines that take no more are near enough without asking

BNCC_INLINE void fetch(const void* p) {
#if defined(__GNUC__)
  __builtin_prefetch(p);
#else
  (void)p;
#endif
}

template <class Value, class Real>
BNCC_INLINE int64_t bias_line(const Block<Value, Real>& block) {
  return (block.n_lines() - 1) * width;
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
  if (!block.context.indptr) return;
  const int64_t first = block.context.indptr[row], last = block.context.indptr[row + 1];
  for (int64_t k = first; k < last && k < first + most_fetched; ++k) {
    const int64_t label = block.context.labels[k];
    fetch(lines + (x.n_features + label) * width);
    fetch(block.seen + label * width);
  }
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

// The product of a row with lines, without the bias. Some sums, so that no addition waits for the one before.
template <class Value, class Real>
BNCC_INLINE Lanes<Real> product(const Block<Value, Real>& block, const Real* lines, int64_t row) {
  const Features<Value>& x = block.x;
  Lanes<Real> even = fill<Real>(0), odd = fill<Real>(0);
  if (x.indices) {
    const int64_t begin = x.indptr[row], n = x.indptr[row + 1] - begin;
    const int32_t* indices = x.indices + begin;
    const Value* values = x.values + begin;
    const auto part = [&](int64_t k) { return fill<Real>(values[k]) * load(lines + int64_t{indices[k]} * width); };
    Lanes<Real> third = even, fourth = odd;
    int64_t k = 0;
    for (; k + 3 < n; k += 4) {
      even += part(k);
      odd += part(k + 1);
      third += part(k + 2);
      fourth += part(k + 3);
    }
    for (; k < n; ++k) even += part(k);
    even += third;
    odd += fourth;
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
    const int64_t begin = x.indptr[row], n = x.indptr[row + 1] - begin;
    const int32_t* indices = x.indices + begin;  // held here: a store might change what the block says
    const Value* values = x.values + begin;
    const auto add = [&](int64_t k) {
      Real* line = lines + int64_t{indices[k]} * width;
      store(line, load(line) + fill<Real>(values[k]) * step);
    };
    int64_t k = 0;
    for (; k + 3 < n; k += 4) {
      add(k);
      add(k + 1);
      add(k + 2);
      add(k + 3);
    }
    for (; k < n; ++k) add(k);
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
  return block.weight ? larger<Real>(cost * fill<Real>(block.weight[row]), fill<Real>(least_cost<Real>)) : cost;
}

}  // namespace
}  // namespace bncc::linear
