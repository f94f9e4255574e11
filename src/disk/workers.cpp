#include "disk/workers.hpp"

#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::disk {

Workers::Workers(int threads) {
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
  } catch (const std::system_error& error) {
    // Fewer threads are slower, none is an error.
    if (!threads_.empty()) return;
    throw Error(ErrorCode::environment, std::string("cannot start a thread: ") + error.what());
  }
}

Workers::~Workers() {
  end_threads();
}

void Workers::end_threads() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    next_ = count_;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::start(std::uint64_t count, std::function<void(std::uint64_t)> work) {
  {
    const std::lock_guard lock(mutex_);
    FARO_CHECK(next_ == count_ && busy_ == 0);
    work_ = std::move(work);
    count_ = count;
    next_ = 0;
    error_ = nullptr;
  }
  if (threads_.empty())
    do_all();
  else
    wake_.notify_all();
}

void Workers::do_all() {
  try {
    while (next_ != count_) work_(next_++);
  } catch (...) {
    error_ = std::current_exception();
    next_ = count_;
  }
}

void Workers::finish() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return next_ == count_ && busy_ == 0; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Workers::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return ending_ || next_ != count_; });
    if (ending_) return;
    const std::uint64_t i = next_++;
    ++busy_;
    lock.unlock();
    std::exception_ptr error;
    try {
      work_(i);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    --busy_;
    if (error) {
      if (!error_) error_ = error;
      next_ = count_;
    }
    if (next_ == count_ && busy_ == 0) done_.notify_all();
  }
}

}  // namespace faro::inline v1::disk
