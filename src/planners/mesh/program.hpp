// Writing programs of the SIMD mesh: instructions with masks said in bits, and the blocks of
// Nassimi and Sahni 1980 that planners of this family put together.
//
//   MeshProgram program(geometry);
//   program.copy({.to = Rr, .from = Rs}, where_bits({{3, 1}}));    Rr <- Rs (3)
//   program.route(0, -8);                                          ROUTE(0, -8)
//
// A program is kilobytes whatever the number of processors. `cost` counts it.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "faro/planners/planner.hpp"
#include "faro/schedules/schedule.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1::mesh {

inline constexpr MeshRegister Rr = MeshRegister::r;
inline constexpr MeshRegister Rs = MeshRegister::s;
inline constexpr MeshRegister Rt = MeshRegister::t;

struct BitValue {
  int address_bit = 0;
  unsigned value = 0;
};

// The processors whose address has these bits; all of them for none.
TernaryMask where_bits(std::initializer_list<BitValue> bits);

struct Transfer {
  MeshRegister to = MeshRegister::r;
  MeshRegister from = MeshRegister::s;
};

class MeshProgram {
 public:
  explicit MeshProgram(const MeshGeometry& geometry) : geometry_(&geometry) {}

  const MeshGeometry& geometry() const { return *geometry_; }
  const std::vector<MeshInstruction>& instructions() const { return instructions_; }

  void copy(Transfer registers, const TernaryMask& mask = {}, std::vector<Parity> where = {});
  void swap(Transfer registers, const TernaryMask& mask = {}, std::vector<Parity> where = {});
  // Nothing for by = 0.
  void route(int dimension, std::int64_t by);
  // Along the dimension of an address bit, `times` its distance.
  void route_bit(int address_bit, int times);

  // All of another program of the same mesh.
  void append(const MeshProgram& other);

  // One run of it.
  Cost cost() const;
  // Rs, and those that instructions name.
  unsigned registers_used() const;

 private:
  const MeshGeometry* geometry_;
  std::vector<MeshInstruction> instructions_;
};

// The Mesh of a request.
const Mesh& mesh_of(const Request& request);

// The request's map on processors alone; nothing if it moves memory bits or has another width than
// the machine.
std::optional<BitMap> processor_map(const Request& request);

// Where each processor sends, from the map or the list. Requires 2^20 processors at most.
std::vector<Word> destinations_of(const Request& request);

// Why a planner of SIMD meshes that needs a BPC map does not apply; nothing if it does.
std::optional<std::string> refusal_of_bpc(const Request& request);
// Why no planner of SIMD meshes applies: another machine, memory bits that move; `wraps` names the
// wraparound wanted, nothing for any.
std::optional<std::string> refusal_of_simd(const Request& request,
                                           std::optional<Mesh::Wrap> wrap = std::nullopt);

// The estimate of a planner that writes its program for it: cost K times, unit routes as the value.
Estimate estimate_of(const Request& request, const MeshProgram& program, std::string text);

// Pushes header, program and finish.
void emit(const Request& request, std::string_view planner, const MeshProgram& program,
          ScheduleSink& sink);

}  // namespace faro::inline v1::mesh
