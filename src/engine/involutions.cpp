#include "engine/involutions.hpp"

#include <array>
#include <optional>

#include "base/check.hpp"
#include "engine/span.hpp"

namespace faro::inline v1::engine {
namespace {

using Vectors = std::vector<Word>;
using Matrices = std::vector<BitMatrix>;  // in the order of application

bool is_identity(const BitMatrix& a) {
  return a == BitMatrix::identity(a.columns());
}

// The matrix that sends from[i] to to[i]. Requires `from` to be a basis.
BitMatrix sending(const Vectors& from, const Vectors& to) {
  const int w = static_cast<int>(from.size());
  const auto inverse = BitMatrix::from_columns(w, from).inverse();
  FARO_CHECK(inverse.has_value());
  return then(*inverse, BitMatrix::from_columns(w, to));
}

// --- permutations of bits ---------------------------------------------------------------------

std::optional<std::vector<int>> places_of(const BitMatrix& a) {
  std::vector<int> place(static_cast<std::size_t>(a.columns()));
  for (int i = 0; i < a.columns(); ++i) {
    if (!is_power_of_two(a.column(i))) return std::nullopt;
    place[static_cast<std::size_t>(i)] = lowest_bit(a.column(i));
  }
  return place;
}

// The bits of one cycle are b_0 -> b_1 -> ... -> b_0. With complements s and t,
//   first  u[b_{-i}] = x[b_i] ^ s_i,  s_i = s_{-i};   then  y[b_{1-i}] = u[b_i] ^ t_i,  t_i =
//   t_{1-i}
// give y[b_{i+1}] = x[b_i] ^ s_i ^ t_{i+1}. That each of these n sums be what the map says joins
// s_0 - t_1 = t_0 - s_{-1} = s_1 - t_2 = t_{-1} - ..., a path: from s_0 = 0 all others follow.
std::vector<BitMap> reflect_bits(const std::vector<int>& place, Word complement) {
  const std::size_t w = place.size();
  std::vector<int> first(w);
  std::vector<int> second(w);
  Word s_all = 0;
  Word t_all = 0;
  std::vector<bool> seen(w, false);
  for (std::size_t start = 0; start < w; ++start) {
    if (seen[start]) continue;
    std::vector<int> cycle;
    for (std::size_t b = start; !seen[b]; b = static_cast<std::size_t>(place[b])) {
      seen[b] = true;
      cycle.push_back(static_cast<int>(b));
    }
    const std::size_t n = cycle.size();
    std::vector<unsigned> s(n, 0);
    std::vector<unsigned> t(n, 0);
    const auto c = [&](std::size_t i) { return has_bit(complement, cycle[i % n]) ? 1U : 0U; };
    for (std::size_t i = 0; i < n; ++i) {
      t[(i + 1) % n] = t[(n - i) % n] = s[i] ^ c(i + 1);
      const std::size_t back = (2 * n - 1 - i) % n;  // -i - 1
      s[back] = s[(i + 1) % n] = t[(n - i) % n] ^ c((n - i) % n);
      if (i >= n / 2) break;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto from = static_cast<std::size_t>(cycle[i]);
      first[from] = cycle[(n - i) % n];
      second[from] = cycle[(n + 1 - i) % n];
      if (s[i] != 0) s_all |= bit(cycle[i]);
      if (t[i] != 0) t_all |= bit(cycle[i]);
    }
  }
  return {BitMap::from_places(first, s_all), BitMap::from_places(second, t_all)};
}

// --- linear parts -----------------------------------------------------------------------------

// A as J·(J·A), where J sends A^k·g to A^-k·g for the generators g of its Jordan chains.
std::optional<Matrices> reflect_unipotent(const BitMatrix& a) {
  const int w = a.columns();
  BitMatrix nilpotent = a;
  for (int i = 0; i < w; ++i) nilpotent.set_column(i, a.column(i) ^ bit(i));
  Matrices powers{BitMatrix::identity(w)};  // of A + 1, until zero
  while (powers.back() != BitMatrix(w, w)) {
    if (static_cast<int>(powers.size()) > w) return std::nullopt;
    powers.push_back(then(powers.back(), nilpotent));
  }
  const auto inverse = a.inverse();
  FARO_CHECK(inverse.has_value());
  // Chains from the longest down: g of height h is new if the ends (A+1)^(h-1)·g are independent.
  Span ends;
  Vectors from;
  Vectors to;
  for (auto h = powers.size() - 1; h >= 1; --h) {
    for (const Word g : powers[h].kernel()) {
      if (!ends.insert(powers[h - 1].apply(g))) continue;
      Word ahead = g;
      Word back = g;
      for (std::size_t k = 0; k < h; ++k) {
        from.push_back(ahead);
        to.push_back(back);
        ahead = a.apply(ahead);
        back = inverse->apply(back);
      }
    }
  }
  FARO_CHECK(static_cast<int>(from.size()) == w);
  const BitMatrix reflection = sending(from, to);
  return Matrices{then(a, reflection), reflection};
}

// A as (A·R)·R, where A·R cycles each chain v, A·v, ..., of a basis.
std::optional<Matrices> reflect_chains(const BitMatrix& a) {
  const int w = a.columns();
  Span covered;
  Vectors basis;
  Vectors cycled;     // where A·R sends them
  Vectors reflected;  // and the reflection of the chain
  Vectors last;       // ends of chains, with what R adds to them
  Vectors added;
  const auto inverse = a.inverse();
  FARO_CHECK(inverse.has_value());
  for (int i = 0; i < w; ++i) {
    if (!covered.insert(bit(i))) continue;
    const std::size_t begin = basis.size();
    Word x = bit(i);
    do {
      basis.push_back(x);
      x = a.apply(x);
    } while (covered.insert(x));
    const std::size_t n = basis.size() - begin;
    for (std::size_t k = 0; k < n; ++k) {
      cycled.push_back(basis[begin + (k + 1) % n]);
      reflected.push_back(basis[begin + (n - k) % n]);
    }
    last.push_back(basis.back());
    added.push_back(inverse->apply(x ^ bit(i)));
  }
  Vectors shifted = basis;
  for (std::size_t i = 0, chain = 0; i < basis.size(); ++i) {
    if (chain < last.size() && basis[i] == last[chain]) shifted[i] ^= added[chain++];
  }
  const BitMatrix r = sending(basis, shifted);
  if (!is_identity(then(r, r))) return std::nullopt;
  const BitMatrix reflection = sending(basis, reflected);
  const BitMatrix other = then(sending(basis, cycled), reflection);
  if (is_identity(r)) return Matrices{other, reflection};
  return Matrices{r, other, reflection};
}

// A = P·L·U, each as two.
Matrices reflect_triangles(const BitMatrix& a) {
  const int w = a.columns();
  // Elimination by rows: rows[i] of U; L collects which rows were added; order[i] is A's row.
  std::vector<Word> rows(static_cast<std::size_t>(w));
  std::vector<Word> lower(static_cast<std::size_t>(w), 0);
  std::vector<int> order(static_cast<std::size_t>(w));
  for (int r = 0; r < w; ++r) {
    rows[static_cast<std::size_t>(r)] = a.row(r);
    order[static_cast<std::size_t>(r)] = r;
  }
  for (int i = 0; i < w; ++i) {
    const auto at = static_cast<std::size_t>(i);
    std::size_t pivot = at;
    while (!has_bit(rows[pivot], i)) ++pivot;
    std::swap(rows[at], rows[pivot]);
    std::swap(lower[at], lower[pivot]);
    std::swap(order[at], order[pivot]);
    lower[at] |= bit(i);
    for (std::size_t r = at + 1; r < rows.size(); ++r) {
      if (!has_bit(rows[r], i)) continue;
      rows[r] ^= rows[at];
      lower[r] |= bit(i);
    }
  }
  BitMatrix p(w, w);
  for (int i = 0; i < w; ++i) p.set_column(i, bit(order[static_cast<std::size_t>(i)]));
  Matrices all;
  const auto append = [&](const BitMatrix& part) {
    if (is_identity(part)) return;
    if (is_identity(then(part, part))) {
      all.push_back(part);
      return;
    }
    const auto two = reflect_unipotent(part);
    FARO_CHECK(two.has_value());
    all.insert(all.end(), two->begin(), two->end());
  };
  append(BitMatrix::from_rows(w, rows));
  append(BitMatrix::from_rows(w, lower));
  const auto place = places_of(p);
  FARO_CHECK(place.has_value());
  if (is_identity(then(p, p))) {
    append(p);
  } else {
    for (const BitMap& part : reflect_bits(*place, 0)) all.push_back(part.matrix());
  }
  return all;
}

// --- translations -----------------------------------------------------------------------------

// Translations d_i with F_i·d_i = d_i (so that x -> F_i·x ^ d_i stay involutions) whose images
// under the later factors sum to `complement`; what no choice reaches is left to one more
// translation.
std::vector<BitMap> with_translation(const Matrices& factors, Word complement) {
  const int w = factors.front().columns();
  struct Choice {
    std::size_t factor;
    Word fixed;
  };
  std::vector<Choice> choices;
  std::array<Word, word_bits> by_leading{};
  std::array<Word, word_bits> tags{};
  const auto reduce_with_tag = [&](Word& x, Word& tag) {
    for (int top = w - 1; top >= 0; --top) {
      const auto at = static_cast<std::size_t>(top);
      if (!has_bit(x, top) || by_leading[at] == 0) continue;
      x ^= by_leading[at];
      tag ^= tags[at];
    }
  };
  BitMatrix later = BitMatrix::identity(w);
  for (std::size_t f = factors.size(); f-- > 0;) {
    BitMatrix moved = factors[f];
    for (int i = 0; i < w; ++i) moved.set_column(i, moved.column(i) ^ bit(i));
    for (const Word fixed : moved.kernel()) {
      Word x = later.apply(fixed);
      Word tag = 0;
      reduce_with_tag(x, tag);
      if (x == 0) continue;
      tags[static_cast<std::size_t>(highest_bit(x))] = tag ^ bit(static_cast<int>(choices.size()));
      by_leading[static_cast<std::size_t>(highest_bit(x))] = x;
      choices.push_back({f, fixed});
    }
    later = then(factors[f], later);
  }
  Word left = complement;
  Word chosen = 0;
  reduce_with_tag(left, chosen);
  Vectors translation(factors.size(), 0);
  for (Word c = chosen; c != 0; c &= c - 1) {
    const Choice& choice = choices[static_cast<std::size_t>(lowest_bit(c))];
    translation[choice.factor] ^= choice.fixed;
  }
  std::vector<BitMap> all;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    all.push_back(BitMap::from_matrix(factors[f], translation[f]));
  }
  if (left != 0) all.push_back(BitMap::from_matrix(BitMatrix::identity(w), left));
  return all;
}

}  // namespace

bool is_involution(const BitMap& map) {
  return then(map, map) == BitMap::identity(map.width());
}

std::vector<BitMap> involutions(const BitMap& map) {
  if (map == BitMap::identity(map.width())) return {};
  if (is_involution(map)) return {map};
  const BitMatrix& a = map.matrix();
  if (is_identity(a)) return {map};
  if (const auto place = places_of(a)) return reflect_bits(*place, map.complement());
  auto factors = reflect_unipotent(a);
  if (!factors) factors = reflect_chains(a);
  if (!factors) factors = reflect_triangles(a);
  Matrices parts;
  for (const BitMatrix& part : *factors) {
    if (!is_identity(part)) parts.push_back(part);
  }
  return with_translation(parts, map.complement());
}

}  // namespace faro::inline v1::engine
