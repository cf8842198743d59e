// The threads of a solve, each of which has a worker; see engine.cpp.
#pragma once

#include <atomic>

#include "descent.hpp"
#include "native/crew.hpp"

namespace bncc::linear {

// What the threads of a solve have in common.
template <class Value, class Real>
struct Team {
  Team(int n_members, int64_t n_units, const std::atomic<bool>& cancelled)
      : n_threads(n_members), cancel(cancelled), crew(n_units, cancelled), tools(static_cast<size_t>(n_members)) {}

  const int n_threads;
  const std::atomic<bool>& cancel;
  Crew crew;
  ToolsOfThreads<Value, Real> tools;
};

}  // namespace bncc::linear
