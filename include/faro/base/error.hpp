// Errors.
//
// What a user can cause throws an `Error`; what only a bug can cause throws `InternalError`, which
// is one too, so that a caller at the library's boundary catches one type. A message says what,
// where, what was wanted and how to go on. Nothing in the library prints or aborts.
//
//   try {
//     say("i:4 -> rev(j)");
//   } catch (const Error& error) {
//     show(error.what());              // name at column 12: no field named 'j'; there is i ...
//     return exit_code(error.code());  // usage: 2
//   }
#pragma once

#include <stdexcept>
#include <string>

namespace faro::inline v1 {

// What went wrong, in the classes that a caller may want to treat differently. The program's exit
// codes are these: refused 1; usage 2; environment 3; impossible and limit 4; internal 5; cancelled
// 130.
enum class ErrorCode {
  refused,      // a proof or a comparison said no
  usage,        // an argument, a notation or a file's content is wrong
  environment,  // a file, the disk, memory
  impossible,   // no such thing exists, whatever the effort
  limit,        // beyond a stated maximum of this program
  internal,     // a bug
  cancelled,    // the caller's progress callback asked to stop
};

int exit_code(ErrorCode code);
const char* name_of(ErrorCode code);

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

class InternalError : public Error {
 public:
  explicit InternalError(const std::string& message) : Error(ErrorCode::internal, message) {}
};

}  // namespace faro::inline v1
