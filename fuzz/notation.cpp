// Any text as a notation: refused with a NotationError whose column lies in the text, or a map,
// whose canonical text is the same map and the same cut again, and stays the same when printed
// once more.
#include "faro/algebra/notation.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  faro::Notation notation;
  try {
    notation = faro::parse_notation(text);
  } catch (const faro::NotationError& error) {
    if (error.at() > size) std::abort();
    return 0;
  }
  const std::string canonical = faro::to_notation(notation.map, notation.cut);
  const faro::Notation again = faro::parse_notation(canonical);
  if (!(again.map == notation.map) || !(again.cut == notation.cut)) std::abort();
  if (faro::to_notation(again.map, again.cut) != canonical) std::abort();
  // Sizes that agree change nothing.
  const faro::Notation known =
      faro::parse_notation(canonical, {.total = notation.map.width(), .processor = std::nullopt});
  if (!(known.map == notation.map)) std::abort();
  return 0;
}
