#include "base/parallel.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/check.hpp"
#include "base/cores.hpp"

namespace faro::inline v1 {
namespace {

// One call. What the pool's mutex guards is marked.
struct Job {
  const PartWork& work;
  const std::uint64_t parts;
  const int workers;  // at most so many, the caller among them
  const int room;     // a helper joins while fewer threads than this are at work in the pool
  std::atomic<std::uint64_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;
  std::condition_variable left;  // a helper has
  int joined = 1;                // guarded: worker numbers given
  int inside = 0;                // guarded: helpers at work
  Job* later = nullptr;          // guarded

  Job(const PartWork& the_work, std::uint64_t part_count, int workers_max, int room_max)
      : work(the_work), parts(part_count), workers(workers_max), room(room_max) {}

  bool open() const { return joined < workers && next.load(std::memory_order_relaxed) < parts; }
  void run(int worker) noexcept {
    try {
      for (;;) {
        const std::uint64_t part = next.fetch_add(1, std::memory_order_relaxed);
        if (part >= parts) return;
        work(part, worker);
      }
    } catch (...) {
      next.store(parts, std::memory_order_relaxed);
      const std::lock_guard lock(failing);
      if (failure == nullptr) failure = std::current_exception();
    }
  }
};

// The helpers of this process. Never destroyed: they wait when the process ends.
class Pool {
 public:
  explicit Pool(Pool* of_parent) : of_parent_(of_parent) {}

  void run(Job& job) {
    enter(job);
    job.run(0);
    std::unique_lock lock(mutex_);
    for (Job** at = &first_;; at = &(*at)->later) {
      if (*at != &job) continue;
      *at = job.later;
      break;
    }
    job.left.wait(lock, [&] { return job.inside == 0; });
    --working_;
    // The core that this caller leaves may help another.
    if (waiting_job() != nullptr) awake_.notify_one();
  }

 private:
  void enter(Job& job) {
    const std::lock_guard lock(mutex_);
    Job** last = &first_;
    while (*last != nullptr) last = &(*last)->later;
    *last = &job;
    ++working_;
    const int wanted = std::min(job.workers - 1, job.room - working_);
    for (int idle = helpers_ - helping_; idle < wanted; ++idle) {
      if (!start()) break;
    }
    if (waiting_job() != nullptr) wake();
  }

  // Each helper that joins a job wakes two more while there is room, so that many are awake soon.
  void wake() {
    awake_.notify_one();
    awake_.notify_one();
  }

  Job* waiting_job() const {
    for (Job* job = first_; job != nullptr; job = job->later) {
      if (job->open() && working_ < job->room) return job;
    }
    return nullptr;
  }

  bool start() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = true;
    try {
      std::thread([this] { help(); }).detach();
      ++helpers_;
    } catch (const std::system_error&) {
      started = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
  }

  [[noreturn]] void help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Job* const job = waiting_job();
      if (job == nullptr) {
        awake_.wait(lock);
        continue;
      }
      const int worker = job->joined++;
      ++job->inside;
      ++helping_;
      ++working_;
      if (waiting_job() != nullptr) wake();
      lock.unlock();
      job->run(worker);
      lock.lock();
      --working_;
      --helping_;
      // Under the mutex: once it is free the caller may be gone, and the job with it.
      if (--job->inside == 0) job->left.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable awake_;
  Job* first_ = nullptr;  // jobs in the order of their calls
  int helpers_ = 0;       // that exist
  int helping_ = 0;       // that are at work
  int working_ = 0;       // those, and callers
  // A forked child cannot use it, for its threads are gone and its mutex may be held; it is kept
  // so that nobody takes it for lost memory.
  [[maybe_unused]] Pool* of_parent_;
};

std::atomic<Pool*> pool{nullptr};
std::atomic<Pool*> parents_pool{nullptr};

void forked() {
  if (Pool* const old = pool.exchange(nullptr)) parents_pool.store(old);
}
// When the library is loaded: a first call might be under way in another thread while one forks.
[[maybe_unused]] const int fork_handler = pthread_atfork(nullptr, nullptr, forked);

Pool& current_pool() {
  Pool* here = pool.load(std::memory_order_acquire);
  if (here != nullptr) return *here;
  auto* const made = new Pool(parents_pool.load());
  if (pool.compare_exchange_strong(here, made)) return *made;
  delete made;
  return *here;
}

}  // namespace

void in_parallel(int threads, std::uint64_t parts, const PartWork& work) {
  FARO_CHECK(threads >= 1);
  const auto workers =
      static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(threads), parts));
  if (workers <= 1) {
    for (std::uint64_t part = 0; part < parts; ++part) work(part, 0);
    return;
  }
  Job job(work, parts, workers, std::max(cores_available(), threads));
  current_pool().run(job);
  if (job.failure != nullptr) std::rethrow_exception(job.failure);
}

}  // namespace faro::inline v1
