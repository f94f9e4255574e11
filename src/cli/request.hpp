// What the commands that plan take in common: a map, or a file of destinations, and a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "faro/planners/planner.hpp"

namespace faro::cli {

struct RequestText {
  std::optional<std::string> map;
  std::optional<std::string> destinations;  // a .npy file: processor p sends to the p-th number
  std::string machine;
  std::optional<std::uint64_t> elements;
};

struct NamedRequest {
  Request request;
  std::string map_text;  // canonical notation, empty for destinations
};

// Throws Error(usage), NotationError, and what reading the file throws.
NamedRequest request_from(const RequestText& text);

}  // namespace faro::cli
