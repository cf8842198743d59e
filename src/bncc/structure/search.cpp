// Parent search (Algorithm 3 of the paper) for scores that are sums over counts.
//
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

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <typename T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

enum Stop : int32_t { kNoGain = 0, kNoCandidate = 1, kParentLimit = 2, kCannotPay = 3 };

// Lists of lists, one list per label.
struct Lists {
    const int64_t* start;
    const int32_t* items;
    const int32_t* begin(int64_t i) const { return items + start[i]; }
    const int32_t* end(int64_t i) const { return items + start[i + 1]; }
    int64_t size(int64_t i) const { return start[i + 1] - start[i]; }
};

struct Problem {
    int64_t n_rows, n_labels;
    Lists rows_of;    // label -> its rows
    Lists labels_of;  // row -> its labels
    Lists required;   // child -> parents that it must have
    Lists forbidden;  // child -> labels that it must not have as parents
    const int32_t* place;       // label -> place in the initial order
    bool predecessors_only;     // K2: candidates come before the child
    bool start_empty;           // K2: a first parent must beat having none
    bool informative;           // data term is -N H(child | parents): allows the bound below
    int32_t max_parents;
    const int64_t* cell;        // (levels, n_rows + 1) fixed point
    const int64_t* total;       // (levels, n_rows + 1) fixed point
    int64_t levels;
    const double* penalty;      // by number of parents
    double offset;
    double scale;

    const int64_t* cell_at(int32_t k) const { return cell + std::min<int64_t>(k, levels - 1) * (n_rows + 1); }
    const int64_t* total_at(int32_t k) const { return total + std::min<int64_t>(k, levels - 1) * (n_rows + 1); }
    double rounded(int64_t data, int32_t k) const {
        return std::nearbyint((offset + static_cast<double>(data) / scale - penalty[k]) * 1e6);
    }
};

struct Result {
    std::vector<int32_t> parents;
    std::vector<double> scores;  // by number of parents, from none (or the required ones) on; rounded
    int32_t stop = kNoGain;
};

// Labels that may still become parents, by count (falling), then index.
struct Pool {
    std::vector<int32_t> left;  // children that a label may still take
    std::vector<int32_t> sorted;
    int64_t exhausted = 0;

    void rebuild(const Problem& p) {
        sorted.clear();
        for (int32_t l = 0; l < p.n_labels; ++l)
            if (left[l] > 0) sorted.push_back(l);
        std::stable_sort(sorted.begin(), sorted.end(),
                         [&](int32_t a, int32_t b) { return p.rows_of.size(a) > p.rows_of.size(b); });
        exhausted = 0;
    }
    void use(const Problem& p, const Result& result) {
        for (int32_t parent : result.parents)
            if (--left[parent] == 0) ++exhausted;
        if (exhausted > 64 && exhausted * 16 > static_cast<int64_t>(sorted.size())) rebuild(p);
    }
};

class Worker {
  public:
    explicit Worker(const Problem& problem)
        : p_(problem), slot_(problem.n_labels, -1), barred_(problem.n_labels, 0), group_of_(problem.n_rows, 0) {}

    Result search(int32_t child, const Pool& pool) {
        start(child);
        Result result;
        for (const int32_t* it = p_.required.begin(child); it != p_.required.end(child); ++it) add(*it, result);
        const bool seeded = !result.parents.empty() || p_.start_empty;
        double best = seeded ? p_.rounded(data_term(k_), k_) : -std::numeric_limits<double>::infinity();
        result.scores.push_back(p_.rounded(data_term(k_), k_) / 1e6);
        while (true) {
            if (k_ >= p_.max_parents) {
                result.stop = kParentLimit;
                break;
            }
            if (std::isfinite(best) && p_.informative && !can_pay(best)) {
                result.stop = kCannotPay;
                break;
            }
            read_active_rows();
            const Choice choice = choose(pool);
            if (choice.label < 0 || !(choice.score > best)) {
                result.stop = choice.label < 0 ? kNoCandidate : kNoGain;
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
    bool any_left(int32_t child, const Result& result, const Pool& pool) {
        const int32_t *forbidden = p_.forbidden.begin(child), *forbidden_end = p_.forbidden.end(child);
        return std::any_of(pool.sorted.begin(), pool.sorted.end(), [&](int32_t label) {
            return label != child && pool.left[label] > 0 &&
                   (!p_.predecessors_only || p_.place[label] < p_.place[child]) &&
                   std::find(forbidden, forbidden_end, label) == forbidden_end &&
                   std::find(result.parents.begin(), result.parents.end(), label) == result.parents.end();
        });
    }

  private:
    struct Choice {
        double score = -std::numeric_limits<double>::infinity();
        int32_t label = -1;
        void offer(double score_, int32_t label_) {
            if (score_ > score || (score_ == score && label_ < label)) {
                score = score_;
                label = label_;
            }
        }
    };

    void start(int32_t child) {
        child_ = child;
        k_ = 0;
        size_.assign(2, 0);
        active_.clear();
        for (const int32_t* r = p_.rows_of.begin(child); r != p_.rows_of.end(child); ++r) {
            group_of_[*r] = 1;
            active_.push_back(*r);
        }
        size_[1] = p_.rows_of.size(child);
        size_[0] = p_.n_rows - size_[1];
        barred_[child] = 1;
        for (const int32_t* l = p_.forbidden.begin(child); l != p_.forbidden.end(child); ++l) barred_[*l] = 1;
    }

    void finish(int32_t child) {
        for (int32_t r : active_) group_of_[r] = 0;
        for (int32_t l : chosen_) barred_[l] = 0;
        chosen_.clear();
        barred_[child] = 0;
        for (const int32_t* l = p_.forbidden.begin(child); l != p_.forbidden.end(child); ++l) barred_[*l] = 0;
    }

    // A new parent splits every configuration in which it occurs.
    void add(int32_t parent, Result& result) {
        std::vector<int32_t> split(size_.size() / 2, -1);
        for (const int32_t* r = p_.rows_of.begin(parent); r != p_.rows_of.end(parent); ++r) {
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
        chosen_.push_back(parent);
        result.parents.push_back(parent);
        ++k_;
    }

    int64_t term(const int64_t* cell, const int64_t* total, int64_t zeros, int64_t ones) const {
        return cell[ones] + cell[zeros] - total[ones + zeros];
    }

    // Sum over configurations for the parents so far, in the tables of k parents.
    int64_t data_term(int32_t k) const {
        const int64_t *cell = p_.cell_at(k), *total = p_.total_at(k);
        int64_t sum = 0;
        for (size_t q = 0; q < size_.size(); q += 2) sum += term(cell, total, size_[q], size_[q + 1]);
        return sum;
    }

    // The best that any further parent can do is to leave no uncertainty at all.
    bool can_pay(double best) const { return p_.rounded(0, k_ + 1) > best; }

    void read_active_rows() {
        const size_t groups = size_.size();
        for (int32_t l : touched_) slot_[l] = -1;
        touched_.clear();
        counts_.clear();
        for (int32_t r : active_) {
            const int32_t group = group_of_[r];
            for (const int32_t* l = p_.labels_of.begin(r); l != p_.labels_of.end(r); ++l) {
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
        for (size_t s = 0; s < touched_.size(); ++s) {
            int32_t* count = counts_.data() + s * groups;
            count[0] = static_cast<int32_t>(p_.rows_of.size(touched_[s])) -
                       std::accumulate(count + 1, count + groups, int32_t{0});
        }
    }

    bool allowed(int32_t label, const Pool& pool) const {
        return pool.left[label] > 0 && !barred_[label] &&
               (!p_.predecessors_only || p_.place[label] < p_.place[child_]);
    }

    Choice choose(const Pool& pool) {
        const int64_t *cell = p_.cell_at(k_ + 1), *total = p_.total_at(k_ + 1);
        const size_t groups = size_.size();
        const int64_t unsplit = data_term(k_ + 1);
        base_.resize(groups / 2);
        for (size_t q = 0; q < groups; q += 2) base_[q / 2] = term(cell, total, size_[q], size_[q + 1]);
        Choice choice;
        for (size_t s = 0; s < touched_.size(); ++s) {
            const int32_t label = touched_[s];
            if (!allowed(label, pool)) continue;
            const int32_t* count = counts_.data() + s * groups;
            int64_t sum = unsplit;
            for (size_t q = 0; q < groups; q += 2) {
                const int64_t zeros = count[q], ones = count[q + 1];
                if (zeros + ones == 0) continue;
                sum += term(cell, total, zeros, ones) +
                       term(cell, total, size_[q] - zeros, size_[q + 1] - ones) - base_[q / 2];
            }
            choice.offer(p_.rounded(sum, k_ + 1), label);
        }
        offer_untouched(choice, pool, unsplit, cell, total);
        return choice;
    }

    // One label for each number of positives; an untouched label has all of them in group 0.
    void offer_untouched(Choice& choice, const Pool& pool, int64_t unsplit, const int64_t* cell,
                         const int64_t* total) const {
        for (size_t at = 0; at < pool.sorted.size();) {
            const int64_t positives = p_.rows_of.size(pool.sorted[at]);
            double score = 0;
            bool found = false;
            for (; at < pool.sorted.size() && p_.rows_of.size(pool.sorted[at]) == positives; ++at) {
                const int32_t label = pool.sorted[at];
                if (found || slot_[label] >= 0 || !allowed(label, pool)) continue;
                const int64_t sum = unsplit + term(cell, total, positives, 0) +
                                    term(cell, total, size_[0] - positives, size_[1]) - base_[0];
                score = p_.rounded(sum, k_ + 1);
                choice.offer(score, label);
                found = true;
            }
            // For an informative score fewer positives never do better.
            if (found && p_.informative && score < choice.score) break;
        }
    }

    const Problem& p_;
    int32_t child_ = 0, k_ = 0;
    std::vector<int32_t> slot_;      // label -> place in touched_, or -1
    std::vector<uint8_t> barred_;    // labels that are no candidates of this child
    std::vector<int32_t> group_of_;  // row -> 2 * configuration + value of the child
    std::vector<int64_t> size_;      // rows of each group
    std::vector<int32_t> active_;    // rows outside group 0
    std::vector<int32_t> touched_, counts_, chosen_;
    std::vector<int64_t> base_;
};

bool still_free(const Pool& pool, const Result& result, int64_t n_required) {
    return std::all_of(result.parents.begin() + n_required, result.parents.end(),
                       [&](int32_t parent) { return pool.left[parent] > 0; });
}

void check_signals() {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

std::vector<Result> run(const Problem& p, const int32_t* order, Pool& pool, int n_threads) {
    std::vector<Result> results(p.n_labels);
    std::vector<Worker> workers;
    for (int t = 0; t < n_threads; ++t) workers.emplace_back(p);
    const int64_t batch = 32 * n_threads;
    for (int64_t first = 0; first < p.n_labels; first += batch) {
        const int64_t last = std::min(first + batch, p.n_labels);
        std::atomic<int64_t> next{first};
        auto work = [&](Worker& worker) {
            for (int64_t i; (i = next++) < last;) results[order[i]] = worker.search(order[i], pool);
        };
        std::vector<std::thread> threads;
        for (int t = 1; t < n_threads; ++t) threads.emplace_back(work, std::ref(workers[t]));
        work(workers[0]);
        for (std::thread& thread : threads) thread.join();
        for (int64_t i = first; i < last; ++i) {
            const int32_t child = order[i];
            Result& result = results[child];
            if (!still_free(pool, result, p.required.size(child))) result = workers[0].search(child, pool);
            if (result.stop == kNoGain && !workers[0].any_left(child, result, pool)) result.stop = kNoCandidate;
            Result chosen = result;  // required parents were counted beforehand
            chosen.parents.erase(chosen.parents.begin(), chosen.parents.begin() + p.required.size(child));
            pool.use(p, chosen);
        }
        check_signals();
    }
    return results;
}

Lists lists(const Array1<int64_t>& start, const Array1<int32_t>& items) { return {start.data(), items.data()}; }

nb::tuple search(Array1<int64_t> row_start, Array1<int32_t> row_items, Array1<int64_t> label_start,
                 Array1<int32_t> label_items, Array1<int64_t> required_start, Array1<int32_t> required_items,
                 Array1<int64_t> forbidden_start, Array1<int32_t> forbidden_items, Array1<int32_t> order,
                 Array1<int32_t> child_limits, bool predecessors_only, bool start_empty, bool informative,
                 int max_parents, Array2<int64_t> cell, Array2<int64_t> total, Array1<double> penalty, double offset,
                 double scale, int n_threads) {
    Problem p{};
    p.n_labels = static_cast<int64_t>(row_start.shape(0)) - 1;
    p.n_rows = static_cast<int64_t>(label_start.shape(0)) - 1;
    p.rows_of = lists(row_start, row_items);
    p.labels_of = lists(label_start, label_items);
    p.required = lists(required_start, required_items);
    p.forbidden = lists(forbidden_start, forbidden_items);
    std::vector<int32_t> place(p.n_labels);
    for (int64_t i = 0; i < p.n_labels; ++i) place[order.data()[i]] = static_cast<int32_t>(i);
    p.place = place.data();
    p.predecessors_only = predecessors_only;
    p.start_empty = start_empty;
    p.informative = informative;
    p.max_parents = max_parents;
    p.cell = cell.data();
    p.total = total.data();
    p.levels = static_cast<int64_t>(cell.shape(0));
    p.penalty = penalty.data();
    p.offset = offset;
    p.scale = scale;
    Pool pool;
    pool.left.assign(child_limits.data(), child_limits.data() + p.n_labels);
    pool.rebuild(p);
    std::vector<Result> results;
    {
        nb::gil_scoped_release release;
        results = run(p, order.data(), pool, std::max(1, n_threads));
    }
    nb::list parents, scores, stops;
    for (const Result& result : results) {
        parents.append(nb::tuple(nb::cast(result.parents)));
        scores.append(nb::tuple(nb::cast(result.scores)));
        stops.append(static_cast<int>(result.stop));
    }
    return nb::make_tuple(parents, scores, stops);
}

}  // namespace

NB_MODULE(_search, m) {
    m.doc() = "Compiled parent search; see search.py for the contract.";
    m.def("search", &search, nb::kw_only(), "row_start"_a, "row_items"_a, "label_start"_a, "label_items"_a, "required_start"_a, "required_items"_a, "forbidden_start"_a, "forbidden_items"_a, "order"_a, "child_limits"_a, "predecessors_only"_a, "start_empty"_a, "informative"_a, "max_parents"_a, "cell"_a, "total"_a, "penalty"_a, "offset"_a, "scale"_a, "n_threads"_a);
}
