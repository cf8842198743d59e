// For each child the score with every other label added, and without each of its parents, is kept; a change of its
// parents renews that child's alone.
//
// Which labels are above which is kept as bits, so that whether an edge closes a cycle is one look.

#include "climb.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "family_scores.hpp"

namespace bncc {

namespace {

// One child: its parents, its score, and what it would be with another label or without one of them.
struct Family {
  Array<int32_t> parents;
  double score = 0;
  Array<double> with;     // by label
  Array<double> without;  // by place among the parents
};

enum class Kind : int32_t { add, remove, reverse };

struct Change {
  double gain = 0;
  Kind kind = Kind::add;
  int32_t parent = -1, child = -1;
};

class Climber {
 public:
  Climber(const SearchProblem& problem, const Array<Array<int32_t>>& start)
      : problem_(problem),
        scores_(problem),
        above_(problem.n_labels, problem.n_labels),
        families_(problem.n_labels),
        place_(problem.n_labels),
        left_(problem.child_limits, problem.child_limits + problem.n_labels),
        additions_(problem.n_labels) {
    for (int32_t i = 0; i < problem.n_labels; ++i) place_[problem.order[i]] = i;
    for (int32_t child = 0; child < problem.n_labels; ++child)
      families_[child].parents = Array<int32_t>(problem.required.begin(child), problem.required.end(child));
    order_above();
    for (int32_t child = 0; child < start.size(); ++child)
      for (int32_t parent : start[child]) begin_with(parent, child);
  }

  Array<FoundParents> run(const std::function<bool()>& poll) {
    for (int32_t child = 0; child < problem_.n_labels; ++child) {
      renew(child);
      if (child % 64 == 0 && !poll()) break;
    }
    while (poll()) {
      const Change change = best_change();
      if (!(change.gain > 0)) break;
      apply(change);
    }
    Array<FoundParents> found(problem_.n_labels);
    for (int32_t child = 0; child < problem_.n_labels; ++child) found[child] = described(child);
    return found;
  }

 private:
  static double rounded_gain(double difference) { return std::nearbyint(difference / 100.0); }

  void renew(int32_t child) {
    Family& family = families_[child];
    additions_[child].child = -1;
    const int64_t k = family.parents.size();
    scores_.group(child, family.parents);
    family.score = scores_.score();
    family.without.clear();
    for (int64_t at = 0; at < k; ++at) family.without.push_back(scores_.without(at));
    if (k < problem_.max_parents)
      scores_.with_each(family.with);
    else
      family.with.assign(problem_.n_labels, -std::numeric_limits<double>::infinity());
  }

  bool is_required(int32_t parent, int32_t child) const {
    return std::find(problem_.required.begin(child), problem_.required.end(child), parent) !=
           problem_.required.end(child);
  }
  // Larger gains first; then additions, then the parent and the child that come first in the initial order.
  bool better(const Change& a, const Change& b) const {
    if (a.gain != b.gain) return a.gain > b.gain;
    if (a.kind != b.kind) return a.kind < b.kind;
    if (b.parent < 0) return true;
    if (a.parent != b.parent) return place_[a.parent] < place_[b.parent];
    return place_[a.child] < place_[b.child];
  }

  Change best_change() {
    Change best;
    for (int32_t child = 0; child < problem_.n_labels; ++child) {
      const Family& family = families_[child];
      if (!still_best(child)) additions_[child] = best_addition(child);
      offer(additions_[child], best);
      for (int64_t at = 0; at < family.parents.size(); ++at) {
        if (is_required(family.parents[at], child)) continue;
        const double loss = family.without[at] - family.score;
        offer({rounded_gain(loss), Kind::remove, family.parents[at], child}, best);
        if (may_reverse(family.parents[at], child)) {
          const Family& other = families_[family.parents[at]];
          const double gain = loss + other.with[child] - other.score;
          offer({rounded_gain(gain), Kind::reverse, family.parents[at], child}, best);
        }
      }
    }
    return best;
  }

  // An edge of the start, unless something forbids it.
  void begin_with(int32_t parent, int32_t child) {
    Array<int32_t>& parents = families_[child].parents;
    const bool is_there = std::find(parents.begin(), parents.end(), parent) != parents.end();
    const bool is_forbidden = std::find(problem_.forbidden.begin(child), problem_.forbidden.end(child), parent) !=
                              problem_.forbidden.end(child);
    if (is_there || is_forbidden || parents.size() >= problem_.max_parents || !may_add(parent, child)) return;
    parents.push_back(parent);
    --left_[parent];
    extend_above(parent, child);
  }

  bool may_add(int32_t parent, int32_t child) const { return left_[parent] > 0 && !above_.has(parent, child); }

  // Edges that are added only take candidates away: what was best among more is best while it is allowed.
  bool still_best(int32_t child) const {
    const Change& known = additions_[child];
    return known.child >= 0 && (known.parent < 0 || may_add(known.parent, child));
  }

  Change best_addition(int32_t child) const {
    const Family& family = families_[child];
    Change best{0, Kind::add, -1, child};
    for (int32_t label = 0; label < problem_.n_labels; ++label) {
      const double gain = rounded_gain(family.with[label] - family.score);
      if (gain > 0 && gain >= best.gain && may_add(label, child)) offer({gain, Kind::add, label, child}, best);
    }
    return best;
  }

  void offer(const Change& change, Change& best) const {
    if (change.gain > 0 && better(change, best)) best = change;
  }

  // Whether child -> parent would be free of cycles once parent -> child is gone, and within the limits.
  bool may_reverse(int32_t parent, int32_t child) const {
    if (left_[child] <= 0 || !std::isfinite(families_[parent].with[child])) return false;
    const Array<int32_t>& others = families_[child].parents;
    return std::none_of(others.begin(), others.end(),
                        [&](int32_t other) { return other != parent && above_.has(other, parent); });
  }

  void apply(const Change& change) {
    Array<int32_t>& parents = families_[change.child].parents;
    if (change.kind == Kind::add) {
      parents.push_back(change.parent);
      --left_[change.parent];
      extend_above(change.parent, change.child);
      renew(change.child);
      return;
    }
    Array<int32_t> kept;
    for (int32_t parent : parents)
      if (parent != change.parent) kept.push_back(parent);
    parents = kept;
    ++left_[change.parent];
    if (change.kind == Kind::reverse) {
      families_[change.parent].parents.push_back(change.child);
      --left_[change.child];
    }
    order_above();
    for (Change& known : additions_) known.child = -1;  // more may be allowed now
    renew(change.child);
    if (change.kind == Kind::reverse) renew(change.parent);
  }

  // A new edge puts all that is above the parent above the child and all below it.
  void extend_above(int32_t parent, int32_t child) {
    for (int32_t label = 0; label < problem_.n_labels; ++label) {
      if (label != child && !above_.has(label, child)) continue;
      for (int64_t w = 0; w < above_.words; ++w) above_.list(label)[w] |= above_.list(parent)[w];
      above_.set(label, parent);
    }
  }

  // The bits above every label anew, parents before children.
  void order_above() {
    std::fill(above_.values.begin(), above_.values.end(), 0);
    Array<int32_t> waiting(problem_.n_labels), ready;
    Array<Array<int32_t>> children(problem_.n_labels);
    for (int32_t child = 0; child < problem_.n_labels; ++child) {
      waiting[child] = static_cast<int32_t>(families_[child].parents.size());
      if (waiting[child] == 0) ready.push_back(child);
      for (int32_t parent : families_[child].parents) children[parent].push_back(child);
    }
    for (int64_t at = 0; at < ready.size(); ++at) {
      const int32_t parent = ready[at];
      for (int32_t child : children[parent]) {
        for (int64_t w = 0; w < above_.words; ++w) above_.list(child)[w] |= above_.list(parent)[w];
        above_.set(child, parent);
        if (--waiting[child] == 0) ready.push_back(child);
      }
    }
  }

  FoundParents described(int32_t child) {
    FoundParents out;
    const Array<int32_t>& parents = families_[child].parents;
    out.parents = parents;
    out.stop = Stop::no_change;
    for (int64_t k = problem_.required.size(child); k <= parents.size(); ++k) {
      scores_.group(child, Array<int32_t>(parents.begin(), parents.begin() + k));
      out.scores.push_back(scores_.score() / 1e6);
    }
    return out;
  }

  const SearchProblem& problem_;
  FamilyScores scores_;
  Bits above_;  // by label: its ancestors
  Array<Family> families_;
  Array<int32_t> place_;     // label -> place in the initial order
  Array<int32_t> left_;      // children that a label may still take
  Array<Change> additions_;  // by child: the best one, with `child` -1 where that is not known
};

}  // namespace

Array<FoundParents> climb(const SearchProblem& problem, const Array<Array<int32_t>>& start,
                          const std::function<bool()>& poll) {
  return Climber(problem, start).run(poll);
}

}  // namespace bncc
