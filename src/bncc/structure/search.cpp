// For one child and its parents so far, the rows fall into groups (configuration of the parents, value of the child).
// Group 0, "no parent and not the child", holds nearly all rows and is never read: its counts are what the other
// groups leave over. Reading the active rows once gives the counts of every label that occurs in them ("touched").
// All untouched labels with the same number of positives have the same score, so one of them stands for all.
//
// Table values are fixed-point integers: sums do not depend on the order of their terms, so labels with the same counts
// tie exactly. Scores are compared after rounding to 6 decimals; ties go to the lowest label.
//
// With a child limit the children must be decided in order. They are searched in parallel for a batch, under the
// limits known at its start, and then confirmed in order: limits only remove candidates, and removing candidates that
// were not chosen does not change a greedy choice. A child that lost a chosen parent is searched again.

#include "search.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

#include "native/thread_pool.hpp"

namespace bncc {

namespace {

// Labels that may still become parents, by count (falling), then index.
struct Candidates {
  Array<int32_t> left;   // children that a label may still take
  Array<int32_t> place;  // label -> place in the initial order
  Array<int32_t> sorted;
  int64_t exhausted = 0;

  explicit Candidates(const SearchProblem& problem)
      : left(problem.child_limits, problem.child_limits + problem.n_labels), place(problem.n_labels) {
    for (int32_t i = 0; i < problem.n_labels; ++i) place[problem.order[i]] = i;
    rebuild(problem);
  }

  void rebuild(const SearchProblem& problem) {
    sorted.clear();
    for (int32_t l = 0; l < problem.n_labels; ++l)
      if (left[l] > 0) sorted.push_back(l);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](int32_t a, int32_t b) { return problem.rows_of.size(a) > problem.rows_of.size(b); });
    exhausted = 0;
  }

  // Counts a child of each of the labels [first, last).
  void use(const SearchProblem& problem, const int32_t* first, const int32_t* last) {
    for (; first != last; ++first)
      if (--left[*first] == 0) ++exhausted;
    if (exhausted > 64 && exhausted * 16 > sorted.size()) rebuild(problem);
  }
};

class Worker {
 public:
  explicit Worker(const SearchProblem& problem)
      : problem_(problem), slot_(problem.n_labels, -1), barred_(problem.n_labels, 0), group_of_(problem.n_rows, 0) {}

  FoundParents search(int32_t child, const Candidates& candidates) {
    start(child);
    FoundParents result;
    for (const int32_t* it = problem_.required.begin(child); it != problem_.required.end(child); ++it) add(*it, result);
    const bool seeded = !result.parents.empty() || problem_.start_empty;
    double best =
        seeded ? problem_.rounded(data_term(n_parents_), n_parents_) : -std::numeric_limits<double>::infinity();
    result.scores.push_back(problem_.rounded(data_term(n_parents_), n_parents_) / 1e6);
    while (true) {
      if (n_parents_ >= problem_.max_parents) {
        result.stop = Stop::parent_limit;
        break;
      }
      if (std::isfinite(best) && problem_.informative && !can_pay(best)) {
        result.stop = Stop::cannot_pay;
        break;
      }
      read_active_rows();
      const Choice choice = choose(candidates);
      if (choice.label < 0 || !(choice.score > best)) {
        result.stop = choice.label < 0 ? Stop::no_candidate : Stop::no_gain;
        break;
      }
      best = choice.score;
      add(choice.label, result);
      result.scores.push_back(best / 1e6);
    }
    finish(child);
    return result;
  }

  // Whether any candidate is left beyond the parents already chosen.
  bool any_left(int32_t child, const FoundParents& result, const Candidates& candidates) {
    const int32_t *forbidden = problem_.forbidden.begin(child), *forbidden_end = problem_.forbidden.end(child);
    return std::any_of(candidates.sorted.begin(), candidates.sorted.end(), [&](int32_t label) {
      return label != child && candidates.left[label] > 0 &&
             (!problem_.predecessors_only || candidates.place[label] < candidates.place[child]) &&
             std::find(forbidden, forbidden_end, label) == forbidden_end &&
             std::find(result.parents.begin(), result.parents.end(), label) == result.parents.end();
    });
  }

 private:
  struct Choice {
    double score = -std::numeric_limits<double>::infinity();
    int32_t label = -1;
    void offer(double new_score, int32_t new_label) {
      if (new_score > score || (new_score == score && new_label < label)) {
        score = new_score;
        label = new_label;
      }
    }
  };

  void start(int32_t child) {
    child_ = child;
    n_parents_ = 0;
    size_.assign(2, 0);
    active_.clear();
    for (const int32_t* r = problem_.rows_of.begin(child); r != problem_.rows_of.end(child); ++r) {
      group_of_[*r] = 1;
      active_.push_back(*r);
    }
    size_[1] = problem_.rows_of.size(child);
    size_[0] = problem_.n_rows - size_[1];
    barred_[child] = 1;
    for (const int32_t* l = problem_.forbidden.begin(child); l != problem_.forbidden.end(child); ++l) barred_[*l] = 1;
  }

  void finish(int32_t child) {
    for (int32_t r : active_) group_of_[r] = 0;
    for (int32_t l : accepted_) barred_[l] = 0;
    accepted_.clear();
    barred_[child] = 0;
    for (const int32_t* l = problem_.forbidden.begin(child); l != problem_.forbidden.end(child); ++l) barred_[*l] = 0;
  }

  // A new parent splits every configuration in which it occurs.
  void add(int32_t parent, FoundParents& result) {
    Array<int32_t> split(size_.size() / 2, -1);
    for (const int32_t* r = problem_.rows_of.begin(parent); r != problem_.rows_of.end(parent); ++r) {
      const int32_t old = group_of_[*r];
      if (old == 0) active_.push_back(*r);
      int32_t& fresh = split[old >> 1];
      if (fresh < 0) {
        fresh = static_cast<int32_t>(size_.size() / 2);
        size_.resize(size_.size() + 2, 0);
      }
      const int32_t group = 2 * fresh + (old & 1);
      group_of_[*r] = group;
      --size_[old];
      ++size_[group];
    }
    barred_[parent] = 1;
    accepted_.push_back(parent);
    result.parents.push_back(parent);
    ++n_parents_;
  }

  int64_t term(const int64_t* cell, const int64_t* total, int64_t zeros, int64_t ones) const {
    return cell[ones] + cell[zeros] - total[ones + zeros];
  }

  // Sum over configurations for the parents so far, in the tables of k parents.
  int64_t data_term(int32_t k) const {
    const int64_t *cell = problem_.cell_at(k), *total = problem_.total_at(k);
    int64_t sum = 0;
    for (int64_t q = 0; q < size_.size(); q += 2) sum += term(cell, total, size_[q], size_[q + 1]);
    return sum;
  }

  // The best that any further parent can do is to leave no uncertainty at all.
  bool can_pay(double best) const { return problem_.rounded(0, n_parents_ + 1) > best; }

  void read_active_rows() {
    const int64_t groups = size_.size();
    for (int32_t l : touched_) slot_[l] = -1;
    touched_.clear();
    counts_.clear();
    for (int32_t r : active_) {
      const int32_t group = group_of_[r];
      for (const int32_t* l = problem_.labels_of.begin(r); l != problem_.labels_of.end(r); ++l) {
        int32_t slot = slot_[*l];
        if (slot < 0) {
          slot = slot_[*l] = static_cast<int32_t>(touched_.size());
          touched_.push_back(*l);
          counts_.resize(counts_.size() + groups, 0);
        }
        ++counts_[slot * groups + group];
      }
    }
    // Group 0 was not read: what is left of each label's rows lies there.
    for (int64_t s = 0; s < touched_.size(); ++s) {
      int32_t* count = counts_.data() + s * groups;
      count[0] = static_cast<int32_t>(problem_.rows_of.size(touched_[s])) -
                 std::accumulate(count + 1, count + groups, int32_t{0});
    }
  }

  bool allowed(int32_t label, const Candidates& candidates) const {
    return candidates.left[label] > 0 && !barred_[label] &&
           (!problem_.predecessors_only || candidates.place[label] < candidates.place[child_]);
  }

  Choice choose(const Candidates& candidates) {
    const int64_t *cell = problem_.cell_at(n_parents_ + 1), *total = problem_.total_at(n_parents_ + 1);
    const int64_t groups = size_.size();
    const int64_t unsplit = data_term(n_parents_ + 1);
    base_.resize(groups / 2);
    for (int64_t q = 0; q < groups; q += 2) base_[q / 2] = term(cell, total, size_[q], size_[q + 1]);
    Choice choice;
    for (int64_t s = 0; s < touched_.size(); ++s) {
      const int32_t label = touched_[s];
      if (!allowed(label, candidates)) continue;
      const int32_t* count = counts_.data() + s * groups;
      int64_t sum = unsplit;
      for (int64_t q = 0; q < groups; q += 2) {
        const int64_t zeros = count[q], ones = count[q + 1];
        if (zeros + ones == 0) continue;
        sum += term(cell, total, zeros, ones) + term(cell, total, size_[q] - zeros, size_[q + 1] - ones) - base_[q / 2];
      }
      choice.offer(problem_.rounded(sum, n_parents_ + 1), label);
    }
    offer_untouched(choice, candidates, unsplit, cell, total);
    return choice;
  }

  // One label for each number of positives; an untouched label has all of them in group 0.
  void offer_untouched(Choice& choice, const Candidates& candidates, int64_t unsplit, const int64_t* cell,
                       const int64_t* total) const {
    for (int64_t at = 0; at < candidates.sorted.size();) {
      const int64_t positives = problem_.rows_of.size(candidates.sorted[at]);
      double score = 0;
      bool found = false;
      for (; at < candidates.sorted.size() && problem_.rows_of.size(candidates.sorted[at]) == positives; ++at) {
        const int32_t label = candidates.sorted[at];
        if (found || slot_[label] >= 0 || !allowed(label, candidates)) continue;
        const int64_t sum =
            unsplit + term(cell, total, positives, 0) + term(cell, total, size_[0] - positives, size_[1]) - base_[0];
        score = problem_.rounded(sum, n_parents_ + 1);
        choice.offer(score, label);
        found = true;
      }
      // For an informative score fewer positives never do better.
      if (found && problem_.informative && score < choice.score) break;
    }
  }

  const SearchProblem& problem_;
  int32_t child_ = 0, n_parents_ = 0;
  Array<int32_t> slot_;      // label -> place in touched_, or -1
  Array<uint8_t> barred_;    // labels that are no candidates of this child
  Array<int32_t> group_of_;  // row -> 2 * configuration + value of the child
  Array<int64_t> size_;      // rows of each group
  Array<int32_t> active_;    // rows outside group 0
  Array<int32_t> touched_, counts_, accepted_;
  Array<int64_t> base_;
};

bool still_free(const Candidates& candidates, const FoundParents& result, int64_t n_required) {
  return std::all_of(result.parents.begin() + n_required, result.parents.end(),
                     [&](int32_t parent) { return candidates.left[parent] > 0; });
}

// Takes a confirmed child's parents from the limits; required ones were counted beforehand.
void confirm(const SearchProblem& problem, int32_t child, Worker& worker, Candidates& candidates, FoundParents& found) {
  if (!still_free(candidates, found, problem.required.size(child))) found = worker.search(child, candidates);
  if (found.stop == Stop::no_gain && !worker.any_left(child, found, candidates)) found.stop = Stop::no_candidate;
  candidates.use(problem, found.parents.begin() + problem.required.size(child), found.parents.end());
}

}  // namespace

Array<FoundParents> search_parents(const SearchProblem& problem, int n_threads, const std::function<bool()>& poll) {
  Candidates candidates(problem);
  Array<FoundParents> found(problem.n_labels);
  Array<Worker> workers(n_threads, Worker(problem));
  ThreadPool pool(n_threads);
  std::atomic<bool> cancel{false};
  const int64_t batch = 32 * n_threads;
  for (int64_t first = 0; first < problem.n_labels; first += batch) {
    const int64_t last = std::min(first + batch, problem.n_labels);
    pool.run(
        last - first, cancel,
        [&](int thread, int64_t unit) {
          const int32_t child = problem.order[first + unit];
          found[child] = workers[thread].search(child, candidates);
        },
        poll);
    if (cancel || !poll()) break;
    for (int64_t i = first; i < last; ++i)
      confirm(problem, problem.order[i], workers[0], candidates, found[problem.order[i]]);
  }
  return found;
}

}  // namespace bncc
