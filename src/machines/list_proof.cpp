// The cube of n dimensions is the mesh of n sides of 2: one set of links for both.
#include "machines/list_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/working.hpp"
#include "faro/base/limits.hpp"
#include "machines/backtrace.hpp"
#include "machines/claims.hpp"
#include "machines/cube/ports.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1 {
namespace {

using Place = Backtrace::Place;

constexpr Count places_max = Count{1} << limits::proof_listed_places_log2_max;

Mesh mesh_of(const Machine& machine) {
  if (const auto* mesh = std::get_if<Mesh>(&machine)) return *mesh;
  const int dimensions = std::get<Hypercube>(machine).dimensions;
  return Mesh{.sides_log2 = std::vector<int>(static_cast<std::size_t>(dimensions), 1),
              .links = Mesh::Links::all};
}

Count links_of(const Machine& machine) {
  return processors(machine) * 2 * mesh_of(machine).sides_log2.size();
}

class ListProof : public Verifier {
 public:
  ListProof() {
    verdict_.by = "proof";
    verdict_.answer = Verdict::Answer::yes;
  }

  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override;
  Verdict verdict() const override { return verdict_; }

 private:
  void breach(const char* rule, std::string message, Violation::Place at = {}) {
    at.list = list_;
    at.entry = entry_;
    verdict_.add({step_, rule, std::move(message), std::move(at)});
  }
  void give_up(std::string why) {
    if (verdict_.answer != Verdict::Answer::yes) return;
    verdict_.answer = Verdict::Answer::unprovable;
    verdict_.limit = std::move(why);
    trace_ = Backtrace();
  }
  bool tracking() const { return verdict_.answer == Verdict::Answer::yes; }
  bool in_range(const Move& m);
  bool well_formed(const Rule& rule);
  void spell_out(const Rule& rule);
  void take(const Move& m);
  void perform(const Move& m);
  void use_port(Word processor, Word other);
  std::optional<std::size_t> link(Word from, Word to) const;
  Place place(Word processor, std::uint64_t slot) const {
    return static_cast<Place>(processor * header_.slots + slot);
  }
  std::string words(Place place) const {
    return fmt::format("slot {} of processor {}", place % header_.slots, place / header_.slots);
  }
  std::vector<Move> goal();
  std::vector<Move> goal_of(const MapGoal& map);
  void check_places(const std::vector<Move>& goal);

  ScheduleHeader header_;
  std::optional<MeshGeometry> geometry_;
  Backtrace trace_;
  bool cube_ = false;
  int ports_ = 0;                    // that count: fewer than links, else 0
  std::vector<std::uint32_t> used_;  // by link: the last step that used it, counted from 1
  struct Crossing {
    std::uint32_t step = 0;
    Word dimensions = 0;
  };
  std::vector<Crossing> crossing_;  // by processor, where ports count
  bool remote_ = false;
  bool whole_ = false;  // nothing was wrong before this step
  Count step_ = 0;
  const char* list_ = "";  // the entry of the step that is looked at
  std::size_t entry_ = 0;
  Verdict verdict_;
};

void ListProof::begin(const ScheduleHeader& header) {
  header_ = header;
  if (!is_listed(header))
    return give_up(
        fmt::format("lists of moves are proved on machines of up to 2^{} links and slots "
                    "of all processors together; this one has {} and {}",
                    limits::proof_listed_places_log2_max, to_string(links_of(header.machine)),
                    to_string(processors(header.machine) * header.slots)));
  geometry_.emplace(mesh_of(header.machine));
  if (const auto* cube = std::get_if<Hypercube>(&header.machine)) {
    cube_ = true;
    if (cube->ports != Hypercube::Ports::all) ports_ = ports_of(*cube);
  }
  if (geometry_->wrap() == Mesh::Wrap::propagating)
    breach("machine", "all links at once is a machine without propagating wraparound");
  if (header.elements < 1 || header.slots < header.elements)
    breach(cube_ ? "slot-range" : "machine",
           fmt::format("{} slots for {} elements of a processor; at least as many are wanted, and "
                       "one element",
                       header.slots, header.elements));
  if (!tracking()) return;
  trace_ = Backtrace(static_cast<std::size_t>(geometry_->processors() * header.slots));
  for (Word p = 0; p < geometry_->processors(); ++p)
    for (std::uint64_t e = 0; e < header.elements; ++e) trace_.begins(place(p, e));
  used_.assign(static_cast<std::size_t>(links_of(header.machine)), 0);
  if (ports_ > 0) crossing_.assign(static_cast<std::size_t>(geometry_->processors()), {});
}

// The number of the directed link that joins two processors; nothing where none does.
std::optional<std::size_t> ListProof::link(Word from, Word to) const {
  const auto dimensions = static_cast<std::size_t>(geometry_->dimensions());
  const int d = geometry_->dimension_of(highest_bit(from ^ to));
  const int low = geometry_->low(d);
  const Word mask = low_mask(geometry_->side_log2(d));
  if (((from ^ to) & ~(mask << low)) != 0) return {};
  const Word x = from >> low & mask;
  const Word y = to >> low & mask;
  const bool ring = geometry_->wrap() == Mesh::Wrap::orthogonal;
  const bool up = ring ? ((x + 1) & mask) == y : x + 1 == y;
  const bool down = ring ? ((y + 1) & mask) == x : y + 1 == x;
  // A ring of two has one link each way: it counts as the one up.
  if (!up && !down) return {};
  return (static_cast<std::size_t>(from) * dimensions + static_cast<std::size_t>(d)) * 2 +
         (up ? 1U : 0U);
}

// The dimensions that a processor has used in this step are kept as bits.
void ListProof::use_port(Word processor, Word other) {
  Crossing& crossing = crossing_[static_cast<std::size_t>(processor)];
  if (crossing.step != step_ + 1) crossing = {static_cast<std::uint32_t>(step_ + 1), 0};
  crossing.dimensions |= processor ^ other;
  if (std::popcount(crossing.dimensions) > ports_)
    breach(ports_ == 1 ? "one-port" : "ports",
           fmt::format("processor {} uses {} dimensions", processor,
                       std::popcount(crossing.dimensions)),
           {.processor = processor, .dimension = highest_bit(processor ^ other)});
}

bool ListProof::in_range(const Move& m) {
  if (std::max(m.from_processor, m.to_processor) >= geometry_->processors()) {
    breach("proc-range",
           fmt::format("there is no processor {}", std::max(m.from_processor, m.to_processor)));
    return false;
  }
  if (std::max(m.from_slot, m.to_slot) >= header_.slots) {
    breach("slot-range", fmt::format("there is no slot {}", std::max(m.from_slot, m.to_slot)),
           {.processor = m.from_processor, .to = m.to_processor});
    return false;
  }
  return true;
}

void ListProof::perform(const Move& m) {
  Violation::Place at{.processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot};
  if (m.from_processor != m.to_processor) {
    const auto used = link(m.from_processor, m.to_processor);
    const auto now = static_cast<std::uint32_t>(step_ + 1);
    if (!used)
      breach("not-a-link", fmt::format("no link joins {} and {}", m.from_processor, m.to_processor),
             at);
    else
      at.dimension = geometry_->dimension_of(highest_bit(m.from_processor ^ m.to_processor));
    if (used && std::exchange(used_[*used], now) == now)
      breach("link-twice",
             fmt::format("two elements go from {} to {}", m.from_processor, m.to_processor), at);
    if (ports_ > 0 && used) {
      use_port(m.from_processor, m.to_processor);
      use_port(m.to_processor, m.from_processor);
    }
  }
  const Place from = place(m.from_processor, m.from_slot);
  const Place to = place(m.to_processor, m.to_slot);
  if (!trace_.holds(from)) {
    breach("reads-empty", fmt::format("{} is read and holds nothing", words(from)), at);
  } else if (!trace_.move(from, to)) {
    at.slot = m.to_slot;
    breach("two-writes", fmt::format("{} is written twice", words(to)), at);
  }
}

bool ListProof::well_formed(const Rule& rule) {
  const int bits = geometry_->bits();
  if (rule.across != inside && (rule.across < 0 || rule.across >= bits)) {
    breach("dimension-range",
           fmt::format("a rule goes across dimension {} of a {}-cube", rule.across, bits),
           {.dimension = rule.across});
    return false;
  }
  for (const Parity& c : rule.where) {
    if ((c.mask & ~low_mask(bits)) == 0 && c.value <= 1) continue;
    breach("mask-range", fmt::format("the condition [{:#x}, {}] does not fit {} address bits",
                                     c.mask, c.value, bits));
    return false;
  }
  return true;
}

void ListProof::take(const Move& m) {
  if (!in_range(m)) return;
  if (m.from_processor != m.to_processor) {
    if (cube_ && !is_power_of_two(m.from_processor ^ m.to_processor))
      return breach("not-a-link",
                    fmt::format("no link joins {} and {}", m.from_processor, m.to_processor),
                    {.processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot});
    remote_ = true;
    ++verdict_.cost.remote_moves;
  }
  if (!whole_) return;
  if (trace_.moves() >> limits::proof_listed_moves_log2_max != 0)
    give_up(
        fmt::format("lists of at most 2^{} moves are proved", limits::proof_listed_moves_log2_max));
  else
    perform(m);
  whole_ = whole_ && verdict_.answer != Verdict::Answer::unprovable;
}

void ListProof::spell_out(const Rule& rule) {
  still_working();
  const Word across = rule.across == inside ? 0 : bit(rule.across);
  AffineSpace::where(geometry_->bits(), rule.where).for_each([&](Word p) {
    take({p, rule.from, p ^ across, rule.to});
  });
}

void ListProof::step(const CubeStep& step) {
  if (!geometry_) geometry_.emplace(mesh_of(header_.machine));  // gave up at once: cost is counted
  if (!step.butterflies.empty() || !step.butterfly_rules.empty())
    breach(cube_ ? "butterfly" : "rules", "a computation in a schedule whose goal only moves data");
  if (!step.rules.empty() && !cube_) breach("rules", "only listed moves are known on this machine");
  whole_ = tracking();
  remote_ = false;
  list_ = "rules";
  bool performed = true;
  for (entry_ = 0; entry_ < step.rules.size() && cube_; ++entry_)
    performed = well_formed(step.rules[entry_]) && performed;
  if (performed) {
    for (entry_ = 0; entry_ < step.rules.size() && cube_; ++entry_) spell_out(step.rules[entry_]);
    list_ = "moves";
    for (entry_ = 0; entry_ < step.moves.size(); ++entry_) take(step.moves[entry_]);
  }
  list_ = "";
  entry_ = 0;
  if (whole_) trace_.end_step();
  if (remote_) ++verdict_.cost.steps;
  ++step_;
}

std::vector<Move> ListProof::goal_of(const MapGoal& map) {
  const int memory = map.cut ? map.memory_bits : 0;
  if (memory < 0 || map.map.width() != geometry_->bits() + memory ||
      (map.cut && Count{header_.elements} != Count{1} << memory)) {
    breach("goal", "the map's bits are not those of the machine and its elements");
    return {};
  }
  std::vector<Move> goal;
  goal.reserve(static_cast<std::size_t>(geometry_->processors() * header_.elements));
  // By where elements end: the start is what the inverse says.
  const BitMap back = map.map.width() == 0 ? map.map : map.map.inverse();
  for (Word q = 0; q < geometry_->processors(); ++q)
    for (std::uint64_t s = 0; s < header_.elements; ++s) {
      const Word end = map.cut ? q << memory | s : q;
      const Word start = back.width() == 0 ? end : back(end);
      goal.push_back({map.cut ? start >> memory : start,
                      static_cast<Slot>(map.cut ? start & low_mask(memory) : s), q,
                      static_cast<Slot>(s)});
    }
  return goal;
}

void ListProof::check_places(const std::vector<Move>& goal) {
  std::set<std::pair<Word, Slot>> starts;
  std::set<std::pair<Word, Slot>> ends;
  for (const Move& m : goal) {
    if (std::max(m.from_processor, m.to_processor) >= geometry_->processors() ||
        m.from_slot >= header_.elements || m.to_slot >= header_.slots)
      breach("goal", "the goal names a place that the machine does not have");
    else if (!starts.emplace(m.from_processor, m.from_slot).second ||
             !ends.emplace(m.to_processor, m.to_slot).second)
      breach("goal", "the goal names a place twice");
  }
}

std::vector<Move> ListProof::goal() {
  if (const auto* map = std::get_if<MapGoal>(&header_.goal)) return goal_of(*map);
  const auto* moves = std::get_if<MovesGoal>(&header_.goal);
  if (moves == nullptr) {
    breach("goal", "a mesh schedule has a map or moves as its goal");
    return {};
  }
  check_places(moves->moves);
  return moves->moves;
}

void ListProof::finish() {
  if (verdict_.answer == Verdict::Answer::unprovable) return;
  const std::vector<Move> wanted = goal();
  verdict_.expected = wanted.size();
  if (tracking()) {
    std::vector<Place> ends;
    ends.reserve(wanted.size());
    for (const Move& m : wanted) ends.push_back(place(m.to_processor, m.to_slot));
    const std::vector<Place> starts = trace_.starts_of(ends);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (starts[i] == place(wanted[i].from_processor, wanted[i].from_slot))
        ++verdict_.delivered;
      else
        breach("not-delivered",
               fmt::format("what ends in {} began {}, not in {}", words(ends[i]),
                           starts[i] == Backtrace::nowhere ? "nowhere" : "in " + words(starts[i]),
                           words(place(wanted[i].from_processor, wanted[i].from_slot))),
               {.processor = wanted[i].to_processor, .slot = wanted[i].to_slot});
    }
  }
  judge_claims(verdict_, header_, step_);
}

}  // namespace

bool is_listed(const ScheduleHeader& header) {
  return processors(header.machine) * header.slots <= places_max &&
         links_of(header.machine) <= places_max;
}

std::unique_ptr<Verifier> list_proof() {
  return std::make_unique<ListProof>();
}

}  // namespace faro::inline v1
