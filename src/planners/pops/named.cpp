// Transpose and shuffles by name.   [Sahni 2000, section 3.4, 4.1, 4.2 and 4.3, corrected]
//   applies:  transpose: N² processors, d | N or g | N, a map or listed; shuffles: maps, d and g
//             powers of two
//   cost:     transpose K·ceil(d/g), N² - N for g = 1; shuffles K·min(2^w, 2·max(1, d/g)), w local
//             bits that stay local     (tested: N <= 12; p <= 8 bits on every split)
//   bound:    machines/bounds/pops_bounds: Theorem 4 for the transpose, which divides by g - 1
// Section 4.1's formula i'' = floor(i/2) + j_0 2^a is that of unshuffle, 4.2's that of shuffled
// row-major, in the direction of Figure 8; both directions take the same slots.
#include "planners/pops/named.hpp"

#include <fmt/format.h>

#include "faro/machines/pops/model.hpp"
#include "planners/pops/affine.hpp"
#include "planners/pops/packets.hpp"
#include "planners/pops/permutation.hpp"

namespace faro::inline v1::pops {
namespace {

// Whether the map sends bit b of p processor bits to place(b, p), for all of them.
bool is_map(const Request& request, int (*place)(int, int)) {
  const BitMap map = processor_map(request);
  for (int b = 0; b < map.width(); ++b)
    if (place(b, map.width()) >= map.width() || map.column(b) != bit(place(b, map.width())))
      return false;
  return map.complement() == 0;
}

int transposed(int b, int p) {
  return (b + p / 2) % p;
}
int shuffled(int b, int p) {
  return (b + 1) % p;
}
int unshuffled(int b, int p) {
  return (b + p - 1) % p;
}
// For an odd number of bits the last place does not exist: such a shuffle is none.
int bits_shuffled(int b, int p) {
  return b < p / 2 ? 2 * b : 2 * (b - p / 2) + 1;
}

// N for a list that transposes an N x N matrix, else 0.
std::uint64_t order_of(const std::vector<Word>& to) {
  std::uint64_t order = 0;
  while ((order + 1) * (order + 1) <= to.size()) ++order;
  if (order * order != to.size()) return 0;
  for (Word p = 0; p < to.size(); ++p)
    if (to[p] != p % order * order + p / order) return 0;
  return order;
}

// With one group all data but the diagonal share a coupler: the fixed ones are better left out.
bool is_listed(const Request& request) {
  return !request.destinations().empty() || machine_of(request).groups == 1;
}

constexpr const char* no_transpose = "it is no transpose of a square matrix in row-major order";

std::optional<std::string> transpose_refusal(const Request& request) {
  if (request.destinations().empty()) {
    if (auto why = no_rules(request)) return why;
    if (address_bits(machine_of(request)) % 2 != 0 || !is_map(request, transposed))
      return no_transpose;
    return is_listed(request) ? no_permutation(request) : no_single_hop(request);
  }
  if (auto why = no_permutation(request)) return why;
  const std::uint64_t order = order_of(request.destinations());
  if (order == 0) return no_transpose;
  if (order % machine_of(request).group_size == 0 || order % machine_of(request).groups == 0)
    return std::nullopt;
  return fmt::format(
      "neither d nor g divides the order {}; pops-fewest-slots may take fewer slots "
      "than straight home",
      order);
}

Estimate transpose_estimate(const Request& request) {
  const Pops& machine = machine_of(request);
  const Count n = processors(machine);
  std::uint64_t order = 1;
  while (Count{order} * order < n) ++order;
  const Count printed = ceil_div(machine.group_size, machine.groups) * request.elements();
  Formula ours{printed, "K·ceil(d/g)"};
  if (n == 1) ours = {0, "0: nothing moves"};
  if (n > 1 && machine.groups == 1) ours = {n - order, "N² - N"};
  return {ours, PaperCount{"Sahni 2000, Theorem 4", {printed, "ceil(d/g)"}}};
}

void transpose_build(const Request& request, ScheduleSink& sink) {
  if (is_listed(request))
    emit_permutation(request, "pops-transpose",
                     single_hop(machine_of(request), destinations(request)), sink);
  else
    push_single_hop(request, "pops-transpose", sink);
}

std::optional<std::string> shuffle_refusal(const Request& request, int (*place)(int, int),
                                           std::string_view name) {
  if (auto why = no_rules(request)) return why;
  if (!is_map(request, place)) return fmt::format("it is no {}", name);
  const auto why = no_two_hops(request);
  return why && no_single_hop(request) ? why : std::nullopt;
}

bool goes_straight(const Request& request) {
  return single_hop_slots(request) <= two_hop_slots(request);
}

Estimate shuffle_estimate(const Request& request) {
  const Pops& machine = machine_of(request);
  const Count phases =
      machine.group_size > machine.groups ? machine.group_size / machine.groups : 1;
  Formula ours{two_hop_slots(request), phases > 1 ? "2Kd/g" : "2K"};
  if (goes_straight(request))
    ours = {single_hop_slots(request), "K·2^(local bits that stay local)"};
  if (ours.value == 0) ours.text = "0: nothing moves";
  return {ours, PaperCount{"Sahni 2000, section 4",
                           {2 * phases * request.elements(),
                            machine.group_size <= machine.groups ? "2" : "2d/g"}}};
}

void shuffle_build(const Request& request, std::string_view planner, ScheduleSink& sink) {
  if (goes_straight(request))
    push_single_hop(request, planner, sink);
  else
    push_two_hops(request, stay_go_relays(processor_map(request), machine_of(request)), planner,
                  sink);
}

// A planner's refusal and build know no more than the request: one function each for a name.
template <int (*place)(int, int)>
struct ShuffleName;
template <>
struct ShuffleName<shuffled> {
  static constexpr std::string_view planner = "pops-perfect-shuffle";
  static constexpr const char* words = "perfect shuffle";
};
template <>
struct ShuffleName<unshuffled> {
  static constexpr std::string_view planner = "pops-unshuffle";
  static constexpr const char* words = "unshuffle";
};
template <>
struct ShuffleName<bits_shuffled> {
  static constexpr std::string_view planner = "pops-bit-shuffle";
  static constexpr const char* words = "bit shuffle";
};

template <int (*place)(int, int)>
constexpr PlannerEntry::Parts shuffle_planner(std::string_view title, std::string_view needs,
                                              std::string_view citation) {
  return {
      ShuffleName<place>::planner,
      "pops",
      title,
      needs,
      "K·min(2^w, 2·max(1, d/g)) slots, w local bits stay local; optimal for d <= g",
      citation,
      [](const Request& request) {
        return shuffle_refusal(request, place, ShuffleName<place>::words);
      },
      shuffle_estimate,
      [](const Request& request, ScheduleSink& sink) {
        shuffle_build(request, ShuffleName<place>::planner, sink);
      },
  };
}

}  // namespace
}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

const PlannerEntry pops_transpose({
    "pops-transpose",
    "pops",
    "the transpose of a square matrix, every element straight home",
    "the transpose of an N x N matrix, d or g divides N",
    "K·ceil(d/g) slots, N² - N for g = 1; optimal",
    "Sahni 2000, section 3.4 and Theorem 4",
    pops::transpose_refusal,
    pops::transpose_estimate,
    pops::transpose_build,
});

const PlannerEntry pops_perfect_shuffle(pops::shuffle_planner<pops::shuffled>(
    "the perfect shuffle, over relay group i xor j or straight home", "i -> rot(i, 1)",
    "Sahni 2000, sections 4.1 and 4.3"));
const PlannerEntry pops_unshuffle(pops::shuffle_planner<pops::unshuffled>(
    "the unshuffle, over relay group i xor j or straight home", "i -> rot(i, -1)",
    "Sahni 2000, sections 4.1 and 4.3"));
const PlannerEntry pops_bit_shuffle(pops::shuffle_planner<pops::bits_shuffled>(
    "the bit shuffle (row-major to Morton order), over relays or straight home",
    "h l -> zip(h, l), an even number of bits", "Sahni 2000, sections 4.2 and 4.3"));

}  // namespace faro::inline v1
