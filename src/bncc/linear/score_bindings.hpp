// Scores by dense weights for Python: defines score_single and score_double.
#pragma once

#include <nanobind/nanobind.h>

void define_scores(nanobind::module_& m);
