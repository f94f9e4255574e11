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
    const bool tiled = plan_.kind == gpu::Kind::tile;
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
    for (Word i = 0; i < size_; ++i) good = good && result[plan_.map(i)] == i;
    out_.right = good;
    return out_;
  }

 private:
  static constexpr Word unwritten = ~Word{0};

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
    std::vector<Word> held(plan_.tile_bytes() >> plan_.unit_log2, unwritten);
    elements(plan_.from, [&](Word index, Word place) {
      const Word at = place >> plan_.unit_log2;
      const Word from = tile.from ^ index;
      if (at < held.size() && from < size_ && held[at] == unwritten) held[at] = data_[from];
    });
    count_global(plan_.from, tile.from, out_.read_sectors, out_.read_lines);
    count_shared(plan_.from, 0, false, out_.store_wavefronts);
    return held;
  }

  bool load(const gpu::Place& tile, const std::vector<Word>& held) {
    bool good = true;
    elements(plan_.to, [&](Word index, Word place) {
      const Word at = (tile.shared ^ place) >> plan_.unit_log2;
      good = good && at < held.size() && put(tile.to ^ index, held[at]);
    });
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

// Right, and every count is the certificate's.
inline bool is_as_certified(const gpu::Plan& plan, const Recount& r) {
  const gpu::Certificate c = gpu::certificate(plan);
  return r.right && r.read_sectors == c.read.sectors && r.read_lines == c.read.lines &&
         r.written_sectors == c.written.sectors && r.written_lines == c.written.lines &&
         r.store_wavefronts == (c.store ? c.store->wavefronts : 0) &&
         r.load_wavefronts == (c.load ? c.load->wavefronts : 0);
}

}  // namespace faro::testing
