// One place after the other, back to the beginning.
#include "machines/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.hpp"
#include "base/working.hpp"
#include "faro/schedules/cost.hpp"
#include "machines/judge.hpp"
#include "schedules/loops.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {
namespace {

// Rules, moves and steps that are kept; questions to single rules, some seconds; and places that an
// element passes, of which one that a lap passes on has as many as there are laps.
constexpr std::size_t kept_max = std::size_t{1} << 22U;
constexpr std::uint64_t questions_max = std::uint64_t{1} << 27U;
constexpr std::uint64_t hops_max = std::uint64_t{1} << 16U;

struct Unsaid {
  std::string why;
};
struct Wrong {
  std::string rule;
  std::string message;
};

struct Place {
  Word processor = 0;
  std::int64_t slot = 0;
};

// Laps and steps of an entry, in order.
struct When {
  std::int64_t lap = 0;
  std::int64_t step = 0;
  friend auto operator<=>(const When&, const When&) = default;
};

// A rule or move, by where it writes.
struct Writer {
  std::int64_t step = 0;
  std::int64_t from = 0;
  std::int64_t from_by = 0;
  std::int64_t to = 0;
  std::int64_t to_by = 0;
  std::vector<Parity> where = {};  // of who sends
  int across = inside;             // the dimension, of a cube's rule
  std::vector<Parity> rows = {};   // of where it arrives, of a POPS rule
  Word sender = 0;                 // of a move
};

struct Kept {
  std::int64_t laps = 1;
  std::vector<Writer> rules;
  std::unordered_map<Word, std::vector<Writer>> moves;  // by who is written
};

struct Write {
  When when;
  Place read;
};

class Samples : public Judge {
 public:
  explicit Samples(std::uint64_t count) : Judge("samples"), wanted_(count) {}
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override { take(step); }
  void step(const PopsSlot& slot) override { take(slot); }
  void step(const MeshInstruction& /*instruction*/) override {
    ++step_;
    give_up("samples are followed through rules and listed moves");
  }
  void loop(const CubeLoop& loop) override { take(loop); }
  void loop(const PopsLoop& loop) override { take(loop); }
  void finish() override;

 private:
  void give_up(const std::string& why) {
    if (verdict_.limit.empty()) verdict_.limit = why;
  }
  bool following() const { return verdict_.limit.empty(); }
  template <class Step>
  void take(const Step& step);
  template <class Step>
  void take(const Loop<Step>& loop);
  bool fits(const std::vector<Parity>& parities) const;
  void keep(const CubeStep& step, const std::vector<Advance>& advances, std::int64_t at,
            Kept& kept);
  void keep(const PopsSlot& slot, const std::vector<Advance>& advances, std::int64_t at,
            Kept& kept);
  std::optional<Word> sender_to(const Writer& writer, Word to);
  void ask(const Writer& writer, const Kept& kept, Place place, When before,
           std::optional<Write>& last);
  // Where what ends here began.
  Place origin(Place place);
  std::pair<Place, Place> drawn(Random& random) const;  // where to, and where from

  std::uint64_t wanted_;
  int bits_ = 0;
  std::optional<BitMap> back_;
  std::vector<Kept> entries_;
  std::size_t size_ = 0;
  std::uint64_t asked_ = 0;
  CostCounter cost_;
};

void Samples::begin(const ScheduleHeader& header) {
  header_ = header;
  verdict_.answer = Verdict::Answer::unprovable;
  cost_.begin(header);
  const auto bits = address_bits(header.machine);
  const auto* map = std::get_if<MapGoal>(&header.goal);
  if (!bits || (map == nullptr && !std::holds_alternative<MovesGoal>(header.goal)))
    return give_up("samples are for maps and lists, on machines whose processors have bits");
  bits_ = *bits;
  if (header.repeat != Repeat{}) return give_up("of a schedule in turns one turn is judged");
  if (header.elements == 0 || header.elements > header.slots || header.slots > bit(48))
    return give_up("samples are for at most 2^48 slots, and no fewer than elements");
  if (map == nullptr) return;
  const int memory = map->cut ? map->memory_bits : 0;
  if (map->map.width() != bits_ + memory || memory > 48 ||
      (map->cut && header.elements != bit(memory)))
    return give_up("the map is not one of these processors and elements");
  const std::size_t results = header.result.size();
  if (results != 1 && !(results == 0 && !has_registers(header.machine)) &&
      Count{results} != processors(header.machine))
    return give_up("samples are for results whose register is said, one for all or one for each");
  back_ = map->map.inverse();
}

bool Samples::fits(const std::vector<Parity>& parities) const {
  return std::all_of(parities.begin(), parities.end(), [this](const Parity& c) {
    return (c.mask & ~low_mask(bits_)) == 0 && c.value <= 1;
  });
}

void Samples::keep(const CubeStep& step, const std::vector<Advance>& advances, std::int64_t at,
                   Kept& kept) {
  if (!step.butterflies.empty() || !step.butterfly_rules.empty())
    throw Unsaid{"samples are followed through rules and listed moves"};
  auto by = advances.begin();
  for (const Rule& rule : step.rules) {
    if (!fits(rule.where) || rule.across < inside || rule.across >= bits_)
      throw Unsaid{"a rule speaks of bits that processors have not"};
    kept.rules.push_back({at, rule.from, by->from, rule.to, by->to, rule.where, rule.across});
    ++by;
  }
  for (const Move& move : step.moves) {
    Writer writer{at, move.from_slot, by->from, move.to_slot, by->to};
    writer.sender = move.from_processor;
    kept.moves[move.to_processor].push_back(std::move(writer));
    ++by;
  }
}

void Samples::keep(const PopsSlot& slot, const std::vector<Advance>& advances, std::int64_t at,
                   Kept& kept) {
  if (!slot.sends.empty() || !slot.receives.empty() || !slot.operations.empty())
    throw Unsaid{"samples are followed through rules and listed moves"};
  auto by = advances.begin();
  for (const PopsRule& rule : slot.rules) {
    if (!fits(rule.where) || !fits(rule.to) || rule.to.size() != static_cast<std::size_t>(bits_))
      throw Unsaid{"a rule speaks of bits that processors have not"};
    kept.rules.push_back({at, rule.reg, by->from, rule.into, by->to, rule.where, inside, rule.to});
    ++by;
  }
}

template <class Step>
void Samples::take(const Step& step) {
  take(Loop<Step>{1, {{step, std::vector<Advance>(items_of(step))}}});
}

template <class Step>
void Samples::take(const Loop<Step>& loop) {
  step_ += Count{loop.body.size()} * loop.laps;
  if (!following()) return;
  for (const auto& entry : loop.body) size_ += 1 + items_of(entry.first);
  if (size_ > kept_max) return give_up("samples are for at most 2^22 rules, moves and steps");
  Kept kept;
  kept.laps = static_cast<std::int64_t>(loop.laps);
  try {
    for (std::size_t s = 0; s < loop.body.size(); ++s) {
      if (loop.body[s].advances.size() != items_of(loop.body[s].first))
        throw Unsaid{"advances of a loop are not one for each rule and move"};
      keep(loop.body[s].first, loop.body[s].advances, static_cast<std::int64_t>(s), kept);
    }
  } catch (const Unsaid& unsaid) {
    return give_up(unsaid.why);
  }
  cost_.loop(loop);
  entries_.push_back(std::move(kept));
}

// Who sends to a processor by a rule.
std::optional<Word> Samples::sender_to(const Writer& writer, Word to) {
  if (writer.rows.empty()) {
    const Word from = writer.across == inside ? to : to ^ bit(writer.across);
    const bool sends = std::all_of(writer.where.begin(), writer.where.end(),
                                   [from](const Parity& c) { return c.holds(from); });
    return sends ? std::optional(from) : std::nullopt;
  }
  std::vector<Parity> known = writer.where;
  for (int r = 0; r < bits_; ++r) {
    const Parity& row = writer.rows[static_cast<std::size_t>(r)];
    known.push_back({row.mask, row.value ^ (has_bit(to, bits_ - 1 - r) ? 1U : 0U)});
  }
  asked_ += known.size();  // as dear as so many questions
  const AffineSpace senders = AffineSpace::where(bits_, known);
  if (senders.empty()) return {};
  if (senders.dimension() > 0)
    throw Wrong{"two-writes", fmt::format("a rule sends to processor {} twice", to)};
  return senders.first();
}

// The last of a rule's writes of a place before then, if it is later than the last one known.
void Samples::ask(const Writer& writer, const Kept& kept, Place place, When before,
                  std::optional<Write>& last) {
  if (++asked_ > questions_max) throw Unsaid{"the samples ask more than 2^27 questions"};
  When when{before.step > writer.step ? before.lap : before.lap - 1, writer.step};
  const std::int64_t apart = place.slot - writer.to;
  if (writer.to_by == 0) {
    if (apart != 0) return;
  } else {
    if (apart % writer.to_by != 0) return;
    when.lap = apart / writer.to_by;
  }
  if (when.lap < 0 || when.lap >= kept.laps || when >= before || (last && when < last->when))
    return;
  const std::optional<Word> sender = kept.rules.empty() || &writer < kept.rules.data() ||
                                             &writer >= kept.rules.data() + kept.rules.size()
                                         ? std::optional(writer.sender)
                                         : sender_to(writer, place.processor);
  if (!sender) return;
  if (last && when == last->when)
    throw Wrong{"two-writes", fmt::format("slot {} of processor {} is written twice in one step",
                                          place.slot, place.processor)};
  std::int64_t moved = 0;
  std::int64_t slot = 0;
  if (__builtin_mul_overflow(writer.from_by, when.lap, &moved) ||
      __builtin_add_overflow(writer.from, moved, &slot) || slot < 0 ||
      std::cmp_greater_equal(slot, header_.slots))
    throw Wrong{"slot-range", fmt::format("lap {} of a loop reads a slot that is not there: {} + "
                                          "{} laps of {}",
                                          when.lap, writer.from, when.lap, writer.from_by)};
  last = Write{when, {*sender, slot}};
}

Place Samples::origin(Place place) {
  std::uint64_t hops = 0;
  for (std::size_t e = entries_.size(); e > 0; --e) {
    const Kept& kept = entries_[e - 1];
    When before{kept.laps, 0};
    for (;;) {
      std::optional<Write> last;
      for (const Writer& rule : kept.rules) ask(rule, kept, place, before, last);
      if (const auto here = kept.moves.find(place.processor); here != kept.moves.end())
        for (const Writer& move : here->second) ask(move, kept, place, before, last);
      if (!last) break;
      if (++hops > hops_max) throw Unsaid{"an element is passed on more than 2^16 times"};
      place = last->read;
      before = last->when;
    }
  }
  return place;
}

std::pair<Place, Place> Samples::drawn(Random& random) const {
  if (const auto* list = std::get_if<MovesGoal>(&header_.goal)) {
    const Move& move = list->moves[random.below(list->moves.size())];
    return {{move.to_processor, move.to_slot}, {move.from_processor, move.from_slot}};
  }
  const auto& goal = std::get<MapGoal>(header_.goal);
  const int memory = goal.cut ? goal.memory_bits : 0;
  const Word to = random.next() & low_mask(bits_);
  const Word element = random.below(header_.elements);
  const Word from = (*back_)(goal.cut ? to << memory | element : to);
  Slot result = 0;  // but on POPS networks and ranks
  if (!header_.result.empty())
    result = header_.result.size() == 1 ? header_.result.front() : header_.result.at(to);
  return {
      {to, static_cast<std::int64_t>(element) + result},
      {from >> memory, static_cast<std::int64_t>(goal.cut ? from & low_mask(memory) : element)}};
}

void Samples::finish() {
  verdict_.cost = cost_.cost();
  const auto* list = std::get_if<MovesGoal>(&header_.goal);
  if (!following() || (list != nullptr && list->moves.empty()))
    return give_up("there is nothing to be followed");
  Random random(1996);
  std::uint64_t followed = 0;
  try {
    for (; followed < wanted_; ++followed) {
      still_working();
      const auto [to, from] = drawn(random);
      const Place began = origin(to);
      if (std::cmp_greater_equal(began.slot, header_.elements))
        throw Wrong{"reads-empty", fmt::format("slot {} of processor {} is empty at the beginning, "
                                               "and what lies there ends in slot {} of {}",
                                               began.slot, began.processor, to.slot, to.processor)};
      if (began.processor != from.processor || began.slot != from.slot)
        throw Wrong{
            "not-delivered",
            fmt::format("slot {} of processor {} ends with what began in slot {} of {}; the "
                        "goal says slot {} of {}",
                        to.slot, to.processor, began.slot, began.processor, from.slot,
                        from.processor)};
    }
    verdict_.delivered = followed;
    verdict_.expected = wanted_;
    give_up(
        fmt::format("{} of {} places that were drawn end with what the goal says; that is no "
                    "proof, and links and ports were not asked",
                    followed, wanted_));
  } catch (const Wrong& wrong) {
    verdict_.delivered = followed;
    verdict_.expected = wanted_;
    verdict_.add({step_, wrong.rule, wrong.message, {}});
  } catch (const Unsaid& unsaid) {
    give_up(unsaid.why);
  }
}

}  // namespace

std::unique_ptr<Verifier> make_samples(std::uint64_t count) {
  return std::make_unique<Samples>(count);
}

}  // namespace faro::inline v1
