#include "faro/engine/reference.hpp"

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

}  // namespace faro::inline v1
