// How much of each kind of link every step uses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exports/transfers.hpp"

namespace faro::inline v1::pictures {

// Cubes are counted by their rules, so their size does not matter; other machines move by move. Of
// a long loop of a cube two laps are counted: every lap uses the same links.
class LinkLoads : public ScheduleSink {
 public:
  struct Step {
    std::uint64_t number = 0;
    std::vector<double> used;  // by row: the part of the row's links that carry an element, 0 to 1
  };

  LinkLoads();
  ~LinkLoads() override;
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const MeshInstruction& instruction) override;
  void step(const PopsSlot& slot) override;
  void loop(const CubeLoop& loop) override;
  using ScheduleSink::loop;
  void finish() override;

  const ScheduleHeader& header() const { return header_; }
  // The kinds of link, from the top.
  const std::vector<std::string>& rows() const { return rows_; }
  // Steps in which something travels; more than limits::drawn_steps_max are too many to draw.
  const std::vector<Step>& steps() const { return steps_; }
  // Loops of which two laps are counted: where those begin among the steps, and all their laps.
  struct Laps {
    std::size_t begin = 0;
    std::uint64_t laps = 0;
  };
  const std::vector<Laps>& loops() const { return loops_; }

 private:
  class Counter;
  void add(Step step);

  ScheduleHeader header_;
  std::vector<std::string> rows_;
  std::vector<Step> steps_;
  std::vector<Laps> loops_;
  std::uint64_t cube_steps_ = 0;
  std::unique_ptr<Counter> counter_;
  std::unique_ptr<ScheduleSink> transfers_;
};

}  // namespace faro::inline v1::pictures
