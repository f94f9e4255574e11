// The plans that are exported and read back.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "faro/exports/export.hpp"
#include "faro/service/plan.hpp"

namespace faro {

struct Case {
  const char* map;
  const char* machine;
  std::uint64_t elements;
};
inline std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.map << " on " << c.machine << ", K " << c.elements;
}

inline const std::vector<Case>& cases() {
  static const std::vector<Case> list{
      {"a:3 -> ungray(a)", "cube:3", 3},
      {"a:4 -> ungray(a)", "cube:4", 10},
      {"i:5 -> rev(i)", "cube:5", 4},
      {"a:3 | m:3 -> m | a", "cube:3", 0},
      {"a:3 | m:2 -> ungray(a) | ~m", "cube:3,one-port", 0},
      {"i:4 -> rev(i)", "mesh:4x4", 1},
      {"i:4 -> rot(i, 1)", "torus:4x4", 1},
      {"i:5 -> rev(i)", "mesh:4x8,all-links", 2},
      {"i:4 -> ~i", "torus:4x4,all-links", 3},
      {"i:4 -> rev(i)", "pops:4,4", 1},
      {"i:4 -> rot(i, 1)", "pops:8,2", 2},
      {"a:3 | m:3 -> m | a", "ranks:8", 0},
      {"a:3 | m:3 -> m | a", "fat-tree:2x4,up=2", 0},
  };
  return list;
}

inline MachinePlan planned(const Case& c) {
  PlanOptions options;
  if (c.elements != 0) options.elements = c.elements;
  return plan(c.map, c.machine, options);
}

inline std::string exported(const MachinePlan& plan, const char* format) {
  TextSink text;
  export_schedule([&](ScheduleSink& sink) { plan.push(sink); }, format, text);
  return text.text();
}

using Place = std::pair<std::uint64_t, std::uint64_t>;

// The header of a plan: where elements are to end.
class HeaderOf : public ScheduleSink {
 public:
  ScheduleHeader header;
  void begin(const ScheduleHeader& h) override { header = h; }
  void step(const CubeStep&) override {}
  void step(const MeshInstruction&) override {}
  void step(const PopsSlot&) override {}
  void finish() override {}
};

}  // namespace faro
