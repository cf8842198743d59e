// What one lane sees of its rows, side by side.
//
// A lane by itself goes over few rows many times, and each time asks of each label of a row whether it sees it. Copies
// hold the features of its rows and the labels that it sees, as one list; without values, where all of them are ones.
#pragma once

#include "problem.hpp"

namespace bncc::linear {

template <class Value, class Real>
class RowCopies {
 public:
  // Copy the rows of a list, which then say where their copies are. Returns the block with these: labels that the lane
  // sees are features there. Dense rows stay where they are, and so do lists of very many entries.
  Block<Value, Real> take(const Block<Value, Real>& block, int lane, std::vector<LaneRow<Real>>& rows);

  // Let the rows say again where they are in the block.
  static void put_back(const Block<Value, Real>& block, std::vector<LaneRow<Real>>& rows);

 private:
  bool make_room(const Block<Value, Real>& block, const std::vector<LaneRow<Real>>& rows);

  std::vector<int32_t> indices_;
  std::vector<Value> values_;
};

}  // namespace bncc::linear
