// Any bytes as the words of another system's layout. What is read is written in the words of every
// system that can say it, and read again to the same map.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"
#include "faro/layouts/placement.hpp"
#include "fuzz.hpp"
#include "layouts/foreign.hpp"

namespace {

using namespace faro;

// "16x16;8;words": a shape and a number of devices before the words, each may be empty.
struct Asked {
  ForeignSizes sizes;
  std::string words;
};

Asked asked(std::string_view text) {
  Asked all;
  const std::size_t first = text.find(';');
  const std::size_t second = first == text.npos ? text.npos : text.find(';', first + 1);
  if (second == text.npos) {
    all.words = text;
    return all;
  }
  if (first > 0) all.sizes.shape = shape_from(text.substr(0, first));
  const std::string_view devices = text.substr(first + 1, second - first - 1);
  if (!devices.empty()) all.sizes.devices = shape_from(devices).front();
  all.words = text.substr(second + 1);
  return all;
}

void written_and_read(const ForeignLayout& layout) {
  for (const ForeignSystem& system : foreign_systems()) {
    if (!system.writes || *system.example == 0) continue;  // C is written, not read
    std::string words;
    try {
      words = write_foreign(system.name, layout);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal) throw;
      continue;
    }
    ForeignSizes sizes;
    sizes.shape = layout.shape;
    if (layout.shape.empty()) sizes.width = layout.notation.map.width() - layout.replica_bits;
    const ForeignLayout again = read_foreign(std::string(system.name) + ':' + words, sizes);
    if (!(again.notation.map == layout.notation.map)) std::abort();
  }
}

void check(std::string_view text) {
  const Asked all = asked(text);
  const ForeignLayout layout = read_foreign(all.words, all.sizes);
  if (!(then(layout.notation.map, layout.notation.map.inverse()) ==
        BitMap::identity(layout.notation.map.width())))
    std::abort();
  written_and_read(layout);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::done_or_refused([&] { check(fuzz::text_of(data, size)); });
}
