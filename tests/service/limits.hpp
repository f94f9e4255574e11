// What is asked of a limit: one below it, at it and one above it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/planners/planner.hpp"
#include "faro/service/plan.hpp"

namespace faro::testing {

// Whether what is asked for in this size is taken: nothing throws Error(limit).
using Taken = std::function<bool(std::uint64_t)>;

inline bool taken(const std::function<void()>& ask) {
  try {
    ask();
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::limit) << error.what();
    return false;
  }
  return true;
}

inline bool plans(const char* planner, const Request& request) {
  return !find_planner(planner)->refusal(request);
}

struct Asked {
  std::string name;
  std::uint64_t below, at, above;
  Taken taken;
};

inline Asked around(const char* name, std::uint64_t max, Taken taken) {
  return {name, max - 1, max, max + 1, std::move(taken)};
}
// Sizes that are powers of two only.
inline Asked doubled(const char* name, std::uint64_t max, Taken taken) {
  return {name, max / 2, max, 2 * max, std::move(taken)};
}

// Loops, arrays, files, words of other systems, certificates: limits_arrays.cpp.
void add_loops(std::vector<Asked>& all);
void add_arrays(std::vector<Asked>& all);
void add_certificates(std::vector<Asked>& all);

}  // namespace faro::testing
