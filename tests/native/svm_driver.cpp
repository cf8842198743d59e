// Drives every part of the native kernel engine on random data, for the sanitizers. Exit status 0 means that the runs
// agreed with each other: held distances with those on demand, one thread with four, each instruction set with its own;
// and that workers which run out of memory are exceptions of the caller.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <random>

#include "expect.hpp"
#include "svm/engine.hpp"

using namespace bncc;

namespace {

struct Data {
  int64_t n, d, n_labels;
  Array<float> X, panels, norms, matrix;
  Array<int64_t> indptr, column_ptr;
  Array<int32_t> indices, rows;
  Array<float> values, column_values;
  Array<uint32_t> words;
  Array<int8_t> targets;

  Data(int64_t n_rows, int64_t n_features, int64_t labels, double density, unsigned seed)
      : n(n_rows),
        d(n_features),
        n_labels(labels),
        X(n * d),
        panels((n + panel - 1) / panel * panel * d),
        norms((n + panel - 1) / panel * panel),
        words((labels + 31) / 32 * n),
        targets(labels * n) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<double> uniform;
    for (float& x : X) x = uniform(random) < density ? normal(random) : 0.0f;
    for (int64_t k = 0; k < d; ++k) X[(n - 1) * d + k] = X[k];  // a duplicate
    const Array<double> centre(d, 0.0);
    pack_panels(X.data(), n, d, centre.data(), panels.data(), norms.data());
    indptr.push_back(0);
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t k = 0; k < d; ++k) {
        if (X[r * d + k] == 0.0f) continue;
        indices.push_back(static_cast<int32_t>(k));
        values.push_back(X[r * d + k]);
      }
      indptr.push_back(indices.size());
    }
    column_ptr.push_back(0);
    for (int64_t k = 0; k < d; ++k) {
      for (int64_t r = 0; r < n; ++r) {
        if (X[r * d + k] == 0.0f) continue;
        rows.push_back(static_cast<int32_t>(r));
        column_values.push_back(X[r * d + k]);
      }
      column_ptr.push_back(rows.size());
    }
    for (int64_t l = 0; l < labels; ++l)
      for (int64_t r = 0; r < n; ++r) {
        const bool on = X[r * d + l % d] + 0.5f * normal(random) > 0.3f;
        targets[l * n + r] = on ? 1 : -1;
        if (on) words[(l / 32) * n + r] |= uint32_t{1} << (l % 32);
      }
  }

  Points points(bool dense) const {
    Points out;
    out.n_rows = n;
    out.n_features = d;
    out.norms = norms.data();
    if (dense) {
      out.panels = panels.data();
    } else {
      out.indptr = indptr.data();
      out.indices = indices.data();
      out.values = values.data();
      out.column_ptr = column_ptr.data();
      out.rows = rows.data();
      out.column_values = column_values.data();
    }
    return out;
  }

  void hold(bool dense, const Loops& loops, int n_threads) {
    matrix.assign(n * n, -1.0f);
    const Points all = points(dense);
    all_distances(all, all, true, loops, n_threads, matrix.data(), [] { return true; });
    Array<float> cross(n * n);
    const Points again = points(dense);
    all_distances(all, again, false, loops, n_threads, cross.data(), [] { return true; });
    for (int64_t i = 0; i < n * n; ++i) expect(matrix[i] == cross[i], "square and cross distances have the same bits");
    expect(matrix[n - 1] == 0.0f, "duplicates have distance 0");
  }
};

// A chain over all labels, twice: on all rows, and on four folds that start from it.
struct Problems {
  Array<int64_t> row_ptr{0};
  Array<int32_t> row_index, target, row_set, weight, start;
  Array<double> gamma, C, weights, longest;
  Array<uint32_t> context;
  Array<Array<int32_t>> groups;
  Batch batch;

  Problems(const Data& data, Kernel kernel) : weights(data.n, 1.0) {
    constexpr int n_folds = 4;
    for (int64_t r = 0; r < data.n; r += 7) weights[r] = r % 2 ? 0.0 : 2.5;
    for (int fold = -1; fold < n_folds; ++fold) {
      for (int32_t r = 0; r < data.n; ++r)
        if (r % n_folds != fold) row_index.push_back(r);
      row_ptr.push_back(row_index.size());
    }
    const int64_t n_words = (data.n_labels + 31) / 32;
    for (int32_t label = 0; label < data.n_labels; ++label) {
      const int32_t anchor = static_cast<int32_t>(target.size());
      groups.push_back({});
      for (int32_t set = 0; set <= n_folds; ++set) {
        groups.back().push_back(static_cast<int32_t>(target.size()));
        target.push_back(label);
        row_set.push_back(set);
        weight.push_back(label % 3 == 0 ? 0 : -1);
        start.push_back(set ? anchor : -1);
        gamma.push_back(0.3);
        C.push_back(set == 2 ? 2.0 : 0.5);
        for (int64_t w = 0; w < n_words; ++w) {
          const int64_t bits = std::min<int64_t>(32, std::max<int64_t>(0, label - 32 * w));
          context.push_back(bits == 32 ? ~uint32_t{0} : (uint32_t{1} << bits) - 1);
        }
      }
    }
    batch.kernel = kernel;
    batch.n_words = static_cast<int>(n_words);
    batch.words = data.words.data();
    batch.targets = data.targets.data();
    batch.row_ptr = row_ptr.data();
    batch.row_index = row_index.data();
    batch.weights = weights.data();
    batch.n_problems = target.size();
    batch.target = target.data();
    batch.row_set = row_set.data();
    batch.weight = weight.data();
    batch.start = start.data();
    batch.gamma = gamma.data();
    batch.C = C.data();
    longest.assign(target.size(), 1e30);
    batch.longest = longest.data();
    batch.context = context.data();
    batch.source.n_rows = data.n;
  }
};

Array<Outcome> run(Problems& problems, const Loops& loops, int n_threads, int64_t cache_bytes, double tol = 1e-3) {
  Options options;
  options.tol = tol;
  options.loops = &loops;
  options.n_threads = n_threads;
  options.cache_bytes = cache_bytes;
  Array<Outcome> outcomes;
  solve_batch(problems.batch, problems.groups, options, [](int64_t) { return true; }, outcomes);
  return outcomes;
}

void expect_same(const Array<Outcome>& a, const Array<Outcome>& b, const char* what) {
  for (int64_t p = 0; p < a.size(); ++p) {
    expect(a[p].status == converged || a[p].status == one_class, "every problem converges");
    expect(a[p].support == b[p].support && a[p].coef == b[p].coef && a[p].bias == b[p].bias, what);
  }
}

void walk_all(Problems& problems, const Data& data, const Array<Outcome>& outcomes, const Loops& loops) {
  Array<int64_t> ptr{0};
  Array<int32_t> support, rows, chain, writes;
  Array<double> coef, bias;
  for (const Outcome& outcome : outcomes) {
    support.append(outcome.support);
    coef.append(outcome.coef);
    ptr.push_back(support.size());
    bias.push_back(outcome.bias);
  }
  for (int32_t r = 0; r < data.n; ++r) rows.push_back(r);
  for (int32_t label = 0; label < data.n_labels; ++label) {
    chain.push_back(label * 5);
    writes.push_back(label);
  }
  const Array<uint32_t> known(data.words.size(), 0);
  const Array<int64_t> row_ptr{0, data.n};
  Walks walks;
  walks.batch = &problems.batch;
  walks.support_ptr = ptr.data();
  walks.support = support.data();
  walks.coef = coef.data();
  walks.bias = bias.data();
  walks.distances = data.matrix.data();
  walks.n_new = data.n;
  walks.words = known.data();
  walks.n_walks = 1;
  walks.length = data.n_labels;
  walks.row_ptr = row_ptr.data();
  walks.rows = rows.data();
  walks.problems = chain.data();
  walks.writes = writes.data();
  Options options;
  options.loops = &loops;
  Array<double> one(data.n * data.n_labels), four(one.size());
  options.n_threads = 1;
  walk(walks, options, [](int64_t) { return true; }, one.data());
  options.n_threads = 4;
  walk(walks, options, [](int64_t) { return true; }, four.data());
  expect(one == four, "walks do not depend on threads");
  for (const double value : one) expect(std::isfinite(value), "decisions are finite");
}

void cancel_early(Problems& problems, const Loops& loops) {
  Options options;
  options.loops = &loops;
  options.n_threads = 2;
  options.tol = 1e-30;
  options.max_iter = int64_t{1} << 60;
  Array<Outcome> outcomes;
  solve_batch(problems.batch, problems.groups, options, [](int64_t) { return false; }, outcomes);
}

void drive(const Loops& loops) {
  std::printf("%s\n", loops.name);
  for (const bool dense : {true, false}) {
    Data data(dense ? 141 : 90, dense ? 9 : 200, 34, dense ? 1.0 : 0.05, 1);
    data.hold(dense, loops, 3);
    for (const Kernel kernel : {Kernel::rbf, Kernel::linear}) {
      if (kernel == Kernel::linear && !dense) continue;
      Problems problems(data, kernel);
      problems.batch.source.matrix = data.matrix.data();
      const auto held = run(problems, loops, 4, int64_t{1} << 30);
      expect_same(held, run(problems, loops, 1, int64_t{1} << 30), "threads do not matter");
      walk_all(problems, data, held, loops);
      problems.batch.source.matrix = nullptr;
      problems.batch.source.points = data.points(dense);
      expect_same(held, run(problems, loops, 2, 40'000), "memory does not matter");
      if (kernel == Kernel::rbf)
        expect_same(run(problems, loops, 4, int64_t{1} << 30, 1e-9), run(problems, loops, 2, 40'000, 1e-9),
                    "memory does not matter below single precision");
      cancel_early(problems, loops);
      if (kernel == Kernel::linear || !dense || &loops != &loops_baseline()) continue;
      try_with_failing_workers([&] { expect_same(held, run(problems, loops, 3, 40'000), "memory does not matter"); });
      try_with_failing_workers([&] { data.hold(dense, loops, 3); });
    }
  }
}

}  // namespace

int main() {
  for (const char* name : {"baseline", "avx2", "avx512"})
    if (const Loops* loops = pick_loops(name)) drive(*loops);
  std::puts("ok");
}
