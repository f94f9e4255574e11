#include "disk/stored/unit_codec.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/check.hpp"
#include "faro/algebra/map.hpp"

namespace faro::inline v1::disk {
namespace {

template <class Word>
void turn_each(std::span<std::byte> bytes, Word (*turned)(Word)) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    word = turned(word);
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

PermutePlan transposing(const ArrayForm& form, bool to_stored) {
  std::vector<int> order(form.order.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(form.order[k]);
  const Map map = Map::from_axes(form.chunks, order);
  return PermutePlan::out_of_place(to_stored ? map : map.inverse(),
                                   TensorShape{form.type.bytes, {}, {}}, {.threads = 1});
}

}  // namespace

void turn_words(std::span<std::byte> bytes, std::uint64_t word_bytes) {
  FARO_CHECK(bytes.size() % word_bytes == 0);
  switch (word_bytes) {
    case 2:
      return turn_each<std::uint16_t>(bytes, [](std::uint16_t w) { return __builtin_bswap16(w); });
    case 4:
      return turn_each<std::uint32_t>(bytes, [](std::uint32_t w) { return __builtin_bswap32(w); });
    case 8:
      return turn_each<std::uint64_t>(bytes, [](std::uint64_t w) { return __builtin_bswap64(w); });
    default:
      FARO_CHECK(word_bytes == 1);
  }
}

UnitCodec::UnitCodec(const ArrayForm& form)
    : chain_(form.codecs),
      unit_bytes_(form.chunk_bytes()),
      word_bytes_(form.type.word_bytes),
      turns_words_(form.big && form.type.word_bytes > 1) {
  if (std::is_sorted(form.order.begin(), form.order.end())) return;
  to_stored_ = transposing(form, true);
  from_stored_ = transposing(form, false);
}

std::uint64_t UnitCodec::encoded_bytes_max() const {
  // Encoders of others may be worse than ours, but not twice.
  return chain_.is_plain() ? unit_bytes_ : 2 * chain_.bound(unit_bytes_);
}

void UnitCodec::decode(std::span<const std::byte> encoded, std::span<std::byte> unit,
                       const std::string& name) const {
  if (from_stored_) {
    std::vector<std::byte> stored(unit.size());
    chain_.decode(encoded, stored, name);
    from_stored_->execute(stored, unit);
  } else {
    chain_.decode(encoded, unit, name);
  }
  if (turns_words_) turn_words(unit, word_bytes_);
}

std::vector<std::byte> UnitCodec::encode(std::span<const std::byte> unit) const {
  if (!to_stored_ && !turns_words_) return chain_.encode(unit);
  std::vector<std::byte> stored(unit.size());
  if (to_stored_)
    to_stored_->execute(unit, stored);
  else
    std::copy(unit.begin(), unit.end(), stored.begin());
  if (turns_words_) turn_words(stored, word_bytes_);
  return chain_.is_plain() ? stored : chain_.encode(stored);
}

}  // namespace faro::inline v1::disk
