// Any text as a notation, of bits and of tensor maps: refused with a NotationError whose column
// lies in the text, or a map, whose canonical text is the same map and the same cut again, and
// stays the same when printed once more. What both read is the same map.
#include "faro/algebra/notation.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "faro/algebra/tensor_notation.hpp"

namespace {

void of_tensors(std::string_view text, const faro::Notation* bits) {
  faro::TensorNotation notation;
  try {
    notation = faro::parse_tensor_notation(text);
  } catch (const faro::NotationError& error) {
    // A cut of 64 processor bits is the one thing that only the notation of bits has.
    const bool whole = bits != nullptr && bits->cut.processor_bits == faro::word_bits;
    if (error.at() > text.size() || (bits != nullptr && !whole)) std::abort();
    return;
  }
  if (bits != nullptr && !(notation.map == faro::Map(bits->map))) std::abort();
  if (!(faro::then(notation.map, notation.map.inverse()) ==
        faro::then(notation.map.inverse(), notation.map))) {
    // Identities of one size, whatever the digits.
    std::abort();
  }
  std::string canonical;
  try {
    canonical = faro::to_notation(notation.map, notation.cut);
  } catch (const faro::Error& error) {
    if (error.code() != faro::ErrorCode::impossible) std::abort();
    return;
  }
  const faro::TensorNotation again = faro::parse_tensor_notation(canonical);
  if (!(again.map == notation.map) || !(again.cut == notation.cut)) std::abort();
  if (faro::to_notation(again.map, again.cut) != canonical) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  faro::Notation notation;
  try {
    notation = faro::parse_notation(text);
  } catch (const faro::NotationError& error) {
    if (error.at() > size) std::abort();
    of_tensors(text, nullptr);
    return 0;
  }
  of_tensors(text, &notation);
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
