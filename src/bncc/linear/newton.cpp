#include "newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace bncc::linear {
namespace {

constexpr int64_t chunk = 1024;  // rows between two looks at `cancel`
// Parts of the active rows that are added up side by side, each to lines of its own, at most; and entries of a part for
// each of these lines, so that adding up the parts is a small share of the work.
constexpr int64_t most_parts = 4, entries_per_line = 16;
constexpr int max_halvings = 40;
template <class Real>
constexpr int64_t most_gradients = std::is_same_v<Real, double> ? 1000 : 24;  // conjugate gradients of a direction
// Where each is a product with a matrix: it costs little beside the rows that come and leave between two directions.
constexpr int64_t most_gradients_apart = 60;
constexpr int64_t most_before_direct = 150;  // of them, where a factorisation can take over
constexpr double next_to_nothing = 1e-4;
template <class Real>
constexpr double rounding_of = std::is_same_v<Real, double> ? 1e-15 : 1e-7;  // of an objective, as a share
constexpr double sufficient = 0.01;                                          // of the decrease that the slope promises
template <class Real>
constexpr double share_of_residual = std::is_same_v<Real, double> ? 0.01 : 0.001;
constexpr double share_of_tol = 0.1;  // what the residual of a direction may add to the gap
constexpr double share_of_rounding = 0.01, share_of_growth = 0.1;  // of the tolerance
constexpr int most_tries = 4;
constexpr int64_t patience = 100;  // steps in double precision, after which directions are orthogonal ones
constexpr int most_orthogonal_directions = 150;  // of a lane

// Short sums in the precision of the lines, long ones in double.
template <class Real>
void dot(const Real* a, const Real* b, int64_t n_lines, double* out) {
  constexpr int64_t part = 256;
  std::fill(out, out + n_lanes, 0.0);
  for (int64_t start = 0; start < n_lines; start += part) {
    const int64_t stop = std::min(n_lines, start + part);
    Real sums[n_lanes] = {};
    for (int64_t j = start; j < stop; ++j)
      for (int l = 0; l < n_lanes; ++l) sums[l] += a[j * n_lanes + l] * b[j * n_lanes + l];
    for (int l = 0; l < n_lanes; ++l) out[l] += static_cast<double>(sums[l]);
  }
}

// a += factor * b, lane by lane.
template <class Real>
void add(Real* a, const double* factor, const Real* b, int64_t n_lines) {
  Real rounded[n_lanes];
  for (int l = 0; l < n_lanes; ++l) rounded[l] = static_cast<Real>(factor[l]);
  for (int64_t j = 0; j < n_lines; ++j)
    for (int l = 0; l < n_lanes; ++l) a[j * n_lanes + l] += rounded[l] * b[j * n_lanes + l];
}

// a = b + factor * a, lane by lane.
template <class Real>
void add_to_multiple(Real* a, const double* factor, const Real* b, int64_t n_lines) {
  Real rounded[n_lanes];
  for (int l = 0; l < n_lanes; ++l) rounded[l] = static_cast<Real>(factor[l]);
  for (int64_t j = 0; j < n_lines; ++j)
    for (int l = 0; l < n_lanes; ++l) a[j * n_lanes + l] = b[j * n_lanes + l] + rounded[l] * a[j * n_lanes + l];
}

bool is_on(uint32_t lanes, int l) { return (lanes >> l & 1u) != 0; }

template <class Value>
int64_t count_entries(const Features<Value>& x, const std::vector<int32_t>& rows) {
  if (!x.indices) return static_cast<int64_t>(rows.size()) * x.n_features;
  int64_t entries = 0;
  for (const int32_t row : rows) entries += x.indptr[row + 1] - x.indptr[row];
  return entries;
}

}  // namespace

template <class Value, class Real>
void Newton<Value, Real>::list_rows(const Block<Value, Real>& block) {
  rows_.clear();
  for (int64_t row = 0; row < block.x.n_rows; ++row)
    if (block.member[row]) rows_.push_back(static_cast<int32_t>(row));
  const int64_t n = static_cast<int64_t>(rows_.size()) * n_lanes;
  for (Buffer<Real>* buffer : {&z_, &along_, &slope_, &curvature_}) buffer->ensure(n);
  n_lines_ = block.n_lines();
  shares_passes_ = count_entries(block.x, rows_) >= 2 * least_shared_;
  for (Buffer<Real>* buffer : {&gradient_, &direction_, &residual_, &search_, &image_, &diagonal_})
    buffer->ensure(n_lines_ * n_lanes);
}

// What the rows of each lane cost in all, at most.
template <class Value, class Real>
void Newton<Value, Real>::add_up_costs(const Block<Value, Real>& block) {
  double weight = 0.0;
  for (const int32_t row : rows_) weight += block.weight ? static_cast<double>(block.weight[row]) : 1.0;
  for (int l = 0; l < n_lanes; ++l)
    total_cost_[l] = weight * static_cast<double>(std::max(block.cost[0][l], block.cost[1][l]));
}

// pass(first, n) for rows first..first + n, chunk by chunk.
template <class Value, class Real>
template <class Pass>
bool Newton<Value, Real>::for_chunks(int64_t n, const Pass& pass) {
  const int64_t n_chunks = (n + chunk - 1) / chunk;
  const auto task = [&](int, int64_t number) { pass(number * chunk, std::min(chunk, n - number * chunk)); };
  if (shares_passes_)
    crew_.share(thread_, n_chunks, task);
  else
    for (int64_t number = 0; number < n_chunks && !cancel_.load(std::memory_order_relaxed); ++number) task(0, number);
  return !cancel_.load(std::memory_order_relaxed);
}

template <class Value, class Real>
bool Newton<Value, Real>::multiply(const Block<Value, Real>& block, const Real* lines, const std::vector<int32_t>& rows,
                                   Real* out) {
  costs_->checks += static_cast<double>(rows.size());
  return for_chunks(static_cast<int64_t>(rows.size()), [&](int64_t first, int64_t n) {
    loops_.multiply(block, lines, rows.data() + first, n, out + first * n_lanes);
  });
}

// In how many parts the active rows are added up, whatever the number of threads.
template <class Value, class Real>
void Newton<Value, Real>::divide_rows(const Block<Value, Real>& block) {
  const int64_t part = std::max(least_shared_, entries_per_line * n_lines_);
  n_parts_ = std::clamp<int64_t>(count_entries(block.x, active_) / part, 1, most_parts);
  parts_.ensure((n_parts_ - 1) * n_lines_ * n_lanes);
}

// lines += what pass(first, n, to) adds for the active rows from `first` on, part by part.
template <class Value, class Real>
template <class Pass>
bool Newton<Value, Real>::add_in_parts(Real* lines, const Pass& pass) {
  const int64_t n = static_cast<int64_t>(active_.size()), size = n_lines_ * n_lanes;
  const auto task = [&](int, int64_t part) {
    Real* to = part ? parts_.data() + (part - 1) * size : lines;
    if (part) std::fill(to, to + size, Real(0));
    const int64_t end = n * (part + 1) / n_parts_;
    for (int64_t first = n * part / n_parts_; first < end; first += chunk) {
      if (cancel_.load(std::memory_order_relaxed)) return;
      pass(first, std::min(chunk, end - first), to);
    }
  };
  if (n_parts_ == 1)
    task(thread_, 0);
  else
    crew_.share(thread_, n_parts_, task);
  costs_->updates += static_cast<double>(n);
  if (cancel_.load(std::memory_order_relaxed)) return false;
  for (int64_t part = 1; part < n_parts_; ++part) {
    const Real* own = parts_.data() + (part - 1) * size;
    for (int64_t k = 0; k < size; ++k) lines[k] += own[k];
  }
  return true;
}

template <class Value, class Real>
bool Newton<Value, Real>::scatter(const Block<Value, Real>& block, const Real* factors, bool squares, Real* lines) {
  return add_in_parts(lines, [&](int64_t first, int64_t n, Real* to) {
    loops_.scatter(block, factors + first * n_lanes, active_.data() + first, n, squares, to);
  });
}

// Of all rows, at z + step * along: slopes and curvatures, where they are asked for, and the losses.
template <class Value, class Real>
bool Newton<Value, Real>::derive_rows(const Block<Value, Real>& block, const Real* along, const Real* step, Real* slope,
                                      Real* curvature, double* loss) {
  const int64_t n = static_cast<int64_t>(rows_.size()), n_chunks = (n + chunk - 1) / chunk;
  chunk_losses_.assign(static_cast<size_t>(n_chunks * n_lanes), 0.0);
  const bool done = for_chunks(n, [&](int64_t first, int64_t size) {
    const int64_t at = first * n_lanes;
    loops_.derive(block, rows_.data() + first, size, z_.data() + at, along ? along + at : nullptr, step,
                  slope ? slope + at : nullptr, curvature ? curvature + at : nullptr,
                  chunk_losses_.data() + first / chunk * n_lanes);
  });
  std::fill(loss, loss + n_lanes, 0.0);
  for (int64_t number = 0; number < n_chunks; ++number)
    for (int l = 0; l < n_lanes; ++l) loss[l] += chunk_losses_[static_cast<size_t>(number * n_lanes + l)];
  return done;
}

// Slopes, curvatures and losses at z; rows without any leave `active_`, and the arrays close up. A row far on the wrong
// side has a slope where its curvature is too small a number.
template <class Value, class Real>
bool Newton<Value, Real>::derive(const Block<Value, Real>& block) {
  const int64_t n = static_cast<int64_t>(rows_.size());
  Real* slope = slope_.data();
  Real* curvature = curvature_.data();
  if (!derive_rows(block, nullptr, nullptr, slope, curvature, loss_)) return false;
  active_.clear();
  for (int64_t r = 0; r < n; ++r) {
    Real any = 0;
    for (int l = 0; l < n_lanes; ++l) any += curvature[r * n_lanes + l] + std::abs(slope[r * n_lanes + l]);
    if (!(any > 0)) continue;
    const int64_t to = static_cast<int64_t>(active_.size()) * n_lanes;
    if (to != r * n_lanes) {
      std::copy(slope + r * n_lanes, slope + (r + 1) * n_lanes, slope + to);
      std::copy(curvature + r * n_lanes, curvature + (r + 1) * n_lanes, curvature + to);
    }
    active_.push_back(rows_[static_cast<size_t>(r)]);
  }
  divide_rows(block);
  return true;
}

// image = the Hessian times lines.
template <class Value, class Real>
bool Newton<Value, Real>::bend(const Block<Value, Real>& block, const Real* lines, Real* image) {
  std::copy(lines, lines + n_lines_ * n_lanes, image);
  return add_in_parts(image, [&](int64_t first, int64_t n, Real* to) {
    loops_.bend(block, lines, curvature_.data() + first * n_lanes, active_.data() + first, n, to);
  });
}

// Conjugate gradients with the diagonal as preconditioner, until the residual is a small part of the gradient; a
// smaller one when the gradient is already small, so that the last steps are those of Newton, but never less than `tol`
// asks. In single precision few of them make a direction: rows become active and leave again, and a direction that is
// exact for the rows of the moment is worth no more.
template <class Value, class Real>
bool Newton<Value, Real>::find_direction(const Block<Value, Real>& block, uint32_t live, double tol) {
  if (apart_) return find_directions_apart(block, live, tol);
  const int64_t size = n_lines_ * n_lanes;
  Real *s = direction_.data(), *r = residual_.data(), *p = search_.data(), *image = image_.data();
  Real* diagonal = diagonal_.data();
  std::fill(diagonal, diagonal + size, Real(1));
  if (!scatter(block, curvature_.data(), true, diagonal)) return false;
  std::fill(s, s + size, Real(0));
  for (int64_t k = 0; k < size; ++k) r[k] = -gradient_.data()[k];
  for (int64_t k = 0; k < size; ++k) p[k] = r[k] / diagonal[k];
  double rho[n_lanes], goal[n_lanes], alpha[n_lanes], beta[n_lanes], bending[n_lanes], square[n_lanes];
  dot(r, p, n_lines_, rho);
  for (int l = 0; l < n_lanes; ++l) {
    if (!(first_residual_[l] > 0.0)) first_residual_[l] = rho[l];
    const double progress = first_residual_[l] > 0.0 ? std::sqrt(rho[l] / first_residual_[l]) : 0.0;
    goal[l] = is_on(careful_, l) ? 0.0 : rho[l] * std::min(share_of_residual<Real>, progress);
  }
  precise_ = 0;
  if (!solve_orthogonally(block, live & orthogonally_, tol)) return false;
  live &= ~orthogonally_;
  const bool may_factor = direct_ && std::min<int64_t>(n_lines_, static_cast<int64_t>(active_.size())) <= most_direct;
  const int64_t most = may_factor ? most_before_direct : most_gradients<Real>,
                limit = std::min(2 * n_lines_ + 10, most);
  const uint32_t failed = may_factor ? solve_directly(block, live & directly_) : 0;
  live &= ~directly_ | failed;
  for (int64_t step = 0; step < limit && live; ++step) {
    if (!bend(block, p, image)) return false;
    dot(p, image, n_lines_, bending);
    for (int l = 0; l < n_lanes; ++l) {
      alpha[l] = is_on(live, l) && bending[l] > 0.0 ? rho[l] / bending[l] : 0.0;
      beta[l] = -alpha[l];
    }
    add(s, alpha, p, n_lines_);
    add(r, beta, image, n_lines_);
    for (int64_t k = 0; k < size; ++k) image[k] = r[k] / diagonal[k];
    double next[n_lanes];
    dot(r, image, n_lines_, next);
    dot(r, r, n_lines_, square);
    for (int l = 0; l < n_lanes; ++l) {
      const bool precise = 0.5 * square[l] <= share_of_tol * tol * objective_[l];
      if (is_on(live, l) && precise) precise_ |= 1u << l;
      if (is_on(live, l) && (precise || !(next[l] > goal[l]))) live &= ~(1u << l);
      beta[l] = is_on(live, l) ? next[l] / rho[l] : 0.0;
      rho[l] = next[l];
    }
    add_to_multiple(p, beta, image, n_lines_);
  }
  if (!may_factor) return true;
  directly_ |= live & ~failed;
  const uint32_t in_vain = failed | solve_directly(block, live & ~failed);
  precise_ |= directly_ & ~in_vain;
  if (Orthogonal<Value>::pays(n_lines_, static_cast<int64_t>(active_.size()))) orthogonally_ |= in_vain;
  return !cancel_.load(std::memory_order_relaxed);
}

// The same with a matrix for each lane.
template <class Value, class Real>
bool Newton<Value, Real>::find_directions_apart(const Block<Value, Real>& block, uint32_t live, double tol) {
  std::fill(direction_.data(), direction_.data() + n_lines_ * n_lanes, Real(0));
  hessians_.list_rows(live, active_, curvature_.data());
  crew_.share(thread_, n_lanes, [&](int thread, int64_t number) {
    const int l = static_cast<int>(number);
    if (!is_on(live, l)) return;
    hessians_.update(block, l, thread);
    const DirectionGoal goal{share_of_residual<Real>, 2.0 * share_of_tol * tol * objective_[l], most_gradients_apart};
    hessians_.find_direction(l, gradient_.data(), goal, thread, first_residual_[l], direction_.data());
  });
  return !cancel_.load();
}

// Directions of some lanes by factorisation; returns those that keep what they have.
template <class Value, class Real>
uint32_t Newton<Value, Real>::solve_directly(const Block<Value, Real>& block, uint32_t lanes) {
  uint32_t failed = 0;
  if constexpr (std::is_same_v<Real, double>)
    for (int l = 0; l < n_lanes; ++l)
      if (is_on(lanes, l) && !direct_->solve(block, l, active_, curvature_.data(), gradient_.data(), direction_.data()))
        failed |= 1u << l;
  return failed;
}

// The largest of 1, 1/2, 1/4 ... that lowers the objective enough, per lane; 0 where none does.
template <class Value, class Real>
bool Newton<Value, Real>::search_line(const Block<Value, Real>& block, uint32_t live, const double* slope,
                                      double* step) {
  alignas(64) Real trial[n_lanes];
  double ww[n_lanes], ws[n_lanes], ss[n_lanes];
  dot(block.coef, block.coef, n_lines_, ww);
  dot(block.coef, direction_.data(), n_lines_, ws);
  dot(direction_.data(), direction_.data(), n_lines_, ss);
  for (int l = 0; l < n_lanes; ++l) trial[l] = is_on(live, l) ? Real(1) : Real(0);
  std::fill(step, step + n_lanes, 0.0);
  for (int halvings = 0; halvings < max_halvings && live; ++halvings) {
    double loss[n_lanes];
    if (!derive_rows(block, along_.data(), trial, nullptr, nullptr, loss)) return false;
    for (int l = 0; l < n_lanes; ++l) {
      if (!is_on(live, l)) continue;
      const double t = static_cast<double>(trial[l]), value = 0.5 * ww[l] + t * ws[l] + 0.5 * t * t * ss[l] + loss[l];
      const double rounding = rounding_of<Real> * std::abs(objective_[l]);
      if (value <= objective_[l] + sufficient * t * slope[l] + rounding) {
        step[l] = t;
        live &= ~(1u << l);
        trial[l] = Real(0);
      } else {
        trial[l] *= Real(0.5);
      }
    }
  }
  return true;
}

// The same by orthogonal transformations, and what the factors say of how far the lanes are from their ends.
template <class Value, class Real>
bool Newton<Value, Real>::solve_orthogonally(const Block<Value, Real>& block, uint32_t lanes, double tol) {
  if constexpr (std::is_same_v<Real, double>)
    for (int l = 0; l < n_lanes; ++l) {
      if (!is_on(lanes, l)) continue;
      if (++n_orthogonal_[l] > most_orthogonal_directions) tries_[l] = most_tries;
      if (!orthogonal_.solve(block, l, active_, slope_.data(), curvature_.data(), direction_.data())) {
        if (cancel_.load(std::memory_order_relaxed)) return false;
        tries_[l] = most_tries;  // its numbers leave the range
        for (int64_t j = 0; j < n_lines_; ++j) direction_.data()[j * n_lanes + l] = 0.0;
        continue;
      }
      for (size_t r = 0; r < rows_.size(); ++r) {
        double sum = 0.0;
        visit_row(block, l, rows_[r],
                  [&](int64_t column, double value) { sum += value * direction_.data()[column * n_lanes + l]; });
        along_.data()[r * n_lanes + static_cast<size_t>(l)] = sum;
      }
      prove(block, l, &orthogonal_, tol);
    }
  return true;
}

// Products of some lanes with the rows without what steps have rounded off them.
template <class Value, class Real>
bool Newton<Value, Real>::look_again(const Block<Value, Real>& block, uint32_t lanes) {
  if (!std::is_same_v<Real, double> || !lanes) return true;
  if (!multiply(block, block.coef, rows_, along_.data())) return false;
  for (size_t r = 0; r < rows_.size(); ++r)
    for (size_t l = 0; l < n_lanes; ++l)
      if (is_on(lanes, static_cast<int>(l))) z_.data()[r * n_lanes + l] = along_.data()[r * n_lanes + l];
  return true;
}

template <class Value, class Real>
PlaceOfLane Newton<Value, Real>::place_of(int lane) const {
  if constexpr (std::is_same_v<Real, double>)
    return {lane, rows_, z_.data(), objective_[lane]};
  else
    return {lane, rows_, nullptr, objective_[lane]};
}

// Whether a gap is what it seems to be, up to a part of the tolerance: seen from the largest numbers, and if these do
// not tell, from all of them.
template <class Value, class Real>
bool Newton<Value, Real>::is_sure(const Block<Value, Real>& block, int lane, double tol) const {
  if constexpr (std::is_same_v<Real, double>) {
    const double square =
        largest_square_ + static_cast<double>(block.context.n_labels) + block.bias_feature * block.bias_feature;
    const double most = share_of_rounding * tol * objective_[lane];
    if (total_cost_[lane] * rounding_of_sums * square * rounding_of_sums * norm_[lane] <= most) return true;
    return LowerBounds<Value>::rounding_of_gap(block, place_of(lane)) <= most;
  }
  return true;
}

template <class Value, class Real>
bool Newton<Value, Real>::is_solved(const Block<Value, Real>& block, int lane, double gap, double tol) {
  if (!(gap <= tol * objective_[lane])) return false;
  if (is_sure(block, lane, tol)) return true;
  unsure_ |= 1u << lane;
  return false;
}

// Ask for a lower bound, where the lane is and from the direction that it has.
template <class Value, class Real>
void Newton<Value, Real>::prove(const Block<Value, Real>& block, int lane, const Orthogonal<Value>* factor,
                                double tol) {
  if constexpr (std::is_same_v<Real, double>) {
    const double gap = bounds_.find_gap(block, place_of(lane), along_.data(), factor);
    below_[lane] = std::max(below_[lane], objective_[lane] - gap);
    if (is_solved(block, lane, gap, tol)) proven_ |= 1u << lane;
  }
}

template <class Value, class Real>
void Newton<Value, Real>::give_up_after(int lane, int most, LaneState& lanes) {
  if (++tries_[lane] > most) lanes.live &= ~(1u << lane);
}

// Let rows on their margins come to lie beyond them, in some lanes. Returns those that have grown.
template <class Value, class Real>
uint32_t Newton<Value, Real>::grow(const Block<Value, Real>& block, uint32_t lanes, double near, double tol) {
  uint32_t grown = 0;
  if constexpr (std::is_same_v<Real, double>)
    for (int l = 0; l < n_lanes; ++l) {
      if (!is_on(lanes, l)) continue;
      const double share = LowerBounds<Value>::overshoot(block, place_of(l), near, share_of_growth * tol);
      if (!(share > 0.0)) continue;
      for (int64_t j = 0; j < n_lines_; ++j) block.coef[j * n_lanes + l] *= 1.0 + share;
      grown |= 1u << l;
    }
  careful_ |= grown;
  grown_ |= grown;
  return grown;
}

// Of lanes whose steps promise next to nothing (-slope / 2 is what they promise), in single precision those that are at
// their end. In double precision a lane is at its end if a lower bound says so. If it does not, the next direction is
// one without residual, since conjugate gradients end early where few of the weights have nearly all of the gradient;
// then one by orthogonal transformations, since what is rounded off products may be all that counts; and then the lane
// is given up.
template <class Value, class Real>
uint32_t Newton<Value, Real>::judge(const Block<Value, Real>& block, uint32_t still, double tol, LaneState& lanes) {
  if (!std::is_same_v<Real, double>) return still;
  const bool pays = Orthogonal<Value>::pays(n_lines_, static_cast<int64_t>(active_.size()));
  for (int l = 0; l < n_lanes; ++l) {
    if (!is_on(still, l)) continue;
    const uint32_t own = 1u << l;
    if (precise_ & own) prove(block, l, nullptr, tol);
    if ((proven_ | unsure_) & own) continue;
    if (!(careful_ & own))
      careful_ |= own;
    else if (pays && !(orthogonally_ & own))
      orthogonally_ |= own;
    else
      give_up_after(l, most_tries, lanes);
  }
  return 0;
}

template <class Value, class Real>
void Newton<Value, Real>::run(Block<Value, Real>& block, double tol, int64_t max_steps, LaneState& lanes,
                              BlockCosts& costs, const double* below) {
  costs_ = &costs;
  list_rows(block);
  std::fill(first_residual_, first_residual_ + n_lanes, 0.0);
  std::fill(below_, below_ + n_lanes, -std::numeric_limits<double>::infinity());
  std::fill(tries_, tries_ + n_lanes, 0);
  std::fill(n_orthogonal_, n_orthogonal_ + n_lanes, 0);
  directly_ = careful_ = orthogonally_ = proven_ = unsure_ = grown_ = 0;
  apart_ = false;
  add_up_costs(block);
  if (!multiply(block, block.coef, rows_, z_.data())) return;
  if (below) {
    std::copy(below, below + n_lanes, below_);
    grown_ = lanes.live;
    grow(block, lanes.live, share_of_growth * tol, tol);
  }
  uint32_t last = 0;  // lanes whose last step was so small that the next look is the end
  for (int64_t steps = 0;; ++steps) {
    block.live = lanes.live;
    if (!look_again(block, lanes.live & (careful_ | proven_)) || !derive(block)) return;
    double norm[n_lanes], square[n_lanes], slope[n_lanes], step[n_lanes];
    std::copy(block.coef, block.coef + n_lines_ * n_lanes, gradient_.data());
    if (!scatter(block, slope_.data(), false, gradient_.data())) return;
    dot(block.coef, block.coef, n_lines_, norm);
    dot(gradient_.data(), gradient_.data(), n_lines_, square);
    for (int l = 0; l < n_lanes; ++l) {
      if (!is_on(lanes.live, l)) continue;
      norm_[l] = norm[l];
      objective_[l] = 0.5 * norm[l] + loss_[l];
      below_[l] = std::max(below_[l], objective_[l] - 0.5 * square[l]);  // the dual of the multipliers that slopes are
      lanes.primal[l] = objective_[l];
      lanes.dual[l] = std::min(below_[l], objective_[l]);
      ++lanes.iterations[l];
      const double gap = is_on(grown_, l) ? objective_[l] - below_[l] : 0.5 * square[l];
      if (!is_on(proven_, l) && !is_solved(block, l, gap, tol)) continue;
      lanes.live &= ~(1u << l);
      lanes.settled |= 1u << l;
    }
    const bool stuck = !(lanes.live & ~last);  // single precision bears no more
    if (!lanes.live || steps == max_steps || stuck) break;
    const uint32_t unsure = unsure_ & lanes.live;
    unsure_ = 0;
    for (int l = 0; l < n_lanes; ++l)
      if (is_on(unsure, l)) give_up_after(l, most_tries, lanes);
    if (grow(block, unsure, 0.0, tol)) continue;
    if (steps >= patience && direct_ && Orthogonal<Value>::pays(n_lines_, static_cast<int64_t>(active_.size())))
      orthogonally_ |= lanes.live;
    if (!apart_ && !direct_) {  // lanes that are done may leave so few that it pays now
      apart_ = hessians_.pay(block, lanes.live, active_, curvature_.data());
      if (apart_) hessians_.start(block, lanes.live);
    }
    if (!find_direction(block, lanes.live, tol)) return;
    dot(gradient_.data(), direction_.data(), n_lines_, slope);
    if (!multiply(block, direction_.data(), rows_, along_.data())) return;
    if (!search_line(block, lanes.live, slope, step)) return;
    if constexpr (std::is_same_v<Real, double>)
      for (int l = 0; l < n_lanes; ++l)
        if (is_on(lanes.live & orthogonally_, l))
          step[l] = LowerBounds<Value>::best_step(block, place_of(l), along_.data(), direction_.data());
    uint32_t still = 0;
    for (int l = 0; l < n_lanes; ++l)
      if (-slope[l] <= next_to_nothing * tol * objective_[l] || !(step[l] > 0.0) ||
          n_orthogonal_[l] > most_orthogonal_directions)
        still |= 1u << l;
    last |= judge(block, still & lanes.live, tol, lanes);
    add(block.coef, step, direction_.data(), n_lines_);
    add(z_.data(), step, along_.data(), static_cast<int64_t>(rows_.size()));
  }
  costs.active += static_cast<double>(active_.size());
}

template class Newton<float, float>;
template class Newton<float, double>;
template class Newton<double, double>;

}  // namespace bncc::linear
