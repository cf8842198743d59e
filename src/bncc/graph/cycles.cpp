// Keeping edges in the given order unless they close a cycle, on a topological order kept up to date under insertion
// (Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs", 2007).

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace nb = nanobind;

namespace {

class IncrementalOrder {
  public:
    explicit IncrementalOrder(size_t n_nodes)
        : rank_(n_nodes), children_(n_nodes), parents_(n_nodes), seen_(n_nodes, 0) {
        std::iota(rank_.begin(), rank_.end(), 0);
    }

    // Adds the edge unless it closes a cycle.
    bool insert(int32_t parent, int32_t child) {
        const int32_t upper = rank_[parent], lower = rank_[child];
        if (lower <= upper) {
            below_.clear();
            above_.clear();
            const bool closes = reach(child, children_, below_, [&](int32_t rank) { return rank <= upper; }, parent);
            if (!closes) reach(parent, parents_, above_, [&](int32_t rank) { return rank >= lower; }, -1);
            for (int32_t node : below_) seen_[node] = 0;
            for (int32_t node : above_) seen_[node] = 0;
            if (closes) return false;
            reorder();
        }
        children_[parent].push_back(child);
        parents_[child].push_back(parent);
        return true;
    }

  private:
    // Collects what can be reached within the window; true as soon as the target is met.
    template <typename Within>
    bool reach(int32_t start, const std::vector<std::vector<int32_t>>& next, std::vector<int32_t>& found, Within within,
               int32_t target) {
        found.push_back(start);
        seen_[start] = 1;
        for (size_t at = 0; at < found.size(); ++at) {
            if (found[at] == target) return true;
            for (int32_t node : next[found[at]])
                if (!seen_[node] && within(rank_[node])) {
                    seen_[node] = 1;
                    found.push_back(node);
                }
        }
        return false;
    }

    void reorder() {
        auto by_rank = [&](int32_t a, int32_t b) { return rank_[a] < rank_[b]; };
        std::sort(above_.begin(), above_.end(), by_rank);
        std::sort(below_.begin(), below_.end(), by_rank);
        ranks_.clear();
        for (int32_t node : above_) ranks_.push_back(rank_[node]);
        for (int32_t node : below_) ranks_.push_back(rank_[node]);
        std::sort(ranks_.begin(), ranks_.end());
        size_t at = 0;
        for (int32_t node : above_) rank_[node] = ranks_[at++];
        for (int32_t node : below_) rank_[node] = ranks_[at++];
    }

    std::vector<int32_t> rank_;
    std::vector<std::vector<int32_t>> children_, parents_;
    std::vector<uint8_t> seen_;
    std::vector<int32_t> below_, above_, ranks_;
};

using Edges = nb::ndarray<const int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void keep_acyclic(Edges edges, Flags kept, size_t n_nodes) {
    const int32_t* edge = edges.data();
    uint8_t* flag = kept.data();
    const size_t n_edges = edges.shape(0);
    constexpr size_t kPoll = 4096;
    nb::gil_scoped_release release;
    IncrementalOrder order(n_nodes);
    for (size_t i = 0; i < n_edges; ++i) {
        flag[i] = order.insert(edge[2 * i], edge[2 * i + 1]);
        if (i % kPoll == kPoll - 1) {
            nb::gil_scoped_acquire gil;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        }
    }
}

}  // namespace

NB_MODULE(_cycles, m) {
    m.doc() = "Compiled core of break_cycles.";
    m.def("keep_acyclic", &keep_acyclic);
}
