#include "disk/workers.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::disk {

Workers::Workers(const Depth& depth) : bytes_max_(depth.bytes) {
  try {
    for (int i = 0; i < depth.threads; ++i) threads_.emplace_back([this] { run(); });
  } catch (const std::system_error& error) {
    // Fewer threads are slower, none is an error.
    if (!threads_.empty()) return;
    throw Error(ErrorCode::environment, std::string("cannot start a thread: ") + error.what());
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::start(Lane lane, const Pieces& pieces, std::function<void(std::uint64_t)> work) {
  Work& mine = of(lane);
  {
    const std::lock_guard lock(mutex_);
    FARO_CHECK(mine.is_done());
    mine.piece = std::move(work);
    mine.count = pieces.count;
    mine.bytes = pieces.bytes;
    mine.next = 0;
    mine.error = nullptr;
  }
  wake_.notify_all();
  if (!threads_.empty()) return;
  try {
    while (mine.is_waiting()) mine.piece(mine.next++);
  } catch (...) {
    mine.error = std::current_exception();
    mine.next = mine.count;
  }
}

void Workers::finish(Lane lane) {
  Work& mine = of(lane);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return mine.is_done(); });
  if (mine.error) std::rethrow_exception(std::exchange(mine.error, nullptr));
}

Workers::Work* Workers::next() {
  auto& [read, write] = lanes_;
  if (!read.is_waiting() && !write.is_waiting()) return nullptr;
  const bool reads =
      !write.is_waiting() ||
      (read.is_waiting() && Count{read.next} * write.count < Count{write.next} * read.count);
  Work& due = reads ? read : write;
  // One that is larger than all that may be under way goes alone.
  const bool fits = bytes_busy_ == 0 || due.bytes <= bytes_max_ - std::min(bytes_max_, bytes_busy_);
  return fits ? &due : nullptr;
}

void Workers::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return ending_ || next() != nullptr; });
    if (ending_) return;
    Work& mine = *next();
    const std::uint64_t i = mine.next++;
    const std::uint64_t bytes = mine.bytes;
    ++mine.busy;
    bytes_busy_ += bytes;
    // What ended may have been longer than what begins: there is room for more.
    if (next() != nullptr) wake_.notify_one();
    lock.unlock();
    std::exception_ptr error;
    try {
      mine.piece(i);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    --mine.busy;
    bytes_busy_ -= bytes;
    if (error) {
      if (!mine.error) mine.error = error;
      mine.next = mine.count;
    }
    if (mine.is_done()) done_.notify_all();
  }
}

}  // namespace faro::inline v1::disk
