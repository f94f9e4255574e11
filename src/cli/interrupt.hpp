// SIGINT and SIGTERM. Work that has something to clean up defers them: the signal is then only
// noted, the work asks `interrupted()` and unwinds. Otherwise the program ends at once, with 130
// (SIGTERM: 143).
//
// A mapped file that is cut short by somebody else, or whose disk fails, raises SIGBUS: an error
// with exit code 3, and since an unfinished output has no name yet, nothing half done is left. A
// file size limit becomes an ordinary error of the call that meets it (SIGXFSZ ignored).
#pragma once

namespace faro::cli {

void handle_signals();
// For work that may be long without asking and leaves nothing behind: a signal that it has not seen
// after a second ends the program.
void end_within_a_second();
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
