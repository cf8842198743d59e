// Drives the thread pool: every unit once, exceptions of workers and of the caller's poll, threads that cannot be made.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "expect.hpp"
#include "native/array.hpp"
#include "native/thread_pool.hpp"

using bncc::Array;
using bncc::ThreadPool;

namespace {

bool go_on() { return true; }

// Makes `count` threads and no more.
ThreadPool::ThreadFactory limited(int count) {
  return [count](std::function<void()> body) mutable {
    if (count-- <= 0) throw std::system_error(EAGAIN, std::generic_category());
    return std::thread(std::move(body));
  };
}

void expect_every_unit_once(ThreadPool& pool, int n_threads) {
  constexpr int64_t n_units = 1000;
  Array<int> times(n_units, 0);
  std::atomic<bool> cancel{false}, known{true};
  pool.run(
      n_units, cancel,
      [&](int thread, int64_t unit) {
        ++times[unit];
        if (thread < 0 || thread >= n_threads) known = false;
      },
      go_on);
  expect(known, "threads have numbers below the number asked for");
  for (const int count : times) expect(count == 1, "every unit is done once");
}

void expect_error(ThreadPool& pool, const ThreadPool::Work& work, const ThreadPool::Poll& poll) {
  std::atomic<bool> cancel{false};
  std::string message;
  try {
    pool.run(int64_t{1} << 40, cancel, work, poll);
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  expect(message == "on purpose", "an exception reaches the caller");
  expect(cancel, "an exception stops the others");
}

void drive(int n_made) {
  constexpr int n_asked = 4;
  ThreadPool pool(n_asked, limited(n_made));
  expect(pool.n_threads() == n_made, "the pool goes on with the threads that could be made");
  expect_every_unit_once(pool, n_asked);
  const auto work = [](int, int64_t unit) {
    if (unit == 100) throw std::runtime_error("on purpose");
  };
  expect_error(pool, work, go_on);
  expect_every_unit_once(pool, n_asked);
  const auto rest = [](int, int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  expect_error(pool, rest, []() -> bool { throw std::runtime_error("on purpose"); });
  std::atomic<bool> cancel{false};
  pool.run(int64_t{1} << 40, cancel, rest, [] { return false; });
  expect(cancel, "a poll that says no cancels");
  std::atomic<bool> cancelled{false};
  int n_asked_for = 0;
  const auto deaf = [](int, int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(350)); };
  pool.run(8, cancelled, deaf, [&] { return ++n_asked_for, false; });
  expect(n_asked_for == 1, "a poll that has said no is not asked again, however long work goes on");
  expect_every_unit_once(pool, n_asked);
}

}  // namespace

int main() {
  for (const int n_made : {4, 3, 1, 0}) drive(n_made);
  std::puts("ok");
}
