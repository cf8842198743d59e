// Threads that work through numbered units while the calling thread watches over them.
//
// Nothing that goes wrong ends the process. The first exception of a worker stops the others and is thrown again in
// the calling thread, once all are idle. Where fewer threads can be made than asked for, those that could do the work;
// where none could, the calling thread does.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace bncc {

class ThreadPool {
 public:
  using Work = std::function<void(int thread, int64_t unit)>;
  using Poll = std::function<bool()>;
  using Idle = std::function<void(int thread)>;
  using ThreadFactory = std::function<std::thread(std::function<void()>)>;  // throws where it cannot make one

  explicit ThreadPool(int n_threads, const ThreadFactory& make_thread = start_thread) {
    threads_.reserve(static_cast<size_t>(n_threads));
    try {
      for (int thread = 0; thread < n_threads; ++thread)
        threads_.push_back(make_thread([this, thread] { serve(thread); }));
    } catch (const std::exception&) {  // no further thread: threads, memory or address space have run out
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  ~ThreadPool() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  int n_threads() const { return static_cast<int>(threads_.size()); }

  // Calls work(thread, unit) for every unit, in the given order of start; `thread` is below the number asked for.
  // `poll` runs on the calling thread about ten times a second; when it returns false, `cancel` is set, no further
  // unit starts and it is not called again. An exception of either sets `cancel` too, and is thrown again here.
  // A thread that finds no further unit calls `idle`, where it is given; what it throws counts as the work's.
  void run(int64_t n_units, std::atomic<bool>& cancel, const Work& work, const Poll& poll, const Idle& idle = nullptr) {
    const Round round{&work, &poll, &idle, &cancel, n_units};
    if (threads_.empty()) {
      work_alone(round);
    } else {
      std::unique_lock<std::mutex> lock(mutex_);
      round_ = round;
      next_unit_ = 0;
      n_working_ = threads_.size();
      ++n_rounds_;
      wake_.notify_all();
      while (!idle_.wait_for(lock, poll_interval, [&] { return n_working_ == 0; })) {
        if (cancel.load()) continue;  // a poll that said no may have left an exception, and must not run again
        lock.unlock();
        ask(round);
        lock.lock();
      }
    }
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  static constexpr std::chrono::milliseconds poll_interval{100};

  struct Round {
    const Work* work = nullptr;
    const Poll* poll = nullptr;
    const Idle* idle = nullptr;
    std::atomic<bool>* cancel = nullptr;
    int64_t n_units = 0;
  };

  static std::thread start_thread(std::function<void()> body) { return std::thread(std::move(body)); }

  // What a thread does: wait for a round, take part in it.
  void serve(int thread) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (int64_t n_served = 0;; ++n_served) {
      wake_.wait(lock, [&] { return closing_ || n_rounds_ != n_served; });
      if (closing_) return;
      const Round round = round_;
      lock.unlock();
      take_units(round, thread);
      lock.lock();
      if (--n_working_ == 0) idle_.notify_one();
    }
  }

  void take_units(const Round& round, int thread) {
    try {
      for (int64_t unit; !round.cancel->load() && (unit = next_unit_.fetch_add(1)) < round.n_units;)
        (*round.work)(thread, unit);
      if (*round.idle) (*round.idle)(thread);
    } catch (...) {
      keep_error(round);
    }
  }

  void work_alone(const Round& round) {
    auto asked = std::chrono::steady_clock::now();
    try {
      for (int64_t unit = 0; unit < round.n_units && !round.cancel->load(); ++unit) {
        (*round.work)(0, unit);
        if (std::chrono::steady_clock::now() - asked < poll_interval) continue;
        ask(round);
        asked = std::chrono::steady_clock::now();
      }
    } catch (...) {
      keep_error(round);
    }
  }

  void ask(const Round& round) {
    try {
      if (!(*round.poll)()) *round.cancel = true;
    } catch (...) {
      keep_error(round);
    }
  }

  void keep_error(const Round& round) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!error_) error_ = std::current_exception();
    *round.cancel = true;
  }

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  Round round_;
  std::atomic<int64_t> next_unit_{0};
  int64_t n_rounds_ = 0;
  size_t n_working_ = 0;
  bool closing_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace bncc
