// Some rows of one lane, by rows and by columns: what their products with one another are made from.
#pragma once

#include "problem.hpp"

namespace bncc::linear {

template <class Value, class Real>
class LaneRows {
 public:
  // Read the rows at some places of a list: features, labels that the lane sees, the constant.
  void read(const Block<Value, Real>& block, int lane, const std::vector<LaneRow<Real>>& rows,
            const std::vector<size_t>& places);

  // Steps of one number each that their products will take, about.
  double cost_of_products() const { return cost_; }

  // Arrange the columns for the products.
  RowsOfLane<Real> arrange();

 private:
  void read_row(const Block<Value, Real>& block, int lane, const LaneRow<Real>& row);
  void append(int64_t column, Real value);
  void number_columns();
  int64_t size() const { return static_cast<int64_t>(row_ptr_.size()) - 1; }

  std::vector<int64_t> row_ptr_, dense_end_, column_ptr_, counts_;
  std::vector<int32_t> columns_, arranged_columns_, rows_, line_of_, list_of_;
  std::vector<int32_t> number_;  // of a column of the problem, among those of these rows; -1: none of them has it
  std::vector<int64_t> touched_;
  std::vector<Real> values_, arranged_values_, column_values_;
  Buffer<Real> lines_;
  int64_t stride_ = 0, n_lines_ = 0, n_lists_ = 0;
  double cost_ = 0.0;
};

}  // namespace bncc::linear
