#include "planners/cube/affine/job_plan.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "planners/cube/step_source.hpp"

namespace faro::inline v1::jobs {

Moved moved(const Request& request) {
  const std::uint64_t jobs = (request.elements() + 1) / 2;
  if (const std::optional<SplitMap> split = split_map(request))
    return {.task = Task(beside(split->processors, BitMap::identity(1)), 1),
            .alike = true,
            .jobs = jobs};
  return {.task = Task(request.map().map, request.map().memory_bits), .alike = false, .jobs = jobs};
}

std::uint64_t JobPlan::steps() const {
  std::vector<bool> busy;
  for (const Job& job : jobs)
    for (const std::uint64_t at : histories[job.history].at) {
      if (job.offset + at >= busy.size()) busy.resize(job.offset + at + 1);
      busy[job.offset + at] = true;
    }
  return static_cast<std::uint64_t>(std::count(busy.begin(), busy.end(), true));
}

void take(History& history, int n, int d, Parity to, std::uint64_t at) {
  FARO_CHECK(history.at.empty() || history.at.back() < at);
  history.exchanges.push_back(exchange(history.end, n, d, to));
  history.at.push_back(at);
}

void take(History& history, int n, int d, std::uint64_t at) {
  take(history, n, d, history.end.rows[static_cast<std::size_t>(d)], at);
}

namespace {

void add_rules(const Exchange& e, Word x, CubeStep& out) {
  const unsigned constant = e.value ^ parity(e.jobs & x);
  for (unsigned a = 0; a < 2; ++a) {
    const unsigned wanted = 1U ^ a ^ constant;
    if (e.where == 0 && wanted != 0) continue;
    std::vector<Parity> where;
    if (e.where != 0) where.push_back({e.where, wanted});
    const auto slot = static_cast<Slot>((2 * x) + a);
    out.rules.push_back({std::move(where), slot, e.dimension, slot ^ (e.flip ? 1U : 0U)});
  }
}

// Swaps the two slots of job x where parity(q & differs.mask) ^ differs.value = 1.
void swap_where(Parity differs, Word x, CubeStep& out) {
  if (differs.mask == 0 && differs.value == 0) return;
  std::vector<Parity> where;
  if (differs.mask != 0) where.push_back({differs.mask, 1U ^ differs.value});
  const auto slot = static_cast<Slot>(2 * x);
  out.rules.push_back({where, slot, inside, slot + 1});
  out.rules.push_back({where, slot + 1, inside, slot});
}

void push_if_any(const CubeStep& step, ScheduleSink& sink) {
  if (!step.rules.empty()) sink.step(step);
}

void push_exchanges(const JobPlan& plan, ScheduleSink& sink) {
  std::uint64_t last = 0;
  for (const Job& job : plan.jobs) last = std::max(last, job.offset);
  std::vector<std::vector<Word>> starting(last + 1);  // jobs by offset
  for (Word x = 0; x < plan.jobs.size(); ++x) starting[plan.jobs[x].offset].push_back(x);
  // By step after the start: the exchange of each history, or none.
  std::uint64_t length = 0;
  for (const History& h : plan.histories)
    if (!h.at.empty()) length = std::max(length, h.at.back() + 1);
  constexpr std::uint32_t none = ~0U;
  std::vector<std::vector<std::uint32_t>> at(
      length, std::vector<std::uint32_t>(plan.histories.size(), none));
  for (std::size_t h = 0; h < plan.histories.size(); ++h)
    for (std::size_t i = 0; i < plan.histories[h].at.size(); ++i)
      at[plan.histories[h].at[i]][h] = static_cast<std::uint32_t>(i);
  CubeStep step;
  for (std::uint64_t t = 0; t < last + length; ++t) {
    step.clear();
    for (std::uint64_t after = t > last ? t - last : 0; after < length && after <= t; ++after)
      for (const Word x : starting[t - after]) {
        const std::size_t h = plan.jobs[x].history;
        if (at[after][h] != none) add_rules(plan.histories[h].exchanges[at[after][h]], x, step);
      }
    push_if_any(step, sink);
  }
}

Parity sum(Parity a, Parity b) {
  return {a.mask ^ b.mask, a.value ^ b.value};
}

// A form at job x: over q and a alone.
Parity in_job(Parity form, Word x, int n) {
  const Word jobs = (form.mask >> n) >> 1U;
  return {form.mask & low_mask(n + 1), form.value ^ parity(jobs & x)};
}

// Jobs end with slots that differ: all are brought to `wanted`, a form of memory bit i that has a.
void level(const JobPlan& plan, int n, std::size_t i, Parity wanted, ScheduleSink& sink) {
  CubeStep step;
  for (Word x = 0; x < plan.jobs.size(); ++x) {
    const Parity form = plan.histories[plan.jobs[x].history].end.memory[i];
    const Parity differs = in_job(sum(form, wanted), x, n);
    FARO_CHECK(!has_bit(differs.mask, n));
    swap_where(differs, x, step);
  }
  push_if_any(step, sink);
}

// Slots to the memory bits that `memory` says, forms over q, a and x.
void push_memory(const Moved& moved, const std::vector<Parity>& memory, std::uint64_t elements,
                 ScheduleSink& sink) {
  const int n = moved.task.n();
  std::vector<Word> rows;
  std::vector<Word> after;
  Word complement = 0;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    rows.push_back(memory[i].mask >> n);
    after.push_back(memory[i].mask & low_mask(n));
    if (memory[i].value != 0) complement |= bit(static_cast<int>(i));
  }
  const BitMatrix matrix = BitMatrix::from_rows(moved.task.m(), rows);
  push_slots({.processors = {}, .slots = BitMap::from_matrix(matrix, complement), .after = after},
             elements, sink);
}

}  // namespace

void push(const Request& request, const Moved& moved, const JobPlan& plan, std::string_view planner,
          ScheduleSink& sink) {
  const int n = moved.task.n();
  sink.begin(header_of(request, planner, 2 * moved.jobs));
  CubeStep step;
  if (request.elements() % 2 != 0) {  // the last job's second element
    const auto last = static_cast<Slot>(request.elements() - 1);
    step.rules.push_back({{}, last, inside, last + 1});
    sink.step(step);
  }
  if (!moved.alike) {
    const Arrangement first = arrangement(moved.task, plan.type);
    push_slots({.processors = {}, .slots = first.slots, .after = first.flips}, request.elements(),
               sink);
  }
  push_exchanges(plan, sink);
  if (moved.alike) {
    level(plan, n, 0, {bit(n), 0}, sink);
    push_slots(*split_map(request), request.elements(), sink);
  } else {
    const std::vector<Parity>& memory = plan.histories[plan.jobs[0].history].end.memory;
    std::size_t i = 0;
    while (!has_bit(memory[i].mask, n)) ++i;
    level(plan, n, i, memory[i], sink);
    push_memory(moved, memory, request.elements(), sink);
  }
  sink.finish();
}

}  // namespace faro::inline v1::jobs
