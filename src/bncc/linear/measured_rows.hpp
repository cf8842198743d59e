// Rows of all lanes together whose products with the weights of now are known.
//
// They are had in the pass that measures the lanes, and serve twice more: where the bias moves, and for what a row has
// to spare in a lane that does not need it, once the lanes part.
#pragma once

#include "best_bias.hpp"
#include "problem.hpp"

namespace bncc::linear {

template <class Value, class Real>
class MeasuredRows {
 public:
  MeasuredRows(const Loops<Value, Real>& loops, const std::atomic<bool>& cancel) : loops_(loops), cancel_(cancel) {}

  // Sums over these rows, and their products. False if `cancel` came.
  bool measure(const Block<Value, Real>& block, const std::vector<int32_t>& rows, Sums& sums);

  // Forget them: weights have changed, or the order of the rows.
  void forget() { size_ = 0; }

  // How many of the first rows of the list have products.
  size_t size() const { return size_; }

  // The losses of the rows where their products are moved.
  void shift(const Block<Value, Real>& block, const std::vector<int32_t>& rows, const double* by,
             Shifted& shifted) const;

  // Per lane, up to where the weights may travel before a row of the list must be looked at: see Loops::inspect.
  void find_slacks(const Block<Value, Real>& block, const std::vector<int32_t>& rows, size_t place, const Real* travel,
                   Real* slacks) const;

 private:
  const Loops<Value, Real>& loops_;
  const std::atomic<bool>& cancel_;
  size_t size_ = 0;
  Buffer<Real> products_;
  Real bias_[n_lanes] = {};  // which is in the products
};

}  // namespace bncc::linear
