// The obvious loop, in place too, and Carter and Gatlin's COBRA, as contenders of peers_bench.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

#include "peers.hpp"

namespace faro::peers {

std::optional<std::vector<Group>> groups_of(const BitMap& map) {
  if (map.complement() != 0) return std::nullopt;
  std::vector<Group> groups;
  for (int b = 0; b < map.width(); ++b) {
    if (!is_power_of_two(map.column(b))) return std::nullopt;
    const int place = lowest_bit(map.column(b));
    if (!groups.empty() && groups.back().place + groups.back().count == place) {
      ++groups.back().count;
    } else {
      groups.push_back({b, place, 1});
    }
  }
  return groups;
}

std::vector<int> by_place(const std::vector<Group>& groups) {
  std::vector<int> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return groups[static_cast<std::size_t>(a)].place < groups[static_cast<std::size_t>(b)].place;
  });
  return order;
}

std::optional<Transpose> transpose_of(const BitMap& map) {
  const auto groups = groups_of(map);
  if (!groups || groups->size() != 2) return std::nullopt;
  return Transpose{std::size_t{1} << groups->back().count, std::size_t{1} << groups->front().count};
}

namespace {

template <class T>
void obvious(const BitMap& map, const T* from, T* to) {
  std::array<Word, word_bits + 1> steps{};
  Word sum = 0;
  for (int i = 0; i < map.width(); ++i) steps[static_cast<std::size_t>(i)] = sum ^= map.column(i);
  Word y = map.complement();
  for (Word x = 0; x < bit(map.width()); ++x) {
    to[y] = from[x];
    y ^= steps[static_cast<std::size_t>(lowest_bit(x + 1))];
  }
}

// In place, of an involution: each pair once.
template <class T>
void obvious_swaps(const BitMap& map, T* data) {
  std::array<Word, word_bits + 1> steps{};
  Word sum = 0;
  for (int i = 0; i < map.width(); ++i) steps[static_cast<std::size_t>(i)] = sum ^= map.column(i);
  Word y = map.complement();
  for (Word x = 0; x < bit(map.width()); ++x) {
    if (x < y) std::swap(data[x], data[y]);
    y ^= steps[static_cast<std::size_t>(lowest_bit(x + 1))];
  }
}

// Carter and Gatlin's COBRA: the index is a b c, a and c of q bits; for every b a 2^q x 2^q block
// goes through a buffer, so that both sides are touched in runs of 2^q.
template <class T>
void cobra(int width, const T* from, T* to) {
  constexpr int q = sizeof(T) >= 8 ? 4 : 5;
  constexpr Word side = bit(q);
  const auto reversed = [](Word x, int bits) {
    Word y = 0;
    for (int i = 0; i < bits; ++i) y |= ((x >> i) & 1U) << (bits - 1 - i);
    return y;
  };
  std::array<Word, side> reverse{};
  for (Word i = 0; i < side; ++i) reverse[i] = reversed(i, q);
  std::array<T, side * side> buffer;
  const int middle = width - 2 * q;
  for (Word b = 0; b < bit(middle); ++b) {
    const Word back = reversed(b, middle);
    for (Word a = 0; a < side; ++a) {
      const T* run = from + ((a << (width - q)) | (b << q));
      for (Word c = 0; c < side; ++c) buffer[reverse[a] * side + c] = run[c];
    }
    for (Word c = 0; c < side; ++c) {
      T* run = to + ((reverse[c] << (width - q)) | (back << q));
      for (Word a = 0; a < side; ++a) run[a] = buffer[a * side + c];
    }
  }
}

struct Wide {
  std::array<std::uint64_t, 2> words;
};

template <class T>
void add(const Task& task, Contenders& contenders) {
  const auto* from = reinterpret_cast<const T*>(task.from.data());
  auto* to = reinterpret_cast<T*>(task.to.data());
  const BitMap map = task.map;
  if (task.in_place()) {
    if (map.inverse() == map) contenders.push_back({"loop", [=] { obvious_swaps(map, to); }});
    return;
  }
  contenders.push_back({"loop", [=] { obvious(map, from, to); }});
  if (task.name == "bit-reversal") {
    const int width = map.width();
    contenders.push_back({"cobra", [=] { cobra(width, from, to); }});
  }
}

}  // namespace

void add_loops(const Task& task, Contenders& contenders) {
  if (task.threads != 1) return;
  if (task.element_bytes == 4) add<std::uint32_t>(task, contenders);
  if (task.element_bytes == 8) add<std::uint64_t>(task, contenders);
  if (task.element_bytes == 16) add<Wide>(task, contenders);
}

}  // namespace faro::peers
