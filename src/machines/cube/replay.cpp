// Replay of the machines whose links all work at once: the cube, and the mesh with all links, which
// knows moves alone. Memory is kept slot by slot, a plane of one token a processor; a rule
// is carried out on blocks of 64 processors at a time: the rules of the machine are questions of
// 64-bit words, the tokens are copied one by one. What a step read waits in `staged_` until all its
// reads are done.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/claims.hpp"
#include "machines/cube/parity_blocks.hpp"
#include "machines/cube/places.hpp"
#include "machines/cube/ports.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/mesh/geometry.hpp"
#include "machines/replay_goal.hpp"

namespace faro::inline v1 {
namespace {

using Token = std::uint32_t;  // processor * K + slot of the place where the element started

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
constexpr int no_link = inside - 1;

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

class CubeReplay : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override;
  Verdict verdict() const override { return verdict_; }

 private:
  bool well_formed(const Rule& rule);
  bool well_formed(const Move& move);
  Route route(Slot from, Slot to, int across);
  void check(const Route& route, Word block, Word members, const Landing& there);
  void transfer(const Route& route, Word block, Word members);
  void move_one(const Move& move);
  void close_books(int across, Word block, const Landing& there, Plane& to);
  int way_of(const Move& move) const;
  Violation::Place at(const Route& route, Word processor, std::optional<Slot> slot) const;
  void use_link(const Route& route, Word block, Word members, const Landing& there);
  void land();
  void use_port(int across, Word block, Word members);
  Plane& plane(Slot slot);
  void deliver_all_to_all();
  void expect(Move goal);
  void breach(const char* rule, std::string message, Violation::Place at = {}) {
    at.list = list_;
    at.entry = entry_;
    verdict_.add({step_, rule, std::move(message), std::move(at)});
  }

  ScheduleHeader header_;
  std::optional<MeshGeometry> mesh_;  // else a cube
  int dimensions_ = 0;                // address bits
  int ports_ = 0;                     // that count: fewer than links, else 0
  Word processors_ = 1;
  std::vector<std::unique_ptr<Plane>> planes_;
  std::size_t planes_made_ = 0;
  std::vector<std::vector<Word>> sent_;      // by way: who has sent across it in this step
  std::vector<std::vector<Word>> involved_;  // where ports count: who sends or receives across it
  std::vector<std::vector<Word>> busy_;      // [j]: who uses more than j dimensions
  std::vector<Token> staged_;
  std::vector<Transfer> transfers_;
  std::vector<Group> groups_;
  std::vector<Single> singles_;
  std::uint64_t remote_moves_ = 0;  // of this step
  Count step_ = 0;
  const char* list_ = "";  // the entry of the step that is looked at
  std::size_t entry_ = 0;
  Verdict verdict_;
};

void CubeReplay::begin(const ScheduleHeader& header) {
  header_ = header;
  verdict_.answer = Verdict::Answer::yes;
  verdict_.by = "replay";
  if (const auto* cube = std::get_if<Hypercube>(&header.machine)) {
    dimensions_ = cube->dimensions;
    ports_ = cube->ports == Hypercube::Ports::all ? 0 : ports_of(*cube);
  } else {
    mesh_.emplace(std::get<Mesh>(header.machine));
    dimensions_ = mesh_->bits();
    if (mesh_->wrap() == Mesh::Wrap::propagating)
      breach("machine", "all links at once is a machine without propagating wraparound");
  }
  const Count elements = (Count{1} << dimensions_) * header.elements;
  if (elements > (Count{1} << limits::replay_elements_log2_max))
    throw Error(ErrorCode::limit,
                fmt::format("replay spells out every element, at most 2^{}; this schedule has {}. "
                            "Proof has no such limit.",
                            limits::replay_elements_log2_max, to_string(elements)));
  if (header.slots > limits::slots_max)
    throw Error(ErrorCode::limit, fmt::format("{} slots a processor; replay keeps at most {}",
                                              header.slots, limits::slots_max));
  processors_ = bit(dimensions_);
  if (header.elements == 0 || header.slots < header.elements) {
    breach(mesh_ ? "machine" : "slot-range",
           fmt::format("{} slots for {} elements a processor; at least as many slots are wanted, "
                       "and one element",
                       header.slots, header.elements));
    header_.elements = 0;
  }
  planes_.resize(header.slots);
  for (Slot s = 0; s < header_.elements; ++s) {
    Plane& p = plane(s);
    for (Word q = 0; q < processors_; ++q)
      p.tokens[q] = static_cast<Token>(q * header_.elements + s);
    const Word all = processors_ >= 64 ? ~Word{0} : low_mask(static_cast<int>(processors_));
    std::fill(p.filled.begin(), p.filled.end(), all);
  }
  const auto per_dimension = std::vector<Word>(Plane::blocks_of(processors_));
  sent_.assign(static_cast<std::size_t>(mesh_ ? 2 * mesh_->dimensions() : dimensions_),
               mesh_ ? std::vector<Word>() : per_dimension);
  if (ports_ != 0) involved_ = sent_;
  busy_.assign(static_cast<std::size_t>(ports_), per_dimension);
}

// The plane of a slot below `slots`; an untouched slot gets one.
Plane& CubeReplay::plane(Slot slot) {
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

bool CubeReplay::well_formed(const Rule& rule) {
  if (rule.across != inside && (rule.across < 0 || rule.across >= dimensions_)) {
    breach("dimension-range",
           fmt::format("a rule goes across dimension {} of a {}-cube", rule.across, dimensions_),
           {.dimension = rule.across});
    return false;
  }
  for (const Parity& c : rule.where) {
    if ((c.mask & ~low_mask(dimensions_)) == 0 && c.value <= 1) continue;
    breach("mask-range", fmt::format("the condition [{:#x}, {}] does not fit {} address bits",
                                     c.mask, c.value, dimensions_));
    return false;
  }
  return true;
}

bool CubeReplay::well_formed(const Move& move) {
  const auto wrong = [&](const char* rule, const std::string& what) {
    breach(rule,
           fmt::format("the move [{}, {}, {}, {}] {}", move.from_processor, move.from_slot,
                       move.to_processor, move.to_slot, what),
           place_of(move));
    return false;
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

int CubeReplay::way_of(const Move& m) const {
  const Word apart = m.from_processor ^ m.to_processor;
  if (apart == 0) return inside;
  if (!mesh_) return is_power_of_two(apart) ? log2_exact(apart) : no_link;
  if (mesh_->hops(m.from_processor, m.to_processor) != 1) return no_link;
  const int d = mesh_->dimension_of(highest_bit(apart));
  return 2 * d + (mesh_->routed(m.from_processor, d, 1) == m.to_processor ? 1 : 0);
}

// A sender's part in a route, for messages.
Violation::Place CubeReplay::at(const Route& r, Word processor, std::optional<Slot> slot) const {
  Violation::Place place{.processor = processor, .slot = slot};
  if (r.across == inside) return place;
  place.to = mesh_ ? r.single_to : processor ^ bit(r.across);
  if (r.across != no_link) place.dimension = mesh_ ? r.across / 2 : r.across;
  return place;
}

// Processor number of the lowest member, for messages.
Word first_of(Word block, Word members) {
  return (block << block_bits) + static_cast<Word>(lowest_bit(members));
}

void CubeReplay::use_port(int across, Word block, Word members) {
  auto& here = involved_[static_cast<std::size_t>(across)][block];
  Word more = members & ~here;
  here |= members;
  for (std::vector<Word>& busy : busy_) more &= std::exchange(busy[block], busy[block] | more);
  if (more == 0) return;
  const Word p = first_of(block, more);
  breach(ports_ == 1 ? "one-port" : "ports",
         fmt::format("processor {} uses dimension {} and {} more", p, across, ports_),
         {.processor = p, .dimension = across});
}

void CubeReplay::use_link(const Route& r, Word block, Word members, const Landing& there) {
  remote_moves_ += static_cast<std::uint64_t>(std::popcount(members));
  if (r.across == no_link) return;
  std::vector<Word>& sent = sent_[static_cast<std::size_t>(r.across)];
  if (sent.empty()) sent.resize(Plane::blocks_of(processors_));
  if (const Word twice = members & sent[block]; twice != 0) {
    const Word p = first_of(block, twice);
    const Violation::Place where = at(r, p, mesh_ ? std::optional(r.from_slot) : std::nullopt);
    breach("link-twice",
           fmt::format("two elements on the link of processor {} across {}", p, *where.dimension),
           where);
  }
  sent[block] |= members;
  if (ports_ == 0) return;
  use_port(r.across, block, members);
  use_port(r.across, there.block, there.members);
}

// Where the members of a block are after crossing a dimension, or staying.
Landing landing(Word block, Word members, int across) {
  if (across == inside) return {block, members};
  if (across < block_bits) return {block, exchanged(members, across)};
  return {block ^ bit(across - block_bits), members};
}

Route CubeReplay::route(Slot from, Slot to, int across) {
  Plane& target = plane(to);
  const Plane* source = planes_[from].get();
  // A slot that nothing ever wrote reads as an empty one.
  return {source == nullptr ? &plane(from) : source, &target, from, to, across};
}

// The rules of the machine for one block of a route.
void CubeReplay::check(const Route& r, Word block, Word members, const Landing& there) {
  if (r.across != inside) use_link(r, block, members, there);
  if (const Word empty = members & ~r.from->filled[block]; empty != 0)
    breach("reads-empty",
           fmt::format("slot {} of processor {} is read, but nothing wrote it", r.from_slot,
                       first_of(block, empty)),
           at(r, first_of(block, empty), r.from_slot));
  Word& written = r.to->written[there.block];
  if (const Word twice = there.members & written; twice != 0)
    breach(
        "two-writes",
        fmt::format("slot {} of processor {} is written twice", r.to_slot,
                    first_of(there.block, twice)),
        at(r, mesh_ ? first_of(block, members) : first_of(there.block, twice) ^ flip_of(r.across),
           r.to_slot));
  written |= there.members;
}

// Many moves of a rule: what is read goes to the stage.
void CubeReplay::transfer(const Route& r, Word block, Word members) {
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

void CubeReplay::move_one(const Move& m) {
  const auto bit_of = [](Word p) { return bit(static_cast<int>(p & low_mask(block_bits))); };
  Route r = route(m.from_slot, m.to_slot, way_of(m));
  r.single_to = m.to_processor;
  check(r, m.from_processor >> block_bits, bit_of(m.from_processor),
        {m.to_processor >> block_bits, bit_of(m.to_processor)});
  singles_.push_back(
      {r.to, m.from_processor, m.to_processor, r.across, r.from->tokens[m.from_processor]});
}

void CubeReplay::close_books(int across, Word block, const Landing& there, Plane& to) {
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
void CubeReplay::land() {
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

void CubeReplay::step(const CubeStep& step) {
  remote_moves_ = 0;
  if (!step.butterflies.empty() || !step.butterfly_rules.empty())
    breach(mesh_ ? "rules" : "butterfly", "a computation in a schedule whose goal only moves data");
  if (mesh_ && !step.rules.empty()) breach("rules", "only listed moves are known on this machine");
  const std::size_t rules = mesh_ ? 0 : step.rules.size();
  // A step with a rule that names no part of the machine is not performed at all.
  bool performed = true;
  list_ = "rules";
  for (entry_ = 0; entry_ < rules; ++entry_)
    performed = well_formed(step.rules[entry_]) && performed;
  if (performed) {
    for (entry_ = 0; entry_ < rules; ++entry_) {
      const Rule& rule = step.rules[entry_];
      const bool fits = rule.from < header_.slots && rule.to < header_.slots;
      bool told = false;  // a rule that nobody meets is legal, whatever its slots
      std::optional<Route> known;
      ParityBlocks(dimensions_, rule.where).for_each([&](Word block, Word members) {
        if (fits) {
          if (!known) known = route(rule.from, rule.to, rule.across);
          return transfer(*known, block, members);
        }
        if (told) return;
        told = true;
        breach("slot-range",
               fmt::format("a rule names slot {}; there are {}", std::max(rule.from, rule.to),
                           header_.slots),
               {.processor = first_of(block, members), .slot = std::max(rule.from, rule.to)});
      });
      if (known) groups_.push_back({*known, transfers_.size()});
    }
    list_ = "moves";
    for (entry_ = 0; entry_ < step.moves.size(); ++entry_)
      if (well_formed(step.moves[entry_])) move_one(step.moves[entry_]);
    land();
  }
  list_ = "";
  entry_ = 0;
  verdict_.cost.remote_moves += remote_moves_;
  if (remote_moves_ != 0) ++verdict_.cost.steps;
  ++step_;
}

// Counts one element that must be at goal.to; requires places that exist.
void CubeReplay::expect(Move goal) {
  verdict_.expected += 1;
  const Plane* there = planes_[goal.to_slot].get();
  const Word q = goal.to_processor;
  const bool filled = there != nullptr && has_bit(there->filled[q >> block_bits],
                                                  static_cast<int>(q & low_mask(block_bits)));
  const auto token = static_cast<Token>(goal.from_processor * header_.elements + goal.from_slot);
  if (filled && there->tokens[q] == token) {
    verdict_.delivered += 1;
    return;
  }
  std::string holds = "nothing";
  if (filled)
    holds = fmt::format("that of slot {} of processor {}", there->tokens[q] % header_.elements,
                        there->tokens[q] / header_.elements);
  breach("not-delivered",
         fmt::format("slot {} of processor {} must hold the element that started in slot {} of "
                     "processor {}, and holds {}",
                     goal.to_slot, q, goal.from_slot, goal.from_processor, holds),
         {.processor = q, .slot = goal.to_slot});
}

// A broadcast without a root: everybody's somewhere.
void CubeReplay::deliver_all_to_all() {
  const std::uint64_t all = processors_ * header_.elements;
  std::vector<bool> heard;
  for (Word q = 0; q < processors_; ++q) {
    heard.assign(all, false);
    for (const auto& plane : planes_)
      if (plane != nullptr &&
          has_bit(plane->filled[q >> block_bits], static_cast<int>(q & low_mask(block_bits))))
        heard[plane->tokens[q]] = true;
    const auto known = static_cast<std::uint64_t>(std::count(heard.begin(), heard.end(), true));
    verdict_.expected += all;
    verdict_.delivered += known;
    if (known != all)
      breach("not-delivered",
             fmt::format("processor {} holds {} of {} elements at the end", q, known, all),
             {.processor = q});
  }
}

void CubeReplay::finish() {
  const bool legal =
      replay_goal::legal(header_, [this](const char* rule, std::string message, auto at) {
        breach(rule, std::move(message), std::move(at));
      });
  if (legal) replay_goal::each(header_, [this](const Move& m) { expect(m); });
  const auto* broadcast = std::get_if<BroadcastGoal>(&header_.goal);
  if (legal && broadcast != nullptr && !broadcast->root) deliver_all_to_all();
  judge_claims(verdict_, header_, step_);
}

}  // namespace

std::unique_ptr<Verifier> cube_replay() {
  return std::make_unique<CubeReplay>();
}

}  // namespace faro::inline v1
