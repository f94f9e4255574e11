// Which lane each slot takes, and when.
#include "planners/cube/shuffle/exchange_lanes.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <utility>

#include "base/check.hpp"

namespace faro::inline v1 {
namespace {

// n operations, fewer than n extra ones, one complement before and some after where there is no
// operation.
constexpr std::size_t operations_of_slot_max = 128;
using Done = std::bitset<operations_of_slot_max>;

// All operations that slots may take: those of every program, then a complement of each bit.
struct Catalogue {
  std::vector<RowOperation> operations;
  std::vector<std::size_t> begin;  // of each program; the last one: of the complements
};

Catalogue catalogue_of(int bits, const std::vector<std::vector<RowOperation>>& programs) {
  Catalogue all;
  for (const std::vector<RowOperation>& program : programs) {
    all.begin.push_back(all.operations.size());
    all.operations.insert(all.operations.end(), program.begin(), program.end());
  }
  all.begin.push_back(all.operations.size());
  for (int d = 0; d < bits; ++d) all.operations.push_back({d, 0, 1});
  return all;
}

// Programs that begin with different bits.
std::vector<std::vector<RowOperation>> programs_in_turn(const BitMatrix& matrix,
                                                        std::size_t count) {
  const int n = matrix.rows();
  std::vector<std::vector<RowOperation>> programs;
  for (std::size_t g = 0; g < count; ++g) {
    const int first = static_cast<int>(g * static_cast<std::size_t>(n) / count);
    programs.push_back(operations_in_turn(matrix, first, n / static_cast<int>(count)));
  }
  return programs;
}

// What a slot does: indices into the catalogue, and its constants.
struct Task {
  std::vector<std::uint16_t> operations;
  std::vector<std::uint8_t> constants;
};

// Of a program: the operations after which a bit gets no other.
std::vector<bool> last_ones(const Catalogue& all, std::size_t program) {
  std::vector<bool> last(all.begin[program + 1] - all.begin[program]);
  Word seen = 0;
  for (std::size_t i = last.size(); i-- > 0;) {
    const int d = all.operations[all.begin[program] + i].dimension;
    last[i] = !has_bit(seen, d);
    seen |= bit(d);
  }
  return last;
}

// A slot's choice: bits complemented before, and constants of operations that are not a bit's last.
struct Choice {
  Word before = 0;
  std::optional<std::size_t> toggled;  // an operation of the program
};

Task task_of(const Catalogue& all, std::size_t program, const std::vector<bool>& last,
             Word complement, const Choice& choice) {
  Task task;
  const std::size_t complements = all.begin.back();
  const auto add = [&task](std::size_t operation, unsigned constant) {
    task.operations.push_back(static_cast<std::uint16_t>(operation));
    task.constants.push_back(static_cast<std::uint8_t>(constant));
  };
  for (Word rest = choice.before; rest != 0; rest &= rest - 1)
    add(complements + static_cast<std::size_t>(lowest_bit(rest)), 1);
  Word carried = choice.before;  // the constant part of what the bits hold
  Word served = 0;
  for (std::size_t i = 0; i < last.size(); ++i) {
    const RowOperation& o = all.operations[all.begin[program] + i];
    const unsigned incoming = parity(o.mask & carried);
    unsigned constant = choice.toggled == i ? 1 : 0;
    if (last[i])
      constant = (has_bit(carried, o.dimension) ? 1U : 0U) ^
                 (has_bit(complement, o.dimension) ? 1U : 0U) ^ incoming;
    carried ^= Word{incoming ^ constant} << o.dimension;
    served |= bit(o.dimension);
    add(all.begin[program] + i, constant);
  }
  for (Word rest = (carried ^ complement) & ~served; rest != 0; rest &= rest - 1)
    add(complements + static_cast<std::size_t>(lowest_bit(rest)), 1);
  FARO_CHECK(task.operations.size() <= operations_of_slot_max);
  return task;
}

// How full the lanes are, and how long the dimensions are busy.
class Loads {
 public:
  Loads(const Catalogue& all, Hypercube::Ports ports)
      : all_(all), ports_(ports), lanes_(all.operations.size()) {}

  void add(const Task& task) { change(task, 1); }
  void remove(const Task& task) { change(task, -1); }

  // The price of the loads as they are: with all ports the busiest dimension counts most.
  std::uint64_t price() const {
    if (ports_ == Hypercube::Ports::one) {
      std::uint64_t sum = 0;
      for (const std::uint64_t b : busy_) sum += b;
      return sum;
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t b : busy_) sum += b * b * b * b;
    return sum;
  }

 private:
  void change(const Task& task, int by) {
    for (std::size_t i = 0; i < task.operations.size(); ++i) {
      const std::size_t o = task.operations[i];
      auto& lane = lanes_[o];
      auto& busy = busy_[static_cast<std::size_t>(all_.operations[o].dimension)];
      busy -= static_cast<std::uint64_t>(std::max(lane[0], lane[1]));
      lane[task.constants[i]] += by;
      busy += static_cast<std::uint64_t>(std::max(lane[0], lane[1]));
    }
  }

  const Catalogue& all_;
  Hypercube::Ports ports_;
  std::vector<std::array<std::int64_t, 2>> lanes_;
  std::array<std::uint64_t, word_bits> busy_{};
};

enum class Balance { no, yes };

// Slot after slot takes the choice with which the dimensions stay least busy.
std::vector<Task> tasks_of(const Catalogue& all, const std::vector<Word>& complements,
                           Hypercube::Ports ports, Balance balance) {
  const std::size_t programs = all.begin.size() - 1;
  std::vector<std::vector<bool>> last;
  for (std::size_t g = 0; g < programs; ++g) last.push_back(last_ones(all, g));
  Loads loads(all, ports);
  std::vector<Task> tasks;
  for (std::size_t s = 0; s < complements.size(); ++s) {
    const std::size_t g = s % programs;
    std::vector<Choice> choices(1);
    if (balance == Balance::yes) {
      Word served = 0;
      for (std::size_t i = 0; i < last[g].size(); ++i) {
        served |= bit(all.operations[all.begin[g] + i].dimension);
        if (!last[g][i]) choices.push_back({0, i});
      }
      for (; served != 0; served &= served - 1)
        choices.push_back({served & (~served + 1), std::nullopt});
    }
    std::optional<Task> best;
    std::uint64_t best_price = 0;
    for (const Choice& choice : choices) {
      Task task = task_of(all, g, last[g], complements[s], choice);
      loads.add(task);
      const std::uint64_t price = loads.price();
      loads.remove(task);
      if (best && price >= best_price) continue;
      best = std::move(task);
      best_price = price;
    }
    loads.add(*best);
    tasks.push_back(std::move(*best));
  }
  return tasks;
}

// Of slots that are ready in one lane.
enum class Prefer { lowest, most_left };

// Step after step each dimension serves one operation, one slot of each of its lanes.
class ListSchedule {
 public:
  ListSchedule(const Catalogue& all, const std::vector<Task>& tasks, Prefer prefer)
      : all_(all),
        tasks_(tasks),
        prefer_(prefer),
        lanes_(all.operations.size()),
        slots_(tasks.size()) {
    for (std::size_t s = 0; s < tasks.size(); ++s) prepare(s);
    for (std::size_t o = 0; o < all.operations.size(); ++o)
      on_[static_cast<std::size_t>(all.operations[o].dimension)].push_back(o);
  }

  ExchangeOrder run() {
    ExchangeOrder plan;
    for (; left_ != 0; ++plan.steps) {
      std::vector<std::pair<std::size_t, std::size_t>> moved;  // slot, place in its task
      for (const std::size_t d : busiest_first()) serve(d, plan.steps, moved);
      FARO_CHECK(!moved.empty());
      for (const auto& [s, i] : moved) {
        const RowOperation& o = all_.operations[tasks_[s].operations[i]];
        plan.exchanges.push_back({plan.steps,
                                  static_cast<std::uint32_t>(s),
                                  {o.dimension, o.mask, tasks_[s].constants[i]}});
        complete(s, i);
      }
    }
    return plan;
  }

 private:
  struct Slot {
    Done done;
    std::vector<Done> needed;  // before each operation
    std::size_t left = 0;
    std::uint64_t moved_in = ~std::uint64_t{0};
  };
  struct Ready {
    std::size_t slot;
    std::size_t place;
  };
  struct Lane {
    std::vector<Ready> ready;
    std::uint64_t left = 0;
  };

  bool moves(std::size_t s, std::size_t i) const {
    return all_.operations[tasks_[s].operations[i]].mask != 0 || tasks_[s].constants[i] != 0;
  }
  Lane& lane(std::size_t s, std::size_t i) {
    return lanes_[tasks_[s].operations[i]][tasks_[s].constants[i]];
  }

  void prepare(std::size_t s) {
    const Task& task = tasks_[s];
    Slot& slot = slots_[s];
    for (std::size_t j = 0; j < task.operations.size(); ++j) {
      const RowOperation& b = all_.operations[task.operations[j]];
      Done needed;
      for (std::size_t i = 0; i < j; ++i) {
        const RowOperation& a = all_.operations[task.operations[i]];
        if (has_bit(a.mask, b.dimension) || has_bit(b.mask, a.dimension)) needed.set(i);
      }
      slot.needed.push_back(needed);
      if (!moves(s, j)) {
        slot.done.set(j);
        continue;
      }
      ++slot.left;
      ++lane(s, j).left;
      if (needed.none()) lane(s, j).ready.push_back({s, j});
    }
    left_ += slot.left;
  }

  void complete(std::size_t s, std::size_t i) {
    Slot& slot = slots_[s];
    slot.done.set(i);
    --slot.left;
    --left_;
    --lane(s, i).left;
    for (std::size_t j = i + 1; j < slot.needed.size(); ++j)
      if (slot.needed[j].test(i) && !slot.done.test(j) && (slot.needed[j] & ~slot.done).none())
        lane(s, j).ready.push_back({s, j});
  }

  std::vector<std::size_t> busiest_first() const {
    std::array<std::uint64_t, word_bits> busy{};
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < on_.size(); ++d) {
      for (const std::size_t o : on_[d]) busy[d] += std::max(lanes_[o][0].left, lanes_[o][1].left);
      if (busy[d] != 0) order.push_back(d);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&busy](std::size_t a, std::size_t b) { return busy[a] > busy[b]; });
    return order;
  }

  // The preferred one of the slots that are ready and have not moved in this step; the first few
  // are looked at.
  std::optional<std::size_t> best_in(const Lane& lane, std::uint64_t step) const {
    constexpr std::size_t looked_at_max = 64;
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < std::min(lane.ready.size(), looked_at_max); ++i) {
      const std::size_t s = lane.ready[i].slot;
      if (slots_[s].moved_in == step) continue;
      if (!best ||
          (prefer_ == Prefer::lowest ? s < lane.ready[*best].slot
                                     : slots_[s].left > slots_[lane.ready[*best].slot].left))
        best = i;
    }
    return best;
  }

  void serve(std::size_t d, std::uint64_t step,
             std::vector<std::pair<std::size_t, std::size_t>>& moved) {
    std::optional<std::size_t> operation;
    std::array<std::optional<std::size_t>, 2> chosen;
    std::pair<int, std::uint64_t> best{0, 0};
    for (const std::size_t o : on_[d]) {
      const std::array<std::optional<std::size_t>, 2> here{best_in(lanes_[o][0], step),
                                                           best_in(lanes_[o][1], step)};
      const int count = (here[0] ? 1 : 0) + (here[1] ? 1 : 0);
      const std::pair score{count, std::max(lanes_[o][0].left, lanes_[o][1].left)};
      if (count == 0 || score <= best) continue;
      best = score;
      operation = o;
      chosen = here;
    }
    if (!operation) return;
    for (std::size_t c = 0; c < 2; ++c) {
      if (!chosen[c]) continue;
      std::vector<Ready>& ready = lanes_[*operation][c].ready;
      const auto at = ready.begin() + static_cast<std::ptrdiff_t>(*chosen[c]);
      slots_[at->slot].moved_in = step;
      moved.emplace_back(at->slot, at->place);
      ready.erase(at);
    }
  }

  const Catalogue& all_;
  const std::vector<Task>& tasks_;
  Prefer prefer_;
  std::vector<std::array<Lane, 2>> lanes_;
  std::vector<Slot> slots_;
  std::array<std::vector<std::size_t>, word_bits> on_;
  std::uint64_t left_ = 0;
};

// Operation after operation, a slot of each lane in a step. One program.
ExchangeOrder one_after_the_other(const Catalogue& all, const std::vector<Task>& tasks) {
  // Complements before the program, the program, complements after it.
  struct Pass {
    std::size_t operation;
    std::array<std::vector<std::uint32_t>, 2> slots;
  };
  const std::size_t complements = all.begin.back();
  std::vector<Pass> before(all.operations.size() - complements);
  std::vector<Pass> program(complements);
  std::vector<Pass> after(before.size());
  for (std::size_t s = 0; s < tasks.size(); ++s) {
    bool begun = false;
    for (std::size_t i = 0; i < tasks[s].operations.size(); ++i) {
      const std::size_t o = tasks[s].operations[i];
      Pass& pass = o < complements ? program[o] : (begun ? after : before)[o - complements];
      begun = begun || o < complements;
      pass.operation = o;
      pass.slots[tasks[s].constants[i]].push_back(static_cast<std::uint32_t>(s));
    }
  }
  ExchangeOrder plan;
  for (const std::vector<Pass>* part : {&before, &program, &after})
    for (const Pass& pass : *part) {
      const std::size_t longest = std::max(pass.slots[0].size(), pass.slots[1].size());
      if (longest == 0) continue;
      const RowOperation& o = all.operations[pass.operation];
      for (std::size_t i = 0; i < longest; ++i, ++plan.steps)
        for (unsigned c = 0; c < 2; ++c)
          if (i < pass.slots[c].size())
            plan.exchanges.push_back({plan.steps, pass.slots[c][i], {o.dimension, o.mask, c}});
    }
  return plan;
}

}  // namespace

ExchangeOrder exchange_order(const BitMatrix& matrix, const std::vector<Word>& complements,
                             Hypercube::Ports ports) {
  std::optional<ExchangeOrder> best;
  const auto keep = [&best](ExchangeOrder plan) {
    if (!best || plan.steps < best->steps) best = std::move(plan);
  };
  // With more slots than this the second preference is not worth its time.
  constexpr std::size_t preferences_slots_max = 512;
  const bool many = complements.size() > preferences_slots_max;
  const auto try_programs = [&](const std::vector<std::vector<RowOperation>>& programs) {
    const Catalogue all = catalogue_of(matrix.rows(), programs);
    for (const Balance balance : {Balance::no, Balance::yes}) {
      const std::vector<Task> tasks = tasks_of(all, complements, ports, balance);
      if (ports == Hypercube::Ports::one) {
        keep(one_after_the_other(all, tasks));
        continue;
      }
      keep(ListSchedule(all, tasks, Prefer::lowest).run());
      if (!many) keep(ListSchedule(all, tasks, Prefer::most_left).run());
    }
  };
  try_programs(programs_in_turn(matrix, 1));
  // Several programs shorten what few slots take; a program wants two slots, and many slots want
  // the time.
  constexpr std::size_t programs_max = 8;
  constexpr std::size_t program_slots_max = 2048;
  const std::size_t slots = complements.size();
  if (ports == Hypercube::Ports::all)
    for (std::size_t programs = 2; programs <= programs_max; programs *= 2)
      if (2 * programs <= slots && programs * slots <= program_slots_max &&
          programs <= static_cast<std::size_t>(matrix.rows()))
        try_programs(programs_in_turn(matrix, programs));
  // Few bits: elimination in two passes may leave more operations that do not wait for each other.
  constexpr int passes_bits_max = 16;
  if (!many && matrix.rows() <= passes_bits_max)
    try_programs({row_operations(BitMap::from_matrix(matrix))});
  return std::move(*best);
}

void add_exchanges(const ExchangeOrder& plan, std::uint64_t step, std::uint64_t first,
                   CubeStep& out) {
  auto e = std::lower_bound(plan.exchanges.begin(), plan.exchanges.end(), step,
                            [](const LaneExchange& x, std::uint64_t at) { return x.step < at; });
  for (; e != plan.exchanges.end() && e->step == step; ++e)
    out.rules.push_back(e->operation.rule(static_cast<Slot>(first + e->slot)));
}

}  // namespace faro::inline v1
