// A class is kept as its completed graph: a directed edge points the same way in every member, an undirected one does
// not. Forward, the edge is inserted that improves the score most; then, backward, deleted; in turns until neither
// does.
//
// Insert(x, y, T) joins x and y and turns the undirected edges of y with T towards y. With N the neighbours of y
// (joined without direction) that are joined to x, it is valid if S = N + T is a clique and every path from y to x that
// no edge opposes goes through S; its gain is that of x beside the parents of y and S. For one y and one clique S among
// its neighbours, one count gives the gains of all x.
//
// Delete(x, y, H) parts x and y and turns the edges of H, some of N, away from both; it is valid if N - H is a clique.

#include "ges.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "family_scores.hpp"

namespace bncc {

namespace {

using Labels = Array<int32_t>;

constexpr int most_rounds = 10;  // as in ges.py

bool holds(const Labels& labels, int32_t label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

bool holds_all(const Labels& labels, const Labels& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](int32_t label) { return holds(labels, label); });
}

Labels joined_sets(const Labels& a, const Labels& b) {
  Labels out = a;
  out.append(b);
  std::sort(out.begin(), out.end());
  return out;
}

// A graph with directed and undirected edges.
class MixedGraph {
 public:
  explicit MixedGraph(int64_t n) : n_(n), marks_(n * n, 0), around_(n) {}
  int64_t size() const { return n_; }
  // From a to b, or between them.
  bool leads(int32_t a, int32_t b) const { return marks_[a * n_ + b]; }
  bool adjacent(int32_t a, int32_t b) const { return leads(a, b) || leads(b, a); }
  bool undirected(int32_t a, int32_t b) const { return leads(a, b) && leads(b, a); }
  bool directed(int32_t a, int32_t b) const { return leads(a, b) && !leads(b, a); }
  void set(int32_t a, int32_t b, bool on) {
    const bool before = adjacent(a, b);
    marks_[a * n_ + b] = on;
    if (adjacent(a, b) == before) return;
    toggle(around_[a], b);
    toggle(around_[b], a);
  }

  // Labels joined to one, ascending.
  const Labels& around(int32_t y) const { return around_[y]; }
  Labels parents(int32_t y) const {
    Labels out;
    for (int32_t x : around_[y])
      if (directed(x, y)) out.push_back(x);
    return out;
  }
  Labels neighbours(int32_t y) const {
    Labels out;
    for (int32_t x : around_[y])
      if (undirected(x, y)) out.push_back(x);
    return out;
  }
  // Whether a label has the same edges in both.
  bool same_around(const MixedGraph& other, int32_t y) const {
    return around_[y] == other.around_[y] && std::all_of(around_[y].begin(), around_[y].end(), [&](int32_t x) {
             return leads(x, y) == other.leads(x, y) && leads(y, x) == other.leads(y, x);
           });
  }

 private:
  static void toggle(Labels& labels, int32_t label) {
    int32_t* const at = std::lower_bound(labels.begin(), labels.end(), label);
    const int64_t place = at - labels.begin();
    if (at != labels.end() && *at == label) {
      std::copy(at + 1, labels.end(), at);
      labels.resize(labels.size() - 1);
    } else {
      labels.push_back(label);
      std::rotate(labels.begin() + place, labels.end() - 1, labels.end());
    }
  }

  int64_t n_;
  Array<uint8_t> marks_;
  Array<Labels> around_;
};

// An acyclic member of a class: sinks are taken away one by one (Dor and Tarsi, 1992), of several the one that comes
// last in the order. Parents of each label, by place; empty where there is no member.
Array<Labels> member_of(const MixedGraph& graph, const Labels& place) {
  const int64_t n = graph.size();
  Array<Labels> out(n);
  Array<uint8_t> gone(n, 0);
  const auto is_sink = [&](int32_t x) {
    for (int32_t y : graph.around(x)) {
      if (gone[y]) continue;
      if (graph.directed(x, y)) return false;
      if (!graph.undirected(x, y)) continue;
      for (int32_t z : graph.around(x))
        if (z != y && !gone[z] && !graph.adjacent(y, z)) return false;
    }
    return true;
  };
  std::set<std::pair<int32_t, int32_t>> sinks;  // by place
  for (int32_t x = 0; x < n; ++x)
    if (is_sink(x)) sinks.emplace(place[x], x);
  for (int64_t taken = 0; taken < n; ++taken) {
    if (sinks.empty()) return {};
    const int32_t last = sinks.rbegin()->second;
    sinks.erase(std::prev(sinks.end()));
    gone[last] = 1;
    for (int32_t y : graph.around(last))
      if (!gone[y]) {
        out[last].push_back(y);
        if (is_sink(y)) sinks.emplace(place[y], y);
      }
    std::sort(out[last].begin(), out[last].end(), [&](int32_t a, int32_t b) { return place[a] < place[b]; });
  }
  return out;
}

// The completed graph of the class of an acyclic graph: its colliders, and what follows by Meek's rules (1995).
MixedGraph completed(const Array<Labels>& parents) {
  const int64_t n = parents.size();
  MixedGraph graph(n);
  for (int32_t y = 0; y < n; ++y)
    for (int32_t x : parents[y]) {
      graph.set(x, y, true);
      graph.set(y, x, true);
    }
  Array<Labels> known(n);  // parents by directed edges
  const auto direct = [&](int32_t x, int32_t y) {
    if (!graph.leads(y, x)) return;
    graph.set(y, x, false);
    known[y].push_back(x);
  };
  for (int32_t y = 0; y < n; ++y)
    for (int32_t a : parents[y])
      for (int32_t b : parents[y])
        if (a < b && !graph.adjacent(a, b)) {
          direct(a, y);
          direct(b, y);
        }
  const auto forced = [&](int32_t x, int32_t y) {
    for (int32_t z : known[x])
      if (!graph.adjacent(z, y)) return true;
    for (int32_t z : known[y])
      if (graph.directed(x, z)) return true;
    for (int32_t a : known[y])
      for (int32_t b : known[y])
        if (a < b && graph.undirected(a, x) && graph.undirected(b, x) && !graph.adjacent(a, b)) return true;
    return false;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t y = 0; y < n; ++y)
      for (int32_t x : parents[y])
        if (graph.leads(y, x) && forced(x, y)) {
          direct(x, y);
          changed = true;
        }
  }
  return graph;
}

// A way to join a label with another: beside its parents and a clique of its neighbours.
struct Option {
  Labels base, clique;
  double score = 0;
  Array<double> with;                         // by label
  Array<std::pair<double, int32_t>> joining;  // gains above 0 and the labels, but for paths that may forbid them
};

struct Step {
  double gain = 0;
  int32_t x = -1, y = -1;
  Labels set;  // of an insertion S, of a deletion what is left of N
};

class ClassSearch {
 public:
  explicit ClassSearch(const SearchProblem& problem)
      : problem_(problem),
        scores_(problem),
        graph_(problem.n_labels),
        options_(problem.n_labels),
        bounds_(problem.n_labels, 0),
        known_(problem.n_labels),
        place_(problem.n_labels) {
    for (int32_t i = 0; i < problem.n_labels; ++i) place_[problem.order[i]] = i;
  }

  Array<Labels> run(const std::function<bool()>& poll) {
    for (int32_t y = 0; y < problem_.n_labels; ++y) {
      renew(y);
      if (y % 64 == 0 && !poll()) break;
    }
    // A score that differs between members of a class may insert and delete the same edge forever.
    for (int round = 0; round < most_rounds; ++round) {
      bool inserted = false, deleted = false;
      while (poll() && insert(best_insertion())) inserted = true;
      while (poll() && remove(best_deletion())) deleted = true;
      if (!inserted || !deleted || !poll()) break;
    }
    return member_of(graph_, place_);
  }

 private:
  static double rounded_gain(double difference) { return std::nearbyint(difference / 100.0); }

  // Larger gains first, then the labels that come first in the initial order, then smaller sets.
  bool better(const Step& a, const Step& b) const {
    if (a.gain != b.gain) return a.gain > b.gain;
    if (b.x < 0) return true;
    if (a.x != b.x) return place_[a.x] < place_[b.x];
    if (a.y != b.y) return place_[a.y] < place_[b.y];
    if (a.set.size() != b.set.size()) return a.set.size() < b.set.size();
    return std::lexicographical_compare(a.set.begin(), a.set.end(), b.set.begin(), b.set.end());
  }

  bool is_clique(const Labels& labels) const {
    for (int32_t a : labels)
      for (int32_t b : labels)
        if (a < b && !graph_.adjacent(a, b)) return false;
    return true;
  }

  // All cliques among some labels, the empty one first; each grows by labels after its last.
  Array<Labels> cliques(const Labels& labels, int64_t most) const {
    Array<Labels> out(1);
    for (int64_t at = 0; at < out.size(); ++at) {
      if (out[at].size() >= most) continue;
      for (int32_t label : labels) {
        if (!out[at].empty() && label <= out[at].back()) continue;
        Labels larger = out[at];
        larger.push_back(label);
        if (is_clique(larger)) out.push_back(larger);
      }
    }
    return out;
  }

  Labels shared(int32_t x, int32_t y) const {
    Labels out;
    for (int32_t other : graph_.neighbours(y))
      if (graph_.adjacent(other, x)) out.push_back(other);
    return out;
  }

  // Options of a label; those whose parents and clique are as before are kept.
  void renew(int32_t y) {
    const Labels parents = graph_.parents(y);
    Array<Option> fresh;
    bounds_[y] = 0;
    for (const Labels& clique : cliques(graph_.neighbours(y), problem_.max_parents - 1 - parents.size())) {
      Option option;
      option.base = joined_sets(parents, clique);
      if (option.base.size() >= problem_.max_parents) continue;
      option.clique = clique;
      for (Option& old : options_[y])
        if (old.base == option.base && !old.with.empty()) {
          option.score = old.score;
          option.with = std::move(old.with);
          break;
        }
      if (option.with.empty()) {
        scores_.group(y, option.base);
        option.score = scores_.score();
        scores_.with_each(option.with);
      }
      for (int32_t x = 0; x < problem_.n_labels; ++x) {
        const double gain = rounded_gain(option.with[x] - option.score);
        if (!(gain > 0) || x == y || graph_.adjacent(x, y) || !holds_all(clique, shared(x, y))) continue;
        option.joining.push_back({gain, x});
        bounds_[y] = std::max(bounds_[y], gain);
      }
      fresh.push_back(std::move(option));
    }
    options_[y] = std::move(fresh);
  }

  Step best_insertion() const {
    Step best;
    for (int32_t y = 0; y < problem_.n_labels; ++y) {
      if (bounds_[y] < std::max(best.gain, 1.0)) continue;
      for (const Option& option : options_[y])
        for (const auto& [gain, x] : option.joining) {
          if (gain < best.gain) continue;
          const Step step{gain, x, y, option.clique};
          if (better(step, best) && is_valid(step)) best = step;
        }
    }
    return best;
  }

  // Whether every path from y to x that no edge opposes goes through the set.
  bool is_valid(const Step& step) const {
    Array<uint8_t> seen(problem_.n_labels, 0);
    for (int32_t other : step.set) seen[other] = 1;
    Labels reached{step.y};
    seen[step.y] = 1;
    for (int64_t at = 0; at < reached.size(); ++at)
      for (int32_t next : graph_.around(reached[at]))
        if (!seen[next] && graph_.leads(reached[at], next)) {
          if (next == step.x) return false;
          seen[next] = 1;
          reached.push_back(next);
        }
    return true;
  }

  bool insert(const Step& step) {
    if (!(step.gain > 0)) return false;
    MixedGraph changed = graph_;
    changed.set(step.x, step.y, true);
    for (int32_t other : step.set) changed.set(step.y, other, false);
    return adopt(changed);
  }

  Step best_deletion() {
    Step best;
    for (int32_t y = 0; y < problem_.n_labels; ++y) {
      const Labels parents = graph_.parents(y);
      for (int32_t x : graph_.around(y)) {
        if (!graph_.leads(x, y)) continue;
        const Labels all = shared(x, y);
        for (const Labels& left : cliques(all, all.size())) {
          Labels base = joined_sets(parents, left);
          if (!holds(base, x)) base = joined_sets(base, {x});
          if (base.size() > problem_.max_parents) continue;
          const Step step{rounded_gain(loss(x, y, base)), x, y, left};
          if (step.gain > 0 && better(step, best)) best = step;
        }
      }
    }
    return best;
  }

  double loss(int32_t x, int32_t y, const Labels& base) {
    std::map<std::vector<int32_t>, double>& known = known_[y];
    std::vector<int32_t> key(base.begin(), base.end());
    key.push_back(x);
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
    scores_.group(y, base);
    const int64_t at = std::find(base.begin(), base.end(), x) - base.begin();
    return known[key] = scores_.without(at) - scores_.score();
  }

  bool remove(const Step& step) {
    if (!(step.gain > 0)) return false;
    MixedGraph changed = graph_;
    const Labels all = shared(step.x, step.y);
    changed.set(step.x, step.y, false);
    changed.set(step.y, step.x, false);
    for (int32_t other : all) {
      if (holds(step.set, other)) continue;
      changed.set(other, step.y, false);
      if (changed.undirected(step.x, other)) changed.set(other, step.x, false);
    }
    return adopt(changed);
  }

  // The class of a changed graph; labels whose surroundings are others are looked at again.
  bool adopt(const MixedGraph& changed) {
    const Array<Labels> member = member_of(changed, place_);
    if (member.empty()) return false;
    const MixedGraph before = std::move(graph_);
    graph_ = completed(member);
    Labels moved;
    for (int32_t y = 0; y < problem_.n_labels; ++y)
      if (!graph_.same_around(before, y)) moved.push_back(y);
    Array<uint8_t> look(problem_.n_labels, 0);
    for (int32_t y : moved) {
      look[y] = 1;
      for (int32_t other : graph_.neighbours(y)) look[other] = 1;  // cliques of neighbours may be others
    }
    for (int32_t y = 0; y < problem_.n_labels; ++y)
      if (look[y]) renew(y);
    return true;
  }

  const SearchProblem& problem_;
  FamilyScores scores_;
  MixedGraph graph_;
  Array<Array<Option>> options_;
  Array<double> bounds_;  // by label: no insertion gains more
  Array<std::map<std::vector<int32_t>, double>> known_;
  Labels place_;
};

}  // namespace

Array<Array<int32_t>> search_classes(const SearchProblem& problem, const std::function<bool()>& poll) {
  return ClassSearch(problem).run(poll);
}

}  // namespace bncc
