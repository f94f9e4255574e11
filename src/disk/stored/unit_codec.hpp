// From a unit as it is handed out (C order, little-endian) to what its file has, and back: the axes
// in the order of the codec `transpose`, words turned around where the array is big-endian, then
// what compresses and sums.
#pragma once

#include <optional>

#include "disk/chunk_codec.hpp"
#include "disk/stored/array_form.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::disk {

class UnitCodec {
 public:
  explicit UnitCodec(const ArrayForm& form);

  // What is stored are the bytes of the unit.
  bool is_plain() const { return chain_.is_plain() && !turns_words_ && !to_stored_; }
  std::uint64_t encoded_bytes_max() const;
  // Throw Error(environment) with `name` in front where the content is not what it should be.
  void decode(std::span<const std::byte> encoded, std::span<std::byte> unit,
              const std::string& name) const;
  std::vector<std::byte> encode(std::span<const std::byte> unit) const;

 private:
  CodecChain chain_;
  std::uint64_t unit_bytes_;
  std::uint64_t word_bytes_;
  bool turns_words_;
  std::optional<PermutePlan> to_stored_;
  std::optional<PermutePlan> from_stored_;
};

// Little-endian words to big-endian ones, or back.
void turn_words(std::span<std::byte> bytes, std::uint64_t word_bytes);

}  // namespace faro::inline v1::disk
