// SIGINT and SIGTERM. Work that has something to clean up defers them: the signal is then only
// noted, the work asks `interrupted()` and unwinds. Otherwise the program ends at once, with 130
// (SIGTERM: 143).
#pragma once

namespace faro::cli {

void handle_interrupts();
bool interrupted();
// 128 + the signal that came; 130 if none did.
int interrupt_exit_code();

class DeferInterrupts {
 public:
  DeferInterrupts();
  ~DeferInterrupts();
  DeferInterrupts(const DeferInterrupts&) = delete;
  DeferInterrupts& operator=(const DeferInterrupts&) = delete;
};

}  // namespace faro::cli
