// Replay of the mesh whose links all work at once: every place holds a token, every listed move is
// checked against the links and performed.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/claims.hpp"
#include "machines/mesh/geometry.hpp"
#include "machines/mesh/verifiers.hpp"

namespace faro::inline v1 {
namespace {

using Token = std::uint32_t;
constexpr Token nothing = std::numeric_limits<Token>::max();

// What a move of a step uses and writes, in the order in which they are looked through.
using Entry = std::uint32_t;
struct Link {
  Word from;
  Word to;
  std::size_t entry;
  bool operator<(const Link& o) const {
    return std::tie(from, to, entry) < std::tie(o.from, o.to, o.entry);
  }
};
struct Write {
  std::size_t place;
  Token token;
  Entry entry;
  bool operator<(const Write& o) const {
    return std::tie(place, token, entry) < std::tie(o.place, o.token, o.entry);
  }
};

class LinksReplay : public Verifier {
 public:
  LinksReplay() { verdict_.by = "replay"; }

  void begin(const ScheduleHeader& header) override {
    header_ = header;
    geometry_.emplace(std::get<Mesh>(header.machine));
    if (geometry_->wrap() == Mesh::Wrap::propagating)
      violation("machine", "all links at once is a machine without propagating wraparound");
    if (header.elements < 1) violation("machine", "0 elements per processor; at least 1 is wanted");
    if (header.slots < header.elements)
      violation("machine", fmt::format("{} slots for {} elements", header.slots, header.elements));
    const Count places = Count{geometry_->processors()} * std::max(header.slots, header.elements);
    if (places > bit(limits::replay_elements_log2_max))
      throw Error(ErrorCode::limit,
                  fmt::format("replay spells out at most 2^{} places, this schedule has {}",
                              limits::replay_elements_log2_max, to_string(places)));
    places_.assign(static_cast<std::size_t>(geometry_->processors() * header.slots), nothing);
    for (Word p = 0; p < geometry_->processors(); ++p)
      for (std::uint64_t e = 0; e < std::min(header.elements, header.slots); ++e)
        places_[place(p, e)] = static_cast<Token>(p * header.elements + e);
    read_goal();
  }

  void step(const CubeStep& step) override {
    if (!step.rules.empty() || !step.butterflies.empty() || !step.butterfly_rules.empty())
      violation("rules", "only listed moves are known on this machine");
    links_.clear();
    writes_.clear();
    bool remote = false;
    for (std::size_t i = 0; i < step.moves.size(); ++i) remote |= look(step.moves[i], i);
    std::sort(links_.begin(), links_.end());
    for (std::size_t i = 1; i < links_.size(); ++i)
      if (links_[i].from == links_[i - 1].from && links_[i].to == links_[i - 1].to)
        violation("link-twice",
                  fmt::format("the link from {} to {} carries two elements", links_[i].from,
                              links_[i].to),
                  of(step.moves[links_[i].entry], links_[i].entry));
    std::sort(writes_.begin(), writes_.end());
    for (std::size_t i = 1; i < writes_.size(); ++i)
      if (writes_[i].place == writes_[i - 1].place)
        violation("two-writes",
                  fmt::format("two moves write slot {} of processor {}",
                              writes_[i].place % header_.slots, writes_[i].place / header_.slots),
                  writing(step.moves[writes_[i].entry], writes_[i].entry));
    for (const Write& write : writes_) places_[write.place] = write.token;
    if (remote) ++verdict_.cost.steps;
    ++steps_;
  }

  void finish() override {
    for (const Move& m : goal_) {
      const auto wanted = static_cast<Token>(m.from_processor * header_.elements + m.from_slot);
      if (inside(m.to_processor, m.to_slot) && places_[place(m.to_processor, m.to_slot)] == wanted)
        ++verdict_.delivered;
      else
        violation("not-delivered",
                  fmt::format("slot {} of processor {} does not hold the element of slot {} of {}",
                              m.to_slot, m.to_processor, m.from_slot, m.from_processor),
                  {.processor = m.to_processor, .slot = m.to_slot});
    }
    judge_claims(verdict_, header_, steps_);
    verdict_.answer = verdict_.violation_count == 0 ? Verdict::Answer::yes : Verdict::Answer::no;
  }

  Verdict verdict() const override { return verdict_; }

 private:
  void violation(const char* rule, std::string message, Violation::Place at = {}) {
    verdict_.add({steps_, rule, std::move(message), std::move(at)});
  }
  static Violation::Place of(Word from, Word to, Slot slot, std::size_t entry) {
    return {.processor = from, .to = to, .slot = slot, .list = "moves", .entry = entry};
  }
  Violation::Place of(const Move& m, std::size_t entry) const {
    Violation::Place at = of(m.from_processor, m.to_processor, m.from_slot, entry);
    if (std::max(m.from_processor, m.to_processor) < geometry_->processors() &&
        geometry_->hops(m.from_processor, m.to_processor) == 1)
      for (int d = 0; d < geometry_->dimensions(); ++d)
        if (geometry_->coordinate(m.from_processor, d) != geometry_->coordinate(m.to_processor, d))
          at.dimension = d;
    return at;
  }

  Violation::Place writing(const Move& m, std::size_t entry) const {
    Violation::Place at = of(m, entry);
    at.slot = m.to_slot;
    return at;
  }

  std::size_t place(Word processor, std::uint64_t slot) const {
    return static_cast<std::size_t>(processor * header_.slots + slot);
  }
  bool inside(Word processor, std::uint64_t slot) const {
    return processor < geometry_->processors() && slot < header_.slots;
  }

  void read_goal() {
    if (const auto* moves = std::get_if<MovesGoal>(&header_.goal)) {
      goal_ = moves->moves;
    } else if (const auto* map = std::get_if<MapGoal>(&header_.goal)) {
      spell_out(*map);
    } else {
      violation("goal", "a mesh schedule has a map or moves as its goal");
    }
    verdict_.expected = goal_.size();
    std::vector<std::pair<Word, Slot>> from;
    std::vector<std::pair<Word, Slot>> to;
    for (const Move& m : goal_) {
      from.emplace_back(m.from_processor, m.from_slot);
      to.emplace_back(m.to_processor, m.to_slot);
      if (m.from_processor >= geometry_->processors() || m.from_slot >= header_.elements ||
          !inside(m.to_processor, m.to_slot))
        violation("goal", "the goal names a place that the machine does not have",
                  {.processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot});
    }
    for (auto* places : {&from, &to}) {
      std::sort(places->begin(), places->end());
      if (std::adjacent_find(places->begin(), places->end()) != places->end())
        violation("goal", "the goal names a place twice");
    }
  }

  void spell_out(const MapGoal& goal) {
    const int memory_bits = goal.cut ? goal.memory_bits : 0;
    if (memory_bits < 0 || goal.map.width() != geometry_->bits() + memory_bits ||
        (goal.cut && header_.elements != Count{1} << memory_bits)) {
      violation("goal", "the map's bits are not those of the machine and its elements");
      return;
    }
    for (Word p = 0; p < geometry_->processors(); ++p)
      for (std::uint64_t e = 0; e < header_.elements; ++e) {
        const Word to = goal.cut ? goal.map((p << memory_bits) | e) : goal.map(p);
        goal_.push_back({p, static_cast<Slot>(e), goal.cut ? to >> memory_bits : to,
                         static_cast<Slot>(goal.cut ? to & low_mask(memory_bits) : e)});
      }
  }

  // Checks one move and notes what it writes; true if it is remote.
  bool look(const Move& m, std::size_t entry) {
    if (std::max(m.from_processor, m.to_processor) >= geometry_->processors()) {
      violation("proc-range",
                fmt::format("a move from {} to {}; processors are 0 to {}", m.from_processor,
                            m.to_processor, geometry_->processors() - 1),
                of(m, entry));
      return false;
    }
    if (std::max(m.from_slot, m.to_slot) >= header_.slots) {
      violation("slot-range",
                fmt::format("a move from slot {} to {}; slots are 0 to {}", m.from_slot, m.to_slot,
                            header_.slots - 1),
                of(m, entry));
      return false;
    }
    const bool remote = m.from_processor != m.to_processor;
    if (remote) {
      ++verdict_.cost.remote_moves;
      links_.push_back({m.from_processor, m.to_processor, entry});
      if (geometry_->hops(m.from_processor, m.to_processor) != 1)
        violation("not-a-link",
                  fmt::format("{} and {} are no neighbours", m.from_processor, m.to_processor),
                  of(m, entry));
    }
    const Token token = places_[place(m.from_processor, m.from_slot)];
    if (token == nothing)
      violation("reads-empty",
                fmt::format("slot {} of processor {} holds nothing", m.from_slot, m.from_processor),
                of(m, entry));
    else
      writes_.push_back({place(m.to_processor, m.to_slot), token, static_cast<Entry>(entry)});
    return remote;
  }

  Verdict verdict_;
  ScheduleHeader header_;
  std::optional<MeshGeometry> geometry_;
  std::vector<Move> goal_;
  std::vector<Token> places_;
  std::vector<Link> links_;
  std::vector<Write> writes_;
  Count steps_ = 0;
};

}  // namespace

std::unique_ptr<Verifier> links_replay() {
  return std::make_unique<LinksReplay>();
}

}  // namespace faro::inline v1
