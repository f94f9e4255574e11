#include "engine/reference.hpp"

#include <cstring>

#include "faro/base/bits.hpp"

namespace faro::inline v1 {
namespace {

// map(0), map(1), ...: one xor each, because x and x + 1 differ in the low bits up to the lowest
// one of x + 1.
class Walk {
 public:
  explicit Walk(const BitMap& map) : at_(map.complement()) {
    Word sum = 0;
    for (int i = 0; i < map.width(); ++i) prefix_[i] = sum ^= map.column(i);
  }
  Word at() const { return at_; }
  void to_next(Word x) { at_ ^= prefix_[lowest_bit(x + 1)]; }

 private:
  Word prefix_[word_bits + 1] = {};
  Word at_;
};

// Byte offsets of elements by their number in C order.
class ElementPlaces {
 public:
  ElementPlaces(const ArrayPlaces& places, std::uint64_t elements, std::uint64_t element_bytes)
      : places_(places) {
    if (places_.shape.empty()) places_.shape = {elements};
    if (!places_.strides.empty()) return;
    places_.strides.resize(places_.shape.size());
    auto stride = static_cast<std::int64_t>(element_bytes);
    for (std::size_t k = places_.shape.size(); k-- > 0;) {
      places_.strides[k] = stride;
      stride *= static_cast<std::int64_t>(places_.shape[k]);
    }
  }
  std::int64_t of(Word x) const {
    auto at = static_cast<std::int64_t>(places_.offset);
    for (std::size_t k = places_.shape.size(); k-- > 0;) {
      at += static_cast<std::int64_t>(x % places_.shape[k]) * places_.strides[k];
      x /= places_.shape[k];
    }
    return at;
  }

 private:
  ArrayPlaces places_;
};

// Visits (x, map(x), their places) until told to stop.
template <class Visit>
void each_place(const Map& map, const TensorShape& shape, Visit&& visit) {
  const auto elements = static_cast<Word>(map.elements());
  const ElementPlaces from(shape.from, elements, shape.element_bytes);
  const ElementPlaces to(shape.to, elements, shape.element_bytes);
  for (Word x = 0; x < elements; ++x) {
    const Word y = map(x);
    if (!visit(x, y, from.of(x), to.of(y))) return;
  }
}

template <class Visit>
bool each(const BitMap& map, const PermuteShape& shape, Visit&& visit) {
  const Word count = bit(map.width());
  for (std::uint64_t o = 0; o < shape.outer; ++o) {
    Walk walk(map);
    for (Word x = 0; x < count; ++x) {
      if (!visit(o, x, walk.at())) return false;
      walk.to_next(x);
    }
  }
  return true;
}

}  // namespace

void reference_permute(const BitMap& map, const PermuteShape& shape, const void* from, void* to) {
  const std::uint64_t block = shape.inner * shape.element_bytes;
  const auto* source = static_cast<const std::byte*>(from);
  auto* destination = static_cast<std::byte*>(to);
  if (block == 0) return;
  each(map, shape, [&](std::uint64_t o, Word x, Word y) {
    const std::uint64_t base = o << map.width();
    std::memcpy(destination + (base + y) * block, source + (base + x) * block, block);
    return true;
  });
}

Mismatch reference_compare(const BitMap& map, const PermuteShape& shape, const void* from,
                           const void* to, const Progress& progress) {
  constexpr std::uint64_t report_blocks = std::uint64_t{1} << 20U;
  const std::uint64_t block = shape.inner * shape.element_bytes;
  const std::uint64_t total = (shape.outer << map.width()) * block;
  const auto* source = static_cast<const std::byte*>(from);
  const auto* destination = static_cast<const std::byte*>(to);
  Mismatch mismatch;
  if (block == 0) return mismatch;
  each(map, shape, [&](std::uint64_t o, Word x, Word y) {
    const std::uint64_t base = o << map.width();
    if ((base + x) % report_blocks == 0) report(progress, (base + x) * block, total);
    if (std::memcmp(destination + (base + y) * block, source + (base + x) * block, block) == 0) {
      return true;
    }
    mismatch = {.found = true, .outer = o, .from = x, .to = y};
    return false;
  });
  return mismatch;
}

void reference_permute(const Map& map, const TensorShape& shape, const void* from, void* to) {
  each_place(map, shape, [&](Word, Word, std::int64_t source, std::int64_t destination) {
    std::memcpy(static_cast<std::byte*>(to) + destination,
                static_cast<const std::byte*>(from) + source, shape.element_bytes);
    return true;
  });
}

Mismatch reference_compare(const Map& map, const TensorShape& shape, const void* from,
                           const void* to, const Progress& progress) {
  constexpr std::uint64_t report_elements = std::uint64_t{1} << 20U;
  const std::uint64_t total = static_cast<Word>(map.elements()) * shape.element_bytes;
  Mismatch mismatch;
  each_place(map, shape, [&](Word x, Word y, std::int64_t source, std::int64_t destination) {
    if (x % report_elements == 0) report(progress, x * shape.element_bytes, total);
    if (std::memcmp(static_cast<const std::byte*>(to) + destination,
                    static_cast<const std::byte*>(from) + source, shape.element_bytes) == 0) {
      return true;
    }
    mismatch = {.found = true, .outer = 0, .from = x, .to = y};
    return false;
  });
  return mismatch;
}

}  // namespace faro::inline v1
