#include "score_bindings.hpp"

#include "binding_arrays.hpp"
#include "dense_scores.hpp"

namespace {

// `source` has the features and the links (dense_scores.py); `scores` has a line for each row from `first_row` on.
template <class Real>
void score(const nb::object& source, int64_t first_row, Out<double> scores, int n_threads, const char* simd) {
  Held<Real> rows;
  read_features(source, rows);
  const Features<Real>& x = rows.batch.x;
  require(x.indices != nullptr || x.n_rows == 0, "features", "must be sparse");
  const In<Real> weights = get<Real>(source, "weights");
  const In<int64_t> problems = get<int64_t>(source, "problems");
  const In<double> bias = get<double>(source, "bias");
  require(weights.ndim() == 2 && static_cast<int64_t>(weights.shape(1)) >= x.n_features, "weights",
          "must have a column per feature");
  const int64_t n_links = size_of(bias);
  check_size(problems, n_links, "problems");
  check_indices(problems, 0, static_cast<int64_t>(weights.shape(0)), "problems");
  bncc::checks::check_threads(n_threads);
  bncc::checks::check_aligned(scores, "scores");
  require(scores.ndim() == 2 && static_cast<int64_t>(scores.shape(1)) == n_links, "scores",
          "must have a column per problem");
  const int64_t n_rows = static_cast<int64_t>(scores.shape(0));
  require(first_row >= 0 && first_row <= x.n_rows && n_rows <= x.n_rows - first_row, "scores",
          "must not have more lines than there are rows");
  check_apart("scores", scores, rows);
  bncc::checks::check_apart("scores", scores, weights, problems, bias);
  const LoopTables* loops = pick_loops(simd);
  if (!loops) throw nb::value_error("this machine cannot run the instruction set asked for");
  const DenseLinks<Real> links{n_links, static_cast<int64_t>(weights.shape(1)), problems.data(), weights.data(),
                               bias.data()};
  const ScoreOptions options{n_threads, loops, make_poll(nb::none())};
  {
    nb::gil_scoped_release unlocked;
    score_rows(x, links, first_row, n_rows, options, scores.data());
  }
  if (PyErr_Occurred()) throw nb::python_error();
}

template <class Real>
void define(nb::module_& m, const char* name) {
  m.def(name, &score<Real>, nb::arg("scores_of"), nb::arg("first_row"), nb::arg("scores").noconvert(),
        nb::arg("n_threads"), nb::arg("simd"));
}

}  // namespace

void define_scores(nb::module_& m) {
  define<float>(m, "score_single");
  define<double>(m, "score_double");
}
