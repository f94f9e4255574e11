#include "faro/layouts/placement.hpp"

#include <fmt/format.h>

#include <utility>

#include "layouts/field_text.hpp"

namespace faro::inline v1 {
namespace {

// Replica columns as a reduced basis, highest first, index columns and the complement modulo it:
// one form for all ways to number the copies.
BitMap reduced_form(const BitMap& map, int replica_bits) {
  if (replica_bits == 0) return map;
  const int index_bits = map.width() - replica_bits;
  std::vector<Word> replicas;
  for (int b = index_bits; b < map.width(); ++b) replicas.push_back(map.column(b));
  const std::vector<Word> basis = reduced_basis(replicas);
  std::vector<Word> columns;
  for (int b = 0; b < index_bits; ++b) columns.push_back(reduce(map.column(b), basis));
  for (auto it = basis.rbegin(); it != basis.rend(); ++it) columns.push_back(*it);
  return BitMap::from_columns(columns, reduce(map.complement(), basis));
}

int checked_bits(const std::vector<std::uint64_t>& shape) {
  int bits = 0;
  for (const std::uint64_t side : shape) {
    if (!is_power_of_two(side))
      throw Error(ErrorCode::usage, fmt::format("placement: an axis of {}, no power of two", side));
    bits += log2_exact(side);
  }
  return bits;
}

}  // namespace

Placement::Placement(const BitMap& map, int device_bits, int replica_bits,
                     std::vector<std::uint64_t> shape)
    : device_bits_(device_bits), replica_bits_(replica_bits), shape_(std::move(shape)) {
  if (device_bits < 0 || replica_bits < 0 || device_bits > map.width() ||
      replica_bits > map.width())
    throw Error(ErrorCode::usage, fmt::format("placement: {} device bits and {} replica bits of {}",
                                              device_bits, replica_bits, map.width()));
  const int index_bits = map.width() - replica_bits;
  if (shape_.empty() && index_bits < word_bits) shape_ = {bit(index_bits)};
  if (!shape_.empty() && checked_bits(shape_) != index_bits)
    throw Error(ErrorCode::usage,
                fmt::format("placement: the shape has 2^{} elements, the map 2^{}",
                            checked_bits(shape_), index_bits));
  map_ = reduced_form(map, replica_bits);
  inverse_ = map_.inverse();
}

std::uint64_t Placement::device(std::uint64_t index, std::uint64_t replica) const {
  if (device_bits_ == 0) return 0;
  const Word from = replica_bits_ == 0 ? index : (replica << index_bits()) | index;
  return map_(from) >> memory_bits();
}

std::uint64_t Placement::memory(std::uint64_t index, std::uint64_t replica) const {
  const Word from = replica_bits_ == 0 ? index : (replica << index_bits()) | index;
  return map_(from) & low_mask(memory_bits());
}

std::uint64_t Placement::index_at(std::uint64_t device, std::uint64_t memory) const {
  const Word place = device_bits_ == 0 ? memory : (device << memory_bits()) | memory;
  return inverse_(place) & low_mask(index_bits());
}

Notation Placement::notation() const {
  Notation result;
  result.map = map_;
  result.cut = {Cut::Kind::layout, device_bits_};
  if (!shape_.empty()) result.fields = shape_fields(shape_);
  if (replica_bits_ > 0) result.fields.insert(result.fields.begin(), {"rep", replica_bits_});
  return result;
}

std::string Placement::text() const {
  return layouts::text_with_fields(notation());
}

std::vector<Field> shape_fields(const std::vector<std::uint64_t>& shape) {
  std::vector<Field> fields;
  const std::size_t axes = shape.size();
  for (std::size_t d = 0; d < axes; ++d) {
    std::string name;
    if (axes == 1)
      name = "i";
    else if (axes == 2)
      name.assign(1, d == 0 ? 'r' : 'c');
    else if (axes <= 26)
      name = std::string(1, static_cast<char>('a' + d));
    else
      name = fmt::format("x{}", d);
    fields.push_back({name, log2_exact(shape[d])});
  }
  return fields;
}

}  // namespace faro::inline v1
