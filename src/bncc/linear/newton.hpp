// Newton's method on the primal for the 16 problems of a block (squared hinge and logistic loss): directions by
// conjugate gradients (or by factorisation, where these fail and the problem is small enough), steps by backtracking,
// both on products that are kept. For exact solutions, and for data on which coordinate descent crawls.
#pragma once

#include "direct.hpp"
#include "hessians.hpp"
#include "lower_bounds.hpp"
#include "native/crew.hpp"
#include "problem.hpp"

namespace bncc::linear {

template <class Value, class Real>
class Newton {
 public:
  // Of this thread; passes over many rows, and lanes with matrices of their own, are shared with the crew. `direct` is
  // for lanes on which conjugate gradients fail in double precision; null where there is none. `largest_square` is that
  // of |x|^2 over the rows.
  Newton(const Loops<Value, Real>& loops, const std::atomic<bool>& cancel, Crew& crew, int thread, int n_threads,
         int64_t least_shared, Direct<Value>* direct, double largest_square)
      : loops_(loops),
        cancel_(cancel),
        crew_(crew),
        thread_(thread),
        least_shared_(least_shared),
        direct_(direct),
        largest_square_(largest_square),
        orthogonal_(cancel),
        hessians_(loops, cancel, n_threads) {}

  // Solve from the weights in block.coef until every live lane has a gap of at most tol times its objective. In double
  // precision a lane whose steps lead nowhere although its gradient is large is settled if a lower bound says that it
  // is at its end, and given up if none does; in single it stays live.
  // `below`, where it is given, has a lower bound for each lane: then rows that lack next to nothing of their margins
  // are brought beyond them first (squared hinge loss in double precision).
  void run(Block<Value, Real>& block, double tol, int64_t max_steps, LaneState& lanes, BlockCosts& costs,
           const double* below = nullptr);

 private:
  void list_rows(const Block<Value, Real>& block);
  void add_up_costs(const Block<Value, Real>& block);
  template <class Pass>
  bool for_chunks(int64_t n, const Pass& pass);
  bool multiply(const Block<Value, Real>& block, const Real* lines, const std::vector<int32_t>& rows, Real* out);
  bool scatter(const Block<Value, Real>& block, const Real* factors, bool squares, Real* lines);
  bool derive(const Block<Value, Real>& block);
  bool derive_rows(const Block<Value, Real>& block, const Real* along, const Real* step, Real* slope, Real* curvature,
                   double* loss);
  void divide_rows(const Block<Value, Real>& block);
  template <class Pass>
  bool add_in_parts(Real* lines, const Pass& pass);
  bool bend(const Block<Value, Real>& block, const Real* lines, Real* image);
  bool find_direction(const Block<Value, Real>& block, uint32_t live, double tol);
  bool find_directions_apart(const Block<Value, Real>& block, uint32_t live, double tol);
  uint32_t solve_directly(const Block<Value, Real>& block, uint32_t lanes);
  bool solve_orthogonally(const Block<Value, Real>& block, uint32_t lanes, double tol);
  bool look_again(const Block<Value, Real>& block, uint32_t lanes);
  PlaceOfLane place_of(int lane) const;
  bool is_sure(const Block<Value, Real>& block, int lane, double tol) const;
  bool is_solved(const Block<Value, Real>& block, int lane, double gap, double tol);
  void prove(const Block<Value, Real>& block, int lane, const Orthogonal<Value>* factor, double tol);
  uint32_t grow(const Block<Value, Real>& block, uint32_t lanes, double near, double tol);
  void give_up_after(int lane, int most, LaneState& lanes);
  uint32_t judge(const Block<Value, Real>& block, uint32_t still, double tol, LaneState& lanes);
  bool search_line(const Block<Value, Real>& block, uint32_t live, const double* slope, double* step);

  const Loops<Value, Real>& loops_;
  const std::atomic<bool>& cancel_;
  Crew& crew_;
  int thread_;
  int64_t least_shared_;  // entries of a part: a pass over fewer is over before another thread is awake
  Direct<Value>* direct_;
  uint32_t directly_ = 0;           // lanes whose directions are found by factorisation
  uint32_t careful_ = 0;            // lanes whose directions must leave next to no residual
  uint32_t precise_ = 0;            // lanes whose last direction did
  uint32_t orthogonally_ = 0;       // lanes whose directions are found by orthogonal transformations
  uint32_t proven_ = 0;             // lanes of which a lower bound says that they are at their end
  uint32_t unsure_ = 0;             // lanes that are, but for what rounding may add to their objectives
  uint32_t grown_ = 0;              // lanes that have grown for it
  int tries_[n_lanes] = {};         // that have led nowhere
  int n_orthogonal_[n_lanes] = {};  // directions
  double largest_square_, total_cost_[n_lanes] = {};
  LowerBounds<Value> bounds_;
  Orthogonal<Value> orthogonal_;
  Hessians<Value, Real> hessians_;
  bool apart_ = false;  // the lanes have matrices of their own
  std::vector<int32_t> rows_, active_;
  int64_t n_lines_ = 0;
  double loss_[n_lanes] = {}, objective_[n_lanes] = {};
  double norm_[n_lanes] = {}, below_[n_lanes] = {};  // |w|^2; the best lower bound so far
  double first_residual_[n_lanes] = {};
  Buffer<Real> z_, along_, slope_, curvature_;
  Buffer<Real> gradient_, direction_, residual_, search_, image_, diagonal_;
  bool shares_passes_ = false;
  int64_t n_parts_ = 1;  // of the active rows
  Buffer<Real> parts_;   // lines of each part but the first
  std::vector<double> chunk_losses_;
  BlockCosts* costs_ = nullptr;
};

}  // namespace bncc::linear
