#include "engine.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

#include "native/thread_pool.hpp"
#include "smo.hpp"

namespace bncc {

const Loops* pick_loops(const char* name) {
  const auto wanted = [&](const char* candidate) { return !*name || !std::strcmp(name, candidate); };
#ifdef BNCC_X86_TARGETS
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512vpopcntdq");
  if (wanted("avx512") && avx512) return &loops_avx512();
  if (wanted("avx2") && avx2) return &loops_avx2();
#endif
  return wanted("baseline") ? &loops_baseline() : nullptr;
}

Costs solve_batch(const Batch& batch, const Array<Array<int32_t>>& groups, const Options& options, const Poll& poll,
                  Array<Outcome>& outcomes) {
  outcomes.assign(batch.n_problems, Outcome{});
  const int n_threads = static_cast<int>(std::min<int64_t>(options.n_threads, groups.size()));
  if (n_threads == 0) return Costs{};
  const auto size_of = [&](const Array<int32_t>& group) {
    double cost = 0.0;
    for (const int32_t p : group)
      cost += static_cast<double>(batch.row_ptr[batch.row_set[p] + 1] - batch.row_ptr[batch.row_set[p]]);
    return cost;
  };
  Array<int64_t> order(groups.size());
  Array<double> sizes(groups.size());
  std::iota(order.begin(), order.end(), 0);
  std::transform(groups.begin(), groups.end(), sizes.begin(), size_of);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return sizes[a] > sizes[b]; });

  std::atomic<bool> cancel{false};
  std::atomic<int64_t> done{0};
  Array<std::unique_ptr<GroupSolver>> solvers;
  for (int t = 0; t < n_threads; ++t)
    solvers.push_back(std::make_unique<GroupSolver>(batch, options, options.cache_bytes / n_threads, cancel));
  ThreadPool(n_threads).run(
      groups.size(), cancel,
      [&](int thread, int64_t unit) { solvers[thread]->solve(groups[order[unit]], outcomes, done); },
      [&] { return poll(done.load()); });

  Costs total;
  for (const auto& solver : solvers) {
    const Costs costs = solver->costs();
    total.row_seconds += costs.row_seconds;
    total.total_seconds += costs.total_seconds;
    total.rows += costs.rows;
    total.iterations += costs.iterations;
    total.refreshes += costs.refreshes;
    total.bytes += costs.bytes;
  }
  return total;
}

namespace {

// Rows of one problem, packed for the decision loop: its support, or every row, with zeros for others, where support is
// dense. Rows that lie side by side are read several times as fast as rows that are gathered.
struct Packed {
  Array<float> coef;
  Array<uint32_t> words, masks;
  Array<int> which;                // words that hold a context label
  const int32_t* index = nullptr;  // of the rows; null for every row
  int64_t n = 0, stride = 0;
};

constexpr double dense_share = 0.4;

void pack(const Walks& walks, int32_t problem, Packed& packed) {
  const Batch& batch = *walks.batch;
  const int64_t begin = walks.support_ptr[problem], n_support = walks.support_ptr[problem + 1] - begin;
  const int64_t n_rows = batch.source.n_rows;
  const int32_t* support = walks.support + begin;
  // Other kernels than this may be endless at rows that are no support.
  const bool dense =
      batch.kernel == Kernel::rbf && static_cast<double>(n_support) > dense_share * static_cast<double>(n_rows);
  packed.index = dense ? nullptr : support;
  packed.n = dense ? n_rows : n_support;
  packed.stride = (packed.n + block - 1) / block * block;
  packed.coef.assign(packed.stride, 0.0f);
  for (int64_t s = 0; s < n_support; ++s)
    packed.coef[dense ? support[s] : s] = static_cast<float>(walks.coef[begin + s]);
  packed.words.clear();
  packed.masks.clear();
  packed.which.clear();
  for (int w = 0; w < batch.n_words; ++w) {
    const uint32_t mask = batch.context[static_cast<int64_t>(problem) * batch.n_words + w];
    if (!mask) continue;
    const uint32_t* column = batch.words + static_cast<int64_t>(w) * batch.source.n_rows;
    packed.which.push_back(w);
    packed.masks.push_back(mask);
    const int64_t offset = packed.words.size();
    packed.words.resize(offset + packed.stride, 0);
    for (int64_t s = 0; s < packed.n; ++s) packed.words[offset + s] = column[dense ? s : support[s]] & mask;
  }
}

struct Slice {
  int64_t walk, first, last;  // rows first..last of the concatenated rows
};

void walk_slice(const Walks& walks, const Loops& loops, const Slice& slice, Packed& packed, double* out) {
  const Batch& batch = *walks.batch;
  const int64_t n = slice.last - slice.first;
  Array<uint32_t> labels(n * batch.n_words), own(batch.n_words + 1);
  for (int64_t r = 0; r < n; ++r)
    for (int w = 0; w < batch.n_words; ++w)
      labels[r * batch.n_words + w] = walks.words[w * walks.n_new + walks.rows[slice.first + r]];
  for (int64_t link = 0; link < walks.length; ++link) {
    const int32_t problem = walks.problems[slice.walk * walks.length + link];
    const int32_t written = walks.writes[slice.walk * walks.length + link];
    pack(walks, problem, packed);
    const Words words{packed.words.data(), packed.stride, static_cast<int>(packed.which.size())};
    for (int64_t r = 0; r < n; ++r) {
      uint32_t* mine = labels.data() + r * batch.n_words;
      for (int w = 0; w < words.count; ++w) own[w] = mine[packed.which[w]] & packed.masks[w];
      const float* d2 = walks.distances + static_cast<int64_t>(walks.rows[slice.first + r]) * batch.source.n_rows;
      const double value = walks.bias[problem] + loops.decide(d2, packed.index, words, own.data(), packed.coef.data(),
                                                              static_cast<int>(packed.n),
                                                              static_cast<float>(batch.gamma[problem]), batch.kernel);
      out[(slice.first + r) * walks.length + link] = value;
      if (written < 0) continue;
      const uint32_t bit = uint32_t{1} << (written % 32);
      if (value > 0.0)
        mine[written / 32] |= bit;
      else
        mine[written / 32] &= ~bit;
    }
  }
}

}  // namespace

void walk(const Walks& walks, const Options& options, const Poll& poll, double* out) {
  constexpr int64_t slice_rows = 32;
  Array<Slice> slices;
  for (int64_t w = 0; w < walks.n_walks; ++w)
    for (int64_t first = walks.row_ptr[w]; first < walks.row_ptr[w + 1]; first += slice_rows)
      slices.push_back({w, first, std::min(first + slice_rows, walks.row_ptr[w + 1])});
  const int n_threads = static_cast<int>(std::min<int64_t>(options.n_threads, slices.size()));
  if (n_threads == 0) return;
  std::atomic<bool> cancel{false};
  std::atomic<int64_t> done{0};
  Array<Packed> packed(n_threads);
  ThreadPool(n_threads).run(
      slices.size(), cancel,
      [&](int thread, int64_t unit) {
        walk_slice(walks, *options.loops, slices[unit], packed[thread], out);
        done.fetch_add(1, std::memory_order_relaxed);
      },
      [&] { return poll(done.load()); });
}

}  // namespace bncc
