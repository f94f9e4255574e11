#include "papers/butterfly_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "faro/transforms/traffic.hpp"

namespace faro::inline v1 {
namespace {

bool meets(Word q, const std::vector<Parity>& where) {
  return std::all_of(where.begin(), where.end(), [q](const Parity& c) { return c.holds(q); });
}

}  // namespace

void Motion::begin(const ScheduleHeader& header) {
  goal_ = std::get<ButterflyGoal>(header.goal);
  jobs_ = (header.elements + 1) / 2;
  slots_.assign(bit(goal_.processor_bits), std::vector<Held>(header.slots));
  butterfly::IndexPlaces::start(goal_).for_each(
      [&](Word index, Word q, Word s) { slots_[q][s] = index; });
  note();
}

// Whether anything crossed a link.
bool Motion::move(const std::vector<Rule>& rules, std::vector<std::vector<int>>& dimensions) {
  const std::vector<std::vector<Held>> before = slots_;
  bool remote = false;
  for (const Rule& rule : rules) {
    const Word crossed = rule.across == inside ? 0 : bit(rule.across);
    if (crossed != 0) {
      remote = true;
      std::vector<int>& of_job = dimensions[std::min<std::size_t>(rule.from / 2, jobs_ - 1)];
      if (std::find(of_job.begin(), of_job.end(), rule.across) == of_job.end())
        of_job.push_back(rule.across);
    }
    for (Word q = 0; q < slots_.size(); ++q) {
      if (meets(q, rule.where)) slots_[q ^ crossed][rule.to] = before[q][rule.from];
    }
  }
  return remote;
}

void Motion::step(const CubeStep& step) {
  std::vector<std::vector<int>> dimensions(jobs_);
  const bool remote = move(step.rules, dimensions);
  for (const ButterflyRule& rule : step.butterfly_rules) {
    // In place the indices stay; a half leaves one of the two.
    if (rule.result == ButterflyRule::Result::both) continue;
    for (Word q = 0; q < slots_.size(); ++q) {
      if (!meets(q, rule.where)) continue;
      std::vector<Held>& slots = slots_[q];
      const Held kept = slots[rule.result == ButterflyRule::Result::top ? rule.low : rule.high];
      slots[rule.low] = slots[rule.high] = std::nullopt;
      slots[rule.to] = kept;
    }
  }
  if (remote) {
    for (auto& of_job : dimensions) std::sort(of_job.rbegin(), of_job.rend());
    used.push_back(std::move(dimensions));
  } else {
    contents.pop_back();
  }
  note();
}

void Motion::note() {
  contents.emplace_back(slots_.size());
  for (Word q = 0; q < slots_.size(); ++q) {
    for (const Held& held : slots_[q]) {
      if (held) contents.back()[q].push_back(*held);
    }
    std::sort(contents.back()[q].begin(), contents.back()[q].end());
  }
}

std::vector<Parity> Motion::rows(std::size_t t) const {
  std::map<Word, Word> at;
  for (Word q = 0; q < contents[t].size(); ++q) {
    for (const Word index : contents[t][q]) at[index] = q;
  }
  std::vector<Parity> rows(static_cast<std::size_t>(goal_.processor_bits));
  for (int d = 0; d < goal_.processor_bits; ++d) {
    Parity& row = rows[static_cast<std::size_t>(d)];
    row.value = has_bit(at.at(0), d) ? 1 : 0;
    for (int b = 0; b < goal_.index_bits; ++b) {
      if (has_bit(at.at(bit(b)) ^ at.at(0), d)) row.mask |= bit(b);
    }
    for (const auto& [index, q] : at) {
      FARO_CHECK((parity(row.mask & index) ^ row.value) == (has_bit(q, d) ? 1U : 0U));
    }
  }
  return rows;
}

Request request_of(const ButterflyNetwork& network) {
  return Request::of(Hypercube{.dimensions = network.processor_bits}, network);
}

MachinePlan judged_plan(const ButterflyNetwork& request, const char* algorithm) {
  MachinePlan made = plan(request_of(request), {.algorithm = algorithm});
  FARO_CHECK(made.ok());
  return made;
}

ButterflyGoal goal_of(const MachinePlan& plan) {
  return std::get<ButterflyGoal>(plan.header().goal);
}

std::vector<butterfly::Form> rows_of_local(const ButterflyNetwork& request, std::size_t exchanges) {
  const ButterflyGoal goal = goal_of(judged_plan(request, "butterfly-local"));
  std::vector<butterfly::Form> rows = butterfly::start_rows(request);
  for (std::size_t k = 0; k < exchanges; ++k) {
    rows[rows.size() - 1 - k] = {goal.final_processor_rows[k], 0};
  }
  return rows;
}

Motion motion_of(const ButterflyNetwork& request, const char* algorithm) {
  Motion motion;
  judged_plan(request, algorithm).push(motion);
  return motion;
}

std::string letters(Word mask) {
  const int low = lowest_bit(mask);
  if (is_power_of_two(mask)) return fmt::format("b{}", low);
  if (mask == (bit(low) | bit(low + 1))) return fmt::format("g{}", low);
  return fmt::format("{:#x}", mask);
}

}  // namespace faro::inline v1
