// Threads that have run out of units take part in the tasks of those that have not.
//
// A thread whose unit falls into independent tasks shares them; it and all threads that help take them one by one.
// Who does a task must not matter for its result.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace bncc {

class Crew {
 public:
  using Task = std::function<void(int thread, int64_t task)>;

  // For so many units, of which each that ends well says `finish`.
  Crew(int64_t n_units, const std::atomic<bool>& cancel) : n_open_(n_units), cancel_(cancel) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void finish() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--n_open_ == 0) shared_.notify_all();
  }

  // Calls task(thread, k) for every k below n_tasks, in the given order of start, here and on the threads that help;
  // returns when all are done. After `cancel` no further one starts. The first exception of a task is thrown again.
  void share(int thread, int64_t n_tasks, const Task& task) {
    Job job{&task, n_tasks};
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      jobs_.push_back(&job);
      if (n_idle_ > 0) shared_.notify_all();
    }
    take_tasks(job, thread);
    std::unique_lock<std::mutex> lock(mutex_);
    jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
    done_.wait(lock, [&] { return job.n_helpers == 0; });
    if (job.error) std::rethrow_exception(job.error);
  }

  // Takes part in what others share, until all units are done or `cancel` is set.
  void help(int thread) {
    std::unique_lock<std::mutex> lock(mutex_);
    ++n_idle_;
    while (n_open_ > 0 && !cancel_.load()) {
      Job* job = find_job();
      if (!job) {
        shared_.wait_for(lock, look_interval);  // nobody tells of `cancel`
        continue;
      }
      ++job->n_helpers;
      --n_idle_;
      lock.unlock();
      take_tasks(*job, thread);
      lock.lock();
      ++n_idle_;
      if (--job->n_helpers == 0) done_.notify_all();
    }
    --n_idle_;
  }

 private:
  static constexpr std::chrono::milliseconds look_interval{20};

  struct Job {
    const Task* task;
    int64_t n_tasks;
    std::atomic<int64_t> next{0};
    int64_t n_helpers = 0;
    std::exception_ptr error;
    Job(const Task* of, int64_t n) : task(of), n_tasks(n) {}
  };

  Job* find_job() {
    for (Job* job : jobs_)
      if (job->next.load() < job->n_tasks) return job;
    return nullptr;
  }

  void take_tasks(Job& job, int thread) {
    try {
      for (int64_t k; !cancel_.load() && (k = job.next.fetch_add(1)) < job.n_tasks;) (*job.task)(thread, k);
    } catch (...) {
      job.next = job.n_tasks;
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!job.error) job.error = std::current_exception();
    }
  }

  std::mutex mutex_;
  std::condition_variable shared_, done_;
  std::vector<Job*> jobs_;
  int64_t n_open_;
  int64_t n_idle_ = 0;
  const std::atomic<bool>& cancel_;
};

}  // namespace bncc
