// Where jobs start: at the places of the least wait, or, with a spare bit, inside chains.
#include "planners/cube/shuffle/ring.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "planners/cube/shuffle/split_jobs.hpp"

namespace faro::inline v1::shuffle {
namespace {

enum class RingStart { plain, single_split, paired_split };

struct RingChoice {
  RingStart start = RingStart::plain;
  Count wait = 0;    // w of plain starts
  Count places = 0;  // L
  Count steps = 0;   // T
};

std::vector<int> station_lengths(const Structure& s) {
  std::vector<int> lengths;
  for (const Chain& c : s.chains) lengths.push_back(c.length());
  for (std::size_t i = 0; i < s.cycles.size(); ++i) lengths.push_back(2);
  return lengths;
}

RingChoice plain_choice(const std::vector<int>& lengths, Count jobs) {
  Count all = 0;
  int longest = 0;
  for (const int m : lengths) {
    all += static_cast<Count>(m);
    longest = std::max(longest, m);
  }
  RingChoice best;
  for (int w = 0; w < longest; ++w) {
    Count startable = 0;
    for (const int m : lengths) startable += static_cast<Count>(std::min(m, w + 1));
    const Count places = std::max({all, jobs, jobs + all - std::min(startable, jobs + all)});
    const Count steps = static_cast<Count>(w) + places;
    if (w == 0 || steps < best.steps)
      best = {.start = RingStart::plain,
              .wait = static_cast<Count>(w),
              .places = places,
              .steps = steps};
  }
  return best;
}

RingChoice choose(const Structure& s) {
  const std::vector<int> lengths = station_lengths(s);
  const Count jobs = s.elements() / 2;
  RingChoice best = plain_choice(lengths, jobs);
  if (!s.spare() || s.chains.empty()) return best;
  const Count places = std::max(static_cast<Count>(s.real_order()), jobs);
  if (s.chains.size() == 1 && jobs >= 2 && places + 1 < best.steps)
    best = {.start = RingStart::single_split, .wait = 0, .places = places, .steps = places + 1};
  if (s.chains.size() >= 2 && places + 2 < best.steps)
    best = {.start = RingStart::paired_split, .wait = 2, .places = places, .steps = places + 2};
  return best;
}

// What stands at a place of the ring.
struct Place {
  enum class Kind { chain, pair_first, pair_second, waiting } kind = Kind::waiting;
  int which = 0;     // chain or cycle
  int position = 0;  // in the chain
};

struct Ring {
  std::vector<Place> places;  // the stations first, then the waiting places
  std::size_t stations = 0;
  std::size_t size() const { return places.size(); }
};

Ring ring_of(const Structure& s, Count places) {
  Ring ring;
  for (std::size_t c = 0; c < s.chains.size(); ++c)
    for (int i = 0; i < s.chains[c].length(); ++i)
      ring.places.push_back({Place::Kind::chain, static_cast<int>(c), i});
  for (std::size_t c = 0; c < s.cycles.size(); ++c) {
    ring.places.push_back({Place::Kind::pair_first, static_cast<int>(c), 0});
    ring.places.push_back({Place::Kind::pair_second, static_cast<int>(c), 1});
  }
  ring.stations = ring.size();
  while (ring.size() < places) ring.places.push_back({});
  return ring;
}

// Steps a job must walk idly from a place before its lap can begin.
Count wait_of(const Structure& s, const Place& place) {
  if (place.kind == Place::Kind::pair_second) return 1;
  if (place.kind != Place::Kind::chain || place.position == 0) return 0;
  return static_cast<Count>(s.chains[static_cast<std::size_t>(place.which)].length() -
                            place.position);
}

// A job's lap: what it does at each place from `start` on, at steps first, first + 1, ...
// With a split it begins in a chain under the spare control and returns there.
class Lap {
 public:
  Lap(const Structure& s, const Ring& ring, Phase& phase) : s_(s), ring_(ring), phase_(phase) {}

  void plain(Slot job, std::size_t start, Time first) {
    for (std::size_t p = start; p < ring_.stations; ++p)
      visit(job, ring_.places[p], first + static_cast<Time>(p - start), -1);
    for (std::size_t p = 0; p < std::min(start, ring_.stations); ++p)
      visit(job, ring_.places[p], first + static_cast<Time>(p + ring_.size() - start), -1);
  }

  void split(Slot job, std::size_t start, Time first) {
    const Place at = ring_.places[start];
    const Chain& chain = s_.chains[static_cast<std::size_t>(at.which)];
    phase_.splits.push_back({.job = job,
                             .chain = static_cast<std::uint16_t>(at.which),
                             .at = static_cast<std::uint8_t>(at.position)});
    exchange(job, first, phase_.spare, chain, at.position).inverted = 0;
    for (std::size_t p = start + 1; p < ring_.stations; ++p) {
      const Place& place = ring_.places[p];
      const bool spare = place.kind == Place::Kind::chain && place.which == at.which;
      visit(job, place, first + static_cast<Time>(p - start), spare ? phase_.spare : -1);
    }
    for (std::size_t p = 0; p <= start; ++p)
      visit(job, ring_.places[p], first + static_cast<Time>(p + ring_.size() - start), -1);
  }

 private:
  Exchange& exchange(Slot job, Time step, int control, const Chain& chain, int position) {
    Exchange& e = phase_.exchanges.emplace_back(
        exchange_of(chain, static_cast<std::size_t>(position), control));
    e.step = step;
    e.job = job;
    return e;
  }

  void visit(Slot job, const Place& place, Time step, int control) {
    if (place.kind == Place::Kind::chain) {
      const Chain& chain = s_.chains[static_cast<std::size_t>(place.which)];
      exchange(job, step, control < 0 ? chain.control : control, chain, place.position);
    } else if (place.kind == Place::Kind::pair_first) {
      const auto cycle = static_cast<std::uint16_t>(place.which);
      const auto partner = static_cast<Slot>(job ^ phase_.control_mask());
      phase_.lanes.push_back({step, job, cycle, LaneKind::e2a});
      phase_.lanes.push_back({step, partner, cycle, LaneKind::e2b});
    }
  }

  const Structure& s_;
  const Ring& ring_;
  Phase& phase_;
};

Phase plain_phase(const Structure& s, const RingChoice& choice) {
  Phase phase = make_phase(s, {});
  const Ring ring = ring_of(s, choice.places);
  Lap lap(s, ring, phase);
  const std::vector<Slot> jobs = phase.jobs(s);
  std::size_t next = 0;
  for (std::size_t p = 0; p < ring.size() && next < jobs.size(); ++p) {
    const Count wait = wait_of(s, ring.places[p]);
    if (wait > choice.wait) continue;
    lap.plain(jobs[next++], (p + static_cast<std::size_t>(wait)) % ring.size(),
              static_cast<Time>(wait));
  }
  FARO_CHECK(next == jobs.size());
  return phase;
}

Phase single_phase(const Structure& s, const RingChoice& choice) {
  Phase phase = make_phase(s, {.with_spare = true});
  const Ring ring = ring_of(s, choice.places);
  Lap lap(s, ring, phase);
  const std::vector<Slot> jobs = phase.jobs(s);
  for (std::size_t p = 0; p < jobs.size(); ++p) {
    const Count wait = wait_of(s, ring.places[p]);
    if (ring.places[p].kind == Place::Kind::chain && ring.places[p].position > 0)
      lap.split(jobs[p], p, 0);
    else
      lap.plain(jobs[p], (p + static_cast<std::size_t>(wait)) % ring.size(),
                static_cast<Time>(wait));
  }
  return phase;
}

// Two jobs that start at the places of dimensions at-1 and at of a chain.
struct PlacePair {
  int chain = 0;
  std::size_t place = 0;  // of dimension at
};

struct PairedPlaces {
  std::vector<PlacePair> pairs;    // ordered by chain
  std::vector<std::size_t> plain;  // places of plain starts
};

// Chooses as few pairs as fill the places: inner dimensions by twos, one left over with the last
// but one.
PairedPlaces paired_places(const Structure& s, const Ring& ring, std::size_t jobs) {
  PairedPlaces result;
  std::vector<bool> taken(ring.size(), false);
  std::size_t available = 0;
  for (const Place& place : ring.places) available += wait_of(s, place) <= 2 ? 1U : 0U;
  std::size_t first = 0;
  for (std::size_t c = 0; c < s.chains.size(); ++c) {
    const int length = s.chains[c].length();
    for (int at = 1; at <= length - 3 && available < jobs; at += 2) {  // inner: 1..length-3
      const std::size_t place = first + static_cast<std::size_t>(at);
      taken[place] = taken[place + 1] = true;
      result.pairs.push_back({static_cast<int>(c), place + 1});
      available += at + 1 <= length - 3 ? 2U : 1U;
    }
    first += static_cast<std::size_t>(length);
  }
  for (std::size_t p = 0; p < ring.size(); ++p)
    if (!taken[p] && wait_of(s, ring.places[p]) <= 2) result.plain.push_back(p);
  FARO_CHECK(available >= jobs);
  FARO_CHECK(result.plain.size() + 2 * result.pairs.size() >= jobs);
  return result;
}

Phase paired_phase(const Structure& s, const RingChoice& choice) {
  Phase phase = make_phase(s, {.with_spare = true});
  const Ring ring = ring_of(s, choice.places);
  Lap lap(s, ring, phase);
  const PairedPlaces places = paired_places(s, ring, s.elements() / 2);
  std::vector<int> chains;
  for (const PlacePair& pair : places.pairs) chains.push_back(pair.chain);
  const SplitJobs jobs = split_jobs(s, phase, chains);
  for (std::size_t i = 0; i < jobs.pairs.size(); ++i) {
    lap.split(jobs.pairs[i][0], places.pairs[i].place, 0);
    lap.split(jobs.pairs[i][1], places.pairs[i].place, 1);
  }
  std::size_t next = 0;
  for (const Slot x : jobs.left) {
    const std::size_t p = places.plain[next++];
    const Count wait = wait_of(s, ring.places[p]);
    lap.plain(x, (p + static_cast<std::size_t>(wait)) % ring.size(), static_cast<Time>(wait));
  }
  return phase;
}

}  // namespace

Count ring_steps(const Structure& s) {
  return choose(s).steps;
}

Phase ring_phase(const Structure& s) {
  FARO_CHECK(s.ring_only() && !s.nothing_remote() && s.elements() >= 2);
  const RingChoice choice = choose(s);
  if (choice.start == RingStart::single_split) return single_phase(s, choice);
  if (choice.start == RingStart::paired_split) return paired_phase(s, choice);
  return plain_phase(s, choice);
}

}  // namespace faro::inline v1::shuffle
