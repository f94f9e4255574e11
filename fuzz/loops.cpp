// Any bytes as loops on a cube of two to eight processors: the proof, which performs no laps, must
// say what replay says of the laps written out: right or wrong, how many elements arrive, and which
// step is the first one that breaks a rule. The goal is what a table of places says that the laps
// do, now and then with two elements exchanged.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "faro/machines/verifier.hpp"
#include "faro/schedules/steps.hpp"
#include "fuzz.hpp"
#include "machines/cube/reference.hpp"
#include "machines/loop_proof.hpp"

namespace {

using namespace faro;
using fuzz::Bytes;
using fuzz::check;

struct Schedule {
  int bits = 1;
  ScheduleHeader header;
  std::vector<CubeLoop> loops;
  void push(ScheduleSink& sink) const {
    sink.begin(header);
    for (const CubeLoop& loop : loops) sink.loop(loop);
    sink.finish();
  }
  Verdict judged(std::unique_ptr<Verifier> judge) const {
    push(*judge);
    return judge->verdict();
  }
};

std::int64_t advance_of(Bytes& bytes) {
  constexpr std::int64_t advances[] = {0, 0, 0, 1, 1, 1, -1, -1, 2, -2, 3, 4, -3, 5, 6, 7};
  return advances[bytes.below(16)];
}

// A slot from which so many laps stay in range, mostly.
Slot slot_of(Bytes& bytes, std::int64_t by, std::uint64_t slots) {
  const std::uint64_t near = bytes.below(9);
  if (by < 0) return static_cast<Slot>(slots - 1 - std::min(near, slots - 1));
  return static_cast<Slot>(near == 8 ? slots - 1 - bytes.below(slots) : near);
}

Schedule schedule_of(Bytes& bytes) {
  Schedule schedule;
  schedule.bits = 1 + static_cast<int>(bytes.below(3));
  const std::uint64_t elements = 1 + bytes.below(64);
  ScheduleHeader& header = schedule.header;
  header.machine = Hypercube{schedule.bits, Hypercube::Ports::all};
  header.elements = elements;
  header.slots = elements + bytes.below(8);
  header.entries = ScheduleHeader::Entries::loops;
  for (std::uint64_t left = 1 + bytes.below(4); left > 0; --left) {
    CubeLoop loop;
    loop.laps = 1 + bytes.below(elements + 3);
    loop.body.resize(1 + bytes.below(3));
    for (std::uint64_t rules = 1 + bytes.below(6); rules > 0; --rules) {
      auto& entry = loop.body[bytes.below(loop.body.size())];
      Rule rule;
      const std::uint64_t condition = bytes.below(16);
      if (condition < bit(schedule.bits) && condition > 0)
        rule.where.push_back({condition, static_cast<unsigned>(bytes.below(2))});
      const Advance by{advance_of(bytes), advance_of(bytes)};
      rule.from = slot_of(bytes, by.from, header.slots);
      rule.to = slot_of(bytes, by.to, header.slots);
      rule.across =
          static_cast<int>(bytes.below(static_cast<std::uint64_t>(schedule.bits) + 1)) - 1;
      entry.first.rules.push_back(rule);
      entry.advances.push_back(by);
    }
    // No slot of a file is below 0.
    const auto below_zero = [&loop](std::int64_t slot, std::int64_t by) {
      return slot + by * static_cast<std::int64_t>(loop.laps - 1) < 0;
    };
    for (const auto& entry : loop.body)
      for (std::size_t i = 0; i < entry.advances.size(); ++i)
        while (below_zero(entry.first.rules[i].from, entry.advances[i].from) ||
               below_zero(entry.first.rules[i].to, entry.advances[i].to))
          --loop.laps;
    schedule.loops.push_back(std::move(loop));
  }
  return schedule;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::done_or_refused([&] {
    Bytes bytes(data, size);
    Schedule schedule = schedule_of(bytes);
    RecordingSink laps;  // one by one
    schedule.push(laps);
    std::vector<Move> moves = testing::judge_cube(laps).reached;
    const bool exchanged = bytes.below(4) == 0 && moves.size() > 1;
    if (exchanged) {
      Move& a = moves[bytes.below(moves.size())];
      Move& b = moves[bytes.below(moves.size())];
      std::swap(a.from_processor, b.from_processor);
      std::swap(a.from_slot, b.from_slot);
    }
    schedule.header.goal = MovesGoal{std::move(moves)};
    const Verdict proof = schedule.judged(loop_proof());
    if (proof.answer == Verdict::Answer::unprovable) return;
    const Verdict replay = schedule.judged(make_replay());
    check(proof.ok() == replay.ok());
    const auto broken = [](const Verdict& verdict) {
      return std::any_of(verdict.violations.begin(), verdict.violations.end(),
                         [](const Violation& one) { return one.rule != "not-delivered"; });
    };
    check(broken(proof) == broken(replay));
    if (broken(replay)) {
      check(proof.violations[0].step == replay.violations[0].step);
    } else {
      check(proof.delivered == replay.delivered);
      check(proof.cost == replay.cost);
      if (!exchanged) check(proof.ok());
    }
  });
}
