// What the commands that plan take in common: a map, or a file of destinations, and a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faro/planners/planner.hpp"

namespace faro::cli {

struct RequestText {
  std::optional<std::string> map;
  std::optional<std::string> destinations;  // a .npy file: processor p sends to the p-th number
  std::string machine;
  std::optional<std::uint64_t> elements;
  std::optional<std::vector<Word>> shape = {};  // of the array, which the map then moves
};

// The words of other systems are of arrays, the notation's of processors and their memories.
bool speaks_of_an_array(const std::string& map);

// Throws Error(usage), NotationError, and what reading the file throws.
Request request_from(const RequestText& text);

}  // namespace faro::cli
