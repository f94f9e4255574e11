// All-to-all personalised communication, round after round.   [Johnsson, Ho 1991 (shuffles),
// section 4.1.2]
//
//   pipelined    a job does round i with all chains, then round i + 1: b ceil(K/2b) + N - b
//   concurrent   two chains of equal length: blocks of two jobs stand where Figure 5 has one, some
//                begin in a later round with a spare bit for each chain, a row's step takes two:
//                the larger of N + 3b and K/2 + 2b, pipelined where that is less
//
// A block that begins inside. Bits c_j, v_j: the control and the spare of chain j; `high` its
// dimensions from the first one taken on, `low` those before it. v_j owns high and c_j low; between
// the two parts the first one taken, which comes last again, changes from v_j to c_j. Its slots are
// a coset of the span of all c_j + v_j, 2^b slots, its jobs x and x ^ all of them: only for b = 2
// are these the b jobs that a round of b chains has work for.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/check.hpp"
#include "papers/printed/shuffle.hpp"
#include "planners/cube/shuffle/rule_forms.hpp"

namespace faro::inline v1::shuffle {
namespace {

// A dimension's time: what is taken, one exchange a step.
class Timeline {
 public:
  // The first free step from `now` on, taken.
  Time take(Time now) {
    now = std::max(now, first_);
    while (now < taken_.size() && taken_[now]) ++now;
    if (now >= taken_.size()) taken_.resize(now + 1, false);
    taken_[now] = true;
    while (first_ < taken_.size() && taken_[first_]) ++first_;
    return now;
  }

 private:
  std::vector<bool> taken_;
  Time first_ = 0;  // all before are taken
};

Phase pipelined_rounds(const Structure& s) {
  Phase phase = make_phase(s, {});
  const std::vector<Slot> jobs = phase.jobs(s);
  const std::size_t chains = s.chains.size();
  std::size_t rounds = 0;
  for (const Chain& c : s.chains) rounds = std::max(rounds, c.dimensions.size());
  std::map<int, Timeline> timelines;
  for (std::size_t h = 0; h < jobs.size(); ++h) {
    Time now = 0;
    for (std::size_t i = 0; i < rounds; ++i)
      for (std::size_t turn = 0; turn < chains; ++turn) {
        const Chain& c = s.chains[(h + turn) % chains];
        if (i >= c.dimensions.size()) continue;  // shorter: it has no part in this exchange
        const Time at = timelines[c.dimensions[i]].take(now);
        phase.exchanges.push_back({.step = at,
                                   .job = jobs[h],
                                   .control = static_cast<std::uint8_t>(c.control),
                                   .dimension = static_cast<std::uint8_t>(c.dimensions[i]),
                                   .inverted = static_cast<std::uint8_t>(c.inverted[i])});
        now = at + 1;
      }
  }
  return phase;
}

// The spare bits of two chains of equal length without complements; nothing if there are none.
std::optional<std::array<int, 2>> spares_of(const Structure& s) {
  if (s.chains.size() != 2 || s.chains[0].length() != s.chains[1].length()) return std::nullopt;
  for (const Chain& c : s.chains)
    if (std::any_of(c.inverted.begin(), c.inverted.end(), [](unsigned i) { return i != 0; }))
      return std::nullopt;
  std::vector<int> free;
  for (int i = 0; i < s.slot_bits; ++i)
    if (i != s.chains[0].control && i != s.chains[1].control) free.push_back(i);
  if (free.size() < 2) return std::nullopt;
  return std::array{free[0], free[1]};
}

// One row stands for so many pairs of elements.
constexpr std::uint64_t chains_of_rounds = 2;

// Figure 5 with blocks of two jobs for its rows.
class ConcurrentRounds {
 public:
  ConcurrentRounds(const Structure& s, std::array<int, 2> spares)
      : s_(s), spares_(spares), phase_(make_phase(s, {})), taken_(s.elements(), false) {}

  Phase run() {
    const std::vector<JobRow> rows =
        concurrent_rows({s_.chains[0].length()}, s_.elements() / (2 * chains_of_rounds));
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (rows[r].front().spare) begins_inside(rows[r], r % 2 != 0);
    Slot next = 0;
    const std::vector<Slot> jobs = phase_.jobs(s_);
    for (const JobRow& row : rows) {
      if (row.front().spare) continue;
      for (std::size_t h = 0; h < chains_of_rounds; ++h, ++next) {
        while (taken_[jobs[next]]) ++next;
        from_the_first(row, jobs[next], h);
      }
    }
    phase_.last_rules = std::move(last_.rules);
    return std::move(phase_);
  }

 private:
  // Before and behind every step there is room for a local one, which takes no time.
  static Time when(Time unit, std::size_t turn) {
    return 2 * (static_cast<Time>(chains_of_rounds) * unit + static_cast<Time>(turn)) + 1;
  }
  const Chain& chain(std::size_t job, std::size_t turn) const {
    return s_.chains[(job + turn) % chains_of_rounds];
  }
  Word swap(std::size_t j) const { return bit(s_.chains[j].control) ^ bit(spares_[j]); }

  void from_the_first(const JobRow& row, Slot job, std::size_t h) {
    for (const RowEntry& e : row)
      for (std::size_t turn = 0; turn < chains_of_rounds; ++turn) {
        const Chain& c = chain(h, turn);
        const int dimension = c.dimensions[static_cast<std::size_t>(e.position)];
        phase_.exchanges.push_back({.step = when(e.step, turn),
                                    .job = job,
                                    .control = static_cast<std::uint8_t>(c.control),
                                    .dimension = static_cast<std::uint8_t>(dimension),
                                    .inverted = 0});
      }
  }

  // A free coset and, for the second row of a pair, the one that differs in all controls: so what
  // is left falls into jobs that do.
  Slot coset(bool second) {
    if (second) return static_cast<Slot>(last_coset_ ^ phase_.control_mask());
    last_coset_ = 0;
    while (taken_[last_coset_]) ++last_coset_;
    return last_coset_;
  }

  void begins_inside(const JobRow& row, bool second) {
    const Slot x = coset(second);
    const int at = row.front().position;
    for (const Slot w : {x, slot(x, swap(0)), slot(x, swap(1)), slot(x, swap(0) ^ swap(1))}) {
      FARO_CHECK(!taken_[w]);
      taken_[w] = true;
    }
    const auto back =
        std::find_if(row.begin(), row.end(), [](const RowEntry& e) { return !e.spare; });
    CubeStep begin;
    CubeStep turn;
    relabel(begin, x, {mask(0, at, length()), mask(1, at, length())}, false);
    relabel(turn, x, {mask(0, at, at + 1), mask(1, at, at + 1)}, false);
    relabel(last_, x, {mask(0, 0, at + 1), mask(1, 0, at + 1)}, true);
    add_all(0, begin);
    add_all(when(back->step, 0) - 1, turn);
    for (const RowEntry& e : row)
      for (std::size_t h = 0; h < chains_of_rounds; ++h)
        for (std::size_t t = 0; t < chains_of_rounds; ++t)
          exchange(e, at, slot(x, h == 0 ? 0 : swap(0)), (h + t) % chains_of_rounds,
                   when(e.step, t));
  }

  int length() const { return s_.chains[0].length(); }
  static Slot slot(Word x, Word change) { return static_cast<Slot>(x ^ change); }
  // Dimensions number first .. last - 1 of chain j.
  Word mask(std::size_t j, int first, int last) const {
    Word all = 0;
    for (int i = first; i < last; ++i)
      all |= bit(s_.chains[j].dimensions[static_cast<std::size_t>(i)]);
    return all;
  }

  // Control and spare of chain j are both inverted where the parity of where[j] is 1, and change
  // places if `exchanged`.
  void relabel(CubeStep& step, Slot x, const std::array<Word, 2>& where, bool exchanged) const {
    for (const Word w : {Word{x}, x ^ swap(0), x ^ swap(1), x ^ swap(0) ^ swap(1)})
      for (unsigned odd = 0; odd < 4; ++odd) {
        Word to = w;
        for (const std::size_t j : {std::size_t{0}, std::size_t{1}}) {
          if (has_bit(Word{odd}, static_cast<int>(j))) to ^= swap(j);
          if (exchanged && has_bit(w, spares_[j]) != has_bit(w, s_.chains[j].control))
            to ^= swap(j);
        }
        if (to == w) continue;
        add_rule(step, {{where[0], odd & 1U}, {where[1], odd >> 1U}}, static_cast<Slot>(w), inside,
                 static_cast<Slot>(to));
      }
  }

  void add_all(Time time, const CubeStep& step) {
    for (const Rule& rule : step.rules) phase_.rules.push_back({time, rule});
  }

  void exchange(const RowEntry& e, int at, Slot x, std::size_t j, Time time) {
    const Chain& c = s_.chains[j];
    const int control = e.spare ? spares_[j] : c.control;
    const Word own = e.spare ? mask(j, at, length()) : mask(j, 0, at + 1);
    const int dimension = c.dimensions[static_cast<std::size_t>(e.position)];
    CubeStep step;
    for (unsigned label = 0; label < 2; ++label) {
      const Slot w = slot(x, label == 0 ? 0 : swap(0) ^ swap(1));
      add_rule(step, {{own ^ bit(dimension), 1U ^ (has_bit(Word{w}, control) ? 1U : 0U)}}, w,
               dimension, w);
    }
    add_all(time, step);
  }

  const Structure& s_;
  std::array<int, 2> spares_;
  Phase phase_;
  std::vector<bool> taken_;
  Slot last_coset_ = 0;
  CubeStep last_;
};

}  // namespace

Phase by_exchange_phase(const Structure& s) {
  return pipelined_rounds(s);
}

bool exchanges_concurrently(const Structure& s) {
  return spares_of(s).has_value();
}

Count concurrent_exchange_steps(const Structure& s) {
  const std::uint64_t rows = s.elements() / (2 * chains_of_rounds);
  return chains_of_rounds * concurrent_plan({s.chains[0].length()}, rows).steps;
}

Phase concurrent_exchange_phase(const Structure& s) {
  return ConcurrentRounds(s, *spares_of(s)).run();
}

}  // namespace faro::inline v1::shuffle
