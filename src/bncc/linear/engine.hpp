// Solves batches of linear problems: blocks of 16 spread over threads, each block by one thread alone, so that results
// do not depend on their number.
#pragma once

#include "problem.hpp"

namespace bncc::linear {

// Real is what descent works in: float, or double for tolerances and data that single precision does not bear.
// `dense` has a row of n_lines - 1 weights per problem, or is null where options.sparse is set.
template <class Value, class Real>
std::vector<BlockCosts> solve_batch(const Batch<Value>& batch, const Plan& plan, const Options& options,
                                    const Poll& poll, Real* dense, std::vector<Outcome<Real>>& outcomes);

}  // namespace bncc::linear
