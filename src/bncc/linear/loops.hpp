// The inner loops of the linear engine: one pass over a row serves the sixteen problems (lanes) of a block.
//
// loops.cpp is built several times with different target flags; each build exports one table of plain functions.
// Everything else is built for the baseline and calls through the table.
#pragma once

#include <cstdint>
#include <type_traits>

namespace bncc::linear {

constexpr int n_lanes = 16;
constexpr int64_t panel_width = 32;  // columns of a matrix that are factorised at a time

enum class Loss : int { squared_hinge = 0, hinge = 1, logistic = 2 };

// Rows of features: CSR, or dense where there are no indices. What a lane has copied of CSR rows may have no values:
// all of them are ones.
template <class Value>
struct Features {
  int64_t n_rows = 0, n_features = 0;
  const int64_t* indptr = nullptr;
  const int32_t* indices = nullptr;
  const Value* values = nullptr;
};

// Positive labels of the rows (CSR); a label is one more feature of value 1 in the lanes that see it.
struct Context {
  int64_t n_labels = 0;
  const int64_t* indptr = nullptr;  // null: no context
  const int32_t* labels = nullptr;
};

// What the loops need to know of a block. Lines are 16 numbers; the lines of `coef` are features, labels, bias.
template <class Value, class Real>
struct Block {
  Features<Value> x;
  Context context;
  const uint16_t* positive = nullptr;  // per row, bit l: lane l has it as a positive
  const uint16_t* member = nullptr;    // per row, bit l: lane l has it at all
  const Real* weight = nullptr;        // per row, or null
  const Real* square = nullptr;        // per row: |x|^2 of the features alone
  const Real* seen = nullptr;          // per label a line: 1 in the lanes that see it
  Real* coef = nullptr;
  Real* state = nullptr;              // per row a line (see descend and inspect)
  alignas(64) Real cost[2][n_lanes];  // C of negative and of positive rows
  alignas(64) Real slack[n_lanes];    // what a margin must have to spare before its row leaves the working set
  Real bias_feature = 0;              // value of the constant feature; 0: none
  Real reach = 1;                     // of the steps of descent: 1 goes to the peak of a row
  uint32_t live = 0;                  // bit l: lane l is still being solved
  Loss loss = Loss::squared_hinge;

  int64_t n_lines() const { return x.n_features + context.n_labels + 1; }
};

// Sums over rows, one per lane.
struct Sums {
  alignas(64) double loss[n_lanes] = {}, gap[n_lanes] = {};
  alignas(64) double excess[n_lanes] = {};  // the largest gradient of a positive multiplier
};

// A row in the working set of one lane.
template <class Real>
struct LaneRow {
  int64_t begin;  // of its entries (CSR) or of its values (dense)
  int32_t size, row;
  Real multiplier, sign, cost;
  Real half;  // 1 / 2C for the squared hinge loss, 0 for the hinge
  Real rate;  // of a step: what the multiplier moves for a gradient of 1
};

// A row outside that violates a margin, and the lanes in which it does.
struct Violator {
  int32_t row;
  uint16_t lanes;
};

// Sums over the rows of one lane.
struct LaneSums {
  double loss = 0, gap = 0, excess = 0;
};

// Rows of one lane, each times its sign, by rows and by columns. Columns that many rows have are lines as well, of
// `stride` numbers (a multiple of 16); they come first in every row.
template <class Real>
struct RowsOfLane {
  int64_t stride = 0;
  const int64_t* row_ptr = nullptr;
  const int64_t* dense_end = nullptr;  // where the columns of a row that are lines end
  const int32_t* columns = nullptr;    // the numbers of lines, then those of the other columns
  const Real* values = nullptr;
  const int64_t* column_ptr = nullptr;  // of the other columns; their rows ascend
  const int32_t* rows = nullptr;
  const Real* column_values = nullptr;
  const Real* lines = nullptr;
};

// What a row costs at least: one that costs less, by a tiny weight, pulls at nothing all the same, and 1 / 2C would be
// no number.
template <class Real>
constexpr Real least_cost = std::is_same_v<Real, double> ? Real(5e-301) : Real(5e-31);

// Where line i of a symmetric matrix begins, if each line ends with the sixteen columns that the diagonal lies in.
constexpr int64_t packed_line(int64_t i) {
  const int64_t group = i / n_lanes, before = n_lanes * group * (group + 1) / 2;
  return n_lanes * (before + i % n_lanes * (group + 1));
}

template <class Value, class Real>
struct Loops {
  using View = Block<Value, Real>;

  // One step of dual coordinate descent for each of these rows, in this order; their states are multipliers. Rows that
  // are satisfied in every lane, with `slack` to spare, leave the list, and `inside` says so. Returns how many stay, at
  // the front of the list; `needed` has the lanes that ask for them. Sums hold at the moment of each visit.
  int64_t (*descend)(const View& block, int32_t* rows, int64_t n, uint16_t* inside, uint16_t* needed, Sums& sums);

  // What descend sums up, without a step; `products` gets those of the rows, bias included.
  void (*measure)(const View& block, const int32_t* rows, int64_t n, Real* products, Sums& sums);
  // For the squared hinge loss: what these rows lose where their products are moved by the line `shift`, and the first
  // two derivatives by it.
  void (*shift_products)(const View& block, const int32_t* rows, int64_t n, const Real* products, const Real* shift,
                         double* loss, double* slope, double* curvature);

  // As descend, for one lane: `weights` are its own, and multipliers lie in the list. The numbers of the rows that
  // leave go to `leavers`.
  int64_t (*descend_lane)(const View& block, int lane, Real* weights, LaneRow<Real>* rows, int64_t n, int32_t* leavers,
                          LaneSums& sums);
  // The same steps alone: no row leaves, nothing is summed up.
  void (*sweep_lane)(const View& block, int lane, Real* weights, LaneRow<Real>* rows, int64_t n);
  // weights += the rows, times their signs and multipliers.
  void (*add_rows)(const View& block, int lane, const LaneRow<Real>* rows, int64_t n, Real* weights);
  // `lacks`, where it is given, gets what each row lacks of its margin.
  void (*measure_lane)(const View& block, const Real* weights, const LaneRow<Real>* rows, int64_t n, LaneSums& sums,
                       Real* lacks);
  // As shift_products, for one lane, by what its rows lack of their margins.
  void (*shift_lane)(const LaneRow<Real>* rows, int64_t n, const Real* lacks, Real shift, double& loss, double& slope,
                     double& curvature);

  // Rows first..last in the lanes that do not have them `inside` their working sets. The states there say up to where
  // the weights may have travelled before a look is needed. Those that violate a margin go to `violators`, with the
  // lanes in which they do. Returns how many; `looked` counts looks.
  int64_t (*inspect)(const View& block, const uint16_t* inside, int64_t first, int64_t last, const Real* travel,
                     Violator* violators, int64_t& looked, Sums& sums);

  // Per lane: the square of the distance between coef and old (without the bias line), the square of the norm of coef
  // (with it); old becomes coef.
  void (*travel)(const Real* coef, Real* old, int64_t n_lines, double* moved, double* norm);

  // out[r] = product of rows[r] with the lines of `lines`, bias included.
  void (*multiply)(const View& block, const Real* lines, const int32_t* rows, int64_t n, Real* out);

  // lines += sum over r of row rows[r] times the line factors[r]; with `squares`, of the squares of its values.
  void (*scatter)(const View& block, const Real* factors, const int32_t* rows, int64_t n, bool squares, Real* lines);

  // image += sum over r of row rows[r] times its product with `lines` times the line curvature[r].
  void (*bend)(const View& block, const Real* lines, const Real* curvature, const int32_t* rows, int64_t n,
               Real* image);

  // In the live lanes: slope and curvature of the losses at the products z + step * along (along may be null), and
  // their sum.
  void (*derive)(const View& block, const int32_t* rows, int64_t n, const Real* z, const Real* along, const Real* step,
                 Real* slope, Real* curvature, double* loss);

  // Columns first..first + panel_width of L of the n x n matrix L L', of which the lower triangle lies in lines of
  // `stride` numbers (a multiple of 16) and becomes L; `turned` is room for as many lines. False where the matrix is
  // not positive.
  bool (*factor_panel)(Real* matrix, int64_t n, int64_t stride, int64_t first, Real* turned);
  // x becomes what L L' takes to x.
  void (*substitute)(const Real* matrix, int64_t n, int64_t stride, Real* x);

  // Lines first..last of the lower triangle of the products of rows with one another.
  void (*multiply_rows)(const RowsOfLane<Real>& rows, int64_t first, int64_t last, Real* matrix);
  // out = K x for the symmetric K with this lower triangle.
  void (*multiply_symmetric)(const Real* matrix, int64_t n, int64_t stride, const Real* x, Real* out);
  // The same for packed lines, n a multiple of 16.
  void (*multiply_packed)(const Real* matrix, int64_t n, const Real* x, Real* out);
  // A part of a packed line: line += factor * values, n a multiple of 16.
  void (*add_to_packed)(const Real* values, int64_t n, Real factor, Real* line);
};

struct LoopTables {
  const char* name;
  Loops<float, float> single;
  Loops<float, double> mixed;
  Loops<double, double> twice;
};

const LoopTables& loops_baseline();
#ifdef BNCC_X86_TARGETS
const LoopTables& loops_avx2();
const LoopTables& loops_avx512();
#endif

// The table for an instruction set ("" is the best this machine has); null where it cannot run here.
const LoopTables* pick_loops(const char* name);

}  // namespace bncc::linear
