// One field, non-minimum paths.   [Johnsson, Ho 1991 (codes), section 5.1, Theorem 8 and figure 4]
//   applies:  Gray <-> binary on one field of processor bits, all ports
//   cost:     min over M of max(M + n-2, M' + max(M', n)), M' = K - M         (tested n <= 10)
//   bound:    ceil((3K+1)/5), n = 2: ceil(K/2) + 1
//
// In place for n >= 3. The printed condition K > n+2 and the "n steps for K <= n+2" are wrong: no
// algorithm converts (n=2, K=3) in fewer than 3 steps, nor (n=3, K=4) in fewer than 4, and for
// (n=6, K=9) the schedule takes 10 steps where 9 are printed.
#include "planners/cube/codes/two_thirds.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/search.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {
namespace {

// The most elements that short routes take in `steps`.
std::uint64_t short_in(int length, std::uint64_t elements, std::uint64_t steps) {
  const auto waiting = static_cast<std::uint64_t>(length - 2);
  return steps < waiting ? 0 : std::min(elements, steps - waiting);
}

std::uint64_t cost_of(int length, std::uint64_t elements) {
  const auto n = static_cast<std::uint64_t>(length);
  const auto enough = [&](std::uint64_t steps) {
    const std::uint64_t rest = elements - short_in(length, elements, steps);
    return rest == 0 || rest + std::max(rest, n) <= steps;
  };
  return least_that(0, elements + n, enough);
}

}  // namespace

Count non_minimum_path_cost(int length, std::uint64_t elements) {
  return cost_of(length, elements);
}

Count non_minimum_path_printed(int length, std::uint64_t elements) {
  const auto n = static_cast<Count>(length);
  return elements > n + 2 ? ceil_div(2 * Count{elements} - (n - 2), 3) + n - 2 : n;
}

std::uint64_t short_elements(int length, std::uint64_t elements) {
  return short_in(length, elements, cost_of(length, elements));
}

Node non_minimum_path_node(const CodeField& field, std::uint64_t elements) {
  const auto n = static_cast<std::uint64_t>(field.length);
  const std::uint64_t shorts = short_elements(field.length, elements);
  const std::uint64_t longs = elements - shorts;
  const std::uint64_t back = std::max(longs, n);  // long element j crosses back at back + j
  const auto make = [=](std::uint64_t t, CubeStep& out) {
    const int top = field.top();
    const auto cross = [&out](std::uint64_t element, int dimension, std::vector<Parity> where) {
      const auto slot = static_cast<Slot>(element);
      out.rules.push_back(
          {.where = std::move(where), .from = slot, .across = dimension, .to = slot});
    };
    const std::uint64_t last = n - 2;
    // Short element e crosses dimension i at time e + i.
    for (std::uint64_t i = 0; i <= std::min(last, t); ++i)
      if (t - i < shorts) {
        const int d = field.lo + static_cast<int>(i);
        cross(t - i, d, {{bits_between(d + 1, top), 1}});
      }
    if (t < longs) cross(shorts + t, top, {});
    for (std::uint64_t i = 0; i <= last && i + 1 <= t; ++i)
      if (t - i - 1 < longs) {
        const int d = field.lo + static_cast<int>(i);
        cross(shorts + t - i - 1, d, {{bits_between(d + 1, top), 0}});
      }
    if (t >= back && t - back < longs) cross(shorts + t - back, top, {});
  };
  return node_of(non_minimum_path.name(),
                 {.slots = elements, .steps = cost_of(field.length, elements), .make = make});
}

namespace {

Count two_bits_cost(std::uint64_t elements) {
  return elements <= 2 ? elements : elements / 2 + elements % 2 + 1;
}

}  // namespace

Node two_bits_node(const CodeField& field, std::uint64_t elements) {
  FARO_CHECK(field.length == 2);
  const auto steps = static_cast<std::uint64_t>(two_bits_cost(elements));
  const std::uint64_t direct = std::min(elements, steps);
  const std::uint64_t around = elements - direct;
  const Word top = bit(field.top());
  // Those that go around cross the top dimension, convert there, and come back: one at a time in
  // each of the three places, in two transit slots. Processors with top bit 0 send nothing there.
  const auto make = [=](std::uint64_t t, CubeStep& out) {
    const auto element = [direct](std::uint64_t j) { return static_cast<Slot>(direct + j); };
    const auto transit = [elements](std::uint64_t j) {
      return static_cast<Slot>(elements + j % 2);
    };
    const auto e = static_cast<Slot>(t);
    if (t < direct) out.rules.push_back({{{top, 1}}, e, field.lo, e});
    if (t < around) out.rules.push_back({{{top, 1}}, element(t), field.top(), transit(t)});
    if (t >= 1 && t - 1 < around)
      out.rules.push_back({{{top, 0}}, transit(t - 1), field.lo, transit(t - 1)});
    if (t >= 2 && t - 2 < around)
      out.rules.push_back({{{top, 0}}, transit(t - 2), field.top(), element(t - 2)});
  };
  return node_of(
      two_bits.name(),
      {.slots = elements + std::min<std::uint64_t>(2, around), .steps = steps, .make = make});
}

namespace {

std::optional<std::string> refusal_long(const Request& request) {
  return one_field_refusal(request, 2);
}

Offer offer_long(const Request& request) {
  const CodeField field = field_of(request);
  return conversion_offer(
      request, non_minimum_path.name(), non_minimum_path_node(field, request.elements()),
      "least over M of max(M + n-2, M' + max(M', n)), M + M' = K",
      PaperCount{"Johnsson, Ho 1991 (codes), Theorem 8",
                 {non_minimum_path_printed(field.length, request.elements()),
                  request.elements() > static_cast<std::uint64_t>(field.length) + 2
                      ? "ceil((2K-(n-2))/3) + n-2"
                      : "n for K <= n+2"}});
}

std::optional<std::string> refusal_two(const Request& request) {
  if (auto why = one_field_refusal(request, 2)) return why;
  if (field_of(request).length != 2) return "its field has two bits";
  return {};
}

Offer offer_two(const Request& request) {
  return conversion_offer(
      request, two_bits.name(), two_bits_node(field_of(request), request.elements()),
      "K for K <= 2, else ceil(K/2) + 1",
      PaperCount{"Johnsson, Ho 1991 (codes), figure 4",
                 {Count{request.elements()} / 2 + 1, "K/2 + 1, for even K >= 2"}});
}

}  // namespace

const PlannerEntry non_minimum_path({
    .name = "non-minimum-path",
    .machine = "cube",
    .title = "code conversion with a third of the elements through the other half of the cube",
    .needs = "Gray <-> binary code on one field of processor bits, all ports",
    .cost = "about 2K/3 + n-2 steps",
    .citation = "Johnsson, Ho 1991 (codes), Theorem 8",
    .refusal = refusal_long,
    .offer = offer_long,
});

const PlannerEntry two_bits({
    .name = "two-bits",
    .machine = "cube",
    .title = "code conversion of two bits, half of the elements on the long way",
    .needs = "Gray <-> binary code on one field of two processor bits, all ports",
    .cost = "K steps for K <= 2, else ceil(K/2) + 1",
    .citation = "Johnsson, Ho 1991 (codes), figure 4",
    .refusal = refusal_two,
    .offer = offer_two,
});

}  // namespace faro::inline v1
