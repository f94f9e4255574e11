// What the proof of a SIMD mesh's program judges without data: is an instruction legal, what does
// the program cost, what is its goal. Replay judges them by itself.
#pragma once

#include <optional>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "machines/judge.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1 {

// The goal in terms of processors: a map, or a list of (from, to).
struct MeshGoal {
  std::optional<BitMap> map;
  std::vector<Move> moves;
};

class MeshAudit : public Judge {
 protected:
  MeshAudit() : Judge("proof") {}

  // Reads the header; violations of `machine` and `goal` go to the verdict.
  void read(const ScheduleHeader& header);
  // Counts an instruction; false if it breaks a rule and must not be performed.
  bool legal(const MeshInstruction& instruction);
  // After the data were judged: what claims were made.
  void close();

  std::optional<MeshGeometry> geometry;
  MeshGoal goal;
  Count elements = 1;

 private:
  bool legal_route(const MeshRoute& route);
  bool legal_operation(const TernaryMask& mask, const std::vector<Parity>& where, MeshRegister a,
                       MeshRegister b);

  unsigned registers_used_ = register_bit(MeshRegister::s);
};

}  // namespace faro::inline v1
