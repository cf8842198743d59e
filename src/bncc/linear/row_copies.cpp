#include "row_copies.hpp"

#include <algorithm>

namespace bncc::linear {

namespace {

constexpr int64_t most_entries = int64_t{1} << 22;  // 32 MB in single precision

}  // namespace

template <class Value, class Real>
bool RowCopies<Value, Real>::make_room(const Block<Value, Real>& block, const std::vector<LaneRow<Real>>& rows) {
  if (!block.x.indices) return false;
  int64_t most = 0;
  for (const LaneRow<Real>& row : rows) {
    most += row.size;
    if (block.context.indptr) most += block.context.indptr[row.row + 1] - block.context.indptr[row.row];
  }
  if (most > most_entries) return false;
  const size_t size = std::max(indices_.size(), static_cast<size_t>(most));
  indices_.resize(size);
  values_.resize(size);
  return true;
}

template <class Value, class Real>
Block<Value, Real> RowCopies<Value, Real>::take(const Block<Value, Real>& block, int lane,
                                                std::vector<LaneRow<Real>>& rows) {
  if (!make_room(block, rows)) return block;
  const Context& context = block.context;
  int32_t* indices = indices_.data();
  Value* values = values_.data();
  int64_t end = 0;
  bool ones = true;
  for (LaneRow<Real>& row : rows) {
    const int64_t begin = end;
    std::copy_n(block.x.indices + row.begin, row.size, indices + end);
    const Value* from = block.x.values + row.begin;
    std::copy_n(from, row.size, values + end);
    if (ones)
      for (int32_t k = 0; k < row.size; ++k) ones &= from[k] == Value(1);
    end += row.size;
    if (context.indptr)
      for (int64_t k = context.indptr[row.row]; k < context.indptr[row.row + 1]; ++k) {
        const int64_t label = context.labels[k];
        if (!(block.seen[label * n_lanes + lane] > 0)) continue;
        indices[end] = static_cast<int32_t>(block.x.n_features + label);
        values[end++] = Value(1);
      }
    row.begin = begin;
    row.size = static_cast<int32_t>(end - begin);
  }
  Block<Value, Real> out = block;
  out.x.indices = indices;
  out.x.values = ones ? nullptr : values;
  out.context.indptr = nullptr;
  return out;
}

template <class Value, class Real>
void RowCopies<Value, Real>::put_back(const Block<Value, Real>& block, std::vector<LaneRow<Real>>& rows) {
  if (!block.x.indices) return;
  for (LaneRow<Real>& row : rows) {
    row.begin = block.x.indptr[row.row];
    row.size = static_cast<int32_t>(block.x.indptr[row.row + 1] - row.begin);
  }
}

template class RowCopies<float, float>;
template class RowCopies<double, double>;

}  // namespace bncc::linear
