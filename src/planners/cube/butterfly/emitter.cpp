// Butterfly schedules as affine rules: where the two elements of each job lie, and the crossings
// that change it.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "base/check.hpp"
#include "base/words_less.hpp"
#include "base/working.hpp"
#include "planners/cube/butterfly/chains.hpp"
#include "planners/cube/butterfly/places.hpp"

namespace faro::inline v1::butterfly {
namespace {

struct Job {
  std::vector<Form> rows;
  Form inner;
  bool regrouped = false;
  std::size_t done = 0;  // stages of this pass
  const Places* places = nullptr;
};

class Emitter {
 public:
  // From elements in the rows and slots that `rows` and `memory` say, bit 0 first, to the slots
  // that complete the rows which the chains leave.
  Emitter(const Chains& chains, const std::vector<Form>& rows, const std::vector<Form>& memory,
          CompiledSink& sink);
  void run();

 private:
  const std::vector<Form>& forms(const Job& job) const {
    return job.regrouped ? chains_.regrouped_forms : chains_.job_forms;
  }
  std::vector<Form> slot_rows(const Job& job) const;
  void settle(Job& job);
  Word constants(const Job& job) const;
  Reading read(Word x, const Form& form) const;
  void exchange(const Event& event);
  void cross(const Event& event);
  void send(Word x, Form where, int dimension, Slot flip);
  void level_inner(Word first, Word end);
  void regroup(Word first);
  void relabel_to(Word first, Word end, const std::vector<Form>& slot_rows);
  const std::vector<int>& stages() const { return chains_.passes[pass_]; }
  std::set<Word> all_jobs() const;
  void begin_pass();
  void butterflies(std::set<Word> active);
  bool try_stage(Word x, std::set<Word>& next);
  bool partner_meets(Word x, Word y, int index_bit) const;
  void own_pair(Word x, int index_bit);
  void neighbours(Word x, Word y, int index_bit);
  void add_butterfly(std::vector<Parity> where, Slot low, Slot high, int index_bit, IndexMap index);
  void flush();

  const Chains& chains_;
  const ButterflyNetwork& request_;
  const std::vector<Form>& rows_;
  const std::vector<Form>& memory_;
  CompiledSink& sink_;
  std::vector<Job> jobs_;
  std::size_t pass_ = 0;
  std::size_t unfinished_ = 0;  // jobs with stages of this pass to do
  std::map<std::vector<Word>, std::unique_ptr<Places>, WordsLess> known_;
  CompiledStep now_;
};

Emitter::Emitter(const Chains& chains, const std::vector<Form>& rows,
                 const std::vector<Form>& memory, CompiledSink& sink)
    : chains_(chains), request_(chains.request), rows_(rows), memory_(memory), sink_(sink) {
  Job job;
  job.rows = rows;
  job.inner = chains.inner;
  settle(job);
  jobs_.assign(chains.jobs(), job);
}

std::vector<Form> Emitter::slot_rows(const Job& job) const {
  std::vector<Form> rows{job.inner};
  rows.insert(rows.end(), forms(job).begin(), forms(job).end());
  return rows;
}

// Finds the inverse of the job's rows. Jobs of one plan meet the same few states.
void Emitter::settle(Job& job) {
  std::vector<Word> key = masks_of(job.rows);
  const std::vector<Word> slots = masks_of(slot_rows(job));
  key.insert(key.end(), slots.begin(), slots.end());
  std::unique_ptr<Places>& places = known_[std::move(key)];
  if (!places) places = std::make_unique<Places>(masks_of(job.rows), slots);
  job.places = places.get();
}

Word Emitter::constants(const Job& job) const {
  return constants_of(job.rows, std::span<const Form>(&job.inner, 1));
}

// A form at processor q in slot 2x + a: parity(q & processor) ^ (a & slot) ^ constant.
Reading Emitter::read(Word x, const Form& form) const {
  const Job& job = jobs_[x];
  Reading reading = job.places->read(form, constants(job));
  reading.constant ^= parity((reading.slot >> 1U) & x);
  reading.slot &= 1U;
  return reading;
}

// The element of job x with `where` = 1 crosses; it lands in its own slot ^ flip. `where` reads as
// a ^ f(q) ^ constant.
void Emitter::send(Word x, Form where, int dimension, Slot flip) {
  const Reading reading = read(x, where);
  FARO_CHECK(reading.slot == 1);
  for (unsigned a = 0; a < 2; ++a) {
    std::vector<Parity> conditions;
    if (!also(conditions, reading, 1U ^ a)) continue;
    const auto slot = static_cast<Slot>((2 * x) + a);
    now_.step.rules.push_back({std::move(conditions), slot, dimension, slot ^ flip});
  }
}

void Emitter::exchange(const Event& event) {
  Job& job = jobs_[event.job];
  Form& row = job.rows[static_cast<std::size_t>(event.dimension)];
  const Form crossing = sum(row, event.row);
  const bool flip = has_bit(read(event.job, crossing).processor, event.dimension);
  send(event.job, crossing, event.dimension, flip ? 1 : 0);
  row = event.row;
  if (flip) job.inner = sum(job.inner, crossing);
  settle(job);
}

void Emitter::cross(const Event& event) {
  Job& job = jobs_[event.job];
  const int d = event.dimension;
  FARO_CHECK(d > 0);
  const Form e = event.row;
  const Form other{e.mask, e.value ^ 1U};
  const Reading reading = read(event.job, e);
  const bool flip = has_bit(reading.processor, d) != has_bit(reading.processor, d - 1);
  send(event.job, e, d, flip ? 1 : 0);
  send(event.job, other, d - 1, 0);
  job.rows[static_cast<std::size_t>(d)] = sum(job.rows[static_cast<std::size_t>(d)], e);
  job.rows[static_cast<std::size_t>(d - 1)] = sum(job.rows[static_cast<std::size_t>(d - 1)], other);
  if (flip) job.inner = sum(job.inner, e);
  settle(job);
}

// Jobs that took their dimensions in another order have another inner form; swap their two elements
// where it differs from the first job's.
void Emitter::level_inner(Word first, Word end) {
  const Form wanted = jobs_[first].inner;
  for (Word x = first + 1; x < end; ++x) {
    Job& job = jobs_[x];
    if (job.inner == wanted) continue;
    const Reading differs = read(x, sum(job.inner, wanted));
    FARO_CHECK(differs.slot == 0);
    job.inner = wanted;
    settle(job);
    std::vector<Parity> conditions;
    if (!also(conditions, differs, 1)) continue;
    const auto slot = static_cast<Slot>(2 * x);
    now_.step.rules.push_back({conditions, slot, inside, slot + 1});
    now_.step.rules.push_back({conditions, slot + 1, inside, slot});
  }
  flush();
}

// Jobs first .. end-1, all in the same state, to other slot rows.
void Emitter::relabel_to(Word first, Word end, const std::vector<Form>& rows) {
  const Job& job = jobs_[first];
  std::vector<Reading> readings;
  for (const Form& row : rows) readings.push_back(job.places->read(row, constants(job)));
  relabel(readings, static_cast<Slot>(2 * first), static_cast<Slot>(2 * end), sink_);
}

void Emitter::regroup(Word first) {
  level_inner(first, first + 2);
  Job next = jobs_[first];
  next.regrouped = true;
  // The old inner form, or, where the new job forms have taken it, the old low job form.
  std::vector<Word> masks = masks_of(next.rows);
  for (const Form& form : chains_.regrouped_forms) masks.push_back(form.mask);
  if (reduce(next.inner.mask, reduced_basis(masks)) == 0) next.inner = chains_.job_forms[0];
  relabel_to(first, first + 2, slot_rows(next));
  settle(next);
  for (Word x = first; x < first + 2; ++x) {
    next.done = jobs_[x].done;
    jobs_[x] = next;
  }
}

void Emitter::add_butterfly(std::vector<Parity> where, Slot low, Slot high, int index_bit,
                            IndexMap index) {
  now_.step.butterfly_rules.push_back({.where = std::move(where),
                                       .low = low,
                                       .high = high,
                                       .stage = request_.index_bits - 1 - index_bit});
  now_.rule_indices.push_back(std::move(index));
}

// Both elements of job x are partners: index bit `index_bit` reads as a ^ g(q) ^ constant.
void Emitter::own_pair(Word x, int index_bit) {
  const Reading reading = read(x, bit_form(index_bit));
  FARO_CHECK(reading.slot == 1);
  for (unsigned a = 0; a < 2; ++a) {  // a: the slot of the low one
    std::vector<Parity> where;
    if (!also(where, reading, a)) continue;
    const auto low = static_cast<Slot>((2 * x) + a);
    add_butterfly(std::move(where), low, low ^ 1U, index_bit,
                  jobs_[x].places->indices(low, constants(jobs_[x])));
  }
}

// Whether every element of job x meets its partner in job y at the same processor.
bool Emitter::partner_meets(Word x, Word y, int index_bit) const {
  const Job& mine = jobs_[x];
  const Job& other = jobs_[y];
  if (mine.done != other.done || mine.regrouped != other.regrouped) return false;
  for (std::size_t j = 0; j < other.rows.size(); ++j) {
    const Reading row = read(x, other.rows[j]);
    const unsigned moved = has_bit(other.rows[j].mask, index_bit) ? 1U : 0U;
    if (row.processor != bit(static_cast<int>(j)) || row.slot != 0 || row.constant != moved) {
      return false;
    }
  }
  return true;
}

void Emitter::neighbours(Word x, Word y, int index_bit) {
  const Reading index = read(x, bit_form(index_bit));
  Reading there = read(x, jobs_[y].inner);
  if (has_bit(jobs_[y].inner.mask, index_bit)) there.constant ^= 1U;
  for (unsigned a = 0; a < 2; ++a) {
    const IndexMap mine = jobs_[x].places->indices((2 * x) + a, constants(jobs_[x]));
    for (unsigned high = 0; high < 2; ++high) {    // my index bit
      for (unsigned slot = 0; slot < 2; ++slot) {  // my partner's inner form
        std::vector<Parity> where;
        if (!also(where, index, high ^ static_cast<unsigned>(a & index.slot))) continue;
        if (!also(where, there, slot ^ static_cast<unsigned>(a & there.slot))) continue;
        const auto my_slot = static_cast<Slot>((2 * x) + a);
        const auto its_slot = static_cast<Slot>((2 * y) + slot);
        IndexMap low = mine;
        if (high != 0) low.base ^= bit(index_bit);
        add_butterfly(std::move(where), high == 0 ? my_slot : its_slot,
                      high == 0 ? its_slot : my_slot, index_bit, std::move(low));
      }
    }
  }
}

bool Emitter::try_stage(Word x, std::set<Word>& next) {
  still_working();
  Job& job = jobs_[x];
  if (job.done == stages().size()) return false;
  const int index_bit = stages()[job.done];
  Word y = x;
  for (std::size_t i = 0; i < forms(job).size(); ++i) {
    if (has_bit(forms(job)[i].mask, index_bit)) y ^= Word{1} << i;
  }
  if (y == x) {
    for (const Form& row : job.rows) {
      if (has_bit(row.mask, index_bit)) return false;
    }
    own_pair(x, index_bit);
  } else {
    if (!partner_meets(x, y, index_bit)) return false;
    neighbours(x, y, index_bit);
    if (++jobs_[y].done == stages().size()) --unfinished_;
    next.insert(y);
  }
  if (++job.done == stages().size()) --unfinished_;
  next.insert(x);
  return true;
}

std::set<Word> Emitter::all_jobs() const {
  std::set<Word> all;
  for (Word x = 0; x < jobs_.size(); ++x) all.insert(all.end(), x);
  return all;
}

void Emitter::begin_pass() {
  if (pass_ == chains_.passes.size()) return;
  sink_.begin_pass(static_cast<int>(pass_));
  unfinished_ = stages().empty() ? 0 : jobs_.size();
  for (Job& job : jobs_) job.done = 0;
}

// Every stage that has become local, in the order of the job numbers until nothing more happens.
void Emitter::butterflies(std::set<Word> active) {
  while (!active.empty() && pass_ < chains_.passes.size()) {
    std::set<Word> next;
    for (const Word x : active) try_stage(x, next);
    active = std::move(next);
    if (unfinished_ > 0) continue;
    flush();
    ++pass_;
    begin_pass();
    active = all_jobs();
  }
}

void Emitter::flush() {
  const CubeStep& step = now_.step;
  if (!step.rules.empty() || !step.butterfly_rules.empty()) sink_.step(now_);
  now_.clear();
}

void Emitter::run() {
  relabel(rows_, memory_, slot_rows(jobs_[0]), sink_);
  begin_pass();
  butterflies(all_jobs());
  flush();
  for (const std::vector<Event>& events : chains_.events) {
    std::set<Word> active;
    for (const Event& event : events) {
      if (event.kind == Event::Kind::regroup) regroup(event.job);
    }
    for (const Event& event : events) {
      if (event.kind == Event::Kind::exchange) exchange(event);
      if (event.kind == Event::Kind::cross) cross(event);
      active.insert(event.job);
      if (event.kind == Event::Kind::regroup) active.insert(event.job + 1);
    }
    butterflies(std::move(active));
    flush();
  }
  FARO_CHECK(pass_ == chains_.passes.size());
  level_inner(0, chains_.jobs());
  relabel_to(0, chains_.jobs(), completing_rows(jobs_[0].rows, request_.index_bits));
}

// The rows that job 0 leaves in the processors, bit 0 first; every job leaves the same.
std::vector<Form> final_rows(const Chains& chains, std::vector<Form> rows) {
  for (const std::vector<Event>& events : chains.events) {
    for (const Event& event : events) {
      if (event.job != 0) continue;
      const auto d = static_cast<std::size_t>(event.dimension);
      if (event.kind == Event::Kind::exchange) rows[d] = event.row;
      if (event.kind == Event::Kind::cross) {
        rows[d] = sum(rows[d], event.row);
        rows[d - 1] = sum(rows[d - 1], {event.row.mask, event.row.value ^ 1U});
      }
    }
  }
  return rows;
}

}  // namespace

void Chains::add(Word step, const Event& event) {
  if (step >= events.size()) events.resize(step + 1);
  events[step].push_back(event);
}

Chains network_chains(const ButterflyNetwork& request, std::string_view planner) {
  Chains chains{.request = request, .planner = planner};
  std::vector<int> bits(static_cast<std::size_t>(request.index_bits));
  std::iota(bits.begin(), bits.end(), 0);
  chains.passes = {in_stage_order(request, bits)};
  return chains;
}

void emit(const Chains& chains, CompiledSink& sink) {
  emit(std::span(&chains, 1), sink);
}

void emit(std::span<const Chains> parts, CompiledSink& sink) {
  const ButterflyNetwork& request = parts.front().request;
  std::vector<std::vector<Form>> rows{start_rows(request)};
  for (const Chains& chains : parts) rows.push_back(final_rows(chains, rows.back()));
  sink.begin(header_of(request, parts.front().planner,
                       {.processor = rows.back(),
                        .memory = completing_rows(rows.back(), request.index_bits),
                        .in_place = true,
                        .slots = bit(request.memory_bits())}));
  std::vector<Form> memory = start_memory_rows(request);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Emitter(parts[i], rows[i], memory, sink).run();
    memory = completing_rows(rows[i + 1], request.index_bits);
  }
  sink.finish();
}

}  // namespace faro::inline v1::butterfly
