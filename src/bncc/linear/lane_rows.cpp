#include "lane_rows.hpp"

#include <algorithm>

namespace bncc::linear {
namespace {

// A column that one in so many rows has is a line: sixteen numbers of it are added in the time of one or two by index.
constexpr int64_t rows_per_entry = 8;

}  // namespace

template <class Value, class Real>
void LaneRows<Value, Real>::append(int64_t column, Real value) {
  int32_t& number = number_[static_cast<size_t>(column)];
  if (number < 0) {
    number = static_cast<int32_t>(touched_.size());
    touched_.push_back(column);
    counts_.push_back(0);
  }
  ++counts_[static_cast<size_t>(number)];
  columns_.push_back(number);
  values_.push_back(value);
}

template <class Value, class Real>
void LaneRows<Value, Real>::read_row(const Block<Value, Real>& block, int lane, const LaneRow<Real>& row) {
  const Features<Value>& x = block.x;
  for (int64_t k = 0; k < row.size; ++k) {
    const Real value = x.values ? static_cast<Real>(x.values[row.begin + k]) : Real(1);
    append(x.indices ? x.indices[row.begin + k] : k, row.sign * value);
  }
  if (block.context.indptr)
    for (int64_t k = block.context.indptr[row.row]; k < block.context.indptr[row.row + 1]; ++k) {
      const int64_t label = block.context.labels[k];
      if (block.seen[label * n_lanes + lane] > 0) append(x.n_features + label, row.sign);
    }
  if (block.bias_feature > 0) append(block.n_lines() - 1, row.sign * block.bias_feature);
  row_ptr_.push_back(static_cast<int64_t>(columns_.size()));
}

template <class Value, class Real>
void LaneRows<Value, Real>::read(const Block<Value, Real>& block, int lane, const std::vector<LaneRow<Real>>& rows,
                                 const std::vector<size_t>& places) {
  number_.resize(static_cast<size_t>(block.n_lines()), -1);
  columns_.clear(), values_.clear(), touched_.clear(), counts_.clear();
  row_ptr_.assign(1, 0);
  for (const size_t place : places) read_row(block, lane, rows[place]);
  for (const int64_t column : touched_) number_[static_cast<size_t>(column)] = -1;
  number_columns();
}

// Which columns are lines, and which are lists of rows.
template <class Value, class Real>
void LaneRows<Value, Real>::number_columns() {
  const int64_t n = size();
  line_of_.assign(counts_.size(), -1);
  list_of_.assign(counts_.size(), -1);
  n_lines_ = n_lists_ = 0;
  cost_ = 8.0 * static_cast<double>(columns_.size());  // to read and to arrange them
  column_ptr_.assign(1, 0);
  for (size_t column = 0; column < counts_.size(); ++column) {
    const int64_t count = counts_[column];
    if (count * rows_per_entry >= n) {
      line_of_[column] = static_cast<int32_t>(n_lines_++);
      cost_ += static_cast<double>(count * n) / (2 * rows_per_entry);
    } else {
      list_of_[column] = static_cast<int32_t>(n_lists_++);
      column_ptr_.push_back(column_ptr_.back() + count);
      cost_ += 0.5 * static_cast<double>(count * count);
    }
  }
}

template <class Value, class Real>
RowsOfLane<Real> LaneRows<Value, Real>::arrange() {
  const int64_t n = size();
  stride_ = (n + n_lanes) / n_lanes * n_lanes;
  Real* lines = lines_.ensure(std::max<int64_t>(1, n_lines_) * stride_);
  std::fill(lines, lines + n_lines_ * stride_, Real(0));
  arranged_columns_.resize(columns_.size()), arranged_values_.resize(columns_.size());
  rows_.resize(static_cast<size_t>(column_ptr_.back())), column_values_.resize(rows_.size());
  dense_end_.resize(static_cast<size_t>(n));
  std::vector<int64_t> ends(column_ptr_.begin(), column_ptr_.end() - 1);
  for (int64_t i = 0; i < n; ++i) {
    const size_t row = static_cast<size_t>(i);
    int64_t front = row_ptr_[row], back = row_ptr_[row + 1];
    for (size_t e = static_cast<size_t>(front), end = static_cast<size_t>(back); e < end; ++e) {
      const int32_t column = columns_[e], line = line_of_[static_cast<size_t>(column)];
      const size_t place = static_cast<size_t>(line >= 0 ? front++ : --back);
      const int32_t list = list_of_[static_cast<size_t>(column)];
      arranged_columns_[place] = line >= 0 ? line : list;
      arranged_values_[place] = values_[e];
      if (line >= 0) {
        lines[line * stride_ + i] = values_[e];
        continue;
      }
      const size_t end_of_list = static_cast<size_t>(ends[static_cast<size_t>(list)]++);
      rows_[end_of_list] = static_cast<int32_t>(i);
      column_values_[end_of_list] = values_[e];
    }
    dense_end_[row] = front;
  }
  RowsOfLane<Real> out;
  out.stride = stride_;
  out.row_ptr = row_ptr_.data();
  out.dense_end = dense_end_.data();
  out.columns = arranged_columns_.data();
  out.values = arranged_values_.data();
  out.column_ptr = column_ptr_.data();
  out.rows = rows_.data();
  out.column_values = column_values_.data();
  out.lines = lines;
  return out;
}

template class LaneRows<float, float>;
template class LaneRows<double, double>;

}  // namespace bncc::linear
