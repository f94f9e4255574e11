// What replays do whose machine works all its links at once: the cube, and the mesh with all links,
// which knows moves alone. Memory is kept slot by slot, a plane of one token a processor; a rule is
// carried out on blocks of 64 processors at a time: the rules of the machine are questions of
// 64-bit words, the tokens are copied one by one. What a step read waits in `staged_` until all its
// reads are done. What a token says is the replay's: where an element began (cube/replay.cpp), or
// which result it is (cube/butterfly_replay.cpp).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/cube/parity_blocks.hpp"
#include "machines/cube/places.hpp"
#include "machines/cube/ports.hpp"
#include "machines/judge.hpp"
#include "machines/mesh/geometry.hpp"
#include "machines/replay_goal.hpp"

namespace faro::inline v1 {

// Tokens are small and copied as bytes.
template <class Token>
class MovingReplay : public Judge {
 protected:
  MovingReplay() : Judge("replay") {}

  // One slot of all processors. Bits by processor: `filled` something is there, `written` in this
  // step.
  struct Plane {
    explicit Plane(Word processors)
        : tokens(processors), filled(blocks_of(processors)), written(blocks_of(processors)) {}
    static std::size_t blocks_of(Word processors) { return (processors + 63) / 64; }

    std::vector<Token> tokens;
    std::vector<Word> filled;
    std::vector<Word> written;
  };

  // Where members of a block are after a move.
  struct Landing {
    Word block;
    Word members;
  };

  // A link is known by its sender and its way: of a cube the dimension, of a mesh each direction of
  // one. On a mesh also neighbours' rules are asked where no link is: there the way is `no_link`.
  static constexpr int no_link = inside - 1;

  // What the moves of one rule share, looked up once.
  struct Route {
    const Plane* from;
    Plane* to;
    Slot from_slot;
    Slot to_slot;
    int across;
    Word single_to = 0;  // where one move on a mesh ends
  };

  // The members of one block that move along a route; their tokens wait in the stage.
  struct Transfer {
    Word block;
    Word members;
  };

  // One explicit move that is read and not yet written.
  struct Single {
    Plane* to;
    Word from_processor;
    Word to_processor;
    int across;
    Token token;
  };

  // The transfers of one route in a step, up to the place `end` in the list of all.
  struct Group {
    Route route;
    std::size_t end;
  };

  // Processor number of the lowest member, for messages.
  static Word first_of(Word block, Word members) {
    return (block << block_bits) + static_cast<Word>(lowest_bit(members));
  }

  // Reads the machine; no slot holds anything yet. Throws Error(limit) for too many slots.
  void prepare(const ScheduleHeader& header) {
    header_ = header;
    if (const auto* cube = std::get_if<Hypercube>(&header.machine)) {
      dimensions_ = cube->dimensions;
      ports_ = cube->ports == Hypercube::Ports::all ? 0 : ports_of(*cube);
    } else {
      mesh_.emplace(std::get<Mesh>(header.machine));
      dimensions_ = mesh_->bits();
    }
    if (header.slots > limits::slots_max)
      throw Error(ErrorCode::limit, fmt::format("{} slots a processor; replay keeps at most {}",
                                                header.slots, limits::slots_max));
    if (dimensions_ > limits::replay_elements_log2_max)
      throw Error(ErrorCode::limit,
                  fmt::format("replay spells out every element, at most 2^{}, of 2^{} processors. "
                              "Proof has no such limit.",
                              limits::replay_elements_log2_max, dimensions_));
    processors_ = bit(dimensions_);
    planes_.resize(header.slots);
    const auto per_dimension = std::vector<Word>(Plane::blocks_of(processors_));
    sent_.assign(static_cast<std::size_t>(mesh_ ? 2 * mesh_->dimensions() : dimensions_),
                 mesh_ ? std::vector<Word>() : per_dimension);
    if (ports_ != 0) involved_ = sent_;
    busy_.assign(static_cast<std::size_t>(ports_), per_dimension);
  }

  // The moves and rules of a step, performed.
  void move(const CubeStep& step) {
    remote_moves_ = 0;
    if (mesh_ && !step.rules.empty())
      breach("rules", {}, "only listed moves are known on this machine");
    // A step with a rule that names no part of the machine is not performed at all.
    bool performed = true;
    if (!mesh_)
      each_of("rules", step.rules,
              [&](const Rule& rule) { performed = well_formed(rule) && performed; });
    if (performed) {
      if (!mesh_) each_of("rules", step.rules, [this](const Rule& rule) { spell_out(rule); });
      each_of("moves", step.moves, [this](const Move& m) {
        if (well_formed(m)) move_one(m);
      });
      land();
    }
    verdict_.cost.remote_moves += remote_moves_;
    if (remote_moves_ != 0) ++verdict_.cost.steps;
  }

  bool fits(const std::vector<Parity>& where) {
    const Parity* c = replay_goal::beyond(where, dimensions_);
    return c == nullptr ||
           refuse("mask-range", {}, "the condition [{:#x}, {}] does not fit {} address bits",
                  c->mask, c->value, dimensions_);
  }

  // The plane of a slot below `slots`; an untouched slot gets one.
  Plane& plane(Slot slot) {
    std::unique_ptr<Plane>& place = planes_[slot];
    if (!place) {
      ++planes_made_;
      if (Count{planes_made_} * processors_ > (Count{1} << limits::replay_places_log2_max))
        throw Error(ErrorCode::limit, fmt::format("replay keeps at most 2^{} places (processor, "
                                                  "slot); this schedule uses more",
                                                  limits::replay_places_log2_max));
      place = std::make_unique<Plane>(processors_);
    }
    return *place;
  }

  // What lies there, nothing if nothing does.
  const Token* held(Word processor, Slot slot) const {
    const Plane* there = planes_[slot].get();
    return there != nullptr && has_bit(there->filled[processor >> block_bits],
                                       static_cast<int>(processor & low_mask(block_bits)))
               ? &there->tokens[processor]
               : nullptr;
  }

  void put(Word processor, Slot slot, Token token) {
    Plane& there = plane(slot);
    there.tokens[processor] = token;
    there.filled[processor >> block_bits] |=
        bit(static_cast<int>(processor & low_mask(block_bits)));
  }

  std::optional<MeshGeometry> mesh_;  // else a cube
  int dimensions_ = 0;                // address bits
  Word processors_ = 1;
  std::vector<std::unique_ptr<Plane>> planes_;

 private:
  bool well_formed(const Rule& rule) {
    if (rule.across != inside && (rule.across < 0 || rule.across >= dimensions_))
      return refuse("dimension-range", {.dimension = rule.across},
                    "a rule goes across dimension {} of a {}-cube", rule.across, dimensions_);
    return fits(rule.where);
  }

  bool well_formed(const Move& move) {
    const auto wrong = [&](const char* rule, const std::string& what) {
      return refuse(rule, place_of(move), "the move [{}, {}, {}, {}] {}", move.from_processor,
                    move.from_slot, move.to_processor, move.to_slot, what);
    };
    if (move.from_processor >= processors_ || move.to_processor >= processors_)
      return wrong("proc-range", fmt::format("names a processor above {}", processors_ - 1));
    if (move.from_slot >= header_.slots || move.to_slot >= header_.slots)
      return wrong("slot-range", fmt::format("names a slot above {}",
                                             header_.slots == 0 ? 0 : header_.slots - 1));
    if (way_of(move) != no_link) return true;
    wrong("not-a-link", "joins processors that no link joins");
    return mesh_.has_value();
  }

  Route route(Slot from, Slot to, int across) {
    Plane& target = plane(to);
    const Plane* source = planes_[from].get();
    // A slot that nothing ever wrote reads as an empty one.
    return {source == nullptr ? &plane(from) : source, &target, from, to, across};
  }

  // The rules of the machine for one block of a route.
  void check(const Route& r, Word block, Word members, const Landing& there) {
    if (r.across != inside) use_link(r, block, members, there);
    if (const Word empty = members & ~r.from->filled[block]; empty != 0)
      breach("reads-empty", at(r, first_of(block, empty), r.from_slot),
             "slot {} of processor {} is read, but nothing wrote it", r.from_slot,
             first_of(block, empty));
    Word& written = r.to->written[there.block];
    if (const Word twice = there.members & written; twice != 0)
      breach(
          "two-writes",
          at(r, mesh_ ? first_of(block, members) : first_of(there.block, twice) ^ flip_of(r.across),
             r.to_slot),
          "slot {} of processor {} is written twice", r.to_slot, first_of(there.block, twice));
    written |= there.members;
  }

  // Many moves of a rule: what is read goes to the stage.
  void transfer(const Route& r, Word block, Word members) {
    check(r, block, members, landing(block, members, r.across));
    transfers_.push_back({block, members});
    const Token* tokens = r.from->tokens.data() + (block << block_bits);
    if (members == ~Word{0}) {
      staged_.insert(staged_.end(), tokens, tokens + 64);
    } else {
      const std::size_t first = staged_.size();
      staged_.resize(first + static_cast<std::size_t>(std::popcount(members)));
      Token* out = staged_.data() + first;
      for (Word rest = members; rest != 0; rest &= rest - 1) *out++ = tokens[lowest_bit(rest)];
    }
  }

  void spell_out(const Rule& rule) {
    const bool fit = rule.from < header_.slots && rule.to < header_.slots;
    bool told = false;  // a rule that nobody meets is legal, whatever its slots
    std::optional<Route> known;
    ParityBlocks(dimensions_, rule.where).for_each([&](Word block, Word members) {
      if (fit) {
        if (!known) known = route(rule.from, rule.to, rule.across);
        return transfer(*known, block, members);
      }
      if (told) return;
      told = true;
      breach("slot-range",
             {.processor = first_of(block, members), .slot = std::max(rule.from, rule.to)},
             "a rule names slot {}; there are {}", std::max(rule.from, rule.to), header_.slots);
    });
    if (known) groups_.push_back({*known, transfers_.size()});
  }

  void move_one(const Move& m) {
    const auto bit_of = [](Word p) { return bit(static_cast<int>(p & low_mask(block_bits))); };
    Route r = route(m.from_slot, m.to_slot, way_of(m));
    r.single_to = m.to_processor;
    check(r, m.from_processor >> block_bits, bit_of(m.from_processor),
          {m.to_processor >> block_bits, bit_of(m.to_processor)});
    singles_.push_back(
        {r.to, m.from_processor, m.to_processor, r.across, r.from->tokens[m.from_processor]});
  }

  void close_books(int across, Word block, const Landing& there, Plane& to) {
    to.filled[there.block] |= there.members;
    to.written[there.block] = 0;
    if (across == inside || across == no_link) return;
    sent_[static_cast<std::size_t>(across)][block] = 0;
    if (ports_ == 0) return;
    for (const Word b : {block, there.block}) {
      involved_[static_cast<std::size_t>(across)][b] = 0;
      for (std::vector<Word>& busy : busy_) busy[b] = 0;
    }
  }

  int way_of(const Move& m) const {
    const Word apart = m.from_processor ^ m.to_processor;
    if (apart == 0) return inside;
    if (!mesh_) return is_power_of_two(apart) ? log2_exact(apart) : no_link;
    if (mesh_->hops(m.from_processor, m.to_processor) != 1) return no_link;
    const int d = mesh_->dimension_of(highest_bit(apart));
    return 2 * d + (mesh_->routed(m.from_processor, d, 1) == m.to_processor ? 1 : 0);
  }

  // Where the members of a block are after crossing a dimension, or staying.
  static Landing landing(Word block, Word members, int across) {
    if (across == inside) return {block, members};
    if (across < block_bits) return {block, exchanged(members, across)};
    return {block ^ bit(across - block_bits), members};
  }

  // A sender's part in a route, for messages.
  Violation::Place at(const Route& r, Word processor, std::optional<Slot> slot) const {
    Violation::Place place{.processor = processor, .slot = slot};
    if (r.across == inside) return place;
    place.to = mesh_ ? r.single_to : processor ^ bit(r.across);
    if (r.across != no_link) place.dimension = mesh_ ? r.across / 2 : r.across;
    return place;
  }

  void use_link(const Route& r, Word block, Word members, const Landing& there) {
    remote_moves_ += static_cast<std::uint64_t>(std::popcount(members));
    if (r.across == no_link) return;
    std::vector<Word>& sent = sent_[static_cast<std::size_t>(r.across)];
    if (sent.empty()) sent.resize(Plane::blocks_of(processors_));
    if (const Word twice = members & sent[block]; twice != 0) {
      const Word p = first_of(block, twice);
      const Violation::Place where = at(r, p, mesh_ ? std::optional(r.from_slot) : std::nullopt);
      breach("link-twice", where, "two elements on the link of processor {} across {}", p,
             *where.dimension);
    }
    sent[block] |= members;
    if (ports_ == 0) return;
    use_port(r.across, block, members);
    use_port(r.across, there.block, there.members);
  }

  // All reads are done: the staged tokens arrive, and the books of the step are closed.
  void land() {
    const Token* value = staged_.data();
    std::size_t next = 0;
    for (const auto& [route, end] : groups_) {
      const int across = route.across;
      const Word flip = across != inside && across < block_bits ? bit(across) : Word{0};
      for (; next < end; ++next) {
        const auto [block, members] = transfers_[next];
        const Landing there = landing(block, members, across);
        Token* tokens = route.to->tokens.data() + (there.block << block_bits);
        if (members == ~Word{0} && flip == 0) {
          std::memcpy(tokens, value, 64 * sizeof(Token));
          value += 64;
        } else {
          for (Word rest = members; rest != 0; rest &= rest - 1)
            tokens[static_cast<Word>(lowest_bit(rest)) ^ flip] = *value++;
        }
        close_books(across, block, there, *route.to);
      }
    }
    for (const Single& s : singles_) {
      s.to->tokens[s.to_processor] = s.token;
      close_books(s.across, s.from_processor >> block_bits,
                  {s.to_processor >> block_bits,
                   bit(static_cast<int>(s.to_processor & low_mask(block_bits)))},
                  *s.to);
    }
    transfers_.clear();
    groups_.clear();
    singles_.clear();
    staged_.clear();
  }

  void use_port(int across, Word block, Word members) {
    auto& here = involved_[static_cast<std::size_t>(across)][block];
    Word more = members & ~here;
    here |= members;
    for (std::vector<Word>& busy : busy_) more &= std::exchange(busy[block], busy[block] | more);
    if (more == 0) return;
    const Word p = first_of(block, more);
    breach(ports_ == 1 ? "one-port" : "ports", {.processor = p, .dimension = across},
           "processor {} uses dimension {} and {} more", p, across, ports_);
  }

  int ports_ = 0;  // that count: fewer than links, else 0
  std::size_t planes_made_ = 0;
  std::vector<std::vector<Word>> sent_;      // by way: who has sent across it in this step
  std::vector<std::vector<Word>> involved_;  // where ports count: who sends or receives across it
  std::vector<std::vector<Word>> busy_;      // [j]: who uses more than j dimensions
  std::vector<Token> staged_;
  std::vector<Transfer> transfers_;
  std::vector<Group> groups_;
  std::vector<Single> singles_;
  std::uint64_t remote_moves_ = 0;  // of this step
};

}  // namespace faro::inline v1
