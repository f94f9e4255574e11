// The judge of GPU certificates. It knows no ranks: from the table that a kernel gets it
// enumerates every block, thread and access, moves elements through a shared memory of its own and
// counts distinct sectors, lines, words and banks, request by request.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "faro/gpu/plan.hpp"

namespace faro::testing {

struct Recount {
  bool right = false;  // every element is where the map sends it
  std::uint64_t read_sectors = 0, read_lines = 0, written_sectors = 0, written_lines = 0;
  std::uint64_t store_wavefronts = 0, load_wavefronts = 0;
};

class GpuRecount {
 public:
  explicit GpuRecount(const gpu::Plan& plan) : plan_(plan), size_(bit(plan.map.width())) {
    data_.resize(size_);
    to_.assign(size_, unwritten);
    for (Word i = 0; i < size_; ++i) data_[i] = i;
  }

  Recount run() {
    const bool tiled = plan_.kind == gpu::Kind::tile || odd();
    const Word blocks = plan_.block_count();
    bool good = true;
    for (Word block = 0; block < blocks && good; ++block) {
      const std::vector<gpu::Place> tiles = places(block);
      std::vector<std::vector<Word>> held;
      for (const gpu::Place& tile : tiles) held.push_back(tiled ? store(tile) : registers(tile));
      for (std::size_t i = 0; i < tiles.size(); ++i)
        good = (tiled ? load(tiles[i], held[i]) : write(tiles[i], held[i])) && good;
    }
    const std::vector<Word>& result = plan_.asked.in_place ? data_ : to_;
    const gpu::Only& only = plan_.asked.only;
    for (Word i = 0; i < size_; ++i) {
      const bool chosen = (i & only.mask) == only.value;
      const Word stays = plan_.asked.in_place ? i : unwritten;
      good = good && (chosen ? result[plan_.map(i)] == i : result[i] == stays);
    }
    out_.right = good;
    return out_;
  }

 private:
  static constexpr Word unwritten = ~Word{0};

  // Places in shared memory are of elements, and requests are not counted.
  bool odd() const { return plan_.kind == gpu::Kind::odd; }
  int place_log2() const { return odd() ? 0 : plan_.unit_log2; }

  static Word picked(const std::vector<Word>& vectors, Word which, std::size_t first = 0) {
    Word out = 0;
    for (std::size_t i = first; i < vectors.size(); ++i)
      if (((which >> (i - first)) & 1U) != 0) out ^= vectors[i];
    return out;
  }
  static gpu::Place add(const gpu::Place& a, const gpu::Place& b) {
    return {a.from ^ b.from, a.to ^ b.to, a.shared ^ b.shared};
  }
  static gpu::Place picked(const std::vector<gpu::Place>& places, Word which) {
    gpu::Place out;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (((which >> i) & 1U) != 0) out = add(out, places[i]);
    return out;
  }

  std::vector<gpu::Place> places(Word block) const {
    const gpu::Pairs& p = plan_.pairs;
    if (p.staying.empty()) return {add(plan_.start, picked(plan_.blocks, block))};
    const Word a = block % bit(static_cast<int>(p.moving.size()));
    Word b = block / bit(static_cast<int>(p.moving.size()));
    int skip = 0;
    while (!p.shifted && a != 0 && ((a >> skip) & 1U) == 0) ++skip;
    b = b / bit(skip) * bit(skip + 1) + b % bit(skip);
    const gpu::Place z = add(plan_.start, add(picked(p.moving, a), picked(p.staying, b)));
    gpu::Place move = add(p.shift, picked(p.moves, a));
    if (a == 0 && !p.shifted) move = p.pair;
    return {z, add(z, move)};
  }

  int lanes_of(const gpu::Side& side, int width_log2) const {
    const int bytes_at_once = plan_.machine.banks_log2 + 2;
    return std::min(bytes_at_once - std::max(width_log2, 2), static_cast<int>(side.threads.size()));
  }

  // Calls visit(step, first thread, one past) for every request of a side.
  template <class Visit>
  void requests(const gpu::Side& side, int width_log2, Visit&& visit) const {
    const Word threads = bit(static_cast<int>(side.threads.size()));
    const Word lanes = bit(lanes_of(side, width_log2));
    for (Word step = 0; step < bit(static_cast<int>(side.steps.size())); ++step)
      for (Word t = 0; t < threads; t += lanes) visit(step, t, t + lanes);
  }

  void count_global(const gpu::Side& side, Word begin, std::uint64_t& sectors,
                    std::uint64_t& lines) const {
    const int width = plan_.unit_log2 + side.vector_log2;
    requests(side, width, [&](Word step, Word first, Word end) {
      std::set<Word> sector, line;
      for (Word t = first; t < end; ++t) {
        const Word at = (begin ^ picked(side.threads, t) ^ picked(side.steps, step))
                        << plan_.unit_log2;
        for (Word byte = 0; byte < bit(width); ++byte) {
          sector.insert((at + byte) >> plan_.machine.sector_log2);
          line.insert((at + byte) >> plan_.machine.line_log2);
        }
      }
      sectors += sector.size();
      lines += line.size();
    });
  }

  // The lanes' places in shared memory, one access: the most words in one bank.
  std::uint64_t wavefronts(const std::vector<Word>& at, int width_log2) const {
    const int unit = std::max(2, width_log2);
    const Word banks = bit(plan_.machine.banks_log2 + 2 - unit);
    std::set<Word> words;
    for (const Word a : at) words.insert(a >> unit);
    std::vector<std::uint64_t> in_bank(banks, 0);
    for (const Word w : words) ++in_bank[w % banks];
    return *std::max_element(in_bank.begin(), in_bank.end());
  }

  void count_shared(const gpu::Side& side, Word begin, bool words, std::uint64_t& out) const {
    const std::size_t threads = side.threads.size();
    const int within = side.width_log2 - plan_.unit_log2;
    std::set<Word> constants;  // one an access of a thread
    for (Word step = 0; step < bit(static_cast<int>(side.steps.size())); ++step)
      for (Word j = 0; j < bit(side.vector_log2); j += bit(within)) {
        const Word at = picked(side.shared, step, threads) ^ picked(side.inner, j);
        constants.insert(words ? at & ~Word{3} : at);
      }
    const Word lanes = bit(lanes_of(side, side.width_log2));
    for (const Word constant : constants)
      for (Word t = 0; t < bit(static_cast<int>(threads)); t += lanes) {
        std::vector<Word> at;
        for (Word i = t; i < t + lanes; ++i) {
          Word thread = 0;
          for (std::size_t k = 0; k < threads; ++k)
            if (((i >> k) & 1U) != 0) thread ^= side.shared[k];
          at.push_back(begin ^ thread ^ constant);
        }
        out += wavefronts(at, side.width_log2);
      }
  }

  // Calls visit(index within memory, place in shared memory) for every element of a side.
  template <class Visit>
  void elements(const gpu::Side& side, Visit&& visit) const {
    const std::size_t threads = side.threads.size();
    for (Word step = 0; step < bit(static_cast<int>(side.steps.size())); ++step)
      for (Word t = 0; t < bit(static_cast<int>(threads)); ++t)
        for (Word j = 0; j < bit(side.vector_log2); ++j) {
          const Word index = picked(side.threads, t) ^ picked(side.steps, step);
          Word place = 0;
          if (!side.shared.empty()) {
            place = picked(side.shared, step, threads) ^ picked(side.inner, j);
            for (std::size_t k = 0; k < threads; ++k)
              if (((t >> k) & 1U) != 0) place ^= side.shared[k];
          }
          visit(index ^ j, place);
        }
  }

  std::vector<Word> store(const gpu::Place& tile) {
    const Word element = static_cast<Word>(plan_.units) << plan_.unit_log2;
    std::vector<Word> held(plan_.tile_bytes() / element, unwritten);
    elements(plan_.from, [&](Word index, Word place) {
      const Word at = place >> place_log2();
      const Word from = tile.from ^ index;
      if (at < held.size() && from < size_ && held[at] == unwritten) held[at] = data_[from];
    });
    if (odd()) return held;
    count_global(plan_.from, tile.from, out_.read_sectors, out_.read_lines);
    count_shared(plan_.from, 0, false, out_.store_wavefronts);
    return held;
  }

  bool load(const gpu::Place& tile, const std::vector<Word>& held) {
    bool good = true;
    elements(plan_.to, [&](Word index, Word place) {
      const Word at = (tile.shared ^ place) >> place_log2();
      good = good && at < held.size() && put(tile.to ^ index, held[at]);
    });
    if (odd()) return good;
    count_global(plan_.to, tile.to, out_.written_sectors, out_.written_lines);
    count_shared(plan_.to, tile.shared, plan_.word_loads, out_.load_wavefronts);
    return good;
  }

  std::vector<Word> registers(const gpu::Place& tile) {
    std::vector<Word> held;
    elements(plan_.from,
             [&](Word index, Word) { held.push_back(data_[(tile.from ^ index) % size_]); });
    count_global(plan_.from, tile.from, out_.read_sectors, out_.read_lines);
    return held;
  }

  bool write(const gpu::Place& tile, const std::vector<Word>& held) {
    bool good = true;
    std::size_t next = 0;
    elements(plan_.to,
             [&](Word index, Word) { good = put(tile.to ^ index, held[next++]) && good; });
    count_global(plan_.to, tile.to, out_.written_sectors, out_.written_lines);
    return good;
  }

  // Each place once. In place blocks follow one another: a block that writes what another one has
  // still to read is seen by its bytes.
  bool put(Word at, Word value) {
    if (at >= size_ || to_[at] != unwritten) return false;
    to_[at] = value;
    if (plan_.asked.in_place) data_[at] = value;
    return true;
  }

  const gpu::Plan& plan_;
  Word size_;
  std::vector<Word> data_, to_;
  Recount out_;
};

inline Recount recounted(const gpu::Plan& plan) {
  return GpuRecount(plan).run();
}

// Windows, of arrays without gaps: unit by unit, as the axes say. `held` is what shared memory has.
class WindowRecount {
 public:
  explicit WindowRecount(const gpu::Plan& plan) : plan_(plan) {
    each_ = plan.asked.element_bytes >> plan.unit_log2;
    to_.assign(static_cast<Word>(plan.map_asked.elements()) * each_, -1);
  }

  bool right() {
    for (const gpu::Window& window : plan_.windows)
      for (Word block = 0; block < window.block_count(); ++block)
        if (!moves(window, block)) return false;
    for (Word i = 0; i < to_.size(); ++i) {
      const Word y = plan_.map_asked(i / each_) * each_ + i % each_;
      if (to_[y] != static_cast<std::int64_t>(i)) return false;
    }
    return true;
  }

 private:
  static std::int64_t place(const std::vector<std::int64_t>& strides, Word x) {
    if (strides.size() == 1) return strides[0] * static_cast<std::int64_t>(x);
    std::int64_t at = 0;
    for (std::size_t i = 0; i < strides.size(); ++i)
      if (((x >> i) & 1U) != 0) at += strides[i];
    return at;
  }
  static std::int64_t from_of(const gpu::WindowAxis& axis, Word y) {
    Word x = axis.translation;
    for (std::size_t i = 0; i < axis.columns.size(); ++i)
      if (((y >> i) & 1U) != 0) x ^= axis.columns[i];
    return place(axis.from, axis.columns.empty() ? y : x);
  }
  static bool is_in(std::int64_t at, std::size_t size) {
    return at >= 0 && static_cast<std::size_t>(at) < size;
  }

  // Calls visit(what is added to x, to y, place in shared memory) in the order of some axes.
  template <class Visit>
  static void walk(const gpu::Window& window, const std::vector<Word>& lengths,
                   const std::vector<std::size_t>& order, Visit&& visit) {
    Word all = 1;
    for (const std::size_t i : order) all *= lengths[i];
    for (Word n = 0; n < all; ++n) {
      Word q = n, s = 0;
      std::int64_t x = 0, y = 0;
      for (const std::size_t i : order) {
        const Word k = q % lengths[i];
        q /= lengths[i];
        x += from_of(window.axes[i], k);
        y += place(window.axes[i].to, k);
        s += k * window.axes[i].place;
      }
      visit(x, y, s);
    }
  }

  bool moves(const gpu::Window& window, Word b) {
    std::int64_t x0 = window.from_start, y0 = window.to_start;
    std::vector<Word> lengths;
    for (const gpu::WindowAxis& axis : window.axes) {
      const Word parts = (axis.length + axis.chunk - 1) / axis.chunk;
      const Word begin = b % parts * axis.chunk;
      b /= parts;
      lengths.push_back(std::min(axis.chunk, axis.length - begin));
      if (parts == 1) continue;
      x0 += from_of(axis, begin);
      y0 += place(axis.to, begin);
    }
    std::vector<std::int64_t> held(window.places, -1);
    bool good = true;
    walk(window, lengths, window.read, [&](std::int64_t x, std::int64_t, Word s) {
      good = good && is_in(x0 + x, to_.size()) && s < held.size();
      if (good) held[s] = x0 + x;
    });
    walk(window, lengths, window.written, [&](std::int64_t, std::int64_t y, Word s) {
      good = good && is_in(y0 + y, to_.size()) && s < held.size();
      good = good && to_[static_cast<std::size_t>(y0 + y)] < 0;
      if (good) to_[static_cast<std::size_t>(y0 + y)] = held[s];
    });
    return good;
  }

  const gpu::Plan& plan_;
  Word each_ = 1;
  std::vector<std::int64_t> to_;
};

inline bool windows_are_right(const gpu::Plan& plan) {
  return WindowRecount(plan).right();
}

// Right, and every count is the certificate's.
inline bool is_as_certified(const gpu::Plan& plan, const Recount& r) {
  const gpu::Certificate c = gpu::certificate(plan);
  return r.right && r.read_sectors == c.read.sectors && r.read_lines == c.read.lines &&
         r.written_sectors == c.written.sectors && r.written_lines == c.written.lines &&
         r.store_wavefronts == (c.store ? c.store->wavefronts : 0) &&
         r.load_wavefronts == (c.load ? c.load->wavefronts : 0);
}

}  // namespace faro::testing
