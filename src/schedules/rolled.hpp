// A schedule rolled up: steps that come again with their slots gone on become loops.
//
//   slot 0 to 9, slot 1 to 9, slot 2 to 9     one loop of 3 laps, {slot 0 to 9, advance (1, 0)}
//
// Rolling is greedy: from each step on it takes the period and the number of laps that save most.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1::rolled {

// A rule or a move: what it is but for its slots, by number, and how its slots go on.
struct Item {
  std::uint32_t kind = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t from_by = 0;
  std::int64_t to_by = 0;
  friend bool operator==(const Item&, const Item&) = default;
  friend auto operator<=>(const Item&, const Item&) = default;
};
using Step = std::vector<Item>;  // sorted, while nothing advances

struct Entry {
  std::uint64_t laps = 1;
  std::vector<Step> body;
  friend bool operator==(const Entry&, const Entry&) = default;
};

// What rules and moves are but for their slots.
class Kinds {
 public:
  std::uint32_t of(const Rule& rule);
  std::uint32_t of(const Move& move);
  std::uint32_t of(const PopsRule& rule);
  // Whether it stays inside its processors.
  bool stays(std::uint32_t kind) const { return stays_[kind]; }
  bool listed(std::uint32_t kind) const;  // a move
  // Whether two that stay inside are performed at one processor.
  bool meet(std::uint32_t a, std::uint32_t b) const;
  void add(const Item& item, CubeStep& step) const;
  void add(const Item& item, PopsSlot& slot) const;

 private:
  std::uint32_t number(std::vector<Word> words, bool stays);
  std::map<std::vector<Word>, std::uint32_t> known_;
  std::vector<std::vector<Word>> words_;
  std::vector<bool> stays_;
};

// Keeps a schedule of rules and moves. `rollable` is false for one with anything else.
class Recorded : public ScheduleSink {
 public:
  explicit Recorded(Kinds& kinds, std::size_t items_max) : kinds_(kinds), left_(items_max) {}
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const PopsSlot& slot) override;
  void step(const MeshInstruction& instruction) override;
  void loop(const CubeLoop& loop) override;
  void loop(const PopsLoop& loop) override;
  void finish() override {}

  ScheduleHeader header;
  std::vector<Step> steps;
  bool rollable = true;

 private:
  void take(Step step);
  Kinds& kinds_;
  std::size_t left_;
};

// `slots` grows where a step of many moves inside processors exchanges what slots hold: laps
// perform them one after another, by way of slots of their own.
std::vector<Entry> roll(const std::vector<Step>& steps, const Kinds& kinds, std::uint64_t& slots);
void push(const std::vector<Entry>& entries, const Kinds& kinds, bool pops, ScheduleSink& sink);

}  // namespace faro::inline v1::rolled
