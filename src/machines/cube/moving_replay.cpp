// Books are kept by blocks of 64 processors, and closed where something landed.
#include "machines/cube/moving_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/cube/parity_blocks.hpp"
#include "machines/cube/places.hpp"
#include "machines/cube/ports.hpp"
#include "machines/replay_goal.hpp"

namespace faro::inline v1 {
namespace {

// Processor number of the lowest member, for messages.
Word first_of(Word block, Word members) {
  return (block << block_bits) + static_cast<Word>(lowest_bit(members));
}

}  // namespace

template <class Token>
void MovingReplay<Token>::prepare(const ScheduleHeader& header) {
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

// The plane of a slot below `slots`; an untouched slot gets one.
template <class Token>
typename MovingReplay<Token>::Plane& MovingReplay<Token>::plane(Slot slot) {
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

template <class Token>
const Token* MovingReplay<Token>::held(Word processor, Slot slot) const {
  const Plane* there = planes_[slot].get();
  return there != nullptr && has_bit(there->filled[processor >> block_bits],
                                     static_cast<int>(processor & low_mask(block_bits)))
             ? &there->tokens[processor]
             : nullptr;
}

template <class Token>
void MovingReplay<Token>::put(Word processor, Slot slot, Token token) {
  Plane& there = plane(slot);
  there.tokens[processor] = token;
  there.filled[processor >> block_bits] |= bit(static_cast<int>(processor & low_mask(block_bits)));
}

template <class Token>
bool MovingReplay<Token>::fits(const std::vector<Parity>& where) {
  const Parity* c = replay_goal::beyond(where, dimensions_);
  return c == nullptr ||
         refuse("mask-range", {}, "the condition [{:#x}, {}] does not fit {} address bits", c->mask,
                c->value, dimensions_);
}

template <class Token>
bool MovingReplay<Token>::well_formed(const Rule& rule) {
  if (rule.across != inside && (rule.across < 0 || rule.across >= dimensions_))
    return refuse("dimension-range", {.dimension = rule.across},
                  "a rule goes across dimension {} of a {}-cube", rule.across, dimensions_);
  return fits(rule.where);
}

template <class Token>
bool MovingReplay<Token>::well_formed(const Move& move) {
  const auto wrong = [&](const char* rule, const std::string& what) {
    return refuse(rule, place_of(move), "the move [{}, {}, {}, {}] {}", move.from_processor,
                  move.from_slot, move.to_processor, move.to_slot, what);
  };
  if (move.from_processor >= processors_ || move.to_processor >= processors_)
    return wrong("proc-range", fmt::format("names a processor above {}", processors_ - 1));
  if (move.from_slot >= header_.slots || move.to_slot >= header_.slots)
    return wrong("slot-range",
                 fmt::format("names a slot above {}", header_.slots == 0 ? 0 : header_.slots - 1));
  if (way_of(move) != no_link) return true;
  wrong("not-a-link", "joins processors that no link joins");
  return mesh_.has_value();
}

template <class Token>
int MovingReplay<Token>::way_of(const Move& m) const {
  const Word apart = m.from_processor ^ m.to_processor;
  if (apart == 0) return inside;
  if (!mesh_) return is_power_of_two(apart) ? log2_exact(apart) : no_link;
  if (mesh_->hops(m.from_processor, m.to_processor) != 1) return no_link;
  const int d = mesh_->dimension_of(highest_bit(apart));
  return 2 * d + (mesh_->routed(m.from_processor, d, 1) == m.to_processor ? 1 : 0);
}

// A sender's part in a route, for messages.
template <class Token>
Violation::Place MovingReplay<Token>::at(const Route& r, Word processor,
                                         std::optional<Slot> slot) const {
  Violation::Place place{.processor = processor, .slot = slot};
  if (r.across == inside) return place;
  place.to = mesh_ ? r.single_to : processor ^ bit(r.across);
  if (r.across != no_link) place.dimension = mesh_ ? r.across / 2 : r.across;
  return place;
}

template <class Token>
void MovingReplay<Token>::use_port(int across, Word block, Word members) {
  auto& here = involved_[static_cast<std::size_t>(across)][block];
  Word more = members & ~here;
  here |= members;
  for (std::vector<Word>& busy : busy_) more &= std::exchange(busy[block], busy[block] | more);
  if (more == 0) return;
  const Word p = first_of(block, more);
  breach(ports_ == 1 ? "one-port" : "ports", {.processor = p, .dimension = across},
         "processor {} uses dimension {} and {} more", p, across, ports_);
}

template <class Token>
void MovingReplay<Token>::use_link(const Route& r, Word block, Word members, const Landing& there) {
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

// Where the members of a block are after crossing a dimension, or staying.
template <class Token>
typename MovingReplay<Token>::Landing MovingReplay<Token>::landing(Word block, Word members,
                                                                   int across) {
  if (across == inside) return {block, members};
  if (across < block_bits) return {block, exchanged(members, across)};
  return {block ^ bit(across - block_bits), members};
}

template <class Token>
typename MovingReplay<Token>::Route MovingReplay<Token>::route(Slot from, Slot to, int across) {
  Plane& target = plane(to);
  const Plane* source = planes_[from].get();
  // A slot that nothing ever wrote reads as an empty one.
  return {source == nullptr ? &plane(from) : source, &target, from, to, across};
}

// The rules of the machine for one block of a route.
template <class Token>
void MovingReplay<Token>::check(const Route& r, Word block, Word members, const Landing& there) {
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
template <class Token>
void MovingReplay<Token>::transfer(const Route& r, Word block, Word members) {
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

template <class Token>
void MovingReplay<Token>::move_one(const Move& m) {
  const auto bit_of = [](Word p) { return bit(static_cast<int>(p & low_mask(block_bits))); };
  Route r = route(m.from_slot, m.to_slot, way_of(m));
  r.single_to = m.to_processor;
  check(r, m.from_processor >> block_bits, bit_of(m.from_processor),
        {m.to_processor >> block_bits, bit_of(m.to_processor)});
  singles_.push_back(
      {r.to, m.from_processor, m.to_processor, r.across, r.from->tokens[m.from_processor]});
}

template <class Token>
void MovingReplay<Token>::close_books(int across, Word block, const Landing& there, Plane& to) {
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

// All reads are done: the staged tokens arrive, and the books of the step are closed.
template <class Token>
void MovingReplay<Token>::land() {
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

template <class Token>
void MovingReplay<Token>::spell_out(const Rule& rule) {
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

template <class Token>
void MovingReplay<Token>::move(const CubeStep& step) {
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

template class MovingReplay<std::uint32_t>;
template class MovingReplay<ButterflyToken>;

}  // namespace faro::inline v1
