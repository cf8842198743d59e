// What double precision can say of one lane: how far above the minimum its weights are, at most.
//
// Half the squared gradient says too much where a cost times |x|^2 is large: what is rounded off a margin counts that
// often in it. Multipliers that a step of Newton's method leads to say more, and a bound for what is rounded makes it
// safe to believe them.
#pragma once

#include "lane_entries.hpp"
#include "orthogonal.hpp"

namespace bncc::linear {

// A lane at some weights: its products with the rows of the list, a line of sixteen for each.
struct PlaceOfLane {
  int lane;
  const std::vector<int32_t>& rows;
  const double* z;
  double objective;
};

template <class Value>
class LowerBounds {
 public:
  // How far above the minimum a place is at most: above the dual of the multipliers a = pull - stiffness * t, where t
  // is what a step adds to the margins. The gap is |w - Z'a|^2 / 2 (or what the Hessian makes of it, if `factor` is
  // that of the Hessian), and for each row stiffness * t^2 / 2 (squared hinge loss) or at most twice that (logistic
  // loss). An exact step makes it what the step promises, one that is not makes it larger.
  double find_gap(const Block<Value, double>& block, const PlaceOfLane& at, const double* along,
                  const Orthogonal<Value>* factor);

  // Where the objective is least along a direction (up to `most_steps_along`), from its slope there: sums of what the
  // rows pull, which is more than differences of objectives tell. 0 where it falls nowhere.
  static double best_step(const Block<Value, double>& block, const PlaceOfLane& at, const double* along,
                          const double* direction);

  // What a gap may have more than it seems to, since margins are rounded. To first order the objective and its lower
  // bounds move alike: what is left is the square of what is rounded off a margin, times what the row costs.
  static double rounding_of_gap(const Block<Value, double>& block, const PlaceOfLane& at);

  // By what share the weights must grow so that rows that lack next to nothing of their margins (`near`, or what may be
  // rounded off them) are surely beyond them (squared hinge loss); 0 where there are none, or it is more than `most`.
  // What such a row lacks by rounding alone may cost more than all the rest.
  static double overshoot(const Block<Value, double>& block, const PlaceOfLane& at, double near, double most);

 private:
  bool may_change(const Block<Value, double>& block, const PlaceOfLane& at, const double* along, double length) const;

  std::vector<double> missing_, rounding_;
};

constexpr double most_steps_along = 16.0;

// What may be rounded off a sum, as a share of the sum of the sizes.
constexpr double rounding_of_sums = 4.5e-16;

}  // namespace bncc::linear
