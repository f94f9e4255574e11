// Any text as words of any dialect: refused with an error whose column lies in the text, or a map,
// whose canonical text is the same map and the same cut again, and stays the same when printed once
// more. Sizes that agree change nothing.
#include "faro/words/say.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz.hpp"
#include "layouts/foreign.hpp"

namespace {

using namespace faro;

// "16x16;8;words": a shape and a number of processors before the words, each may be empty.
Sizes sizes_before(std::string_view& text) {
  Sizes sizes;
  const std::size_t first = text.find(';');
  const std::size_t second = first == text.npos ? text.npos : text.find(';', first + 1);
  if (second == text.npos) return sizes;
  if (first > 0) sizes.shape = shape_from(text.substr(0, first));
  const std::string_view processors = text.substr(first + 1, second - first - 1);
  if (!processors.empty()) sizes.processors = shape_from(processors).front();
  text.remove_prefix(second + 1);
  return sizes;
}

void printed_and_read(const Said& said) {
  std::string canonical;
  try {
    canonical = to_notation(said.map, said.cut);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::impossible) std::abort();
    return;
  }
  const Said again = say(canonical);
  if (!(again.map == said.map) || !(again.cut == said.cut)) std::abort();
  if (to_notation(again.map, again.cut) != canonical) std::abort();
  if (!(say(canonical, {.elements = said.map.elements()}).map == said.map)) std::abort();
}

void check(std::string_view text) {
  const Sizes sizes = sizes_before(text);
  Said said;
  try {
    said = say(text, sizes);
  } catch (const NotationError& error) {
    if (error.at() > text.size()) std::abort();
    throw;
  }
  // Identities of one size, whatever the digits.
  if (!(then(said.map, said.map.inverse()) == then(said.map.inverse(), said.map))) std::abort();
  if (said.map.bits() != nullptr && said.as_bits().map != *said.map.bits()) std::abort();
  if (sizes.shape && sizes.flat && said.shape != sizes.shape) std::abort();
  printed_and_read(said);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::done_or_refused([&] { check(fuzz::text_of(data, size)); });
}
