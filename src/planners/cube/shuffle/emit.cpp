// The rules of a phase. Each form was derived and proved by hand once; the verifiers prove every
// schedule again.
#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/shuffle/phase.hpp"
#include "planners/cube/shuffle/rule_forms.hpp"

namespace faro::inline v1::shuffle {
namespace {

// Transit slots from K up, the lowest that is free. A slot may be written again in the step that
// reads it last.
class TransitPool {
 public:
  explicit TransitPool(Slot first) : first_(first) {}
  Slot take(Time from, Time until) {
    for (std::size_t i = 0; i < busy_.size(); ++i)
      if (busy_[i] <= from) {
        busy_[i] = until;
        return first_ + static_cast<Slot>(i);
      }
    busy_.push_back(until);
    return first_ + static_cast<Slot>(busy_.size() - 1);
  }
  Slot end() const { return first_ + static_cast<Slot>(busy_.size()); }

 private:
  Slot first_;
  std::vector<Time> busy_;
};

enum class Kind : std::uint8_t { exchange, lane, run, ahead, rule };

struct Event {
  Time step = 0;
  Kind kind = Kind::exchange;
  std::uint8_t part = 0;
  std::uint32_t index = 0;
};

std::vector<Event> events_of(const Structure& s, const Phase& phase) {
  std::vector<Event> events;
  const auto add = [&](Time step, Kind kind, std::size_t part, std::size_t index) {
    events.push_back({.step = step,
                      .kind = kind,
                      .part = static_cast<std::uint8_t>(part),
                      .index = static_cast<std::uint32_t>(index)});
  };
  for (std::size_t i = 0; i < phase.exchanges.size(); ++i)
    add(phase.exchanges[i].step, Kind::exchange, 0, i);
  for (std::size_t i = 0; i < phase.rules.size(); ++i) add(phase.rules[i].step, Kind::rule, 0, i);
  for (std::size_t i = 0; i < phase.lanes.size(); ++i)
    for (Time h = 0; h < lane_latency(phase.lanes[i].kind); ++h)
      add(phase.lanes[i].step + h, Kind::lane, h, i);
  for (std::size_t i = 0; i < phase.runs.size(); ++i)
    for (std::size_t h = 0; h < phase.runs[i].steps.size(); ++h)
      add(phase.runs[i].steps[h], Kind::run, h, i);
  for (std::size_t i = 0; i < phase.aheads.size(); ++i)
    for (int h = 0; h + 1 < s.cycles[phase.aheads[i].cycle].length(); ++h)
      add(phase.aheads[i].step + static_cast<Time>(h), Kind::ahead, static_cast<std::size_t>(h), i);
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.step < b.step; });
  return events;
}

// The transit slots of every lane, run and ahead, in one order: as they begin.
struct Transits {
  std::vector<std::vector<Slot>> lanes;
  std::vector<Slot> runs;
  std::vector<AheadSlots> aheads;
  Slot end = 0;
};

Transits transits_of(const Structure& s, const Phase& phase, const std::vector<Event>& events) {
  Transits t;
  t.lanes.resize(phase.lanes.size());
  t.runs.resize(phase.runs.size());
  t.aheads.resize(phase.aheads.size());
  TransitPool pool(static_cast<Slot>(s.elements()));
  for (const Event& e : events) {
    if (e.part != 0) continue;
    if (e.kind == Kind::lane) {
      const Lane& lane = phase.lanes[e.index];
      for (std::size_t i = 0; i < lane_transits(lane.kind); ++i)
        t.lanes[e.index].push_back(pool.take(lane.step, lane.step + lane_latency(lane.kind) - 1));
    } else if (e.kind == Kind::run) {
      const Run& run = phase.runs[e.index];
      t.runs[e.index] = pool.take(run.steps.front(), run.steps.back());
    } else if (e.kind == Kind::ahead) {
      const Ahead& a = phase.aheads[e.index];
      // The local moves before the first and after the last step need them too: one step longer.
      const Time until = a.step + static_cast<Time>(s.cycles[a.cycle].length()) - 1;
      AheadSlots& slots = t.aheads[e.index];
      slots.home = a.slot;
      slots.other = pool.take(a.step, until);
      slots.ahead = {pool.take(a.step, until), pool.take(a.step, until)};
    }
  }
  t.end = std::max(pool.end(), static_cast<Slot>(phase.slots));
  return t;
}

class Emitter {
 public:
  Emitter(const Structure& s, const Phase& phase, ScheduleSink& sink)
      : s_(s),
        phase_(phase),
        sink_(sink),
        mask_(phase.control_mask()),
        chi_(s.elements(), 0),
        last_parity_(s.elements(), 0),
        events_(events_of(s, phase)),
        transits_(transits_of(s, phase, events_)) {
    for (const Split& split : phase.splits) split_of_[split.job] = &split;
    for (const Run& run : phase.runs) run_walks_.emplace_back(s.cycles[run.cycle], run.first);
    for (const Ahead& a : phase.aheads) ahead_walks_.emplace_back(s.cycles[a.cycle], a.first);
  }

  void run() {
    align();
    prepare_splits();
    walk_events();
    CubeStep last;
    last.rules = phase_.last_rules;
    push(last);
    repair_splits();
    align();
    local_map([&](Word w) { return w ^ phase_.inversions; });
  }

 private:
  Word elements() const { return s_.elements(); }

  void push(CubeStep& step) {
    if (!step.rules.empty()) sink_.step(step);
    step.clear();
  }

  template <class Map>
  void local_map(Map&& map) {
    CubeStep step;
    for (Word w = 0; w < elements(); ++w)
      if (map(w) != w) add_rule(step, {}, static_cast<Slot>(w), inside, static_cast<Slot>(map(w)));
    push(step);
  }

  void align() {
    CubeStep step;
    for (const int c : phase_.controls) {
      const Word own = phase_.own[static_cast<std::size_t>(c)];
      if (own == 0) continue;
      for (Word w = 0; w < elements(); ++w)
        add_rule(step, {{own, 1}}, static_cast<Slot>(w), inside, static_cast<Slot>(w ^ bit(c)));
      push(step);
    }
  }

  const Chain& chain_of(const Split& split) const { return s_.chains[split.chain]; }
  // Dimensions before the split, and those from there on.
  Word low(const Split& split) const {
    Word mask = 0;
    for (std::size_t i = 0; i < split.at; ++i) mask |= bit(chain_of(split).dimensions[i]);
    return mask;
  }
  Word high(const Split& split) const {
    Word mask = low(split);
    for (const int d : chain_of(split).dimensions) mask ^= bit(d);
    return mask;
  }
  Word swap_of(const Split& split) const {
    return bit(phase_.spare) ^ bit(chain_of(split).control);
  }
  Slot slot(Slot job, unsigned label) const {
    const Word mask = job < phase_.spare_until ? mask_ : mask_ & ~bit(phase_.spare);
    return static_cast<Slot>(job ^ (label != 0 ? mask : 0));
  }

  Word own(Slot job, int control) const {
    if (const auto found = split_of_.find(job); found != split_of_.end()) {
      if (control == phase_.spare) return high(*found->second);
      if (control == chain_of(*found->second).control) return low(*found->second);
    }
    return phase_.own[static_cast<std::size_t>(control)];
  }

  // A free step, of every split job's two elements: make(step, split, label, slot).
  template <class Make>
  void split_step(Make&& make) {
    CubeStep step;
    for (const Split& split : phase_.splits)
      for (unsigned label = 0; label < 2; ++label) make(step, split, label, slot(split.job, label));
    push(step);
  }

  void prepare_splits() {
    split_step([this](CubeStep& step, const Split& split, unsigned, Slot w) {
      add_rule(step, {{high(split), 1}}, w, inside, static_cast<Slot>(w ^ swap_of(split)));
    });
  }

  void exchange(CubeStep& step, const Exchange& e) {
    const Word mine = own(e.job, e.control);
    const Word chi = chi_[e.job];
    const unsigned u = 1U ^ (has_bit(Word{e.job} ^ chi, e.control) ? 1U : 0U) ^ e.inverted;
    const bool owned = has_bit(mine, e.dimension);
    for (unsigned label = 0; label < 2; ++label)
      add_rule(step, {{mine ^ bit(e.dimension), u ^ label}}, slot(e.job, label), e.dimension,
               slot(e.job, owned ? label : 1U - label));
    last_parity_[e.job] = static_cast<std::uint8_t>(u);
    if (e.inverted != 0) chi_[e.job] ^= bit(e.control);
  }

  void walk_events() {
    CubeStep step;
    CubeStep before;
    std::vector<std::uint32_t> ended;
    for (std::size_t i = 0; i < events_.size();) {
      const Time now = events_[i].step;
      for (const std::uint32_t a : ended)
        add_ahead_end(before, ahead_walks_[a], transits_.aheads[a]);
      ended.clear();
      push(before);
      for (; i < events_.size() && events_[i].step == now; ++i) {
        const Event& e = events_[i];
        switch (e.kind) {
          case Kind::exchange:
            exchange(step, phase_.exchanges[e.index]);
            break;
          case Kind::lane: {
            const Lane& lane = phase_.lanes[e.index];
            add_lane_hop(step, lane_classes(s_.cycles[lane.cycle], lane.kind, lane.turn), e.part,
                         lane.slot, transits_.lanes[e.index]);
            break;
          }
          case Kind::rule:
            step.rules.push_back(phase_.rules[e.index].rule);
            break;
          case Kind::run:
            add_run_step(step, run_walks_[e.index], e.part, phase_.runs[e.index].slot,
                         transits_.runs[e.index]);
            break;
          case Kind::ahead: {
            const Walk& walk = ahead_walks_[e.index];
            if (e.part == 0) add_ahead_begin(before, walk, transits_.aheads[e.index]);
            add_ahead_step(step, walk, e.part, transits_.aheads[e.index]);
            if (e.part + std::size_t{2} == walk.length()) ended.push_back(e.index);
            break;
          }
        }
      }
      push(before);
      push(step);
    }
    for (const std::uint32_t a : ended) add_ahead_end(before, ahead_walks_[a], transits_.aheads[a]);
    push(before);
  }

  // After the ring a split job holds its two controls exchanged; afterwards it is like any other.
  void repair_splits() {
    split_step([this](CubeStep& step, const Split& split, unsigned label, Slot w) {
      const Word g = swap_of(split);
      if (mask_ == g) return;
      const Word last = bit(chain_of(split).dimensions[split.at]);
      add_rule(step, {{low(split) ^ last, last_parity_[split.job] ^ label}}, w, inside,
               static_cast<Slot>(w ^ mask_ ^ g));
    });
    split_step([this](CubeStep& step, const Split& split, unsigned, Slot w) {
      if (has_bit(w, phase_.spare) != has_bit(w, chain_of(split).control))
        add_rule(step, {}, w, inside, static_cast<Slot>(w ^ swap_of(split)));
    });
    split_step([this](CubeStep& step, const Split& split, unsigned, Slot w) {
      unsigned chi = 1;
      for (std::size_t i = 0; i <= split.at; ++i) chi ^= chain_of(split).inverted[i];
      add_rule(step, {{low(split), chi}}, w, inside, static_cast<Slot>(w ^ swap_of(split)));
    });
  }

  const Structure& s_;
  const Phase& phase_;
  ScheduleSink& sink_;
  Word mask_;
  std::vector<Word> chi_;
  std::vector<std::uint8_t> last_parity_;
  std::map<Slot, const Split*> split_of_;
  std::vector<Walk> run_walks_;
  std::vector<Walk> ahead_walks_;
  std::vector<Event> events_;
  Transits transits_;
};

}  // namespace

std::uint64_t slots_of(const Structure& s, const Program& program) {
  std::uint64_t slots = s.elements();
  for (const Part& part : program)
    slots = std::max<std::uint64_t>(
        slots, transits_of(part.structure, part.phase, events_of(part.structure, part.phase)).end);
  return slots;
}

void emit_part(const Part& part, ScheduleSink& sink) {
  Emitter(part.structure, part.phase, sink).run();
}

void emit_final(const Structure& s, ScheduleSink& sink) {
  CubeStep step;
  for (Word w = 0; w < s.elements(); ++w)
    if (s.final_slot(w) != w)
      add_rule(step, {}, static_cast<Slot>(w), inside, static_cast<Slot>(s.final_slot(w)));
  if (!step.rules.empty()) sink.step(step);
}

void emit(const Structure& s, const Program& program, const Request& request,
          std::string_view planner, ScheduleSink& sink) {
  sink.begin(header_of(request, planner, slots_of(s, program)));
  for (const Part& part : program) emit_part(part, sink);
  emit_final(s, sink);
  sink.finish();
}

}  // namespace faro::inline v1::shuffle
