#include "planners/cube/shuffle/variants.hpp"

namespace faro::inline v1::shuffle {
namespace {

// Variants with a seed, after the fixed ones.
constexpr std::uint64_t seeded_variants = 48;

}  // namespace

std::vector<Variant> variants(std::uint64_t elements) {
  std::vector<Variant> list;
  for (const unsigned rotation : {0U, 3U})
    for (const bool pairs : {false, true})
      for (const bool contiguous : {false, true})
        for (const First first : {First::critical, First::exchanges, First::lanes})
          list.push_back({.rotation = rotation,
                          .pairs_instead = pairs,
                          .contiguous = contiguous,
                          .singles = false,
                          .ahead = false,
                          .first = first});
  if (elements <= 16)
    for (const unsigned rotation : {0U, 3U})
      for (const bool ahead : {false, true})
        for (const First first : {First::critical, First::exchanges, First::lanes})
          list.push_back({.rotation = rotation,
                          .pairs_instead = false,
                          .contiguous = false,
                          .singles = true,
                          .ahead = ahead,
                          .first = first});
  for (std::uint64_t seed = 1; seed <= seeded_variants; ++seed) {
    Variant v;
    v.seed = seed;
    v.contiguous = seed % 2 == 0;
    v.singles = elements <= 16 && seed % 4 == 3;
    v.first = seed % 3 == 0 ? First::critical : seed % 3 == 1 ? First::exchanges : First::lanes;
    list.push_back(v);
  }
  return list;
}

}  // namespace faro::inline v1::shuffle
