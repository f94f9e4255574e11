#include "papers/printed/shuffle.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "base/check.hpp"
#include "planners/cube/shuffle/split_jobs.hpp"

namespace faro::inline v1::shuffle {

Count theorem_1(int length, std::uint64_t elements) {
  const auto s = static_cast<Count>(length);
  if (length <= 3 || elements <= 8) return elements / 2 + s - 1;
  return elements <= 2 * (s + 1) ? s + 3 : Count{elements / 2 + 2};
}

Formula theorem_2(const std::vector<int>& lengths, std::uint64_t elements) {
  const auto chains = static_cast<Count>(lengths.size());
  const auto all = static_cast<Count>(std::accumulate(lengths.begin(), lengths.end(), 0));
  const auto longest = static_cast<Count>(*std::max_element(lengths.begin(), lengths.end()));
  if ((longest >= 4 && elements <= 8 * chains) || (longest <= 3 && elements <= 2 * all))
    return {ceil_div(elements, 2 * chains) + all - 1, "ceil(K/2b) + N - 1"};
  if (longest <= 3) return {elements / 2 + longest - 1, "K/2 + max s - 1"};
  if (elements <= 2 * (all + 1)) return {all + 3, "N + 3"};
  return {Count{elements / 2} + 2, "K/2 + 2"};
}

std::vector<JobRow> pipelined_rows(const std::vector<int>& lengths, std::uint64_t jobs) {
  const std::size_t chains = lengths.size();
  // Job j of block r runs through chains r, r+1, ...; a machine takes the job with most chains
  // left that waits, the first among equals.
  struct Waiting {
    std::size_t chains_done = 0;
    std::size_t job = 0;
    auto operator<=>(const Waiting&) const = default;
  };
  struct Machine {
    std::size_t chain = 0;
    int position = 0;
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting = {};
  };
  std::vector<Machine> machines;
  std::vector<std::size_t> first;  // machine of each chain
  for (std::size_t c = 0; c < chains; ++c) {
    first.push_back(machines.size());
    for (int i = 0; i < lengths[c]; ++i) machines.push_back({.chain = c, .position = i});
  }
  for (std::size_t j = 0; j < jobs; ++j) machines[first[j * chains / jobs]].waiting.push({0, j});
  std::vector<JobRow> rows(jobs);
  std::size_t left = jobs;
  for (Time now = 0; left != 0; ++now) {
    std::vector<std::pair<std::size_t, Waiting>> moved;  // to which machine
    for (std::size_t m = 0; m < machines.size(); ++m) {
      Machine& machine = machines[m];
      if (machine.waiting.empty()) continue;
      Waiting w = machine.waiting.top();
      machine.waiting.pop();
      rows[w.job].push_back({now, static_cast<int>(machine.chain), machine.position, false});
      if (machine.position + 1 < lengths[machine.chain])
        moved.emplace_back(m + 1, w);
      else if (++w.chains_done < chains)
        moved.emplace_back(first[(machine.chain + 1) % chains], w);
      else
        --left;
    }
    for (const auto& [m, w] : moved) machines[m].waiting.push(w);
  }
  return rows;
}

Count steps_of(const std::vector<JobRow>& rows) {
  Count steps = 0;
  for (const JobRow& row : rows)
    for (const RowEntry& e : row) steps = std::max(steps, static_cast<Count>(e.step) + 1);
  return steps;
}

namespace {

// The jobs of the rows that start inside a chain: with several chains two by two, in their order.
std::vector<Slot> inside_jobs(const Structure& s, const Phase& phase,
                              const std::vector<JobRow>& rows) {
  std::vector<int> chains;
  for (const JobRow& row : rows)
    if (row.front().spare) chains.push_back(row.front().chain);
  if (s.chains.size() == 1) {
    std::vector<Slot> jobs = phase.jobs(s);
    jobs.resize(chains.size());
    return jobs;
  }
  std::vector<int> wanted;
  for (std::size_t i = 0; i < chains.size(); i += 2) wanted.push_back(chains[i]);
  std::vector<Slot> jobs;
  for (const auto& pair : split_jobs(s, phase, wanted).pairs)
    jobs.insert(jobs.end(), pair.begin(), pair.end());
  return jobs;
}

// A job for each row. Fewer rows than K/2: those that start inside a chain fill the first slots,
// the others follow and leave the spare bit alone, so that the slots behind them all stay empty.
std::vector<Slot> jobs_of(const Structure& s, Phase& phase, const std::vector<JobRow>& rows) {
  std::vector<Slot> inside;
  if (phase.spare >= 0) inside = inside_jobs(s, phase, rows);
  std::vector<bool> taken(s.elements(), false);
  for (const Slot x : inside) taken[x] = true;
  if (phase.spare >= 0 && 2 * rows.size() < s.elements()) {
    phase.spare_until = static_cast<Slot>(2 * inside.size());
    for (const Slot x : inside) FARO_CHECK((x | phase.control_mask()) < phase.spare_until);
  }
  std::vector<Slot> jobs;
  auto next_inside = inside.begin();
  const std::vector<Slot> all = phase.jobs(s);
  auto next = all.begin();
  for (const JobRow& row : rows) {
    if (row.front().spare) {
      jobs.push_back(*next_inside++);
      continue;
    }
    while (taken[*next]) ++next;
    jobs.push_back(*next++);
  }
  return jobs;
}

}  // namespace

Phase rows_phase(const Structure& s, const std::vector<JobRow>& rows) {
  FARO_CHECK(2 * rows.size() <= s.elements());
  const bool split =
      std::any_of(rows.begin(), rows.end(), [](const JobRow& row) { return row.front().spare; });
  Phase phase = make_phase(s, {.with_spare = split});
  const std::vector<Slot> jobs = jobs_of(s, phase, rows);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (rows[j].front().spare)
      phase.splits.push_back({.job = jobs[j],
                              .chain = static_cast<std::uint16_t>(rows[j].front().chain),
                              .at = static_cast<std::uint8_t>(rows[j].front().position)});
    for (const RowEntry& e : rows[j]) {
      const Chain& c = s.chains[static_cast<std::size_t>(e.chain)];
      const auto at = static_cast<std::size_t>(e.position);
      const bool enters = e.spare && &e == &rows[j].front();
      phase.exchanges.push_back(
          {.step = e.step,
           .job = jobs[j],
           .control = static_cast<std::uint8_t>(e.spare ? phase.spare : c.control),
           .dimension = static_cast<std::uint8_t>(c.dimensions[at]),
           .inverted = static_cast<std::uint8_t>(enters ? 0U : c.inverted[at])});
    }
  }
  return phase;
}

Phase pipelined_phase(const Structure& s) {
  return rows_phase(s, pipelined_rows(s.chain_lengths(), s.elements() / 2));
}

Phase concurrent_phase(const Structure& s) {
  return rows_phase(s, concurrent_rows(s.chain_lengths(), s.elements() / 2));
}

Phase real_a1_phase(const Structure& s) {
  Phase phase = make_phase(s, {.a1_control = 0, .a1_cycles = {0}});
  const auto length = static_cast<std::size_t>(s.cycles[0].length());
  const std::vector<Slot> jobs = phase.jobs(s);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    std::vector<Time> times(length + 1);
    std::iota(times.begin(), times.end(), static_cast<Time>(j / length * (length + 1)));
    push_a1(phase, s, 0, 0, jobs[j], static_cast<int>(j % length), times);
  }
  return phase;
}

namespace {

Run run_from(Slot slot, std::size_t first, std::size_t length, Time from) {
  Run run{.slot = slot,
          .cycle = 0,
          .first = static_cast<std::uint8_t>(first),
          .steps = std::vector<Time>(length)};
  std::iota(run.steps.begin(), run.steps.end(), from);
  return run;
}

}  // namespace

Phase real_a2_phase(const Structure& s) {
  Phase phase = make_phase(s, {});
  const auto length = static_cast<std::size_t>(s.cycles[0].length());
  for (std::size_t x = 0; x < s.elements(); ++x)
    phase.runs.push_back(
        run_from(static_cast<Slot>(x), x % length, length, static_cast<Time>(x / length * length)));
  return phase;
}

Phase real_a2_one_port_phase(const Structure& s) {
  Phase phase = make_phase(s, {});
  const auto length = static_cast<std::size_t>(s.cycles[0].length());
  for (std::size_t x = 0; x < s.elements(); ++x)
    phase.runs.push_back(run_from(static_cast<Slot>(x), 0, length, static_cast<Time>(x * length)));
  return phase;
}

}  // namespace faro::inline v1::shuffle
