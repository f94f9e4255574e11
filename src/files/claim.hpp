// A file that is about to be replaced by what is made of it: one process at a time, so that the
// work of none is lost.
#pragma once

#include <string>

#include "faro/files/array_file.hpp"

namespace faro::inline v1 {

// Held until destroyed, or the process ends. Open the file after claiming it: another process may
// have replaced it just before.
class Claim {
 public:
  // Throws Error(environment) if another process holds one on the same file.
  explicit Claim(const std::string& path);

 private:
  Descriptor file_;
};

}  // namespace faro::inline v1
