// Going back through the steps, the ends whose element lies at one place are a list, so that a move
// joins two lists in one go.
#include "machines/backtrace.hpp"

#include "base/working.hpp"

namespace faro::inline v1 {

Backtrace::Backtrace(std::size_t places) : begun_(places), full_(places), written_(places) {}

bool Backtrace::move(Place from, Place to) {
  const auto step = static_cast<std::uint32_t>(first_of_step_.size());
  if (written_[to] == step) return false;
  written_[to] = step;
  moves_.push_back({from, to});
  return true;
}

void Backtrace::end_step() {
  if (first_of_step_.back() == moves_.size()) return;
  for (std::size_t i = first_of_step_.back(); i < moves_.size(); ++i) full_[moves_[i].to] = true;
  first_of_step_.push_back(moves_.size());
}

std::vector<Backtrace::Place> Backtrace::starts_of(std::span<const Place> ends) const {
  // The ends whose element lies at a place, as a list that is joined to another in one go.
  struct List {
    Place first = nowhere;
    Place last = nowhere;
  };
  std::vector<List> at(full_.size());
  std::vector<Place> next(ends.size(), nowhere);
  const auto join = [&](List& to, const List& more) {
    if (more.first == nowhere) return;
    if (to.first == nowhere)
      to.first = more.first;
    else
      next[to.last] = more.first;
    to.last = more.last;
  };
  for (Place end = 0; end < ends.size(); ++end) join(at[ends[end]], {end, end});
  std::vector<List> read;
  for (std::size_t step = first_of_step_.size() - 1; step-- > 0;) {
    const std::span moves(moves_.data() + first_of_step_[step],
                          first_of_step_[step + 1] - first_of_step_[step]);
    still_working();
    read.clear();
    for (const Listed& m : moves) read.push_back(std::exchange(at[m.to], {}));
    for (std::size_t i = 0; i < moves.size(); ++i) join(at[moves[i].from], read[i]);
  }
  std::vector<Place> starts(ends.size(), nowhere);
  for (std::size_t place = 0; place < at.size(); ++place)
    if (begun_[place])
      for (Place end = at[place].first; end != nowhere; end = next[end])
        starts[end] = static_cast<Place>(place);
  return starts;
}

}  // namespace faro::inline v1
