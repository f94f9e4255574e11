#include "faro/planners/shuffle/paper.hpp"

#include <algorithm>
#include <numeric>

#include "faro/base/check.hpp"

namespace faro::shuffle {

Count theorem_1(int length, std::uint64_t elements) {
  const auto s = static_cast<Count>(length);
  if (length <= 3 || elements <= 8) return elements / 2 + s - 1;
  return elements <= 2 * (s + 1) ? s + 3 : Count{elements / 2 + 2};
}

Count theorem_2(const std::vector<int>& lengths, std::uint64_t elements) {
  const auto chains = static_cast<Count>(lengths.size());
  const auto all = static_cast<Count>(std::accumulate(lengths.begin(), lengths.end(), 0));
  const auto longest = static_cast<Count>(*std::max_element(lengths.begin(), lengths.end()));
  if ((longest >= 4 && elements <= 8 * chains) || (longest <= 3 && elements <= 2 * all))
    return ceil_div(elements, 2 * chains) + all - 1;
  if (longest <= 3) return elements / 2 + longest - 1;
  return elements <= 2 * (all + 1) ? all + 3 : Count{elements / 2 + 2};
}

ConcurrentPlan concurrent_plan(int length, std::uint64_t jobs) {
  const auto s = static_cast<Count>(length);
  ConcurrentPlan best{.groups = 0, .steps = jobs + s - 1};
  for (int g = 1; 2 * g <= length - 1 && 2 * static_cast<std::uint64_t>(g) <= jobs; ++g) {
    const Count plain = jobs - 2 * static_cast<Count>(g);
    const Count first = 2 * static_cast<Count>(g) + 1;  // a_0, counted from 1
    const Count enter = std::max(plain + 1, s - first + 3);
    const Count steps = std::max(enter + first, plain + s - 1);
    if (steps < best.steps) best = {.groups = g, .steps = steps};
  }
  return best;
}

std::vector<JobRow> pipelined_rows(const std::vector<int>& lengths, std::uint64_t jobs) {
  const std::size_t chains = lengths.size();
  // Job j of block r runs through chains r, r+1, ...; a machine takes the job with most chains
  // left that waits, the first among equals.
  struct Place {
    std::size_t chain = 0;
    std::size_t chains_left = 0;
    int position = 0;
    Time moved = 0;  // the step after the one it moved in
  };
  std::vector<Place> places(jobs);
  for (std::size_t j = 0; j < jobs; ++j) places[j] = {j * chains / jobs, chains, 0, 0};
  std::vector<JobRow> rows(jobs);
  std::size_t left = jobs;
  for (Time now = 0; left != 0; ++now) {
    std::vector<Word> taken(chains, 0);
    for (std::size_t wanted = chains; wanted > 0; --wanted)
      for (std::size_t j = 0; j < jobs; ++j) {
        Place& p = places[j];
        if (p.chains_left != wanted || p.moved == now + 1 || has_bit(taken[p.chain], p.position))
          continue;
        taken[p.chain] |= bit(p.position);
        rows[j].push_back({now, static_cast<int>(p.chain), p.position, false});
        p.moved = now + 1;
        if (++p.position < lengths[p.chain]) continue;
        p = {(p.chain + 1) % chains, p.chains_left - 1, 0, now + 1};
        if (p.chains_left == 0) --left;
      }
  }
  return rows;
}

std::vector<JobRow> concurrent_rows(int length, std::uint64_t jobs) {
  const ConcurrentPlan plan = concurrent_plan(length, jobs);
  if (plan.groups == 0) return pipelined_rows({length}, jobs);
  std::vector<JobRow> rows;
  const auto plain = static_cast<Time>(jobs) - static_cast<Time>(2 * plan.groups);
  const auto first = static_cast<Time>(2 * plan.groups + 1);
  const Time enter = std::max(plain + 1, static_cast<Time>(length) - first + 3);
  for (int x = 0; x < plan.groups; ++x)
    for (int y = 0; y < 2; ++y) {
      const int at = 2 * (plan.groups - x);
      JobRow row;
      for (int i = at; i < length; ++i) row.push_back({static_cast<Time>(y + i - at), 0, i, true});
      const Time again = enter + static_cast<Time>(2 * x + y) - 1;
      for (int i = 0; i <= at; ++i) row.push_back({again + static_cast<Time>(i), 0, i, false});
      rows.push_back(std::move(row));
    }
  for (Time r = 0; r < plain; ++r) {
    JobRow row;
    for (int i = 0; i < length; ++i) row.push_back({r + static_cast<Time>(i), 0, i, false});
    rows.push_back(std::move(row));
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

Phase phase_of(const Structure& s, const std::vector<JobRow>& rows) {
  const bool split =
      std::any_of(rows.begin(), rows.end(), [](const JobRow& row) { return row.front().spare; });
  Phase phase = make_phase(s, {.with_spare = split});
  const std::vector<Slot> jobs = phase.jobs(s);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (rows[j].front().spare)
      phase.splits.push_back(
          {.job = jobs[j], .chain = 0, .at = static_cast<std::uint8_t>(rows[j].front().position)});
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

}  // namespace

Phase pipelined_phase(const Structure& s) {
  std::vector<int> lengths;
  for (const Chain& c : s.chains) lengths.push_back(c.length());
  return phase_of(s, pipelined_rows(lengths, s.elements() / 2));
}

Phase concurrent_phase(const Structure& s) {
  return phase_of(s, concurrent_rows(s.chains[0].length(), s.elements() / 2));
}

Phase by_exchange_phase(const Structure& s) {
  Phase phase = make_phase(s, {});
  const std::vector<Slot> jobs = phase.jobs(s);
  const std::size_t chains = s.chains.size();
  const auto rounds = s.chains[0].dimensions.size();
  for (std::size_t h = 0; h < jobs.size(); ++h)
    for (std::size_t i = 0; i < rounds; ++i)
      for (std::size_t turn = 0; turn < chains; ++turn) {
        const Chain& c = s.chains[(h + turn) % chains];
        phase.exchanges.push_back(
            {.step = static_cast<Time>(h / chains * chains + i * chains + turn),
             .job = jobs[h],
             .control = static_cast<std::uint8_t>(c.control),
             .dimension = static_cast<std::uint8_t>(c.dimensions[i]),
             .inverted = static_cast<std::uint8_t>(c.inverted[i])});
      }
  return phase;
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

}  // namespace faro::shuffle
