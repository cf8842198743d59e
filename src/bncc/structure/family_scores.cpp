// See family_scores.hpp.
#include "family_scores.hpp"

#include <algorithm>
#include <cmath>
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

auto fastest() -> int64_t (*)(const uint64_t*, const uint64_t*, int64_t) {
#if BNCC_HAS_POPCNT
  if (__builtin_cpu_supports("popcnt")) return common_popcnt;
#endif
  return common_plain;
}

}  // namespace

FamilyScores::FamilyScores(const SearchProblem& problem)
    : problem_(problem), common_(fastest()), columns_(problem.n_labels, problem.n_rows), group_of_(problem.n_rows, 0) {
  for (int32_t label = 0; label < problem.n_labels; ++label)
    for (const int32_t* r = problem.rows_of.begin(label); r != problem.rows_of.end(label); ++r) columns_.set(label, *r);
}

void FamilyScores::group(int32_t child, const Array<int32_t>& parents) {
  child_ = child;
  parents_ = parents;
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

double FamilyScores::score() const {
  int64_t sum = 0;
  for (int64_t q = 0; q < size_.size(); q += 2) sum += term(n_parents(), size_[q], size_[q + 1]);
  return problem_.rounded(sum, n_parents());
}

// Once a parent's bit no longer tells configurations apart.
double FamilyScores::without(int64_t place) const {
  const uint64_t rest = ~(uint64_t{1} << place);
  Array<int32_t> ranked(code_.size());
  std::iota(ranked.begin(), ranked.end(), 0);
  std::sort(ranked.begin(), ranked.end(), [&](int32_t a, int32_t b) { return (code_[a] & rest) < (code_[b] & rest); });
  int64_t sum = 0;
  for (int64_t i = 0; i < ranked.size();) {
    const uint64_t code = code_[ranked[i]] & rest;
    int64_t zeros = 0, ones = 0;
    for (; i < ranked.size() && (code_[ranked[i]] & rest) == code; ++i) {
      zeros += size_[2 * ranked[i]];
      ones += size_[2 * ranked[i] + 1];
    }
    sum += term(n_parents() - 1, zeros, ones);
  }
  return problem_.rounded(sum, n_parents() - 1);
}

void FamilyScores::with_each(Array<double>& scores) {
  scores.assign(problem_.n_labels, -std::numeric_limits<double>::infinity());
  count_labels();
  const int32_t more = n_parents() + 1;
  for (int32_t label = 0; label < problem_.n_labels; ++label) {
    if (!allowed(label)) continue;
    const int64_t* count = counts_.data() + label * size_.size();
    int64_t sum = 0;
    for (int64_t q = 0; q < size_.size(); q += 2)
      sum += term(more, count[q], count[q + 1]) + term(more, size_[q] - count[q], size_[q + 1] - count[q + 1]);
    scores[label] = problem_.rounded(sum, more);
  }
}

bool FamilyScores::allowed(int32_t label) const {
  const int32_t *forbidden = problem_.forbidden.begin(child_), *forbidden_end = problem_.forbidden.end(child_);
  return label != child_ && std::find(parents_.begin(), parents_.end(), label) == parents_.end() &&
         std::find(forbidden, forbidden_end, label) == forbidden_end;
}

// Rows of every label in every group; those of group 0 are what is left over.
void FamilyScores::count_labels() {
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

void FamilyScores::count_bits(int64_t groups) {
  Bits rows(groups, problem_.n_rows);
  for (int32_t row : active_) rows.set(group_of_[row], row);
  for (int64_t label = 0; label < problem_.n_labels; ++label)
    for (int64_t group = 1; group < groups; ++group)
      counts_[label * groups + group] = common_(columns_.list(label), rows.list(group), columns_.words);
}

void FamilyScores::count_rows(int64_t groups) {
  for (int32_t row : active_) {
    const int32_t group = group_of_[row];
    for (const int32_t* l = problem_.labels_of.begin(row); l != problem_.labels_of.end(row); ++l)
      ++counts_[*l * groups + group];
  }
}

}  // namespace bncc
