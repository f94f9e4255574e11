// Broadcasts.   [Gravenstreter, Melhem 1998, as in Sahni 2000, section 1; all to all in n-1: faro]
//   tested: d, g <= 5; all to all d, g <= 7
#include "planners/pops/broadcast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/pops/model.hpp"

namespace faro::inline v1 {
namespace {

std::vector<std::uint64_t> all_groups(const Pops& machine) {
  std::vector<std::uint64_t> groups(machine.groups);
  for (std::uint64_t i = 0; i < machine.groups; ++i) groups[i] = i;
  return groups;
}

ScheduleHeader header_for(const Pops& machine, const char* planner, std::uint64_t registers) {
  ScheduleHeader header;
  header.machine = machine;
  header.planner = planner;
  header.slots = registers;
  return header;
}

void push_one_to_all(const Pops& machine, Word root, ScheduleSink& sink) {
  const std::uint64_t n = pops::processors(machine);
  ScheduleHeader header = header_for(machine, "pops-one-to-all", n == 1 ? 1 : 2);
  header.goal = BroadcastGoal{root};
  header.result.assign(n, 1);
  header.result[root] = 0;
  sink.begin(header);
  if (n > 1) {
    PopsSlot slot;
    slot.sends.push_back({root, 0, all_groups(machine)});
    for (Word p = 0; p < n; ++p)
      if (p != root) slot.receives.push_back({p, pops::group_of(machine, root), 1});
    sink.step(slot);
  }
  sink.finish();
}

// Everybody hears every coupler; slot t carries the data of local index t.
void push_all_at_once(const Pops& machine, ScheduleSink& sink) {
  PopsSlot slot;
  for (std::uint64_t t = 0; t < machine.group_size; ++t) {
    slot.clear();
    for (std::uint64_t k = 0; k < machine.groups; ++k)
      slot.sends.push_back({k * machine.group_size + t, 0, all_groups(machine)});
    for (Word p = 0; p < pops::processors(machine); ++p)
      for (std::uint64_t k = 0; k < machine.groups; ++k) {
        const Word from = k * machine.group_size + t;
        if (from != p) slot.receives.push_back({p, k, static_cast<Slot>(1 + from)});
      }
    sink.step(slot);
  }
}

// The datum that group k sends in slot t.
Word sender(const Pops& machine, std::uint64_t k, std::uint64_t t) {
  return k * machine.group_size + (t + k) / machine.groups % machine.group_size;
}

// For one listener: the group it hears in each slot, so that it hears every foreign datum once. A
// bipartite matching of slots with data, by augmenting paths.
class Listening {
 public:
  Listening(const Pops& machine, Word listener)
      : machine_(machine),
        listener_(listener),
        slots_(pops::processors(machine) - 1),
        slot_of_(slots_ + 1, nobody) {}

  std::vector<std::uint64_t> groups() {
    for (std::uint64_t t = 0; t < slots_; ++t) {
      seen_.assign(slots_ + 1, false);
      FARO_CHECK(place(t));
    }
    std::vector<std::uint64_t> hears(slots_, 0);
    for (Word from = 0; from < slot_of_.size(); ++from)
      if (from != listener_) hears[slot_of_[from]] = pops::group_of(machine_, from);
    return hears;
  }

 private:
  static constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();

  bool place(std::uint64_t t) {
    for (std::uint64_t k = 0; k < machine_.groups; ++k) {
      const Word from = sender(machine_, k, t);
      if (from == listener_ || seen_[from]) continue;
      seen_[from] = true;
      if (slot_of_[from] != nobody && !place(slot_of_[from])) continue;
      slot_of_[from] = t;
      return true;
    }
    return false;
  }

  Pops machine_;
  Word listener_;
  std::uint64_t slots_;
  std::vector<std::uint64_t> slot_of_;
  std::vector<bool> seen_;
};

void push_all_one_by_one(const Pops& machine, ScheduleSink& sink) {
  const std::uint64_t n = pops::processors(machine);
  std::vector<std::vector<std::uint64_t>> hears;
  if (machine.groups > 1)
    for (Word p = 0; p < n; ++p) hears.push_back(Listening(machine, p).groups());
  const std::uint64_t slots = machine.groups > 1 ? n - 1 : n;
  PopsSlot slot;
  for (std::uint64_t t = 0; t < slots; ++t) {
    slot.clear();
    for (std::uint64_t k = 0; k < machine.groups; ++k)
      slot.sends.push_back(
          {machine.groups > 1 ? sender(machine, k, t) : t, 0, all_groups(machine)});
    for (Word p = 0; p < n; ++p)
      if (machine.groups > 1)
        slot.receives.push_back({p, hears[p][t], static_cast<Slot>(1 + t)});
      else if (p != t)
        slot.receives.push_back({p, 0, static_cast<Slot>(1 + t)});
    sink.step(slot);
  }
}

void push_all_to_all(const Pops& machine, ScheduleSink& sink) {
  const std::uint64_t n = pops::processors(machine);
  ScheduleHeader header = header_for(machine, "pops-all-to-all", n + 1);
  header.goal = BroadcastGoal{};
  sink.begin(header);
  if (n > 1)
    machine.multi_receive ? push_all_at_once(machine, sink) : push_all_one_by_one(machine, sink);
  sink.finish();
}

class Personalised {
 public:
  Personalised(const Pops& machine, ScheduleSink& sink)
      : d_(machine.group_size), g_(machine.groups), n_(d_ * g_), sink_(sink) {
    ScheduleHeader header = header_for(machine, "pops-personalised", 2 * n_);
    MovesGoal goal;
    for (Word p = 0; p < n_; ++p)
      for (Word q = 0; q < n_; ++q)
        if (p != q) goal.moves.push_back({p, static_cast<Slot>(q), q, static_cast<Slot>(n_ + p)});
    header.goal = std::move(goal);
    sink_.begin(header);
  }

  void push() {
    if (g_ == 1)
      one_by_one();
    else if (d_ >= g_)
      tall();
    else
      wide();
    sink_.finish();
  }

 private:
  void add(Word p, Word q) {
    if (p == q) return;
    slot_.sends.push_back({p, static_cast<Slot>(q), {q / d_}});
    slot_.receives.push_back({q, p / d_, static_cast<Slot>(n_ + p)});
  }
  void end() {
    if (!slot_.sends.empty()) sink_.step(slot_);
    slot_.clear();
  }

  void one_by_one() {
    for (Word p = 0; p < n_; ++p)
      for (Word q = 0; q < n_; ++q) {
        add(p, q);
        end();
      }
  }
  // Every coupler carries a datum in all d² slots.
  void tall() {
    for (std::uint64_t a = 0; a < d_; ++a)
      for (std::uint64_t b = 0; b < d_; ++b) {
        for (std::uint64_t i = 0; i < g_; ++i)
          for (std::uint64_t j = 0; j < g_; ++j) add(i * d_ + (a + j) % d_, j * d_ + (b + i) % d_);
        end();
      }
  }
  // Every processor sends in all n-1 slots.
  void wide() {
    for (std::uint64_t t = 0; t < d_; ++t)
      for (std::uint64_t s = 0; s + (t == 0 ? 1 : 0) < g_; ++s) {
        for (std::uint64_t i = 0; i < g_; ++i)
          for (std::uint64_t a = 0; a < d_; ++a) {
            const std::uint64_t j = t == 0 ? (i + 1 + (s + a) % (g_ - 1)) % g_ : (i + s + a) % g_;
            add(i * d_ + a, j * d_ + (a + t) % d_);
          }
        end();
      }
  }

  std::uint64_t d_;
  std::uint64_t g_;
  std::uint64_t n_;
  ScheduleSink& sink_;
  PopsSlot slot_;
};

}  // namespace

std::optional<std::string> broadcast_refusal(const Pops& machine, PopsBroadcast kind) {
  const std::uint64_t most = kind == PopsBroadcast::one_to_all ? limits::one_to_all_processors_max
                             : kind == PopsBroadcast::all_to_all
                                 ? limits::all_to_all_processors_max
                                 : limits::personalised_processors_max;
  const std::uint64_t n = pops::processors(machine);
  if (n <= most) return std::nullopt;
  return fmt::format("{} processors; such schedules are listed for at most {}", n, most);
}

Formula broadcast_slots(const Pops& machine, PopsBroadcast kind) {
  const Count d = machine.group_size;
  const Count n = pops::processors(machine);
  if (n == 1) return {0, "0: one processor"};
  if (kind == PopsBroadcast::one_to_all) return {1, "1"};
  if (kind == PopsBroadcast::all_to_all) {
    if (machine.multi_receive || machine.groups == 1) return {d, "d"};
    return {n - 1, "n-1"};
  }
  if (machine.groups == 1) return {d * (d - 1), "d(d-1)"};
  return {std::max(d * d, n - 1), "max(d², n-1)"};
}

PaperCount broadcast_paper(const Pops& machine, PopsBroadcast kind) {
  const char* citation = "Sahni 2000, section 1";
  if (kind == PopsBroadcast::one_to_all) return {citation, {1, "1"}};
  if (kind == PopsBroadcast::all_to_all && machine.multi_receive) return {citation, {1, "1"}};
  if (kind == PopsBroadcast::all_to_all) return {citation, {pops::processors(machine), "n"}};
  return {"Gravenstreter, Melhem 1998", broadcast_slots(machine, kind)};
}

namespace {

Certificate broadcast_certificate(const Pops& machine, PopsBroadcast kind, bool couplers) {
  if (couplers && kind == PopsBroadcast::personalised) return certificate::Hops{};
  if (couplers && machine.groups == 1) return certificate::Group{0, certificate::Way::out};
  return certificate::Port{0, certificate::Way::in};
}

}  // namespace

Bound broadcast_bound(const Pops& machine, PopsBroadcast kind) {
  const Count value = broadcast_slots(machine, kind).value;
  if (value == 0) return {0, "nothing moves", {}};
  if (kind == PopsBroadcast::one_to_all) return {1, "something moves", certificate::Distance{0, 0}};
  const bool couplers = machine.groups == 1 || machine.multi_receive ||
                        (kind == PopsBroadcast::personalised &&
                         machine.group_size * machine.group_size >= pops::processors(machine));
  return {value,
          couplers ? "what a coupler must carry, one message a slot"
                   : "every processor hears n-1 data, one a slot",
          broadcast_certificate(machine, kind, couplers)};
}

void push_broadcast(const Pops& machine, PopsBroadcast kind, Word root, ScheduleSink& sink) {
  if (const auto why = broadcast_refusal(machine, kind)) throw Error(ErrorCode::limit, *why);
  FARO_CHECK(root < pops::processors(machine));
  switch (kind) {
    case PopsBroadcast::one_to_all:
      push_one_to_all(machine, root, sink);
      break;
    case PopsBroadcast::all_to_all:
      push_all_to_all(machine, sink);
      break;
    case PopsBroadcast::personalised:
      Personalised(machine, sink).push();
      break;
  }
}

namespace {

template <PopsBroadcast kind>
std::optional<std::string> refusal(const Request& request) {
  const auto* broadcast = request.get_if<Broadcast>();
  if (broadcast == nullptr || broadcast->kind != kind) return "it is another kind of broadcast";
  const auto* machine = std::get_if<Pops>(&request.machine());
  if (machine == nullptr) return "it is for POPS networks";
  return broadcast_refusal(*machine, kind);
}

template <PopsBroadcast kind>
Offer offer(const Request& request) {
  const Pops machine = std::get<Pops>(request.machine());
  const Word root = request.get_if<Broadcast>()->root;
  return {
      .estimate = {.cost = broadcast_slots(machine, kind), .paper = broadcast_paper(machine, kind)},
      .push = [machine, root](ScheduleSink& sink) { push_broadcast(machine, kind, root, sink); }};
}

template <PopsBroadcast kind>
constexpr PlannerEntry entry(std::string_view name, std::string_view title, std::string_view needs,
                             std::string_view cost, std::string_view citation) {
  return PlannerEntry({.name = name,
                       .machine = "pops, broadcasts (faro broadcast)",
                       .title = title,
                       .needs = needs,
                       .cost = cost,
                       .citation = citation,
                       .refusal = refusal<kind>,
                       .offer = offer<kind>,
                       .computes = true});
}

}  // namespace

const PlannerEntry pops_one_to_all =
    entry<PopsBroadcast::one_to_all>("pops-one-to-all", "the root drives all couplers of its group",
                                     "at most 2^24 processors", "1", "Gravenstreter, Melhem 1998");

const PlannerEntry pops_all_to_all = entry<PopsBroadcast::all_to_all>(
    "pops-all-to-all", "each hears each once, by matching; several at once with multi-receive",
    "at most 1024 processors", "n - 1; d for one group and with multi-receive",
    "faro, after Gravenstreter, Melhem 1998");

const PlannerEntry pops_personalised = entry<PopsBroadcast::personalised>(
    "pops-personalised", "each to each its own over the direct coupler", "at most 4096 processors",
    "max(d², n - 1); d(d - 1) for one group", "Gravenstreter, Melhem 1998");

}  // namespace faro::inline v1
