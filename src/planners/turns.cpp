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
#include "planners/part.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1 {
namespace {

// Vectors with a bit each that no other one has: its pivot.
struct Lane {
  Word vector = 0;
  Word sum_of = 0;  // which of the vectors given it is the sum of
  int pivot = 0;
};

// The same space, every vector with a pivot of its own. Requires independent vectors.
std::vector<Lane> with_pivots(const std::vector<Word>& vectors) {
  std::vector<Lane> lanes;
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    Lane lane{vectors[k], bit(static_cast<int>(k)), 0};
    for (const Lane& other : lanes)
      if (has_bit(lane.vector, other.pivot)) {
        lane.vector ^= other.vector;
        lane.sum_of ^= other.sum_of;
      }
    FARO_CHECK(lane.vector != 0);
    lane.pivot = highest_bit(lane.vector);
    for (Lane& other : lanes)
      if (has_bit(other.vector, lane.pivot)) {
        other.vector ^= lane.vector;
        other.sum_of ^= lane.sum_of;
      }
    lanes.push_back(lane);
  }
  return lanes;
}

// The memory map that takes vector k to bit `low` + k, and the bits that are no pivots, in order,
// to the bits below.
BitMap to_the_top(const std::vector<Word>& vectors, int width, int low) {
  const std::vector<Lane> lanes = with_pivots(vectors);
  std::vector<Word> columns(static_cast<std::size_t>(width));
  std::vector<const Lane*> lane_of(static_cast<std::size_t>(width), nullptr);
  for (const Lane& lane : lanes) lane_of[static_cast<std::size_t>(lane.pivot)] = &lane;
  int next = 0;
  for (int i = 0; i < width; ++i)
    if (lane_of[static_cast<std::size_t>(i)] == nullptr)
      columns[static_cast<std::size_t>(i)] = bit(next++);
  for (const Lane& lane : lanes) {
    Word& column = columns[static_cast<std::size_t>(lane.pivot)];
    column = lane.sum_of << low;
    for (int i = 0; i < width; ++i)
      if (i != lane.pivot && has_bit(lane.vector, i))
        column ^= columns[static_cast<std::size_t>(i)];
  }
  return BitMap::from_columns(columns);
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

// Without the bits from `low` to `high` - 1, and back.
Word narrowed(Word x, int low, int high) {
  return (x & low_mask(low)) | (high >= word_bits ? 0 : x >> high << low);
}
Word widened(Word x, int low, int high) {
  return (x & low_mask(low)) | (high >= word_bits ? 0 : x >> low << high);
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
  const auto turns = static_cast<std::size_t>(m - slot_bits);
  std::vector<Word> together = kernel_of(goal);
  FARO_CHECK(together.size() >= turns);
  together.resize(turns);
  std::vector<Word> images;
  for (const Word v : together) images.push_back(goal.map.matrix().apply(v));
  const BitMap processors = BitMap::identity(n);
  const BitMap before = beside(processors, to_the_top(together, m, slot_bits));
  const BitMap behind = beside(processors, to_the_top(images, m, slot_bits));
  const BitMap between = then(then(before.inverse(), goal.map), behind);
  const Word numbers = low_mask(m) & ~low_mask(slot_bits);
  // What a turn does, and how the number of an element's turn changes with the rest of its address.
  std::vector<Word> rows;
  Word complement = 0;
  for (int b = 0; b < between.width(); ++b) {
    if (has_bit(numbers, b)) continue;
    FARO_CHECK((between.matrix().row(b) & numbers) == 0);
    if (has_bit(between.complement(), b)) complement |= bit(static_cast<int>(rows.size()));
    rows.push_back(narrowed(between.matrix().row(b), slot_bits, m));
  }
  const BitMap turn = BitMap::from_matrix(BitMatrix::from_rows(n + slot_bits, rows), complement);
  const BitMap back = turn.inverse();
  // That change undone, said of the address at the end.
  std::vector<Word> undo;
  Word undone = 0;
  for (int b = 0; b < between.width(); ++b) {
    undo.push_back(bit(b));
    if (!has_bit(numbers, b)) continue;
    const Word change = narrowed(between.matrix().row(b) & ~numbers, slot_bits, m);
    Word at_end = 0;
    for (int i = 0; i < back.width(); ++i)
      if (has_bit(change, i)) at_end ^= back.matrix().row(i);
    undo.back() ^= widened(at_end, slot_bits, m);
    if ((parity(change & back.complement()) ^ unsigned{has_bit(between.complement(), b)}) != 0)
      undone |= bit(b);
  }
  const BitMap same_number =
      BitMap::from_matrix(BitMatrix::from_rows(between.width(), undo), undone);
  const BitMap after = then(behind, same_number).inverse();
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

template <class Kind>
std::optional<std::string> refusal(const Request& request) {
  if (!std::holds_alternative<Kind>(request.machine())) return "it is for another machine";
  if (const auto* ranks = std::get_if<Crossbar>(&request.machine()))
    if (!ranks->tiers.empty()) return "it is for another machine";
  constexpr const char* one_turn_only = "one turn would take all elements";
  if (is_simd_mesh(request.machine()))
    return "a mesh with one route at a time takes any number of elements by itself";
  if (!request.is_map()) return "it takes maps";
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

constexpr std::string_view title =
    "more elements than are planned at once: a part's plan, in turns";
constexpr std::string_view cost = "turns times what one takes";

template <const PlannerEntry& entry, class Kind>
constexpr PlannerEntry::Parts parts(std::string_view name, std::string_view machine,
                                    std::string_view needs) {
  return {.name = name,
          .machine = machine,
          .title = title,
          .needs = needs,
          .cost = cost,
          .citation = "faro",
          .refusal = refusal<Kind>,
          .offer = offer<entry>,
          .searches = true};
}

}  // namespace

const PlannerEntry cube_turns(parts<cube_turns, Hypercube>(
    "cube-turns", "cube", "a map of more than 2^20 elements alike, or 2^16 with memory bits"));
const PlannerEntry links_turns(parts<links_turns, Mesh>("links-turns", "mesh all links",
                                                        "a map of more than 2^20 elements in all"));
const PlannerEntry pops_turns(parts<pops_turns, Pops>(
    "pops-turns", "pops", "a map of processors and more than 2^22 elements in all"));
const PlannerEntry ranks_turns(parts<ranks_turns, Crossbar>(
    "ranks-turns", "ranks", "a map of more than 2^19 elements alike, or 2^16 with memory bits"));

}  // namespace faro::inline v1
