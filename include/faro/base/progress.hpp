// Progress and cancellation: long work calls back now and then; the caller may show it and may ask
// to stop, and then gets Error(cancelled).
//
//   const Progress progress = [&](std::uint64_t done, std::uint64_t total) {
//     bar.show(done, total);
//     return stop_button.pressed() ? Continue::no : Continue::yes;
//   };
#pragma once

#include <cstdint>
#include <functional>

namespace faro::inline v1 {

enum class Continue { yes, no };

// done of total units of work, in bytes for data and in steps for schedules. Called from one thread
// at a time.
using Progress = std::function<Continue(std::uint64_t done, std::uint64_t total)>;

// Calls `progress` if there is one; throws Error(cancelled) if it asks to stop.
void report(const Progress& progress, std::uint64_t done, std::uint64_t total);

}  // namespace faro::inline v1
