// See loops.hpp. This file is compiled several times: BNCC_TARGET names the instruction set of the build.
//
// It must not include standard templates: an inline function emitted here with wide instructions could be the copy
// the linker keeps for the whole library, which would crash on a smaller machine.
#include "loops.hpp"

#include "cholesky.hpp"
#include "descent_loops.hpp"
#include "gram.hpp"
#include "newton_loops.hpp"
#include "one_lane.hpp"
#include "packed.hpp"

#ifndef BNCC_TARGET
#define BNCC_TARGET baseline
#endif
#define BNCC_JOIN2(a, b) a##b
#define BNCC_JOIN(a, b) BNCC_JOIN2(a, b)
#define BNCC_TEXT2(a) #a
#define BNCC_TEXT(a) BNCC_TEXT2(a)

namespace bncc::linear {
namespace {

template <class Value, class Real>
constexpr Loops<Value, Real> table() {
  return {descend<Value, Real>,        measure<Value, Real>,
          shift_products<Value, Real>, descend_lane<Value, Real>,
          sweep_lane<Value, Real>,     add_rows<Value, Real>,
          measure_lane<Value, Real>,   shift_lane<Real>,
          inspect<Value, Real>,        travel<Real>,
          multiply<Value, Real>,       scatter<Value, Real>,
          bend<Value, Real>,           derive<Value, Real>,
          factor_panel<Real>,          substitute<Real>,
          multiply_rows<Real>,         multiply_symmetric<Real>,
          multiply_packed<Real>,       add_to_packed<Real>};
}

}  // namespace

const LoopTables& BNCC_JOIN(loops_, BNCC_TARGET)() {
  static const LoopTables tables = {BNCC_TEXT(BNCC_TARGET), table<float, float>(), table<float, double>(),
                                    table<double, double>()};
  return tables;
}

}  // namespace bncc::linear
