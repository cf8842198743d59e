// Threads over independent units of work, while the calling thread keeps an eye on the outside world.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bncc {

// Call work(thread, unit) for every unit, in the given order of start, on n_threads threads. `poll` runs on the
// calling thread about ten times a second; when it returns false, `cancel` is set and no further unit starts.
// The first exception of a worker is rethrown here.
inline void run_units(int n_threads, int64_t n_units, std::atomic<bool>& cancel,
                      const std::function<void(int, int64_t)>& work, const std::function<bool()>& poll) {
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::condition_variable finished;
  int running = n_threads;
  std::exception_ptr error;
  auto loop = [&](int thread) {
    try {
      for (int64_t unit; !cancel.load() && (unit = next.fetch_add(1)) < n_units;) work(thread, unit);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!error) error = std::current_exception();
      cancel = true;
    }
    const std::lock_guard<std::mutex> lock(mutex);
    if (--running == 0) finished.notify_one();
  };
  std::vector<std::thread> threads;
  threads.reserve(n_threads);
  for (int t = 0; t < n_threads; ++t) threads.emplace_back(loop, t);
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
      lock.unlock();
      if (!poll()) cancel = true;
      lock.lock();
    }
  }
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace bncc
