// For each child the score with every other label added, and without each of its parents, is kept; a change of its
// parents renews that child's alone. The rows of a child fall into groups (configuration of the parents, value of the
// child). Counts of every label in every group are read off bit by bit, 64 rows at a time, or row by row through the
// labels of each row, whichever reads less.
//
// Which labels are above which is kept as bits, so that whether an edge closes a cycle is one look.

#include "climb.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define BNCC_HAS_POPCNT 1
#else
#define BNCC_HAS_POPCNT 0
#endif

namespace bncc {

namespace {

int64_t bits_of(uint64_t v) {
  v = v - ((v >> 1) & 0x5555555555555555u);
  v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
  v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<int64_t>((v * 0x0101010101010101u) >> 56);
}

int64_t common_plain(const uint64_t* a, const uint64_t* b, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += bits_of(a[i] & b[i]);
  return sum;
}

#if BNCC_HAS_POPCNT
__attribute__((target("popcnt"))) int64_t common_popcnt(const uint64_t* a, const uint64_t* b, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += __builtin_popcountll(a[i] & b[i]);
  return sum;
}
#endif

// Bits that two lists have in common.
using Common = int64_t (*)(const uint64_t*, const uint64_t*, int64_t);

Common fastest() {
#if BNCC_HAS_POPCNT
  if (__builtin_cpu_supports("popcnt")) return common_popcnt;
#endif
  return common_plain;
}

// Lists of bits of one length, one after the other.
struct Bits {
  int64_t words = 0;
  Array<uint64_t> values;

  Bits(int64_t lists, int64_t n_bits) : words((n_bits + 63) / 64), values(lists * words, 0) {}
  uint64_t* list(int64_t i) { return values.data() + i * words; }
  const uint64_t* list(int64_t i) const { return values.data() + i * words; }
  void set(int64_t i, int64_t bit) { list(i)[bit >> 6] |= uint64_t{1} << (bit & 63); }
  bool has(int64_t i, int64_t bit) const { return list(i)[bit >> 6] >> (bit & 63) & 1; }
};

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
  explicit Climber(const SearchProblem& problem)
      : problem_(problem),
        common_(fastest()),
        columns_(problem.n_labels, problem.n_rows),
        above_(problem.n_labels, problem.n_labels),
        families_(problem.n_labels),
        place_(problem.n_labels),
        left_(problem.child_limits, problem.child_limits + problem.n_labels),
        additions_(problem.n_labels),
        group_of_(problem.n_rows, 0) {
    for (int32_t i = 0; i < problem.n_labels; ++i) place_[problem.order[i]] = i;
    for (int32_t label = 0; label < problem.n_labels; ++label) {
      for (const int32_t* r = problem.rows_of.begin(label); r != problem.rows_of.end(label); ++r)
        columns_.set(label, *r);
      families_[label].parents = Array<int32_t>(problem.required.begin(label), problem.required.end(label));
    }
    order_above();
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

  int64_t term(int32_t k, int64_t zeros, int64_t ones) const {
    return problem_.cell_at(k)[ones] + problem_.cell_at(k)[zeros] - problem_.total_at(k)[ones + zeros];
  }

  // Splits the rows by (configuration of the parents, child): `size_` by group, `code_` by configuration.
  void group_rows(int32_t child, const Array<int32_t>& parents) {
    for (int32_t row : active_) group_of_[row] = 0;
    active_.clear();
    code_.assign(1, 0);
    for (const int32_t* r = problem_.rows_of.begin(child); r != problem_.rows_of.end(child); ++r) {
      group_of_[*r] = 1;
      active_.push_back(*r);
    }
    size_ = {problem_.n_rows - problem_.rows_of.size(child), problem_.rows_of.size(child)};
    for (int64_t at = 0; at < parents.size(); ++at) {
      Array<int32_t> split(code_.size(), -1);
      for (const int32_t* r = problem_.rows_of.begin(parents[at]); r != problem_.rows_of.end(parents[at]); ++r) {
        const int32_t old = group_of_[*r];
        if (old == 0) active_.push_back(*r);
        int32_t& fresh = split[old >> 1];
        if (fresh < 0) {
          fresh = static_cast<int32_t>(code_.size());
          code_.push_back(code_[old >> 1] | uint64_t{1} << at);
          size_.resize(size_.size() + 2, 0);
        }
        const int32_t group = 2 * fresh + (old & 1);
        group_of_[*r] = group;
        --size_[old];
        ++size_[group];
      }
    }
  }

  double grouped_score(int64_t k) const {
    int64_t sum = 0;
    for (int64_t q = 0; q < size_.size(); q += 2) sum += term(static_cast<int32_t>(k), size_[q], size_[q + 1]);
    return problem_.rounded(sum, static_cast<int32_t>(k));
  }

  // The score once a parent's bit no longer tells configurations apart.
  double merged_score(int64_t at, int64_t k) const {
    const uint64_t rest = ~(uint64_t{1} << at);
    Array<int32_t> ranked(code_.size());
    std::iota(ranked.begin(), ranked.end(), 0);
    std::sort(ranked.begin(), ranked.end(),
              [&](int32_t a, int32_t b) { return (code_[a] & rest) < (code_[b] & rest); });
    int64_t sum = 0;
    for (int64_t i = 0; i < ranked.size();) {
      const uint64_t code = code_[ranked[i]] & rest;
      int64_t zeros = 0, ones = 0;
      for (; i < ranked.size() && (code_[ranked[i]] & rest) == code; ++i) {
        zeros += size_[2 * ranked[i]];
        ones += size_[2 * ranked[i] + 1];
      }
      sum += term(static_cast<int32_t>(k) - 1, zeros, ones);
    }
    return problem_.rounded(sum, static_cast<int32_t>(k) - 1);
  }

  void renew(int32_t child) {
    Family& family = families_[child];
    additions_[child].child = -1;
    const int64_t k = family.parents.size();
    group_rows(child, family.parents);
    family.score = grouped_score(k);
    family.without.clear();
    for (int64_t at = 0; at < k; ++at) family.without.push_back(merged_score(at, k));
    family.with.assign(problem_.n_labels, -std::numeric_limits<double>::infinity());
    if (k >= problem_.max_parents) return;
    count_labels();
    const int32_t more = static_cast<int32_t>(k) + 1;
    for (int32_t label = 0; label < problem_.n_labels; ++label) {
      if (label == child || is_in(family.parents, label) || is_forbidden(label, child)) continue;
      const int64_t* count = counts_.data() + label * size_.size();
      int64_t sum = 0;
      for (int64_t q = 0; q < size_.size(); q += 2)
        sum += term(more, count[q], count[q + 1]) + term(more, size_[q] - count[q], size_[q + 1] - count[q + 1]);
      family.with[label] = problem_.rounded(sum, more);
    }
  }

  // Rows of every label in every group; those of group 0 are what is left over.
  void count_labels() {
    const int64_t groups = size_.size(), n_labels = problem_.n_labels;
    counts_.assign(groups * n_labels, 0);
    const int64_t by_bits = n_labels * (groups - 1) * columns_.words, n_entries = problem_.rows_of.start[n_labels];
    const double by_rows = static_cast<double>(n_entries) * static_cast<double>(active_.size()) /
                           static_cast<double>(std::max<int64_t>(problem_.n_rows, 1));
    if (static_cast<double>(by_bits) < 2 * by_rows)
      count_bits(groups);
    else
      count_rows(groups);
    for (int64_t label = 0; label < n_labels; ++label) {
      int64_t* count = counts_.data() + label * groups;
      count[0] = problem_.rows_of.size(label) - std::accumulate(count + 1, count + groups, int64_t{0});
    }
  }

  void count_bits(int64_t groups) {
    Bits rows(groups, problem_.n_rows);
    for (int32_t row : active_) rows.set(group_of_[row], row);
    for (int64_t label = 0; label < problem_.n_labels; ++label)
      for (int64_t group = 1; group < groups; ++group)
        counts_[label * groups + group] = common_(columns_.list(label), rows.list(group), columns_.words);
  }

  void count_rows(int64_t groups) {
    for (int32_t row : active_) {
      const int32_t group = group_of_[row];
      for (const int32_t* l = problem_.labels_of.begin(row); l != problem_.labels_of.end(row); ++l)
        ++counts_[*l * groups + group];
    }
  }

  static bool is_in(const Array<int32_t>& labels, int32_t label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  }
  bool is_required(int32_t parent, int32_t child) const {
    return std::find(problem_.required.begin(child), problem_.required.end(child), parent) !=
           problem_.required.end(child);
  }
  bool is_forbidden(int32_t parent, int32_t child) const {
    return std::find(problem_.forbidden.begin(child), problem_.forbidden.end(child), parent) !=
           problem_.forbidden.end(child);
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
      group_rows(child, Array<int32_t>(parents.begin(), parents.begin() + k));
      out.scores.push_back(grouped_score(k) / 1e6);
    }
    return out;
  }

  const SearchProblem& problem_;
  Common common_;
  Bits columns_;  // by label: the rows that carry it
  Bits above_;    // by label: its ancestors
  Array<Family> families_;
  Array<int32_t> place_;     // label -> place in the initial order
  Array<int32_t> left_;      // children that a label may still take
  Array<Change> additions_;  // by child: the best one, with `child` -1 where that is not known
  Array<int32_t> group_of_;
  Array<int32_t> active_;  // rows outside group 0
  Array<int64_t> size_;
  Array<uint64_t> code_;
  Array<int64_t> counts_;  // by label and group
};

}  // namespace

Array<FoundParents> climb(const SearchProblem& problem, const std::function<bool()>& poll) {
  return Climber(problem).run(poll);
}

}  // namespace bncc
