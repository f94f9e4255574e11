#include "cli/interrupt.hpp"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

namespace faro::cli {
namespace {

// Lock-free atomics are what a signal handler may touch.
std::atomic<int> signal_seen{0};
std::atomic<int> deferred{0};
static_assert(std::atomic<int>::is_always_lock_free);

std::atomic<bool> soon{false};

extern "C" void note_signal(int number) {
  // A second signal does not wait for the first one's work to unwind.
  if (deferred.load() == 0 || signal_seen.exchange(number) != 0) _exit(128 + number);
  constexpr itimerval most = {.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 700'000}};
  if (soon.load()) setitimer(ITIMER_REAL, &most, nullptr);
}

bool on_terminal = false;

// Over the line that tells of progress, where there is one.
extern "C" void end_now(int) {
  constexpr char message[] = "\r\x1b[Kfaro: interrupted\n";
  constexpr std::size_t erasing = 4;
  const std::size_t from = on_terminal ? 0 : erasing;
  static_cast<void>(!::write(STDERR_FILENO, message + from, sizeof(message) - 1 - from));
  _exit(interrupt_exit_code());
}

extern "C" void explain_bus_error(int) {
  constexpr char message[] =
      "faro: a file could not be read while it was mapped: it was cut short meanwhile, or its disk "
      "failed; nothing was written\n";
  static_cast<void>(!::write(STDERR_FILENO, message, sizeof(message) - 1));
  _exit(3);
}

}  // namespace

void handle_signals() {
  on_terminal = ::isatty(STDERR_FILENO) != 0;
  struct sigaction action = {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = end_now;
  sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = explain_bus_error;
  sigaction(SIGBUS, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);
}

void end_within_a_second() {
  soon.store(true);
}

bool interrupted() {
  return signal_seen.load() != 0;
}

int interrupt_exit_code() {
  const int number = signal_seen.load();
  return 128 + (number == 0 ? SIGINT : number);
}

DeferInterrupts::DeferInterrupts() {
  ++deferred;
}

DeferInterrupts::~DeferInterrupts() {
  --deferred;
}

}  // namespace faro::cli
