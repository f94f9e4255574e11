// Replay of the SIMD mesh: three registers a processor, each word a token that says whose element
// it is; every instruction is performed at every processor. Goal, legality and cost are judged here
// from the header alone, apart from what the proof does.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/judge.hpp"
#include "machines/mesh/geometry.hpp"
#include "machines/mesh/verifiers.hpp"
#include "machines/replay_goal.hpp"

namespace faro::inline v1 {
namespace {

using Token = std::uint32_t;
constexpr Token undefined = std::numeric_limits<Token>::max();
static_assert(limits::replay_elements_log2_max < 32, "a token names a processor");

class MeshReplay : public Judge {
 public:
  MeshReplay() : Judge("replay") {}
  void begin(const ScheduleHeader& header) override {
    header_ = header;
    geometry_.emplace(std::get<Mesh>(header.machine));
    bits_ = geometry_->bits();
    if (bits_ > limits::replay_elements_log2_max)
      throw Error(ErrorCode::limit,
                  fmt::format("replay spells out at most 2^{} processors, this mesh has 2^{}; use "
                              "--verify proof",
                              limits::replay_elements_log2_max, bits_));
    if (header.elements == 0)
      breach("machine", {}, "a processor holds no element; at least 1 is wanted");
    if (header.slots == 0 || header.slots > registers_.size())
      breach("machine", {}, "{} registers; a processor has 1 to 3", header.slots);
    const bool legal = replay_goal::legal(header, *this);
    if (const auto* map = std::get_if<MapGoal>(&header.goal)) {
      verdict_.expected = (Count{1} << static_cast<unsigned>(bits_)) * header_.elements;
      each_ = header_.elements;
      if (legal) want(*map);
    } else if (const auto* moves = std::get_if<MovesGoal>(&header.goal)) {
      verdict_.expected = moves->moves.size();
      for (const Move& m : moves->moves)
        if (legal) wanted_.emplace_back(m.from_processor, m.to_processor);
    }
    // May be long, and is kept in `wanted_`; a bound is judged by it.
    if (!header.bound) header_.goal = MovesGoal{};
    for (auto& reg : registers_) reg.assign(bit(bits_), undefined);
    auto& data = of(MeshRegister::s);
    for (std::size_t p = 0; p < data.size(); ++p) data[p] = static_cast<Token>(p);
  }

  void step(const MeshInstruction& instruction) override {
    if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
      perform(*route);
    } else if (const auto* copy = std::get_if<MeshCopy>(&instruction)) {
      perform(copy->mask, copy->where, copy->to, copy->from,
              [](Token& to, const Token& from) { to = from; });
    } else if (const auto* swap = std::get_if<MeshSwap>(&instruction)) {
      perform(swap->mask, swap->where, swap->a, swap->b,
              [](Token& a, Token& b) { std::swap(a, b); });
    }
    ++step_;
  }

  void finish() override {
    for (const auto& [from, to] : wanted_) judge(from, to);
    if (named_.size() > header_.slots)
      breach("registers", {}, "{} registers are named, the header allows {}", named_.size(),
             header_.slots);
    judge_claims();
  }

 private:
  std::vector<Token>& of(MeshRegister reg) { return registers_[static_cast<std::size_t>(reg)]; }

  // Every processor's elements where the map says. Memory bits stay: the map is looked at on the
  // address 0 and those of one bit, which say everything of an affine map.
  void want(const MapGoal& goal) {
    const int memory = goal.cut ? goal.memory_bits : 0;
    const int width = goal.map.width();
    const Word inner = low_mask(memory);
    const Word zero = goal.map(0);
    bool stay = (zero & inner) == 0;
    for (int i = 0; i < width; ++i) {
      const Word moved = goal.map(bit(i)) ^ zero;
      stay = stay && (i < memory ? moved == bit(i) : (moved & inner) == 0);
    }
    if (!stay) return breach("goal", {}, "the map moves memory bits; this machine cannot");
    for (Word p = 0; p < geometry_->processors(); ++p)
      wanted_.emplace_back(p, goal.map(p << memory) >> memory);
  }

  void perform(const MeshRoute& route) {
    const std::vector<int>& sides = std::get<Mesh>(header_.machine).sides_log2;
    if (route.dimension < 0 || route.dimension >= static_cast<int>(sides.size()))
      return breach("dimension-range", {.dimension = route.dimension},
                    "dimension {} of a mesh that has {}", route.dimension, sides.size());
    const Word side = bit(sides[sides.size() - 1 - static_cast<std::size_t>(route.dimension)]);
    const Word far = route.by < 0 ? 0 - static_cast<Word>(route.by) : static_cast<Word>(route.by);
    if (far == 0 || far >= side)
      return breach("distance-range", {.dimension = route.dimension},
                    "a route by {} where the side is {}", route.by, side);
    verdict_.cost.unit_routes += far;
    ++verdict_.cost.long_routes;
    named_.insert(MeshRegister::r);
    auto& routing = of(MeshRegister::r);
    const std::vector<Token> before = routing;
    std::fill(routing.begin(), routing.end(), undefined);
    for (Word p = 0; p < before.size(); ++p)
      if (const auto to = geometry_->routed(p, route.dimension, route.by)) routing[*to] = before[p];
  }

  template <class Work>
  void perform(const TernaryMask& mask, const std::vector<Parity>& where, MeshRegister a,
               MeshRegister b, Work&& work) {
    ++verdict_.cost.register_ops;
    const Word last = bit(bits_) - 1;
    if (mask.care > last || (mask.value | mask.care) != mask.care)
      return breach("mask-range", {}, "care {:#x}, value {:#x} is no mask of {} bits", mask.care,
                    mask.value, bits_);
    for (const Parity& c : where)
      if (c.mask > last || c.value > 1)
        return breach("condition-range", {}, "[{:#x}, {}] is no condition on {} bits", c.mask,
                      c.value, bits_);
    if (a == b)
      return breach("same-register", {.slot = static_cast<Slot>(a)},
                    "a register is copied to or swapped with itself");
    named_.insert({a, b});
    for (Word p = 0; p <= last; ++p)
      if ((p & mask.care) == mask.value &&
          std::all_of(where.begin(), where.end(), [p](const Parity& c) { return c.holds(p); }))
        work(of(a)[p], of(b)[p]);
  }

  void judge(Word from, Word to) {
    const Token there = of(MeshRegister::s)[to];
    if (there == from) {
      verdict_.delivered += each_;
      return;
    }
    breach(
        "not-delivered", {.processor = to, .slot = static_cast<Slot>(MeshRegister::s)}, "{}",
        there == undefined
            ? fmt::format("Rs of processor {} is undefined at the end; the element of {} is wanted "
                          "there",
                          to, from)
            : fmt::format("Rs of processor {} holds the element of {} at the end; that of {} is "
                          "wanted there",
                          to, there, from));
  }

  std::optional<MeshGeometry> geometry_;
  int bits_ = 0;
  std::vector<std::pair<Word, Word>> wanted_;  // from, to
  Count each_ = 1;                             // elements that such a pair stands for
  std::array<std::vector<Token>, 3> registers_;
  std::set<MeshRegister> named_ = {MeshRegister::s};
};

}  // namespace

std::unique_ptr<Verifier> mesh_replay() {
  return std::make_unique<MeshReplay>();
}

}  // namespace faro::inline v1
