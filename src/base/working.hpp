// Long work that nobody gave a Progress, a search or a bound, says now and then that it goes on.
// Whoever called it may listen, shows that and may end it: still_working() throws Error(cancelled).
//
//   const Listening listening(options.progress);   // in plan()
//   for (const Packet& packet : packets) {         // far below
//     still_working();
//     ...
//
// Cheap enough for every microsecond of work. Only the thread that listens is heard.
#pragma once

#include "faro/base/progress.hpp"

namespace faro::inline v1 {

class Listening {
 public:
  // `progress` gets 0 of 0: how far it is nobody knows.
  explicit Listening(const Progress& progress);
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  const Progress* before_;
};

void still_working();

}  // namespace faro::inline v1
