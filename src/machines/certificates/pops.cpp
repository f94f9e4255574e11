// Certificates on a POPS network, on ranks and on trees of them: how many data move between which
// groups.
//
// A coupler from group to group carries one datum a slot. D(i, j) is how many move from i to j.
//
//   pair    two data of one (i, j) are not done in one slot
//   hops    in k slots at most k data of (i, j) use their own coupler, the others two couplers
//           between groups: the sum of 2 D - min(D, k) over i != j, and of 2 (D - k) over what
//           exceeds k inside a group, is at most k (g² - g), less what idle couplers lose
//   idle    i -> j in the first slot where nothing goes from i to j, and all that leaves i goes to
//           groups that i and j both have more than k data for: j is two couplers away from them as
//           i is; likewise in the last slot, of what comes to j
//   group   in the last slot only what goes straight home leaves a group: what leaves it is at most
//           (k - 1)(g - 1) + the groups it has data for, where of what moves inside it all but k
//           leave too; likewise what comes, in the first slot
//   weights every datum pays at least its cheapest way, a slot pays all weights once
#include <fmt/format.h>

#include <algorithm>

#include "faro/base/limits.hpp"
#include "machines/certificates/check.hpp"
#include "machines/pops/model.hpp"

namespace faro::inline v1::certificates {
namespace {

using namespace certificate;

Count above(Count a, Count b) {
  return a > b ? a - b : Count{0};
}

// D, as a table.
class Table {
 public:
  Table(const Pops& pops, const Demand& demand) : groups_(pops.groups) {
    if (groups_ > limits::certificate_groups_max)
      throw Unchecked{fmt::format("tables of more than {} groups are not made",
                                  limits::certificate_groups_max)};
    data_.assign(groups_ * groups_, 0);
    const bool listed = demand.spell_out(
        limits::certificate_elements_log2_max, [&](Word from, Word to, Count elements) {
          if (from != to) at(from / pops.group_size, to / pops.group_size) += elements;
        });
    if (!listed) by_ranks(pops, demand);
  }
  std::size_t groups() const { return groups_; }
  Count operator()(std::size_t i, std::size_t j) const { return data_[i * groups_ + j]; }

 private:
  Count& at(std::size_t i, std::size_t j) { return data_[i * groups_ + j]; }
  void by_ranks(const Pops& pops, const Demand& demand) {
    if (demand.is_list()) throw Unchecked{"there are too many elements to count them"};
    std::vector<Word> forms;
    const int local = log2_exact(pops.group_size);
    for (int b = 0; b < log2_exact(pops.groups); ++b) forms.push_back(bit(local + b));
    data_.assign(groups_ * groups_, 0);
    demand.project(forms, [&](Word i, Word j, Count elements) { at(i, j) += elements; });
    for (Word i = 0; i < groups_; ++i) at(i, i) -= demand.staying(forms, i);
  }

  std::size_t groups_;
  std::vector<Count> data_;
};

Proved of_weights(const Pops& pops, const Demand& demand, const Weights& weights) {
  const Table table(pops, demand);
  const std::size_t g = table.groups();
  std::vector<Count> weight(g * g, 0);
  Count total = 0;
  for (const Weights::Link& w : weights.links) {
    if (w.from >= g || w.to >= g)
      return fault("the certificate weighs a coupler from group {} to {}; there are {} groups",
                   w.from, w.to, g);
    weight[w.from * g + w.to] += w.weight;
    total += w.weight;
  }
  if (total == 0) return fault("the certificate's weights are all zero");
  // Cheapest ways over any number of couplers; of a group to itself over one or more.
  std::vector<Count> way = weight;
  for (std::size_t i = 0; i < g; ++i) way[i * g + i] = 0;
  for (std::size_t x = 0; x < g; ++x)
    for (std::size_t i = 0; i < g; ++i)
      for (std::size_t j = 0; j < g; ++j)
        way[i * g + j] = std::min(way[i * g + j], way[i * g + x] + way[x * g + j]);
  Count paid = 0;
  for (std::size_t i = 0; i < g; ++i)
    for (std::size_t j = 0; j < g; ++j) {
      Count price = i == j ? weight[i * g + i] : way[i * g + j];
      for (std::size_t x = 0; i == j && x < g; ++x)
        if (x != i) price = std::min(price, way[i * g + x] + way[x * g + i]);
      paid += table(i, j) * price;
    }
  return {ceil_div(paid, total)};
}

// The couplers that are idle in the first slot and those idle in the last.
Count idle_couplers(const Table& d, Count k) {
  const std::size_t g = d.groups();
  Count count = 0;
  const auto is_useful = [&](std::size_t i, std::size_t j, bool first) {
    const auto data = [&](std::size_t a, std::size_t b) { return first ? d(a, b) : d(b, a); };
    if (data(i, j) > 0) return true;
    for (std::size_t b = 0; b < g; ++b) {
      const bool leaves = b == i ? data(i, i) > k : data(i, b) > 0;
      if (leaves && (data(i, b) <= k || data(j, b) <= k)) return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < g; ++i)
    for (std::size_t j = 0; j < g; ++j)
      for (const bool first : {true, false}) count += i != j && !is_useful(i, j, first);
  return count;
}

// Over couplers between different groups, and by the processors that send.
bool hops_possible(const Table& d, Count k, Count processors) {
  const Count g = d.groups();
  Count hops = 0;
  Count sends = 0;
  for (std::size_t i = 0; i < d.groups(); ++i)
    for (std::size_t j = 0; j < d.groups(); ++j) {
      const Count each = 2 * d(i, j) - std::min(d(i, j), k);
      sends += each;
      hops += i == j ? 2 * above(d(i, i), k) : each;
    }
  if (hops > k * (g * g - g) || sends > k * processors) return false;
  return k < 2 || hops + idle_couplers(d, k) <= k * (g * g - g);
}

bool group_possible(const Table& d, const Group& group, Count k) {
  Count crossing = above(d(group.group, group.group), k);
  Count others = 0;
  for (std::size_t j = 0; j < d.groups(); ++j) {
    if (j == group.group) continue;
    const Count data = group.way == Way::out ? d(group.group, j) : d(j, group.group);
    crossing += data;
    others += data > 0 ? 1 : 0;
  }
  return crossing <= (k - 1) * (Count{d.groups()} - 1) + others;
}

// What is possible in k slots is in more: the first k, from `value` - 1 down, that is not.
template <class Possible>
Proved refuting(Count value, Possible&& possible) {
  if (!possible(value - 1)) return {value};
  return fault("the certificate does not refute {} slots", to_string(value - 1));
}

Proved of_pair(const Pops& pops, const Demand& demand, const Pair& pair) {
  const auto first = demand.goal_of_any(pair.first);
  const auto second = demand.goal_of_any(pair.second);
  if (pair.first == pair.second || !first || !second || *first == pair.first ||
      *second == pair.second)
    return fault("the certificate's elements are no two that move");
  if (pair.first / pops.group_size != pair.second / pops.group_size ||
      *first / pops.group_size != *second / pops.group_size)
    return fault("the certificate's elements do not share source and destination group");
  return {2};
}

// One that moves takes a slot.
Proved of_moving(const Demand& demand, const Distance& c) {
  const std::optional<Word> to = demand.goal_of(c.processor, c.slot);
  if (!to || *to == c.processor) return fault("the certificate's element does not move");
  return {1};
}

Count of_port(const Demand& demand, const Port& c) {
  return c.way == Way::out ? demand.leaving(c.processor) : demand.coming(c.processor);
}

}  // namespace

Proved pops_proves(const Pops& pops, const Demand& demand, const Bound& bound) {
  const Count value = bound.value;
  if (const auto* c = std::get_if<Distance>(&bound.certificate)) return of_moving(demand, *c);
  if (const auto* c = std::get_if<Pair>(&bound.certificate)) return of_pair(pops, demand, *c);
  if (const auto* c = std::get_if<Port>(&bound.certificate)) {
    if (c->way == Way::in && pops.multi_receive)
      return {ceil_div(demand.coming(c->processor), pops.groups)};
    return {of_port(demand, *c)};
  }
  if (const auto* c = std::get_if<Weights>(&bound.certificate)) return of_weights(pops, demand, *c);
  if (const auto* c = std::get_if<Group>(&bound.certificate)) {
    if (c->group >= pops.groups) return fault("the certificate names a group beyond the network");
    if (value < 2) return {1};
    const Table table(pops, demand);
    return refuting(value, [&](Count k) { return group_possible(table, *c, k); });
  }
  if (std::holds_alternative<Hops>(bound.certificate)) {
    if (value < 2) return {1};
    const Table table(pops, demand);
    return refuting(value,
                    [&](Count k) { return hops_possible(table, k, pops::processors(pops)); });
  }
  return other_machine();
}

namespace {

// What leaves the processors below a switch goes over its links.
Proved of_switch(const Crossbar& ranks, const Demand& demand, const Cut& cut) {
  for (const Parity& c : cut.where)
    if ((c.mask & ~low_mask(ranks.bits)) != 0)
      return fault("the certificate's cut names a bit beyond the ranks");
  const AffineSpace group = AffineSpace::where(ranks.bits, cut.where);
  for (const Crossbar::Tier& tier : ranks.tiers) {
    if (group.empty() || group.dimension() != tier.processors_log2) continue;
    const Word below = low_mask(tier.processors_log2);
    if (std::any_of(group.constraints().begin(), group.constraints().end(),
                    [below](const Parity& c) { return (c.mask & below) != 0; }))
      continue;
    const Count leaving = demand.count(cut.where, {}) - demand.count(cut.where, cut.where);
    return {ceil_div(leaving, Count{1} << tier.up_log2)};
  }
  return fault("the certificate's processors are not those below one switch");
}

}  // namespace

Proved ranks_proves(const Crossbar& ranks, const Demand& demand, const Bound& bound) {
  if (const auto* c = std::get_if<Cut>(&bound.certificate)) return of_switch(ranks, demand, *c);
  if (const auto* c = std::get_if<Distance>(&bound.certificate)) return of_moving(demand, *c);
  if (const auto* c = std::get_if<Port>(&bound.certificate)) return {of_port(demand, *c)};
  return other_machine();
}

// Everybody's datum is to come to everybody.
Proved broadcast_proves(const Pops& pops, const BroadcastGoal& goal, const Bound& bound) {
  const Count n = pops::processors(pops);
  if (n == 1) return {0};
  if (std::holds_alternative<Distance>(bound.certificate)) return {1};
  if (const auto* c = std::get_if<Port>(&bound.certificate)) {
    if (Count{c->processor} >= n)
      return fault("the certificate names a processor beyond the network");
    if (goal.root || c->way == Way::out) return {1};
    return {ceil_div(n - 1, pops.multi_receive ? pops.groups : 1)};
  }
  // A coupler carries its group's data, each once at least; to its own group too unless a processor
  // is all of it.
  if (const auto* c = std::get_if<Group>(&bound.certificate)) {
    if (c->group >= pops.groups) return fault("the certificate names a group beyond the network");
    if (goal.root) return {1};
    return {pops.groups == 1 && pops.group_size > 1 ? Count{pops.group_size} : Count{1}};
  }
  return other_machine();
}

namespace {

// The entries of A in a row of which a group has so many processors: all, but the one that its only
// processor holds. Of B and columns likewise.
Count told(const std::vector<std::uint64_t>& processors, std::uint64_t order) {
  Count sum = 0;
  for (const std::uint64_t count : processors)
    if (count > 0) sum += count == 1 ? order - 1 : order;
  return sum;
}

Count lacked_by_group(const Pops& pops, std::uint64_t order, std::uint64_t group) {
  std::vector<std::uint64_t> of_row(order);
  std::vector<std::uint64_t> of_column(order);
  const Count end = Count{group + 1} * pops.group_size;
  for (Count p = Count{group} * pops.group_size; p < end && p < Count{order} * order; ++p) {
    ++of_row[static_cast<std::size_t>(p / order)];
    ++of_column[static_cast<std::size_t>(p % order)];
  }
  return told(of_row, order) + told(of_column, order);
}

}  // namespace

// Certificates of products of matrices on a POPS network, of schedules that form every term of
// C[i,j] where it ends: then processor iN + j needs the N entries A[i,.] and the N entries B[.,j],
// each in a message of its own, for sums do not say their summands.
//
//   port   the entries that a processor lacks, one a slot, or one from each group
//   group  the entries that somebody in a group lacks, over the g couplers to it
Proved product_proves(const Pops& pops, const MatmulGoal& goal, const Bound& bound) {
  const std::string where = "schedules that form each term of C[i,j] where it ends";
  const std::uint64_t order = goal.order;
  const Count places = Count{order} * order;
  if (order == 0 || places > Count{pops::processors(pops)})
    return fault("the matrices do not fit the network");
  if (order > limits::matmul_order_max) throw Unchecked{"there are too many entries to count them"};
  if (const auto* c = std::get_if<Port>(&bound.certificate)) {
    if (c->way != Way::in || Count{c->processor} >= places)
      return fault("the certificate names no processor that needs entries");
    return {ceil_div(Count{2} * (order - 1), pops.multi_receive ? pops.groups : 1), {}, where};
  }
  if (const auto* c = std::get_if<Group>(&bound.certificate)) {
    if (c->way != Way::in || c->group >= pops.groups)
      return fault("the certificate names no group that needs entries");
    return {ceil_div(lacked_by_group(pops, order, c->group), pops.groups), {}, where};
  }
  return other_machine();
}

}  // namespace faro::inline v1::certificates
