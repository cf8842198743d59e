// The Hessians of the lanes of a block as matrices (squared hinge loss), for problems of some hundred columns.
//
// The rows with curvature are those that lack a margin: few in one lane, and most of all in the sixteen together. A
// product with a lane's own matrix then takes less than its part of a pass over these rows, however many they are. From
// one step of Newton's method to the next, few rows come or leave, and only these are added or taken away.
#pragma once

#include "problem.hpp"

namespace bncc::linear {

// When a direction is good enough.
struct DirectionGoal {
  double share = 0.0;   // of the residual of the start, as the preconditioner measures it
  double square = 0.0;  // or the square of the residual
  int64_t most = 0;     // products
};

template <class Value, class Real>
class Hessians {
 public:
  Hessians(const Loops<Value, Real>& loops, const std::atomic<bool>& cancel, int n_threads)
      : loops_(loops), cancel_(cancel), scratch_(static_cast<size_t>(n_threads)) {}

  // Whether the matrices of these lanes are small enough, and save time against passes over the active rows.
  bool pay(const Block<Value, Real>& block, uint32_t lanes, const std::vector<int32_t>& active, const Real* curvature);

  // Begin with no row in any matrix.
  void start(const Block<Value, Real>& block, uint32_t lanes);

  // List the active rows (ascending) of each of these lanes, those with curvature.
  void list_rows(uint32_t lanes, const std::vector<int32_t>& active, const Real* curvature);

  // Bring a lane's matrix to the rows of its list. Threads may do this, and what follows, for different lanes at the
  // same time.
  void update(const Block<Value, Real>& block, int lane, int thread);

  // A lane's direction, by conjugate gradients with the diagonal as preconditioner; `first` is the residual of its
  // first direction (0: this is it). Unfinished where `cancel` came.
  void find_direction(int lane, const Real* gradient, DirectionGoal goal, int thread, double& first, Real* direction);

 private:
  struct HeldRow {
    int32_t row;
    Real curvature;
  };
  struct Lane {
    std::vector<int32_t> lines;      // the line of a column: features, the labels that the lane sees, the constant
    std::vector<HeldRow> held, now;  // rows that are in the matrix, those that shall be
    int64_t size = 0;                // of the matrix: columns, up to a multiple of 16
    Buffer<Real> matrix;
  };
  // What a thread works with.
  struct Scratch {
    std::vector<int32_t> columns;  // of a row
    std::vector<Real> values;
    Buffer<Real> whole_row;  // with its zeros; zero between rows
    int64_t width = 0;       // of it
    Buffer<Real> vectors;
  };
  static int64_t count_columns(const Block<Value, Real>& block, int lane);
  void add(const Block<Value, Real>& block, int lane, int32_t row, Real curvature, Scratch& scratch);
  void mirror(Lane& lane);

  const Loops<Value, Real>& loops_;
  const std::atomic<bool>& cancel_;
  Lane lanes_[n_lanes];
  std::vector<int32_t> number_of_label_[n_lanes];  // among those that the lane sees; -1: it does not
  std::vector<Scratch> scratch_;                   // by thread
};

}  // namespace bncc::linear
