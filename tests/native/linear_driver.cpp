// Drives every part of the native linear engine on random data, for the sanitizers. Exit status 0 means that the runs
// agreed with each other: one thread with four, dense rows with sparse ones, each instruction set with its own.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

#include "linear/dense_scores.hpp"
#include "linear/engine.hpp"
#include "linear/walks.hpp"

using namespace bncc::linear;

namespace {

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

constexpr int64_t n = 230, d = 37, n_labels = 35, n_blocks = 4;

template <class Value>
struct Data {
  std::vector<Value> dense, values;
  std::vector<int64_t> indptr{0}, label_ptr{0}, target_ptr{0}, row_ptr{0};
  std::vector<int32_t> indices, labels, target_rows, row_index, target, row_set, weight, problems;
  std::vector<double> weights, positive, negative;
  std::vector<uint32_t> context;
  Batch<Value> batch;
  Plan plan;

  explicit Data(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform;
    for (int64_t k = 0; k < n * d; ++k)
      dense.push_back(uniform(random) < 0.2 ? Value(uniform(random) - 0.3) : Value(0));
    std::vector<std::vector<int32_t>> rows_of(n_labels);
    for (int64_t row = 0; row < n; ++row) {
      for (int64_t j = 0; j < d; ++j) {
        if (dense[static_cast<size_t>(row * d + j)] == Value(0)) continue;
        indices.push_back(static_cast<int32_t>(j));
        values.push_back(dense[static_cast<size_t>(row * d + j)]);
      }
      indptr.push_back(static_cast<int64_t>(indices.size()));
      for (int64_t l = 0; l < n_labels; ++l) {
        if (uniform(random) > (l ? 0.2 : 0.0)) continue;  // label 0 has one class
        labels.push_back(static_cast<int32_t>(l));
        rows_of[static_cast<size_t>(l)].push_back(static_cast<int32_t>(row));
      }
      label_ptr.push_back(static_cast<int64_t>(labels.size()));
    }
    for (const auto& rows : rows_of) {
      target_rows.insert(target_rows.end(), rows.begin(), rows.end());
      target_ptr.push_back(static_cast<int64_t>(target_rows.size()));
    }
    for (int32_t row = 0; row < n; row += 2) row_index.push_back(row);
    row_ptr.push_back(static_cast<int64_t>(row_index.size()));
    for (int64_t row = 0; row < n; ++row) weights.push_back(row % 7 ? uniform(random) : 0.0);
    describe();
  }

  // Two units: two blocks of which the second follows the first with a larger C, and two blocks on their own.
  void describe() {
    for (int32_t p = 0; p < n_blocks * n_lanes; ++p) {
      const int32_t like = p >= n_lanes && p < 2 * n_lanes ? p - n_lanes : p;
      target.push_back(like % static_cast<int32_t>(n_labels));
      row_set.push_back(like % 3 ? -1 : 0);
      weight.push_back(like / n_lanes == 2 ? 0 : -1);
      positive.push_back(p == 5 ? 0.0 : p < n_lanes ? 0.1 : 1.0);
      negative.push_back(p < n_lanes ? 0.1 : 1.0);
      problems.push_back(p == n_blocks * n_lanes - 1 ? -1 : p);
      for (int w = 0; w < 2; ++w) context.push_back(like % 4 ? 0x5a5a5a5au << (like % 5) : 0u);
    }
    batch.x = {n, d, indptr.data(), indices.data(), values.data()};
    batch.context = {n_labels, label_ptr.data(), labels.data()};
    batch.bias_feature = 1.0;
    batch.target_ptr = target_ptr.data();
    batch.target_rows = target_rows.data();
    batch.row_ptr = row_ptr.data();
    batch.row_index = row_index.data();
    batch.weights = weights.data();
    batch.n_problems = n_blocks * n_lanes;
    batch.target = target.data();
    batch.row_set = row_set.data();
    batch.weight = weight.data();
    batch.cost_positive = positive.data();
    batch.cost_negative = negative.data();
    batch.n_words = 2;
    batch.context_words = context.data();
    plan.problems = problems.data();
    plan.unit_ptr = {0, 2, 3, 4};
  }

  // Every eighth row for each problem, so that the lanes of a block part at once, and are worked on side by side.
  void split_rows() {
    constexpr int32_t n_sets = 8;
    row_index.clear();
    row_ptr.assign(1, 0);
    for (int32_t set = 0; set < n_sets; ++set) {
      for (int32_t row = set; row < n; row += n_sets) row_index.push_back(row);
      row_ptr.push_back(static_cast<int64_t>(row_index.size()));
    }
    for (size_t p = 0; p < row_set.size(); ++p) row_set[p] = static_cast<int32_t>(p % n_sets);
    batch.row_ptr = row_ptr.data();
    batch.row_index = row_index.data();
  }
};

template <class Value>
std::vector<Outcome<Value>> run(const Data<Value>& data, const LoopTables& loops, int n_threads, bool sparse,
                                std::vector<Value>& weights) {
  Options options;
  options.tol = sizeof(Value) == 4 ? 1e-3 : 1e-6;
  options.n_threads = n_threads;
  options.least_shared = 0;
  options.loops = &loops;
  options.sparse = sparse;
  weights.assign(static_cast<size_t>(data.batch.n_problems * (data.batch.n_lines() - 1)), Value(0));
  std::vector<Outcome<Value>> outcomes;
  Value* dense = sparse ? nullptr : weights.data();
  solve_batch(data.batch, data.plan, options, [](int64_t) { return true; }, dense, outcomes);
  for (size_t p = 0; p < outcomes.size() && sparse; ++p)
    for (size_t k = 0; k < outcomes[p].columns.size(); ++k)
      weights[p * static_cast<size_t>(data.batch.n_lines() - 1) + static_cast<size_t>(outcomes[p].columns[k])] =
          outcomes[p].values[k];
  return outcomes;
}

template <class Value>
void compare(Data<Value>& data, const LoopTables& loops) {
  std::vector<Value> one, four, nine, sparse, dense;
  const auto outcomes = run(data, loops, 1, false, one);
  run(data, loops, 4, false, four);
  run(data, loops, 9, false, nine);
  run(data, loops, 2, true, sparse);
  expect(one == four, "threads do not matter");
  expect(one == nine, "threads that have no block do not matter");
  expect(one == sparse, "sparse weights are the dense ones");
  for (size_t p = 0; p + 1 < outcomes.size(); ++p) {
    const double primal = outcomes[p].primal, dual = outcomes[p].dual;
    expect(outcomes[p].status != interrupted, "every problem ends");
    if (outcomes[p].status != converged) continue;
    expect(std::isfinite(outcomes[p].bias) && primal >= dual - 1e-4 * primal, "the dual is below the primal");
  }
  expect(outcomes[0].status == one_class && outcomes[5].status == one_class, "one class is seen");
  const Features<Value> rows = data.batch.x;
  data.batch.x = {n, d, nullptr, nullptr, data.dense.data()};
  const auto others = run(data, loops, 2, false, dense);
  data.batch.x = rows;
  for (size_t p = 0; p < others.size(); ++p)
    expect(std::abs(others[p].primal - outcomes[p].primal) <= 3e-3 * outcomes[p].primal + 1e-12, "dense is sparse");
}

template <class Value>
void cancel_early(const Data<Value>& data, const LoopTables& loops) {
  Options options;
  options.loops = &loops;
  options.n_threads = 2;
  options.tol = 1e-300;
  options.sparse = true;
  options.max_iter = int64_t{1} << 60;
  std::vector<Outcome<Value>> outcomes;
  solve_batch(data.batch, data.plan, options, [](int64_t) { return false; }, static_cast<Value*>(nullptr), outcomes);
}

// The first links of a solved batch as a chain: link l decides label l, and sees the labels before it.
template <class Value>
struct Links {
  static constexpr int64_t n_links = 20, n_columns = d + n_labels;
  std::vector<Value> table, weights;
  std::vector<int64_t> line_ptr{0}, problems;
  std::vector<int32_t> links, writes, columns;
  std::vector<double> bias;

  Links(const std::vector<Value>& solved, const std::vector<Outcome<Value>>& outcomes) : table(solved) {
    for (int64_t column = 0; column < n_columns; ++column) {
      for (int64_t link = 0; link < n_links; ++link) {
        const Value weight = table[static_cast<size_t>(link * n_columns + column)];
        if (weight == Value(0) || column - d >= link) continue;
        links.push_back(static_cast<int32_t>(link));
        weights.push_back(weight);
      }
      line_ptr.push_back(static_cast<int64_t>(links.size()));
    }
    for (int32_t link = 0; link < n_links; ++link) {
      problems.push_back(link);
      writes.push_back(link);
      columns.push_back(n_links - 1 - link);
      bias.push_back(outcomes[static_cast<size_t>(link)].bias);
    }
  }

  Chain<Value> chain() const {
    return {n_links, d, line_ptr.data(), links.data(), weights.data(), bias.data(), writes.data()};
  }

  // Scores by features and bias; with `sees_labels` by the labels that earlier links have found, too.
  std::vector<double> plain_scores(const Data<Value>& data, bool sees_labels) const {
    std::vector<double> out;
    for (int64_t row = 0; row < n; ++row)
      for (int64_t link = 0; link < n_links; ++link) {
        double score = bias[static_cast<size_t>(link)];
        const Value* line = table.data() + link * n_columns;
        for (int64_t j = 0; j < d; ++j) score += double(line[j]) * double(data.dense[static_cast<size_t>(row * d + j)]);
        for (int64_t l = 0; l < link && sees_labels; ++l)
          if (out[static_cast<size_t>(row * n_links + l)] > 0) score += double(line[d + l]);
        out.push_back(score);
      }
    return out;
  }
};

void expect_near(const std::vector<double>& got, const std::vector<double>& wanted, const char* what) {
  for (size_t k = 0; k < wanted.size(); ++k) expect(std::abs(got[k] - wanted[k]) < 1e-4, what);
}

template <class Value>
void walk(const Data<Value>& data, const Links<Value>& links, int n_threads) {
  constexpr int64_t k = 3, m = Links<Value>::n_links;
  const WalkOptions options{n_threads, [](int64_t) { return true; }};
  std::vector<double> scores(static_cast<size_t>(n * m)), best(static_cast<size_t>(n * k));
  expect(score_all(data.batch.x, links.chain(), options, scores.data()), "walks end");
  expect_near(scores, links.plain_scores(data, true), "walks see the labels before them");
  std::vector<int64_t> top(static_cast<size_t>(n * k)), ptr;
  std::vector<int32_t> positives;
  const int32_t* columns = links.columns.data();
  expect(score_top(data.batch.x, links.chain(), options, columns, k, top.data(), best.data()), "walks end");
  expect(find_positives(data.batch.x, links.chain(), options, columns, ptr, positives), "walks end");
  for (int64_t row = 0; row < n; ++row) {
    const auto first = scores.begin() + row * m;
    expect(best[static_cast<size_t>(row * k)] == *std::max_element(first, first + m), "the highest comes first");
    for (int64_t c = 0; c < k; ++c) {
      const auto place = static_cast<size_t>(row * k + c);
      expect(best[place] == first[columns[top[place]]], "the best have their scores");
    }
    const auto found = ptr[static_cast<size_t>(row + 1)] - ptr[static_cast<size_t>(row)];
    expect(found == std::count_if(first, first + m, [](double score) { return score > 0; }), "positives are found");
  }
  const WalkOptions stopped{n_threads, [](int64_t) { return false; }};
  score_all(data.batch.x, links.chain(), stopped, scores.data());
}

template <class Value>
void score(const Data<Value>& data, const Links<Value>& links, const LoopTables& loops, int n_threads) {
  constexpr int64_t m = Links<Value>::n_links, first = 7;
  const DenseLinks<Value> dense{m, Links<Value>::n_columns, links.problems.data(), links.table.data(),
                                links.bias.data()};
  const ScoreOptions options{n_threads, &loops, [](int64_t) { return true; }};
  std::vector<double> scores(static_cast<size_t>((n - first) * m)), wanted = links.plain_scores(data, false);
  expect(score_rows(data.batch.x, dense, first, n - first, options, scores.data()), "scores end");
  wanted.erase(wanted.begin(), wanted.begin() + first * m);
  expect_near(scores, wanted, "scores are those of the weights");
}

template <class Value>
void predict(const Data<Value>& data, const LoopTables& loops) {
  std::vector<Value> weights;
  const auto outcomes = run(data, loops, 1, false, weights);
  const Links<Value> links(weights, outcomes);
  for (const int n_threads : {1, 4}) {
    walk(data, links, n_threads);
    score(data, links, loops, n_threads);
  }
}

// The logistic loss and its derivatives, and those of no loss at all far away.
template <class Value>
void compare_logistic(const Loops<Value, Value>& loops) {
  constexpr int64_t n_rows = 4001;
  std::vector<int32_t> rows(n_rows);
  std::vector<uint16_t> positive(n_rows), member(n_rows, 0xffff);
  Buffer<Value> lines;
  Value* z = lines.ensure(3 * n_rows * n_lanes);
  Value *slope = z + n_rows * n_lanes, *curvature = slope + n_rows * n_lanes;
  for (int64_t r = 0; r < n_rows; ++r) {
    rows[static_cast<size_t>(r)] = static_cast<int32_t>(r);
    positive[static_cast<size_t>(r)] = r % 2 ? 0xffff : 0;
    const double far = std::pow(10.0, static_cast<double>(r) / 500.0 - 5.0);  // up to 1000
    for (int l = 0; l < n_lanes; ++l) z[r * n_lanes + l] = static_cast<Value>((l % 2 ? -far : far) * (1.0 + 0.01 * l));
  }
  Block<Value, Value> block;
  block.positive = positive.data();
  block.member = member.data();
  block.loss = Loss::logistic;
  block.live = 0xffff;
  for (int l = 0; l < n_lanes; ++l) block.cost[0][l] = block.cost[1][l] = Value(1);
  const double eps = static_cast<double>(std::numeric_limits<Value>::epsilon());
  const double least = static_cast<double>(std::numeric_limits<Value>::min());
  const auto near = [&](double found, double wanted) {
    return std::abs(found - wanted) <= 8 * eps * std::abs(wanted) + 4 * least;
  };
  for (int64_t r = 0; r < n_rows; ++r) {
    double loss[n_lanes] = {};
    loops.derive(block, rows.data() + r, 1, z + r * n_lanes, nullptr, nullptr, slope, curvature, loss);
    for (int l = 0; l < n_lanes; ++l) {
      const double y = r % 2 ? 1.0 : -1.0, t = y * static_cast<double>(z[r * n_lanes + l]);
      const double e = std::exp(-std::abs(t)), p = 1.0 / (1.0 + e);
      expect(near(loss[l], (t > 0 ? 0.0 : -t) + std::log1p(e)), "the logistic loss");
      expect(near(static_cast<double>(slope[l]), -y * (t > 0 ? e * p : p)), "its slope");
      expect(near(static_cast<double>(curvature[l]), e * p * p), "its curvature");
    }
  }
}

template <class Value>
void drive(const LoopTables& loops) {
  Data<Value> data(1);
  for (const Loss loss : {Loss::squared_hinge, Loss::hinge, Loss::logistic}) {
    data.batch.loss = loss;
    compare(data, loops);
    predict(data, loops);
    if (loss == Loss::hinge) cancel_early(data, loops);
  }
  data.split_rows();
  for (const Loss loss : {Loss::squared_hinge, Loss::hinge}) {
    data.batch.loss = loss;
    compare(data, loops);
  }
}

}  // namespace

int main() {
  for (const char* name : {"baseline", "avx2", "avx512"})
    if (const LoopTables* loops = pick_loops(name)) {
      std::printf("%s\n", loops->name);
      compare_logistic(loops->single);
      compare_logistic(loops->twice);
      drive<float>(*loops);
      drive<double>(*loops);
    }
  std::puts("ok");
}
