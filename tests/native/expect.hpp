// What the drivers share: an expectation that ends the program with a message, and allocations that fail.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

inline void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

// From now on the allocations of all threads but the calling one fail after `count` more; negative: they succeed.
void fail_allocations_of_workers(int64_t count);

// Whether one has failed since.
bool allocation_failed();

// Runs attempt() with no memory left to the workers at ever later points, until it gets by without a failure. An
// attempt that meets one must end in std::bad_alloc; what it makes of no failure is its own to check.
template <class Attempt>
void try_with_failing_workers(const Attempt& attempt) {
  int n_failures = 0;
  for (int64_t count = 0;; count += 1 + count / 2) {
    fail_allocations_of_workers(count);
    bool thrown = false;
    try {
      attempt();
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    const bool failed = allocation_failed();
    fail_allocations_of_workers(-1);
    expect(thrown == failed, "a worker without memory is an exception of the caller");
    if (!failed) break;
    ++n_failures;
  }
  expect(n_failures > 1, "workers allocate");
}
