#include "cli/request.hpp"

#include <fmt/format.h>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/files/array_file.hpp"
#include "faro/machines/verifier.hpp"
#include "layouts/foreign.hpp"

namespace faro::cli {
namespace {

Request with_destinations(const RequestText& text) {
  const Machine machine = machine_from(text.machine);
  constexpr std::uint64_t most = std::uint64_t{1} << limits::replay_elements_log2_max;
  if (processors(machine) > most)
    throw Error(ErrorCode::limit,
                fmt::format("{} has more than {} processors; --destinations lists every one",
                            to_string(machine), most));
  const ArrayInput file = [&] {
    try {
      return ArrayInput::npy(*text.destinations);
    } catch (const Error& error) {
      throw Error(error.code(),
                  fmt::format("{}. --destinations takes a .npy file of whole numbers: "
                              "numpy.save('to.npy', [3, 1, 2, 0])",
                              error.what()));
    }
  }();
  Destinations destinations{read_whole_numbers(file, most)};
  try {
    return Request::of(machine, std::move(destinations), text.elements);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", *text.destinations, error.what()));
  }
}

}  // namespace

// The words of other systems are of arrays, the notation's of processors and their memories.
bool speaks_of_an_array(const std::string& map) {
  const std::size_t arrow = map.find("=>");
  return is_foreign(map) || (arrow != std::string::npos && is_foreign(map.substr(arrow + 2)));
}

Request request_from(const RequestText& text) {
  if (text.map.has_value() == text.destinations.has_value())
    throw Error(ErrorCode::usage, text.map ? "give a map or --destinations, not both"
                                           : "say what to move: a map or --destinations FILE.npy");
  if (text.destinations) return with_destinations(text);
  return Request::of(*text.map, text.machine, text.elements, text.shape);
}

}  // namespace faro::cli
