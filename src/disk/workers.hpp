// Threads that do pieces of I/O: they sleep in the kernel, so their number is the queue's depth.
//
//   Workers readers(4);
//   readers.start(requests, [&](std::uint64_t i) { ... });    returns at once
//   readers.finish();                                         waits; throws what a piece threw
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace faro::inline v1::disk {

class Workers {
 public:
  // Without threads start() does all the work itself.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Calls work(0) ... work(count - 1), each once, in no certain order. After the first exception
  // the rest is left out. Requires that the last start was finished.
  void start(std::uint64_t count, std::function<void(std::uint64_t)> work);
  void finish();

 private:
  void run();
  void do_all();
  void end_threads();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::function<void(std::uint64_t)> work_;
  std::uint64_t count_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t busy_ = 0;
  bool ending_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace faro::inline v1::disk
