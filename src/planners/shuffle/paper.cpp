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

Phase pipelined_phase(const Structure& s) {
  Phase phase = make_phase(s, {});
  const std::vector<Slot> jobs = phase.jobs(s);
  const std::size_t chains = s.chains.size();
  // Job j of block r runs through chains r, r+1, ...; a machine takes the first job that waits.
  struct Place {
    std::size_t chain = 0;
    std::size_t chains_left = 0;
    int position = 0;
  };
  std::vector<Place> places(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) places[j] = {j * chains / jobs.size(), chains, 0};
  std::size_t left = jobs.size();
  for (Time now = 0; left != 0; ++now) {
    Word taken = 0;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      Place& p = places[j];
      if (p.chains_left == 0) continue;
      const Chain& c = s.chains[p.chain];
      const auto at = static_cast<std::size_t>(p.position);
      if (has_bit(taken, c.dimensions[at])) continue;
      taken |= bit(c.dimensions[at]);
      phase.exchanges.push_back({.step = now,
                                 .job = jobs[j],
                                 .control = static_cast<std::uint8_t>(c.control),
                                 .dimension = static_cast<std::uint8_t>(c.dimensions[at]),
                                 .inverted = static_cast<std::uint8_t>(c.inverted[at])});
      if (++p.position < c.length()) continue;
      p = {(p.chain + 1) % chains, p.chains_left - 1, 0};
      if (p.chains_left == 0) --left;
    }
  }
  return phase;
}

Phase concurrent_phase(const Structure& s) {
  const Chain& chain = s.chains[0];
  const int length = chain.length();
  const ConcurrentPlan plan = concurrent_plan(length, s.elements() / 2);
  if (plan.groups == 0) return pipelined_phase(s);
  Phase phase = make_phase(s, {.with_spare = true});
  const std::vector<Slot> jobs = phase.jobs(s);
  const auto groups = static_cast<std::size_t>(plan.groups);
  const auto plain = static_cast<Time>(jobs.size() - 2 * groups);
  const auto first = static_cast<Time>(2 * plan.groups + 1);
  const Time enter = std::max(plain + 1, static_cast<Time>(length) - first + 3);
  const auto exchange = [&](Slot job, Time step, int control, std::size_t at, unsigned inverted) {
    phase.exchanges.push_back({.step = step,
                               .job = job,
                               .control = static_cast<std::uint8_t>(control),
                               .dimension = static_cast<std::uint8_t>(chain.dimensions[at]),
                               .inverted = static_cast<std::uint8_t>(inverted)});
  };
  for (std::size_t x = 0; x < groups; ++x)
    for (std::size_t y = 0; y < 2; ++y) {
      const Slot job = jobs[2 * x + y];
      const std::size_t at = 2 * (groups - x);  // from 0
      phase.splits.push_back({.job = job, .chain = 0, .at = static_cast<std::uint8_t>(at)});
      for (std::size_t i = at; i < chain.dimensions.size(); ++i)
        exchange(job, static_cast<Time>(y + i - at), phase.spare, i,
                 i == at ? 0U : chain.inverted[i]);
      const Time again = enter + static_cast<Time>(2 * x + y) - 1;
      for (std::size_t i = 0; i <= at; ++i)
        exchange(job, again + static_cast<Time>(i), chain.control, i, chain.inverted[i]);
    }
  for (Time r = 0; r < plain; ++r) push_chain(phase, s, 0, jobs[2 * groups + r], r);
  return phase;
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
