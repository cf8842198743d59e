// Drives the crew: every shared task once, by idle threads too; exceptions of tasks, `cancel`, and nothing to wait for.
#include "native/crew.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "expect.hpp"
#include "native/thread_pool.hpp"

using bncc::Crew;
using bncc::ThreadPool;

namespace {

bool go_on() { return true; }

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

// Each unit shares some tasks, some times.
void expect_every_task_once(int n_threads, int64_t n_units) {
  constexpr int64_t n_rounds = 5, n_tasks = 16;
  std::atomic<bool> cancel{false};
  Crew crew(n_units, cancel);
  const int64_t n_all = n_units * n_rounds * n_tasks;
  const std::unique_ptr<std::atomic<int>[]> counts(new std::atomic<int>[static_cast<size_t>(n_all)]());
  std::atomic<int>* const times = counts.get();
  std::atomic<int> by_others{0};
  ThreadPool pool(n_threads);
  pool.run(
      n_units, cancel,
      [&](int thread, int64_t unit) {
        for (int64_t round = 0; round < n_rounds; ++round) {
          const int64_t first = (unit * n_rounds + round) * n_tasks;
          crew.share(thread, n_tasks, [&](int own, int64_t k) {
            rest();
            ++times[first + k];
            if (own != thread) ++by_others;
          });
          for (int64_t k = 0; k < n_tasks; ++k) expect(times[first + k] == 1, "what is shared is done at the end");
        }
        crew.finish();
      },
      go_on, [&](int thread) { crew.help(thread); });
  for (int64_t k = 0; k < n_all; ++k) expect(times[k] == 1, "every task is done once");
  if (n_units < n_threads) expect(by_others > 0, "idle threads take part");
}

void expect_error(int thrower) {
  std::atomic<bool> cancel{false};
  Crew crew(1, cancel);
  ThreadPool pool(3);
  std::string message;
  try {
    pool.run(
        1, cancel,
        [&](int thread, int64_t) {
          crew.share(thread, 100, [&](int, int64_t k) {
            rest();
            if (k == thrower) throw std::runtime_error("on purpose");
          });
          crew.finish();
        },
        go_on, [&](int thread) { crew.help(thread); });
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  expect(message == "on purpose", "an exception of a task reaches the caller");
}

void expect_cancel_ends_it() {
  std::atomic<bool> cancel{false};
  std::atomic<int> n_done{0};
  Crew crew(2, cancel);
  ThreadPool pool(3);
  pool.run(
      2, cancel,
      [&](int thread, int64_t) {
        crew.share(thread, int64_t{1} << 40, [&](int, int64_t) {
          rest();
          ++n_done;
        });
      },
      [&] { return n_done == 0; }, [&](int thread) { crew.help(thread); });
  expect(cancel && n_done > 0, "after `cancel` no task starts, and nobody waits");
}

void expect_no_tasks_are_fine() {
  std::atomic<bool> cancel{false};
  Crew crew(0, cancel);
  crew.help(0);  // nothing is open
  bool called = false;
  crew.share(0, 0, [&](int, int64_t) { called = true; });
  expect(!called, "no task is none");
}

}  // namespace

int main() {
  for (const int n_threads : {1, 2, 4})
    for (const int64_t n_units : {1, 3, 7}) expect_every_task_once(n_threads, n_units);
  for (const int thrower : {0, 1, 50, 99}) expect_error(thrower);
  expect_cancel_ends_it();
  expect_no_tasks_are_fine();
  std::puts("ok");
}
