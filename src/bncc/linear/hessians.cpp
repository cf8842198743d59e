#include "hessians.hpp"

#include <algorithm>
#include <cmath>

namespace bncc::linear {
namespace {

constexpr int64_t most_bytes = int64_t{96} << 20;  // of the matrices of a block
// Cycles, about: of a pass over all rows, per entry; of a product with a matrix, per number of its square; of a row
// that comes or leaves, per pair of entries.
constexpr double cycles_per_entry = 5.0, cycles_per_square = 0.08, cycles_per_pair = 2.0;
constexpr double products_per_lane = 100.0;  // in all its steps, about
constexpr double idle_share = 0.4;           // of the lanes that wait for others when they go together
constexpr double comings_and_goings = 1.5;   // rows that a matrix takes in or loses in all, for each at first

// Rows of more entries are also kept with their zeros, and added so to lines of which they have more than one number in
// so many.
constexpr size_t long_row = 32;
constexpr int64_t entries_per_line = 5;

int64_t whole_lines(int64_t n) { return (n + n_lanes - 1) / n_lanes * n_lanes; }

template <class Real>
double dot(const Real* a, const Real* b, int64_t n) {
  double even = 0.0, odd = 0.0;  // n is even
  for (int64_t k = 0; k < n; k += 2) {
    even += static_cast<double>(a[k]) * static_cast<double>(b[k]);
    odd += static_cast<double>(a[k + 1]) * static_cast<double>(b[k + 1]);
  }
  return even + odd;
}

}  // namespace

template <class Value, class Real>
int64_t Hessians<Value, Real>::count_columns(const Block<Value, Real>& block, int lane) {
  int64_t n = block.x.n_features + 1;
  for (int64_t label = 0; label < block.context.n_labels; ++label) n += block.seen[label * n_lanes + lane] > 0;
  return n;
}

template <class Value, class Real>
bool Hessians<Value, Real>::pay(const Block<Value, Real>& block, uint32_t lanes, const std::vector<int32_t>& active,
                                const Real* curvature) {
  if (block.loss != Loss::squared_hinge || !block.x.indices) return false;
  double alone = 0.0, bytes = 0.0;
  for (int l = 0; l < n_lanes; ++l) {
    if (!(lanes >> l & 1u)) continue;
    const double size = static_cast<double>(whole_lines(count_columns(block, l)));
    alone += cycles_per_square * size * size;
    bytes += 0.5 * sizeof(Real) * size * (size + n_lanes);
  }
  if (bytes > static_cast<double>(most_bytes)) return false;
  const int64_t most_steps = (block.n_lines() - 1) / n_lanes + 1;  // of an entry of a long row
  double entries = 0.0, pairs = 0.0;
  for (size_t r = 0; r < active.size(); ++r) {
    const int32_t row = active[r];
    int64_t n = block.x.indptr[row + 1] - block.x.indptr[row] + 1, n_own = 0;
    if (block.context.indptr) n += block.context.indptr[row + 1] - block.context.indptr[row];
    for (size_t l = 0; l < n_lanes; ++l) n_own += curvature[r * n_lanes + l] > 0;
    entries += static_cast<double>(n);
    pairs += 0.5 * static_cast<double>(n * std::min(n, most_steps) * n_own);
  }
  const double together = cycles_per_entry * entries / (1.0 - idle_share);
  return products_per_lane * alone + comings_and_goings * cycles_per_pair * pairs < products_per_lane * together;
}

template <class Value, class Real>
void Hessians<Value, Real>::start(const Block<Value, Real>& block, uint32_t lanes) {
  for (int l = 0; l < n_lanes; ++l) {
    if (!(lanes >> l & 1u)) continue;
    Lane& lane = lanes_[l];
    std::vector<int32_t>& number = number_of_label_[l];
    number.assign(static_cast<size_t>(block.context.n_labels), -1);
    lane.lines.clear();
    lane.held.clear();
    for (int64_t j = 0; j < block.x.n_features; ++j) lane.lines.push_back(static_cast<int32_t>(j));
    for (int64_t label = 0; label < block.context.n_labels; ++label) {
      if (!(block.seen[label * n_lanes + l] > 0)) continue;
      number[static_cast<size_t>(label)] = static_cast<int32_t>(lane.lines.size());
      lane.lines.push_back(static_cast<int32_t>(block.x.n_features + label));
    }
    lane.lines.push_back(static_cast<int32_t>(block.n_lines() - 1));
    lane.size = whole_lines(static_cast<int64_t>(lane.lines.size()));
    const int64_t numbers = packed_line(lane.size);
    std::fill_n(lane.matrix.ensure(numbers), numbers, Real(0));
  }
}

// matrix += curvature * row row', below the diagonal and on it.
template <class Value, class Real>
void Hessians<Value, Real>::add(const Block<Value, Real>& block, int l, int32_t row, Real curvature, Scratch& scratch) {
  Lane& lane = lanes_[l];
  scratch.columns.clear();
  scratch.values.clear();
  for (int64_t k = block.x.indptr[row]; k < block.x.indptr[row + 1]; ++k) {
    scratch.columns.push_back(block.x.indices[k]);
    scratch.values.push_back(static_cast<Real>(block.x.values[k]));
  }
  if (block.context.indptr)
    for (int64_t k = block.context.indptr[row]; k < block.context.indptr[row + 1]; ++k) {
      const int32_t number = number_of_label_[l][static_cast<size_t>(block.context.labels[k])];
      if (number < 0) continue;
      scratch.columns.push_back(number);
      scratch.values.push_back(Real(1));
    }
  scratch.columns.push_back(static_cast<int32_t>(lane.lines.size()) - 1);
  scratch.values.push_back(block.bias_feature);
  const size_t n = scratch.columns.size();
  const int32_t* columns = scratch.columns.data();
  const Real* values = scratch.values.data();
  if (scratch.width < lane.size) {
    std::fill_n(scratch.whole_row.ensure(lane.size), lane.size, Real(0));
    scratch.width = lane.size;
  }
  Real* whole = scratch.whole_row.data();
  const bool is_long = n > long_row;
  if (is_long)
    for (size_t i = 0; i < n; ++i) whole[columns[i]] = values[i];
  for (size_t i = 0; i < n; ++i) {
    Real* line = lane.matrix.data() + packed_line(columns[i]);
    const Real factor = curvature * values[i];
    const int64_t length = (columns[i] / n_lanes + 1) * n_lanes;
    if (is_long && static_cast<int64_t>(i) * entries_per_line > length)
      loops_.add_to_packed(whole, length, factor, line);
    else
      for (size_t j = 0; j <= i; ++j) line[columns[j]] += factor * values[j];
  }
  if (is_long)
    for (size_t i = 0; i < n; ++i) whole[columns[i]] = 0;
}

// The blocks on the diagonal, above it.
template <class Value, class Real>
void Hessians<Value, Real>::mirror(Lane& lane) {
  for (int64_t first = 0; first < lane.size; first += n_lanes) {
    Real* block = lane.matrix.data() + packed_line(first) + first;
    const int64_t length = first + n_lanes;
    for (int64_t i = 0; i < n_lanes; ++i)
      for (int64_t j = 0; j < i; ++j) block[j * length + i] = block[i * length + j];
  }
}

template <class Value, class Real>
void Hessians<Value, Real>::list_rows(uint32_t lanes, const std::vector<int32_t>& active, const Real* curvature) {
  for (Lane& lane : lanes_) lane.now.clear();
  for (size_t r = 0; r < active.size(); ++r) {
    const Real* line = curvature + r * n_lanes;
    for (int l = 0; l < n_lanes; ++l)
      if ((lanes >> l & 1u) && line[l] > 0) lanes_[l].now.push_back({active[r], line[l]});
  }
}

template <class Value, class Real>
void Hessians<Value, Real>::update(const Block<Value, Real>& block, int l, int thread) {
  Lane& lane = lanes_[l];
  Scratch& scratch = scratch_[static_cast<size_t>(thread)];
  auto old = lane.held.begin();
  const auto end = lane.held.end();
  for (const HeldRow& row : lane.now) {
    for (; old != end && old->row < row.row; ++old) add(block, l, old->row, -old->curvature, scratch);
    const bool known = old != end && old->row == row.row;
    const Real change = known ? row.curvature - old->curvature : row.curvature;
    if (known) ++old;
    if (change != 0) add(block, l, row.row, change, scratch);
  }
  for (; old != end; ++old) add(block, l, old->row, -old->curvature, scratch);
  lane.held.swap(lane.now);
  mirror(lane);
}

template <class Value, class Real>
void Hessians<Value, Real>::find_direction(int l, const Real* gradient, DirectionGoal goal, int thread, double& first,
                                           Real* direction) {
  const Lane& lane = lanes_[l];
  const int64_t n = lane.size, n_columns = static_cast<int64_t>(lane.lines.size());
  Real* s = scratch_[static_cast<size_t>(thread)].vectors.ensure(5 * n);
  Real *r = s + n, *p = r + n, *image = p + n, *diagonal = image + n;
  std::fill(s, s + 4 * n, Real(0));
  std::fill(diagonal, diagonal + n, Real(1));
  for (int64_t k = 0; k < n_columns; ++k) {
    diagonal[k] += std::max(Real(0), lane.matrix.data()[packed_line(k) + k]);  // what was taken away leaves rounding
    r[k] = -gradient[lane.lines[static_cast<size_t>(k)] * n_lanes + l];
    p[k] = r[k] / diagonal[k];
  }
  double rho = dot(r, p, n);
  if (!(first > 0.0)) first = rho;
  const double progress = first > 0.0 ? std::sqrt(rho / first) : 0.0, enough = rho * std::min(goal.share, progress);
  for (int64_t step = 0; step < goal.most && rho > 0.0; ++step) {
    if (cancel_.load(std::memory_order_relaxed)) return;
    loops_.multiply_packed(lane.matrix.data(), n, p, image);
    for (int64_t k = 0; k < n; ++k) image[k] += p[k];
    const double bending = dot(p, image, n);
    if (!(bending > 0.0)) break;
    const Real alpha = static_cast<Real>(rho / bending);
    for (int64_t k = 0; k < n; ++k) s[k] += alpha * p[k];
    for (int64_t k = 0; k < n; ++k) r[k] -= alpha * image[k];
    for (int64_t k = 0; k < n; ++k) image[k] = r[k] / diagonal[k];
    const double next = dot(r, image, n);
    if (!(next > enough) || dot(r, r, n) <= goal.square) break;
    const Real beta = static_cast<Real>(next / rho);
    for (int64_t k = 0; k < n; ++k) p[k] = image[k] + beta * p[k];
    rho = next;
  }
  for (int64_t k = 0; k < n_columns; ++k) direction[lane.lines[static_cast<size_t>(k)] * n_lanes + l] = s[k];
}

template class Hessians<float, float>;
template class Hessians<float, double>;
template class Hessians<double, double>;

}  // namespace bncc::linear
