// Elements without limit, in turns.   [faro]
//   applies:  maps of more elements a processor than other planners take
//   cost:     turns times the cost of one; above the bound by what a turn takes to begin and to end
//   bound:    machines/bounds, of all elements together
//
// Elements that move alike take turns as they are. Of a map with memory bits the elements of a
// processor go to 2^rho processors, rho the rank of its block B from memory bits to processor bits;
// the kernel of B are address differences within which elements stay together. Those number the
// turns: a change of places makes vectors of the kernel the highest memory bits, another one brings
// what they have become to where it belongs.
#include "planners/turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "faro/schedules/cost.hpp"
#include "planners/looped.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1 {
namespace {

// The memory map that takes the vectors to the highest bits, in order, and the bits that lead none
// of their space to those below.
BitMap to_the_top(const std::vector<Word>& vectors, int width) {
  Word leading = 0;
  for (const Word v : reduced_basis(vectors)) leading |= bit(highest_bit(v));
  std::vector<Word> back;
  for (int i = 0; i < width; ++i)
    if (!has_bit(leading, i)) back.push_back(bit(i));
  back.insert(back.end(), vectors.begin(), vectors.end());
  return BitMap::from_columns(back).inverse();
}

// Kernel vectors, those first that are single bits before and after: what is a permutation of bits
// stays one.
std::vector<Word> kernel_of(const MapGoal& goal) {
  const int m = goal.memory_bits;
  const int n = goal.map.width() - m;
  const BitMatrix& a = goal.map.matrix();
  std::vector<Word> kernel = reduced_basis(a.block(m, n, 0, m).kernel());
  const auto bits = [&](Word v) { return std::popcount(v) + std::popcount(a.apply(v)); };
  std::stable_sort(kernel.begin(), kernel.end(), [&](Word x, Word y) { return bits(x) < bits(y); });
  return kernel;
}

// Without the bits from `low` to `high` - 1.
Word narrowed(Word x, int low, int high) {
  return (x & low_mask(low)) | (high >= word_bits ? 0 : x >> high << low);
}

}  // namespace

int least_slot_bits(const MapGoal& goal) {
  const int n = goal.map.width() - goal.memory_bits;
  return goal.map.matrix().block(goal.memory_bits, n, 0, goal.memory_bits).rank();
}

TurnsOfMap turns_of(const MapGoal& goal, int slot_bits) {
  const int m = goal.memory_bits;
  const int n = goal.map.width() - m;
  FARO_CHECK(goal.cut && slot_bits >= least_slot_bits(goal) && slot_bits <= m);
  std::vector<Word> together = kernel_of(goal);
  FARO_CHECK(together.size() >= static_cast<std::size_t>(m - slot_bits));
  together.resize(static_cast<std::size_t>(m - slot_bits));
  std::vector<Word> images;
  for (const Word v : together) images.push_back(goal.map.matrix().apply(v));
  const BitMap processors = BitMap::identity(n);
  const BitMap before = beside(processors, to_the_top(together, m));
  const BitMap behind = beside(processors, to_the_top(images, m));
  const BitMap between = then(then(before.inverse(), goal.map), behind);
  const Word numbers = low_mask(m) & ~low_mask(slot_bits);
  // What a turn does, on whole addresses, whose turns keep their numbers, and on those of a turn.
  std::vector<Word> whole;
  std::vector<Word> rows;
  for (int b = 0; b < between.width(); ++b) {
    whole.push_back(has_bit(numbers, b) ? bit(b) : between.matrix().row(b));
    if (has_bit(numbers, b)) continue;
    FARO_CHECK((whole.back() & numbers) == 0);
    rows.push_back(narrowed(whole.back(), slot_bits, m));
  }
  const BitMap turn = BitMap::from_matrix(BitMatrix::from_rows(n + slot_bits, rows),
                                          narrowed(between.complement() & ~numbers, slot_bits, m));
  const BitMap turns_alike = BitMap::from_matrix(BitMatrix::from_rows(between.width(), whole),
                                                 between.complement() & ~numbers);
  const BitMap after = then(then(turns_alike.inverse(), between), behind.inverse());
  const BitMap nothing = BitMap::identity(goal.map.width());
  return {{.times = bit(m - slot_bits),
           .before = before == nothing ? BitMap() : before,
           .after = after == nothing ? BitMap() : after},
          {.map = turn, .cut = true, .memory_bits = slot_bits}};
}

namespace {

// Whether elements of all processors are routed one by one.
bool lists(const Machine& machine) {
  return std::holds_alternative<Mesh>(machine) || std::holds_alternative<Pops>(machine);
}

// More elements than this take turns: the other planners take fewer.
Count most_at_once(const Request& request) {
  const Machine& machine = request.machine();
  if (std::holds_alternative<Mesh>(machine))
    return (Count{1} << limits::links_elements_log2_max) / processors(machine);
  if (std::holds_alternative<Pops>(machine))
    return (Count{1} << limits::pops_data_log2_max) / processors(machine);
  if (request.map().cut) return Count{1} << limits::shuffle_slots_log2_max;
  return std::holds_alternative<Hypercube>(machine) ? limits::cube_elements_max
                                                    : limits::ranks_elements_max;
}

// log2 of the elements that a turn takes of a processor at most, if they need not be more.
int turn_log2(const Request& request) {
  if (!lists(request.machine())) return limits::turn_elements_log2_max;
  const int bits = address_bits(request.machine()).value_or(0);
  return std::max(0, limits::turn_listed_log2_max - bits);
}

int slot_bits_of(const Request& request) {
  return std::max(turn_log2(request), least_slot_bits(request.map()));
}

// Elements that move alike: the largest part that divides them.
std::uint64_t part_of(const Request& request) {
  std::uint64_t part = bit(turn_log2(request));
  while (request.elements() % part != 0) --part;
  return part;
}

std::optional<std::string> refusal(const Request& request) {
  if (auto why = looped::not_for_many(request)) return why;
  constexpr const char* one_turn_only = "one turn would take all elements";
  if (Count{request.elements()} <= most_at_once(request))
    return "there are few elements: they need no turns";
  const MapGoal& goal = request.map();
  if (!goal.cut) {
    if (part_of(request) == request.elements()) return one_turn_only;
    return {};
  }
  if (std::holds_alternative<Pops>(request.machine()))
    return "elements with destinations of their own do not change places for nothing here";
  if (least_slot_bits(goal) > limits::turn_spread_log2_max)
    return fmt::format("a processor's elements go to 2^{} others; a turn has at most 2^{} elements",
                       least_slot_bits(goal), limits::turn_spread_log2_max);
  if (slot_bits_of(request) >= goal.memory_bits) return one_turn_only;
  return {};
}

class WithTurns : public TeeSink {
 public:
  WithTurns(const Request& request, const Repeat& repeat, std::string_view planner,
            ScheduleSink& sink)
      : TeeSink({&sink}), request_(request), repeat_(repeat), planner_(planner) {}
  void begin(const ScheduleHeader& turn) override {
    ScheduleHeader header = turn;
    header.goal = request_.map();
    header.elements = request_.elements();
    header.planner = planner_;
    header.repeat = repeat_;
    TeeSink::begin(header);
  }

 private:
  const Request& request_;
  const Repeat& repeat_;
  std::string_view planner_;
};

template <const PlannerEntry& entry>
Offer offer(const Request& request) {
  Repeat repeat{.times = 1, .before = {}, .after = {}};
  MapGoal goal = request.map();
  std::uint64_t part = 0;
  if (goal.cut) {
    TurnsOfMap turns = turns_of(goal, slot_bits_of(request));
    repeat = std::move(turns.repeat);
    goal = std::move(turns.turn);
    part = bit(goal.memory_bits);
  } else {
    part = part_of(request);
    repeat.times = request.elements() / part;
  }
  const Offer turn = cheapest_offer(Request::of(request.machine(), goal, part));
  const ScheduleHeader header = header_of(turn);
  if (!(header.goal == Goal(goal)) || takes_turns(header))
    throw Error(ErrorCode::impossible, "what plans a turn lists its elements one by one");
  const std::string_view name = entry.name();
  return {.estimate = {.cost = {turn.estimate.cost.value * repeat.times,
                                fmt::format("{} turns of {} elements, {} each", repeat.times, part,
                                            to_string(turn.estimate.cost.value))}},
          .push =
              [turn, request, repeat, name](ScheduleSink& sink) {
                WithTurns all(request, repeat, name, sink);
                turn.push(all);
              },
          .expression = fmt::format("turns({}, {})", repeat.times, turn.expression)};
}

template <const PlannerEntry& entry>
constexpr PlannerEntry::Parts parts(std::string_view name, std::string_view machine,
                                    std::string_view needs) {
  return {.name = name,
          .machine = machine,
          .title = "more elements than are planned at once: a part's plan, in turns",
          .needs = needs,
          .cost = "turns times what one takes",
          .refusal = refusal,
          .offer = offer<entry>,
          .searches = true};
}

}  // namespace

const PlannerEntry cube_turns(parts<cube_turns>(
    "cube-turns", "cube", "a map of more than 2^20 elements alike, or 2^16 with memory bits"));
const PlannerEntry links_turns(parts<links_turns>("links-turns", "mesh all links",
                                                  "a map of more than 2^20 elements in all"));
const PlannerEntry pops_turns(parts<pops_turns>(
    "pops-turns", "pops", "a map of processors and more than 2^22 elements in all"));
const PlannerEntry ranks_turns(parts<ranks_turns>(
    "ranks-turns", "ranks", "a map of more than 2^19 elements alike, or 2^16 with memory bits"));

}  // namespace faro::inline v1
