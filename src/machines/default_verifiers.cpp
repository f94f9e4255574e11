#include "machines/default_verifiers.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "schedules/loops.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {
namespace {

bool at_most_log2(Count value, int log2) {
  return value <= Count{1} << static_cast<unsigned>(log2);
}

// What is spelled out of a schedule in turns is one of them.
std::uint64_t elements_of_turn(const ScheduleHeader& header) {
  return header.elements / std::max<std::uint64_t>(header.repeat.times, 1);
}

// Replay knows so many slots of a processor, and fewer registers on POPS networks and ranks.
bool slots_fit(const ScheduleHeader& header) {
  return header.slots <=
         (has_registers(header.machine) ? limits::replay_registers_max : limits::slots_max);
}

bool replay_is_quick(const ScheduleHeader& header) {
  return slots_fit(header) && at_most_log2(processors(header.machine) * elements_of_turn(header),
                                           limits::replay_default_log2_max);
}

bool replay_is_possible(const ScheduleHeader& header) {
  const Count count = processors(header.machine);
  return slots_fit(header) &&
         at_most_log2(count * elements_of_turn(header), limits::replay_elements_log2_max) &&
         at_most_log2(count * header.slots, limits::replay_places_log2_max);
}

// Elements that a step's rules move. Masks that the machine does not have are a verifier's matter.
Count moved_by(const std::vector<Parity>& where, int width) {
  AffineSpace space = AffineSpace::everything(width);
  for (const Parity& c : where)
    if ((c.mask & ~low_mask(width)) == 0 && c.value <= 1) space = space.meet(c);
  return space.empty() ? Count{0} : Count{1} << static_cast<unsigned>(space.dimension());
}
template <class Step>
Count moved(const Step& step, int width) {
  Count sum = 0;
  for (const auto& rule : step.rules) sum += moved_by(rule.where, width);
  return sum;
}

}  // namespace

void DefaultVerifiers::begin(const ScheduleHeader& header) {
  header_ = header;
  width_ = address_bits(header.machine).value_or(0);
  blocks_ = 1 + processors(header.machine) / 64;
}

// Replay begins with filling every place: not where the first loop is too much for it.
void DefaultVerifiers::choose(First first, bool too_much) {
  const bool replay = !too_much && (replay_is_quick(*header_) ||
                                    (first == First::moves && replay_is_possible(*header_)));
  if (replay) replay_ = make_replay();
  const bool loops = header_->entries == ScheduleHeader::Entries::loops;
  if (!replay || loops || first == First::rules || replay_is_quick(*header_)) proof_ = make_proof();
  if (replay_) replay_->begin(*header_);
  if (proof_) proof_->begin(*header_);
  header_.reset();
}

template <class Work>
void DefaultVerifiers::watch(First kind, Work&& work) {
  if (header_) choose(kind, false);
  if (replay_) work(*replay_);
  if (proof_) work(*proof_);
}

void DefaultVerifiers::step(const CubeStep& step) {
  watch(step.moves.empty() ? First::rules : First::moves,
        [&step](Verifier& verifier) { verifier.step(step); });
}

void DefaultVerifiers::step(const MeshInstruction& instruction) {
  watch(First::rules, [&instruction](Verifier& verifier) { verifier.step(instruction); });
}

void DefaultVerifiers::step(const PopsSlot& slot) {
  watch(First::rules, [&slot](Verifier& verifier) { verifier.step(slot); });
}

// Replay carries every element in every lap; a proof that knows loops is not left waiting for it.
template <class Step>
void DefaultVerifiers::watch_loop(First kind, const Loop<Step>& loop) {
  // Replay asks every step, and every item of it, of all processors, 64 at a time.
  Count lap = 0;
  for (const auto& entry : loop.body)
    lap += (1 + Count{items_of(entry.first)}) * blocks_ + conditions_of(entry.first) +
           moved(entry.first, width_);
  in_loops_ += lap * loop.laps;
  written_out_ += moves_of(loop);
  const bool too_much = !at_most_log2(in_loops_, limits::replay_elements_log2_max) ||
                        written_out_ > limits::loop_moves_max;
  if (header_) choose(kind, too_much);
  if (too_much && proof_) replay_.reset();
  watch(kind, [&loop](Verifier& verifier) { verifier.loop(loop); });
}

void DefaultVerifiers::loop(const CubeLoop& loop) {
  const bool moves = !loop.body.empty() && !loop.body.front().first.moves.empty();
  watch_loop(moves ? First::moves : First::rules, loop);
}

void DefaultVerifiers::loop(const PopsLoop& loop) {
  watch_loop(First::rules, loop);
}

void DefaultVerifiers::finish() {
  watch(First::rules, [](Verifier& verifier) { verifier.finish(); });
}

std::optional<Verdict> DefaultVerifiers::proof() const {
  return proof_ ? std::optional<Verdict>(proof_->verdict()) : std::nullopt;
}

std::optional<Verdict> DefaultVerifiers::replay() const {
  return replay_ ? std::optional<Verdict>(replay_->verdict()) : std::nullopt;
}

}  // namespace faro::inline v1
