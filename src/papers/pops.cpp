// Figures 2 to 8 and Theorems 1 to 4, with what is wrong in them and the smallest case that shows
// it.
#include "papers/printed/pops.hpp"

#include <fmt/format.h>

#include <array>

#include "faro/base/error.hpp"
#include "faro/schedules/cost.hpp"
#include "faro/service/plan.hpp"
#include "machines/pops/bounds.hpp"
#include "machines/pops/model.hpp"
#include "papers/pages.hpp"
#include "papers/printed/embedding.hpp"
#include "planners/pops/affine.hpp"
#include "planners/pops/broadcast.hpp"
#include "planners/pops/matmul/matmul.hpp"
#include "planners/pops/packets.hpp"
#include "planners/pops/patterns.hpp"

namespace faro::inline v1 {
namespace {

using Size = std::uint64_t;

Request listed(Size d, Size g, std::vector<Word> to) {
  return Request::of(Pops{d, g, false}, Destinations{std::move(to)});
}

Request mapped(const BitMap& map, int local_bits) {
  return Request::of(Pops{bit(local_bits), bit(map.width() - local_bits), false},
                     MapGoal{.map = map});
}

std::vector<Word> reversal(Size n) {
  std::vector<Word> to(n);
  for (Word p = 0; p < n; ++p) to[p] = n - 1 - p;
  return to;
}

// The data of the first `groups` groups shift by one place.
std::vector<Word> shift(Size d, Size g, Size groups) {
  std::vector<Word> to(d * g);
  for (Word p = 0; p < to.size(); ++p) to[p] = p / d < groups ? p / d * d + (p % d + 1) % d : p;
  return to;
}

std::vector<Word> transpose(Size order) {
  std::vector<Word> to(order * order);
  for (Word p = 0; p < to.size(); ++p) to[p] = p % order * order + p / order;
  return to;
}

// The slots that a replayed schedule takes, or why it is refused.
template <class Push>
std::string replayed(Push push) {
  try {
    const auto replay = make_replay();
    push(*replay);
    const Verdict verdict = replay->verdict();
    if (verdict.ok()) return to_string(verdict.cost.slots);
    return verdict.violations.empty()
               ? "refused"
               : fmt::format("{}: {}", verdict.violations[0].rule, verdict.violations[0].message);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::cancelled) throw;
    return std::string("failed: ") + e.what();
  }
}

PaperTable figure_2() {
  PaperTable table{
      .title = "Figure 2 and section 1: hardware",
      .columns = {"d", "g", "couplers", "degree", "printed 2n²/d transceivers", "ours", "bound"},
      .remarks = {"Section 1 sends over c(group(j), i); it is c(group(j), group(i)): "
                  "couplers join groups, the destination's first."}};
  constexpr std::array<std::pair<Size, Size>, 10> machines{
      {{4, 2}, {32, 1}, {16, 2}, {8, 4}, {4, 8}, {2, 16}, {1, 32}, {25, 1}, {5, 5}, {1, 25}}};
  for (const auto& [d, g] : machines) {
    const pops::Hardware h = pops::hardware({d, g, false});
    table.row(
        {d, g, h.couplers, h.coupler_degree, 2 * d * g * g, h.transmitters + h.receivers, "-"});
  }
  return table;
}

PaperTable broadcasts() {
  PaperTable table{
      .title = "Section 1: broadcasts, slots",
      .columns = {"what", "d", "g", "printed", "ours", "bound"},
      .remarks = {"All to all in one slot with multi-receive needs d = 1: a coupler carries one "
                  "message a slot, so POPS(2, 1) takes 2 and POPS(d, g) d.",
                  "All to all takes n - 1 slots for g >= 2, not n: every slot brings each "
                  "processor something new."}};
  struct Kind {
    const char* name;
    PopsBroadcast kind;
    bool multi_receive;
  };
  constexpr std::array<Kind, 4> kinds{
      {{"one to all", PopsBroadcast::one_to_all, false},
       {"all to all", PopsBroadcast::all_to_all, false},
       {"all to all, multi-receive", PopsBroadcast::all_to_all, true},
       {"personalised", PopsBroadcast::personalised, false}}};
  for (const Kind& kind : kinds)
    for (const Size d : {1U, 2U, 4U, 5U})
      for (const Size g : {1U, 2U, 3U, 5U}) {
        const Pops machine{d, g, kind.multi_receive};
        const bool printed = kind.kind != PopsBroadcast::personalised;
        table.row(
            {kind.name, d, g,
             printed ? broadcast_paper(machine, kind.kind).formula.value : Cell("-"),
             replayed([&](ScheduleSink& sink) { push_broadcast(machine, kind.kind, 0, sink); }),
             broadcast_bound(machine, kind.kind).value});
      }
  return table;
}

PaperTable embeddings(const Workshop& workshop) {
  PlannedTable table(
      workshop, "Section 1, [1] and [6]: embedded networks, slots of a step",
      {"network", "d", "g", "in order", ours(), bound()},
      {"A step: every node hands its datum to the next along one side, or over one of its two "
       "edges. In order: node v in processor v.",
       "The bound: ceil(d/g) slots, what moves over g² couplers, wherever the nodes are. Rings and "
       "de Bruijn networks reach it; tori where the search does."});
  const auto row = [&](const std::string& name, const Pops& machine, std::span<const Word> place,
                       const std::vector<Word>& step) {
    table.row(Request::of(machine, Destinations{pops::placed(place, step)}),
              {name, machine.group_size, machine.groups,
               workshop.ours(Request::of(machine, Destinations{step}))});
  };
  constexpr std::array<std::pair<Size, Size>, 9> ring_machines{
      {{8, 1}, {4, 2}, {12, 2}, {5, 3}, {2, 4}, {4, 4}, {10, 4}, {5, 5}, {3, 7}}};
  for (const auto& [d, g] : ring_machines) {
    const Pops machine{d, g, false};
    const std::array<Size, 1> side{d * g};
    row(fmt::format("ring of {}", d * g), machine, pops::ring_placement(machine),
        pops::torus_step(side, 0));
  }
  // Rows, columns, d.
  constexpr std::array<std::array<Size, 3>, 8> tori{
      {{4, 4, 4}, {8, 8, 8}, {4, 4, 8}, {4, 8, 8}, {6, 6, 9}, {8, 8, 16}, {9, 9, 27}, {6, 10, 12}}};
  for (const auto& [rows, columns, d] : tori) {
    const Pops machine{d, rows * columns / d, false};
    const std::array<Size, 2> sides{rows, columns};
    const std::vector<Word> place = pops::torus_placement(machine, sides);
    for (const std::size_t side : {0U, 1U})
      row(fmt::format("torus {}x{}, side {}", rows, columns, side), machine, place,
          pops::torus_step(sides, side));
  }
  for (const int bits : {4, 6})
    for (int lg = 0; lg <= bits; ++lg) {
      const Pops machine{bit(bits - lg), bit(lg), false};
      for (const bool other : {false, true})
        row(fmt::format("de Bruijn, {} nodes, edge {}", bit(bits), other ? 1 : 0), machine,
            pops::de_bruijn_placement(machine), pops::de_bruijn_step(bit(bits), other));
    }
  return table;
}

// Products on groups that cut rows, or more processors than places.
PaperTable uneven_products() {
  PaperTable table{
      .title = "Section 2: matrix products where sizes do not divide, slots",
      .columns = {"N", "d", "g", "printed", "ours", "rounds", "bound"},
      .remarks = {"The paper asks for dg = N² and that d or N divides the other. Elsewhere every "
                  "operand goes straight from its owner to who lacks it; processors beyond N² "
                  "stay empty, and matrices that are not square are filled up with zeros."}};
  for (const Size order : {3U, 4U, 6U, 7U})
    for (Size d = 2; d <= order * order; d += order - 1) {
      const Pops machine{d, (order * order + d - 1) / d, false};
      if (matmul_refusal(machine, order, MatmulAlgorithm::direct)) continue;
      const auto push = [&](ScheduleSink& sink) {
        push_matmul(machine, order, MatmulAlgorithm::direct, sink);
      };
      CostCounter counted;
      push(counted);
      table.row({order, d, machine.groups, "-", replayed(push), counted.cost().compute_rounds,
                 matmul_bound(machine, order).value});
    }
  return table;
}

PaperTable figure_3() {
  PaperTable table{
      .title = "Figure 3 and section 2: matrix product, slots",
      .columns = {"N", "d", "g", "printed", "printed algorithm, corrected", "ours",
                  "printed rounds", "rounds", "couplers", "bound"},
      .remarks = {"Section 2.1 calls the coupler of B[k,j] c(k,j); it is c(j,k).",
                  "Section 2.3 leaves out the first hop of B[k,rs+q] where rs+q = k; it must for "
                  "all s = group of row k, or coupler c(K,K) is driven twice: N = 4 on POPS(8, 2), "
                  "third slot.",
                  "N²/(g-1) slots for the B's bind one iteration at a time only; interleaved they "
                  "take N²/g.",
                  "Section 2.4: rounds of multiply-adds, printed N (N + 1 with one that sets C to "
                  "0), do not depend on d; couplers fall with d while slots rise from d = N on.",
                  "The bound holds if every C[i,j] is computed where it ends."}};
  for (const Size order : {2U, 4U, 6U, 12U})
    for (Size d = 1; d <= order * order; ++d) {
      const Pops machine{d, order * order / d, false};
      if (matmul_refusal(machine, order)) continue;
      const auto push = [&](MatmulAlgorithm algorithm) {
        return replayed([&](ScheduleSink& sink) { push_matmul(machine, order, algorithm, sink); });
      };
      CostCounter counted;
      push_matmul(machine, order, MatmulAlgorithm::best, counted);
      table.row({order, d, machine.groups,
                 matmul_slots(machine, order, MatmulAlgorithm::paper).value,
                 push(MatmulAlgorithm::paper), push(MatmulAlgorithm::best), order,
                 counted.cost().compute_rounds, machine.groups * machine.groups,
                 matmul_bound(machine, order).value});
    }
  return table;
}

PaperTable figure_4(const Workshop& workshop) {
  PlannedTable table(workshop, "Figure 4 and Theorem 1: a cycle of one group, slots",
                     {"d", "g", "printed simple", planned("simple", "pops-simple"), "printed",
                      "ours", "printed speed-up", "single hop / ours", bound()},
                     {"Printed speed-up over the single hop: d / (ceil((d-1)/g) + 1), both planned "
                      "here; d/2 for d = g.",
                      "The simple algorithm has ceil(d/g) pairs of slots, not d/g; Figure 4's "
                      "p(0,qq) is p(0,qg).",
                      "Where nothing moves (d = 1) no slot is needed; with m data that move, d = "
                      "m."});
  for (const Size d : {1U, 2U, 3U, 5U, 8U, 12U})
    for (const Size g : {1U, 2U, 3U, 5U, 8U}) {
      const Request request = listed(d, g, shift(d, g, 1));
      const std::string ours = workshop.ours(request, "pops-one-group");
      const std::string single = workshop.ours(request, "pops-single-hop");
      const Count printed = ceil_div(d - 1, g) + 1;
      table.row(request, {d, g, 2 * ceil_div(d, g), printed, ours,
                          ratio(std::to_string(d), to_string(printed), 2), ratio(single, ours, 2)});
    }
  return table;
}

PaperTable figure_5(const Workshop& workshop) {
  PlannedTable table(
      workshop, "Figure 5 and Theorem 2: a cycle of every group, slots",
      {"d", "g", "printed simple", planned("simple", "pops-simple"), "printed",
       planned("figure 5, trimmed", "pops-figure-5"), ours("pops-fewest-slots"), bound()},
      {"Figure 5 needs d >= g: its relay p(t,i) has local index i. On POPS(2, 3) "
       "p(0,2) does not exist.",
       "Theorem 2 leaves one slot open; max(2, ceil(2d/(g+1))) slots close it."});
  for (const Size d : {2U, 3U, 5U, 8U, 12U, 17U})
    for (const Size g : {1U, 2U, 3U, 4U, 7U})
      table.row(listed(d, g, shift(d, g, g)), {d, g, 2 * ceil_div(d, g), 2 * ceil_div(d, g + 1)});
  return table;
}

// Figure 6 as printed: relay p((i+s) mod g, s).
std::vector<pops::Packet> printed_figure_6(Size d, Size g) {
  std::vector<pops::Packet> packets;
  const std::vector<Word> to = reversal(d * g);
  for (Word p = 0; p < d * g; ++p) {
    if (to[p] == p) continue;
    const Size i = p / d;
    const Size s = p % d % g;
    const Size t = (i + s) % g;
    pops::Packet packet;
    packet.from = p;
    packet.to = to[p];
    packet.first = static_cast<std::uint32_t>(2 * (p % d / g));
    if (s != 0 && t == g - 1 - i) {
      ++packet.first;
    } else if (s != 0) {
      packet.relay = t * d + s;
      packet.second = packet.first + 1;
    }
    packets.push_back(packet);
  }
  return packets;
}

PaperTable figure_6(const Workshop& workshop) {
  const Request smallest = listed(4, 3, reversal(12));
  const std::string refused = replayed([&](ScheduleSink& sink) {
    pops::emit_permutation(smallest, "printed", printed_figure_6(4, 3), sink);
  });
  PlannedTable table(
      workshop, "Figure 6 and Theorem 3: vector reversal, slots",
      {"d", "g", "printed", planned("figure 6, repaired", "pops-figure-6"),
       ours("pops-fewest-slots"), "printed bound", bound()},
      {fmt::format("Figure 6 as printed on POPS(4, 3), the smallest case, replayed: {}. "
                   "It fails for every 3 <= g < d tried (d <= 24, g <= 11); repaired, "
                   "relays take the lowest local indices that are free.",
                   refused),
       "Theorem 3 for g and d odd: the centre stays, so the bound is "
       "ceil(2(n-1)/(g²+1)). POPS(7, 3): printed 5, but 4 slots suffice.",
       "Section 3.3 reverses in a single slot for d <= 2; d = 2 needs two. The middle "
       "group is (g-1)/2, counted from 0."});
  for (const Size d : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 12U, 16U, 21U})
    for (const Size g : {2U, 3U, 4U, 5U, 8U}) {
      const bool printed = d > g && d * 2 < d * g;
      table.row(listed(d, g, reversal(d * g)),
                {d, g, printed || (d > 2 && d <= g) ? 2 * ceil_div(d, g) : Cell("-"),
                 printed ? pops::reversal_theorem3({d, g, false}) : Cell("-")});
    }
  return table;
}

PaperTable theorem_4(const Workshop& workshop) {
  PlannedTable table(
      workshop, "Theorem 4: transpose of an N x N matrix, slots",
      {"N", "d", "g", "printed", planned("single hop", "pops-single-hop"), ours(), bound()},
      {"The proof divides by g - 1. For g = 1 all N² - N data share one coupler: N = 2 "
       "on POPS(4, 1) takes 2 slots, not 4.",
       "Neither d | N nor g | N: single hop may lose; N = 6 on POPS(9, 4) takes 4, ours "
       "3."});
  for (const Size order : {2U, 3U, 4U, 6U, 8U})
    for (Size d = 1; d <= order * order; ++d) {
      if (order * order % d != 0) continue;
      const Size g = order * order / d;
      table.row(listed(d, g, transpose(order)),
                {order, d, g, order % d == 0 || order % g == 0 ? ceil_div(d, g) : Cell("-")});
    }
  return table;
}

PaperTable figure_7() {
  PaperTable table{.title = "Figure 7: the permutation [-0, 1, 2, -3]",
                   .columns = {"source", "printed", "ours", "bound"},
                   .remarks = {"Destination bit |A_i| is source bit i, inverted for a minus."}};
  constexpr std::array<int, 16> printed{9, 1, 13, 5, 11, 3, 15, 7, 8, 0, 12, 4, 10, 2, 14, 6};
  const std::array<int, 4> place{3, 2, 1, 0};  // of bits 0 to 3
  const BitMap map = BitMap::from_places(place, 0b1001);
  for (Word p = 0; p < 16; ++p) table.row({p, printed[p], map(p), "-"});
  return table;
}

// The permutations of Figure 8; place(b, p) is where bit b of p goes.
struct Named {
  const char* name;
  int (*place)(int b, int p);
  bool complemented;
};
constexpr std::array<Named, 7> figure_8_maps{{
    {"transpose", [](int b, int p) { return (b + p / 2) % p; }, false},
    {"perfect shuffle", [](int b, int p) { return (b + 1) % p; }, false},
    {"unshuffle", [](int b, int p) { return (b + p - 1) % p; }, false},
    {"bit reversal", [](int b, int p) { return p - 1 - b; }, false},
    {"vector reversal", [](int b, int) { return b; }, true},
    {"bit shuffle", [](int b, int p) { return b < p / 2 ? 2 * b : 2 * (b - p / 2) + 1; }, false},
    {"shuffled row-major", [](int b, int p) { return b % 2 == 0 ? b / 2 : p / 2 + b / 2; }, false},
}};

PaperTable figure_8(const Workshop& workshop) {
  const Request shares = mapped(BitMap::from_places(std::array<int, 3>{1, 0, 2}, 1), 2);
  PlannedTable table(
      workshop, "Figure 8 and section 4.3: permutations of bits with complements, slots",
      {"permutation", "vector", "d", "g", "printed", planned("printed algorithm", "pops-stay-go"),
       ours(), bound()},
      {"Sections 4.1 and 4.2 give formulas of unshuffle and of shuffled row-major in the "
       "direction of Figure 8; both directions take 2 slots for d = g.",
       "Example of section 4.2, n = 64: b = (i5 i3 i4) and c = (i2 i0 i1), not (i5 i3 i1) and "
       "a; i = 1, j = 6 give b = 2, c = 5, i' = 7 as printed.",
       "Bit reversal in ceil(d/g) needs g >= 2; for g = 1 it takes n - 2^ceil(p/2), 2 slots for "
       "n = 4.",
       fmt::format("Optimal whenever two elements share source and destination group holds for "
                   "d <= g only: [2, -0, 1] on POPS(4, 2) takes {} by section 4.3, ours {}.",
                   workshop.ours(shares, "pops-stay-go"), workshop.ours(shares))});
  for (const Named& named : figure_8_maps)
    for (const int p : {4, 6}) {
      std::vector<int> place;
      std::string vector;
      for (int b = 0; b < p; ++b) {
        place.push_back(named.place(b, p));
        vector = fmt::format("{}{}{}{}", named.complemented ? "-" : "", place.back(),
                             b == 0 ? "" : ", ", vector);
      }
      const BitMap map = BitMap::from_places(place, named.complemented ? low_mask(p) : 0);
      for (int ld = 0; ld <= p; ++ld) {
        const Size d = bit(ld);
        const Size g = bit(p - ld);
        table.row(mapped(map, ld), {named.name, "[" + vector + "]", d, g, d <= g ? 2 : 2 * d / g});
      }
    }
  return table;
}

PaperPage page_of_catalogue(const PaperTold& told) {
  return pops_page(catalogue(), told);
}

}  // namespace

PaperPage pops_page(std::span<const Planner* const> planners, const PaperTold& told) {
  const Workshop workshop(planners);
  PaperPage page(
      "Sahni: Matrix multiplication and data routing using a partitioned "
      "optical passive stars network. IEEE TPDS, 2000",
      told);
  page.add(figure_2());
  page.add(broadcasts());
  page.add(embeddings(workshop));
  page.add(figure_3());
  page.add(uneven_products());
  page.add(figure_4(workshop));
  page.add(figure_5(workshop));
  page.add(figure_6(workshop));
  page.add(theorem_4(workshop));
  page.add(figure_7());
  page.add(figure_8(workshop));
  return page;
}

const Paper pops_paper{
    .name = "pops",
    .title =
        "Matrix multiplication and data routing using a partitioned optical passive stars network "
        "(Sahni 2000)",
    .page = page_of_catalogue,
};

}  // namespace faro::inline v1
