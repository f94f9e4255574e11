// Replay of the SIMD mesh: three registers a processor, each word a token that says whose element
// it is; every instruction is performed at every processor.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verify/mesh.hpp"
#include "mesh_audit.hpp"

namespace faro {
namespace {

using Token = std::uint32_t;
constexpr Token undefined = std::numeric_limits<Token>::max();
static_assert(limits::replay_elements_log2_max < 32, "a token names a processor");

bool enabled(Word p, const TernaryMask& mask, const std::vector<Parity>& where) {
  if (((p ^ mask.value) & mask.care) != 0) return false;
  for (const Parity& c : where)
    if ((static_cast<unsigned>(std::popcount(p & c.mask)) & 1U) != c.value) return false;
  return true;
}

class MeshReplay : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override {
    audit_.begin(header);
    const int bits = audit_.geometry->bits();
    if (bits > limits::replay_elements_log2_max)
      throw Error(ErrorCode::limit,
                  fmt::format("replay spells out at most 2^{} processors, this mesh has 2^{}; use "
                              "--verify proof",
                              limits::replay_elements_log2_max, bits));
    for (auto& reg : registers_) reg.assign(bit(bits), undefined);
    auto& data = of(MeshRegister::s);
    for (std::size_t p = 0; p < data.size(); ++p) data[p] = static_cast<Token>(p);
  }

  void step(const MeshInstruction& instruction) override {
    if (audit_.legal(instruction)) {
      if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
        perform(*route);
      } else if (const auto* copy = std::get_if<MeshCopy>(&instruction)) {
        for (Word p = 0; p < audit_.geometry->processors(); ++p)
          if (enabled(p, copy->mask, copy->where)) of(copy->to)[p] = of(copy->from)[p];
      } else {
        const auto& swap = std::get<MeshSwap>(instruction);
        for (Word p = 0; p < audit_.geometry->processors(); ++p)
          if (enabled(p, swap.mask, swap.where)) std::swap(of(swap.a)[p], of(swap.b)[p]);
      }
    }
    ++audit_.steps;
  }

  void finish() override {
    if (audit_.goal.map) {
      const BitMap& map = *audit_.goal.map;
      for (Word p = 0; p < audit_.geometry->processors(); ++p) judge(p, map(p), audit_.elements);
    }
    for (const Move& m : audit_.goal.moves)
      if (std::max(m.from_processor, m.to_processor) < audit_.geometry->processors())
        judge(m.from_processor, m.to_processor, 1);
    audit_.finish();
  }

  Verdict verdict() const override { return audit_.verdict; }

 private:
  std::vector<Token>& of(MeshRegister reg) { return registers_[static_cast<std::size_t>(reg)]; }

  void perform(const MeshRoute& route) {
    const std::vector<Token> before = of(MeshRegister::r);
    auto& after = of(MeshRegister::r);
    std::fill(after.begin(), after.end(), undefined);
    for (Word p = 0; p < audit_.geometry->processors(); ++p)
      if (const auto to = audit_.geometry->routed(p, route.dimension, route.by))
        after[*to] = before[p];
  }

  void judge(Word from, Word to, Count elements) {
    const Token there = of(MeshRegister::s)[to];
    if (there == from) {
      audit_.verdict.delivered += elements;
    } else if (there == undefined) {
      audit_.violation("not-delivered",
                       fmt::format("Rs of processor {} is undefined at the end; the "
                                   "element of {} is wanted there",
                                   to, from));
    } else {
      audit_.violation("not-delivered",
                       fmt::format("Rs of processor {} holds the element of {} at the "
                                   "end; that of {} is wanted there",
                                   to, there, from));
    }
  }

  MeshAudit audit_{"replay"};
  std::array<std::vector<Token>, 3> registers_;
};

}  // namespace

std::unique_ptr<Verifier> mesh_replay() {
  return std::make_unique<MeshReplay>();
}

}  // namespace faro
