// Fewest slots for h-relations.   [faro]
//   applies:  K >= 2 elements of each processor, listed or given by a map
//   cost:     found by search: at least the bound, at most the classes of pops-relation and K times
//             the plan for one element
//   bound:    h; the demand's bounds
#include "planners/pops/relation_search.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "machines/pops/bounds.hpp"
#include "machines/pops/model.hpp"
#include "planners/pops/fewest.hpp"
#include "planners/pops/relation.hpp"
#include "planners/pops/relation_routes.hpp"

namespace faro::inline v1::pops {
namespace {

// Prices looked at, some seconds in all; a search for one number of slots stops after a share.
constexpr std::uint64_t relation_work_max = 800'000'000;
constexpr std::uint64_t work_of_start = 40'000'000;
constexpr std::uint64_t relation_starts_max = 2;
// Parts are cut so small that a start can look at every datum's routes so many times.
constexpr std::uint64_t rounds_min = 20;

using Packets = std::vector<Packet>;

std::uint32_t most_of_a_processor(const Pops& machine, const Packets& data) {
  std::vector<std::uint32_t> sent(processors(machine), 0);
  std::vector<std::uint32_t> received = sent;
  std::uint32_t most = 0;
  for (const Packet& p : data) most = std::max({most, ++sent[p.from], ++received[p.to]});
  return most;
}

Count least_slots(const Pops& machine, const Packets& data) {
  PopsDemand demand(machine.groups);
  for (const Packet& p : data) ++demand(group_of(machine, p.from), group_of(machine, p.to));
  return std::max({pops_bound(demand).value, pops_senders_bound(demand, processors(machine)).value,
                   Count{most_of_a_processor(machine, data)}});
}

class Search {
 public:
  explicit Search(const Pops& machine) : machine_(machine) {}

  // A plan of fewer slots than `packets`, or `packets`.
  Packets improved(Packets packets) {
    const auto low = static_cast<std::uint32_t>(least_slots(machine_, packets));
    auto high = static_cast<std::uint32_t>(slots_of(packets));
    for (std::uint32_t k = low; k < high && left_ > 0; ++k)
      for (std::uint64_t seed = 0; seed < relation_starts_max && left_ > 0; ++seed) {
        const std::uint64_t share = std::min(work_of_start, left_);
        std::uint64_t work = share;
        auto found = negotiated_routes(machine_, packets, k, seed, work);
        left_ -= share - work;
        if (found) return std::move(*found);
      }
    return packets;
  }

  // Whether a start can look at all routes of so many data often enough.
  bool takes(std::uint64_t data, std::uint64_t slots) const {
    const std::uint64_t each = slots * (4 * machine_.groups + slots);
    return data == 0 || each <= work_of_start / rounds_min / data;
  }

 private:
  const Pops& machine_;
  std::uint64_t left_ = relation_work_max;
};

void append(Packets& all, Packets part, std::uint32_t& slot) {
  std::uint32_t end = slot;
  for (Packet& p : part) {
    p.first += slot;
    p.second += slot;
    end = std::max(end, (p.relay == no_relay ? p.first : p.second) + 1);
    all.push_back(p);
  }
  slot = end;
}

// Slots in which nothing is sent taken out.
Packets without_gaps(Packets packets) {
  std::vector<std::uint32_t> place;
  const auto use = [&place](std::uint32_t slot) {
    if (slot >= place.size()) place.resize(slot + std::size_t{1}, 0);
    place[slot] = 1;
  };
  for (const Packet& p : packets) {
    use(p.first);
    if (p.relay != no_relay) use(p.second);
  }
  std::uint32_t next = 0;
  for (std::uint32_t& s : place) s = s == 0 ? 0 : next++;
  for (Packet& p : packets) {
    p.first = place[p.first];
    if (p.relay != no_relay) p.second = place[p.second];
  }
  return packets;
}

// All K elements of a processor move to one destination: the plan for one, and for as many at a
// time as the search can take.
Packets alike(const Pops& machine, const std::vector<Word>& to, std::uint64_t elements,
              const Packets& data, Search& search) {
  const Packets one = without_gaps(fewest_slots(machine, to));
  std::vector<Packet> route_of(to.size());
  for (const Packet& p : one) route_of[p.from] = p;
  // The plan for one, for the elements begin..end-1 one after the other.
  const auto repeated = [&](std::uint64_t begin, std::uint64_t end) {
    Packets all;
    std::uint32_t slot = 0;
    for (std::uint64_t s = begin; s < end; ++s) {
      Packets part;
      for (const Packet& p : data)
        if (p.from_register == s) {
          Packet routed = p;
          routed.relay = route_of[p.from].relay;
          routed.first = route_of[p.from].first;
          routed.second = route_of[p.from].second;
          part.push_back(routed);
        }
      append(all, std::move(part), slot);
    }
    return all;
  };
  const auto slots = static_cast<std::uint64_t>(slots_of(one));
  std::uint64_t together = 1;
  while (together < elements && search.takes((together + 1) * one.size(), (together + 1) * slots))
    ++together;
  if (together == 1) return repeated(0, elements);
  Packets all;
  std::uint32_t slot = 0;
  const Packets part = search.improved(repeated(0, together));
  std::uint64_t done = 0;
  for (; done + together <= elements; done += together) {
    Packets shifted = part;
    for (Packet& p : shifted) {
      p.from_register += static_cast<Slot>(done);
      p.to_register += static_cast<Slot>(done);
    }
    append(all, without_gaps(std::move(shifted)), slot);
  }
  append(all, search.improved(repeated(done, elements)), slot);
  return all;
}

// Any h-relation: the plan by classes, as many of them at a time as the search can take.
Packets by_classes(const Pops& machine, const RelationData& relation, Search& search) {
  Packets packets = without_gaps(relation_hops(machine, relation.data, relation.h));
  std::sort(packets.begin(), packets.end(),
            [](const Packet& a, const Packet& b) { return a.first < b.first; });
  const auto class_end = [&packets](std::size_t begin) {
    std::size_t end = begin;
    while (end < packets.size() && packets[end].first == packets[begin].first) ++end;
    return end;
  };
  Packets all;
  std::uint32_t slot = 0;
  for (std::size_t begin = 0; begin < packets.size();) {
    std::size_t end = class_end(begin);
    std::uint64_t slots = 2;
    while (end < packets.size() && search.takes(class_end(end) - begin, slots + 2)) {
      end = class_end(end);
      slots += 2;
    }
    const auto at = [&packets](std::size_t i) {
      return packets.begin() + static_cast<std::ptrdiff_t>(i);
    };
    Packets part = without_gaps(Packets(at(begin), at(end)));
    if (search.takes(part.size(), slots)) part = search.improved(std::move(part));
    append(all, std::move(part), slot);
    begin = end;
  }
  return all;
}

bool is_permutation(const std::vector<Word>& to) {
  std::vector<bool> taken(to.size(), false);
  for (const Word q : to) {
    if (q >= to.size() || taken[q]) return false;
    taken[q] = true;
  }
  return true;
}

std::optional<std::string> search_refusal(const Request& request) {
  if (auto why = relation_refusal(request)) return why;
  if (request.elements() < 2) return "one element a processor has planners of its own";
  return std::nullopt;
}

Offer search_offer(const Request& request) {
  const Pops& machine = std::get<Pops>(request.machine());
  auto relation = std::make_shared<const RelationData>(relation_of(request));
  Search search(machine);
  const std::vector<Word> to = destinations(request);
  Packets best = is_permutation(to) ? alike(machine, to, request.elements(), relation->data, search)
                                    : by_classes(machine, *relation, search);
  const Count slots = slots_of(best);
  auto packets = std::make_shared<const Packets>(std::move(best));
  return {.estimate = {{slots, "found by search"}},
          .push = [relation, packets](ScheduleSink& sink) {
            emit_relation(*relation, pops_relation_search.name(), *packets, sink);
          }};
}

}  // namespace
}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

const PlannerEntry pops_relation_search({
    .name = "pops-relation-search",
    .machine = "pops",
    .title = "a search from the lower bound up for all elements at once",
    .needs = "K >= 2 elements a processor, listed or a map",
    .cost = "at most K plans for one element, and the classes of pops-relation; often the bound",
    .refusal = pops::search_refusal,
    .offer = pops::search_offer,
    .searches = true,
});

}  // namespace faro::inline v1
