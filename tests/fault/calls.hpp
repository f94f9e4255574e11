// Calls of the library that ask for memory, for tests/fault/memory.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace faro::testing {

struct Call {
  std::string name;
  std::function<std::string()> run;  // what must be the same every time
  // Makes or reads JSON values, whose library (nlohmann_json) asks for memory in destructors and
  // forgets memory where a constructor throws.
  bool json = false;
};

// They read and write files in the current folder.
std::vector<Call> calls();

}  // namespace faro::testing
