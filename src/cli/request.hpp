// What the commands that plan take in common: a map, or a file of destinations, and a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faro/planners/request.hpp"

namespace faro::cli {

// Whether a map names every processor bit of the machine, or the data lie on the subcube of those
// that it names.
enum class MapNames { every_processor_bit, a_subcube };

struct RequestText {
  std::optional<std::string> map;
  std::optional<std::string> destinations;  // a .npy file: processor p sends to the p-th number
  std::string machine;
  std::optional<std::uint64_t> elements;
  std::optional<std::vector<Word>> shape = {};  // of the array, which the map then moves
  MapNames map_names = MapNames::every_processor_bit;
};

// The words of other systems are of arrays, the notation's of processors and their memories.
bool speaks_of_an_array(const std::string& map);

// Throws Error(usage), NotationError, and what reading the file throws.
Request request_from(const RequestText& text);

}  // namespace faro::cli
