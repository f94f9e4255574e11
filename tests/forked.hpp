// What a child forked from this process does.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace faro::testing {

// A thread sanitizer follows no child that starts threads.
constexpr bool follows_children() {
#if defined(__SANITIZE_THREAD__)
  return false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return false;
#else
  return true;
#endif
#else
  return true;
#endif
}

// Whether `work` returns true in a child, within so many seconds.
template <class Work>
bool works_in_child(unsigned seconds, Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(seconds);  // ends a child that hangs
    bool right = false;
    try {
      right = work();
    } catch (...) {
    }
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

}  // namespace faro::testing
