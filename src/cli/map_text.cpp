#include "cli/map_text.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/count_format.hpp"
#include "cli/memory.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "layouts/foreign.hpp"

namespace faro::cli {

Sizes sizes_from(const std::optional<std::string>& shape, std::optional<std::uint64_t> width) {
  Sizes sizes;
  if (shape) sizes.shape = shape_from(*shape);
  if (!width) return sizes;
  if (*width > static_cast<std::uint64_t>(limits::address_bits_max))
    throw Error(ErrorCode::limit, fmt::format("--width: {} bits; an index has at most {}", *width,
                                              limits::address_bits_max));
  sizes.elements = Count{1} << static_cast<unsigned>(*width);
  Count product = 1;
  if (shape)
    for (const Word side : *sizes.shape) product *= Count{side};
  if (shape && product != *sizes.elements)
    throw Error(ErrorCode::usage,
                fmt::format("--width {} is 2^{} elements, --shape {} has {}; give one of them",
                            *width, *width, *shape, product));
  return sizes;
}

std::string map_words(const std::string& text) {
  const std::size_t at = text.starts_with('@') ? 0 : text.find(':') + 1;
  if (text[at] != '@' || (at > 0 && !is_foreign(text))) {
    std::error_code none;
    if (text.find_first_of("./") != std::string::npos && std::filesystem::exists(text, none))
      throw Error(ErrorCode::usage,
                  fmt::format("'{}' is a file or a folder, and a map is wanted here, as "
                              "'bit-reversal' or 't y x -> x y t'; '@{}' reads a map from a file. "
                              "Of an array 'faro digest' and 'faro rechunk IN OUT --plan' say what "
                              "it is and what moving it takes",
                              text, text));
    return text;
  }
  const auto check = [](std::uint64_t bytes, const std::string& name) {
    if (bytes > limits::circuit_bytes_max)
      throw Error(ErrorCode::limit, fmt::format("{}: the text of a map has at most {} characters",
                                                name, limits::circuit_bytes_max));
  };
  return text.substr(0, at) + whole_file(text.substr(at + 1), check);
}

}  // namespace faro::cli
