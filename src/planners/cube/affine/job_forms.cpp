// From what a search took to the exchanges of a plan, and back.
#include "planners/cube/affine/job_forms.hpp"

namespace faro::inline v1::jobs {

Forms Forms::beginning(const Task& task, const Type& type) {
  Forms forms;
  const State state = start_state(task, type);
  for (std::size_t j = 0; j < state.rows.size(); ++j)
    forms.rows[j] = state.rows[j].mask & low_mask(task.n() + 1);
  forms.left = task.to_do();
  return forms;
}

void Forms::change(int n, int d, Word to) {
  const Substitution s = substitution(n, d, to);
  for (int j = 0; j < n; ++j) {
    Word& row = rows[static_cast<std::size_t>(j)];
    row = s(row);
  }
}

History history_of(const Task& task, const Type& type, const std::vector<Taken>& all) {
  History h{.exchanges = {}, .at = {}, .end = start_state(task, type)};
  for (const Taken& t : all) {
    if (t.last)
      take(h, task.n(), t.dimension, t.at);
    else
      take(h, task.n(), t.dimension, {t.to, 0}, t.at);
  }
  return h;
}

std::vector<Taken> taken_by(const JobPlan& plan, const Job& job, int n) {
  const History& history = plan.histories[job.history];
  std::vector<Taken> all;
  Word later = 0;
  for (std::size_t i = history.exchanges.size(); i-- > 0;) {
    const Exchange& e = history.exchanges[i];
    all.push_back({.at = job.offset + history.at[i],
                   .dimension = e.dimension,
                   .to = (e.where | bit(n)) ^ bit(e.dimension),
                   .last = !has_bit(later, e.dimension)});
    later |= bit(e.dimension);
  }
  return {all.rbegin(), all.rend()};
}

}  // namespace faro::inline v1::jobs
