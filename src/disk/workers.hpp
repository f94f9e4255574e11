// Threads that do pieces of I/O: they sleep in the kernel, so those at work are the queue's depth.
//
//   Workers workers({.threads = 32, .bytes = 8 << 20});     at most so many bytes under way
//   workers.start(Lane::read, {requests, 64 << 10}, [&](std::uint64_t i) { ... });  returns at once
//   workers.start(Lane::write, {requests, 1 << 20}, [&](std::uint64_t i) { ... });
//   workers.finish(Lane::write);                    waits; throws what a piece of it threw
//
// A thread takes the next piece of the lane that is further behind: a disk that reads and writes at
// the same time is faster than one that does first more of the one and then the rest of the other.
// The bytes are bounded because disks want many short requests at a time, but few long ones.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace faro::inline v1::disk {

enum class Lane { read, write };

struct Pieces {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  // that each counts of those that may be under way
};

class Workers {
 public:
  struct Depth {
    int threads = 0;  // without any start() does all the work itself
    std::uint64_t bytes = UINT64_MAX;
  };
  explicit Workers(const Depth& depth);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Calls work(0) ... work(count - 1), each once, in no certain order. After the first exception
  // the rest is left out. Requires that the lane's last start was finished.
  void start(Lane lane, const Pieces& pieces, std::function<void(std::uint64_t)> work);
  void finish(Lane lane);

 private:
  struct Work {
    std::function<void(std::uint64_t)> piece;
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::uint64_t next = 0;
    std::uint64_t busy = 0;
    std::exception_ptr error;

    bool is_waiting() const { return next != count; }
    bool is_done() const { return next == count && busy == 0; }
  };
  Work& of(Lane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  // The lane whose next piece is due and may begin; null if there is none.
  Work* next();
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::array<Work, 2> lanes_;
  bool ending_ = false;
  std::uint64_t bytes_max_;
  std::uint64_t bytes_busy_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace faro::inline v1::disk
