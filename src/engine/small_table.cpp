#include "engine/small_table.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "faro/base/bits.hpp"

namespace faro::inline v1::engine {
namespace {

constexpr int width_max = 9;  // of the most elements below

// Kernels move a vector where the table moves an element, and begin later: from here on they are
// faster, or as fast (Zen 3 with AVX2; bit reversal, Gray code, affine maps).
std::uint64_t elements_max(std::uint64_t element_bytes) {
  if (element_bytes == 16) return 512;
  if (!is_power_of_two(element_bytes) || element_bytes > 16) return 256;
  return element_bytes == 8 ? 128 : 64;
}

bool is_faster(std::uint64_t count, std::uint64_t element_bytes, const PermuteOptions& options) {
  return options.simd == Simd::automatic && options.stores == Stores::automatic &&
         count <= elements_max(element_bytes) && element_bytes <= SmallTable::bytes_max / count;
}

// Elements whose size the compiler knows; copies, since nobody promised that buffers are aligned.
template <std::size_t size>
void move_by_places(const std::uint16_t* places, std::size_t count, const std::byte* from,
                    std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to + places[i] * size, from + i * size, size);
  }
}

}  // namespace

std::optional<SmallTable> SmallTable::of(const BitMap& map, const PermuteShape& shape,
                                         const PermuteOptions& options) {
  if (shape.element_bytes > bytes_max || shape.inner > bytes_max || shape.outer > bytes_max ||
      map.width() > width_max || shape.outer == 0 || shape.inner == 0) {
    return std::nullopt;
  }
  const std::uint64_t element = shape.element_bytes * shape.inner;
  const Word each = bit(map.width());
  if (!is_faster(shape.outer * each, element, options)) return std::nullopt;
  std::vector<std::uint16_t> places(shape.outer * each);
  places[0] = static_cast<std::uint16_t>(map.complement());
  for (int i = 0; i < map.width(); ++i) {
    for (Word x = 0; x < bit(i); ++x) {
      places[bit(i) | x] = static_cast<std::uint16_t>(places[x] ^ map.column(i));
    }
  }
  for (Word i = each; i < places.size(); ++i) {
    places[i] = static_cast<std::uint16_t>(places[i - each] + each);
  }
  return SmallTable(std::move(places), element);
}

std::optional<SmallTable> SmallTable::of(const Map& map, const TensorShape& shape,
                                         const std::vector<NormalForm>& forms,
                                         const PermuteOptions& options) {
  if (!is_dense(shape.from, shape.element_bytes) || !is_dense(shape.to, shape.element_bytes)) {
    return std::nullopt;
  }
  // What stays together in all ranges is known where there is one.
  const std::uint64_t together =
      forms.size() == 1 ? forms.front().element_bytes / shape.element_bytes : 1;
  const std::uint64_t element = together * shape.element_bytes;
  const auto count = static_cast<Word>(map.elements()) / together;
  if (!is_faster(count, element, options)) return std::nullopt;
  std::vector<std::uint16_t> places(count);
  for (Word i = 0; i < count; ++i) {
    places[i] = static_cast<std::uint16_t>(map(i * together) / together);
  }
  return SmallTable(std::move(places), element);
}

PlanFacts SmallTable::facts() const {
  PassFacts pass;
  pass.method = "table";
  pass.kernel = fmt::format("table of places, elements of {} bytes", element_bytes_);
  pass.reason = "small data, one load and one store an element";
  pass.tiles = 1;
  pass.tile_bytes = bytes();
  pass.from_run_bytes = pass.to_run_bytes = element_bytes_;
  PlanFacts facts;
  facts.data_bytes = facts.from_bytes = facts.to_bytes = bytes();
  facts.bytes_moved = 2 * bytes();
  facts.passes.push_back(std::move(pass));
  return facts;
}

void SmallTable::move(const std::byte* from, std::byte* to) const {
  switch (element_bytes_) {
    case 1:
      return move_by_places<1>(places_.data(), places_.size(), from, to);
    case 2:
      return move_by_places<2>(places_.data(), places_.size(), from, to);
    case 4:
      return move_by_places<4>(places_.data(), places_.size(), from, to);
    case 8:
      return move_by_places<8>(places_.data(), places_.size(), from, to);
    case 16:
      return move_by_places<16>(places_.data(), places_.size(), from, to);
    default:
      break;
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    std::memcpy(to + places_[i] * element_bytes_, from + i * element_bytes_, element_bytes_);
  }
}

void SmallTable::move_in_place(std::byte* data) const {
  std::array<std::byte, bytes_max> copy;
  std::memcpy(copy.data(), data, bytes());
  move(copy.data(), data);
}

}  // namespace faro::inline v1::engine
