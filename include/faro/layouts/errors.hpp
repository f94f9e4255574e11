// What no affine map says, refused by name.
//
//   NotAffine        a table, with the first index that denies it: index 6 goes to 7; the images
//                    of 0, 2 and 4 say 6
//   NotExpressible   a layout of another system, with the reason: dtensor: axis 0 of 10 over 4
//                    ranks: they hold 3, 3, 3, 1 (uneven); 8, 12* or 16 would be even
//
// Nothing is approximated: a layout is a map, exactly, or one of these.
#pragma once

#include <cstdint>
#include <string>

#include "faro/base/error.hpp"

namespace faro::inline v1 {

class NotAffine : public Error {
 public:
  NotAffine(std::uint64_t index, std::uint64_t got, std::uint64_t expected,
            const std::string& message)
      : Error(ErrorCode::impossible, message), index_(index), got_(got), expected_(expected) {}
  std::uint64_t index() const { return index_; }
  std::uint64_t got() const { return got_; }
  std::uint64_t expected() const { return expected_; }

 private:
  std::uint64_t index_;
  std::uint64_t got_;
  std::uint64_t expected_;
};

// Why a layout has no map, or a map no layout.
enum class LayoutFault {
  size,        // an axis, or a number of devices, that is no power of two
  uneven,      // devices hold different numbers of elements
  replicated,  // copies, where one place was wanted
  partial,     // values that must be added
  manual,      // each device holds what its program says
  holes,       // places that no element has
  overlap,     // places that several elements have
  adds,        // an index is added to, with carries
  complement,  // the other system inverts no bit
  exclusive,   // the other system has no exclusive or ("xor")
  unknown,     // the other system itself does not say
};

const char* name_of(LayoutFault fault);  // "size", ..., "xor", "unknown"

class NotExpressible : public Error {
 public:
  // what() is "SYSTEM: REASON".
  NotExpressible(const std::string& system, LayoutFault fault, const std::string& reason)
      : Error(ErrorCode::impossible, system + ": " + reason), system_(system), fault_(fault) {}
  const std::string& system() const { return system_; }
  LayoutFault fault() const { return fault_; }

 private:
  std::string system_;
  LayoutFault fault_;
};

}  // namespace faro::inline v1
