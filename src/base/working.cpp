#include "base/working.hpp"

#include <chrono>

namespace faro::inline v1 {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto report_interval = std::chrono::milliseconds(50);

thread_local const Progress* listener = nullptr;
thread_local Clock::time_point next_report;

}  // namespace

Listening::Listening(const Progress& progress) : before_(listener) {
  if (!progress) return;
  listener = &progress;
  next_report = {};
}

Listening::~Listening() {
  listener = before_;
}

void still_working() {
  if (listener == nullptr) return;
  const auto now = Clock::now();
  if (now < next_report) return;
  next_report = now + report_interval;
  report(*listener, 0, 0);
}

}  // namespace faro::inline v1
