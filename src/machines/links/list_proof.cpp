// Lists of moves, and rules spelled out, on links: every link carries one element a step, and ports
// count the dimensions that a processor uses. The cube of n dimensions is the mesh of n sides of 2:
// one set of links for both.
#include "machines/list_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/working.hpp"
#include "faro/base/limits.hpp"
#include "machines/cube/ports.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1 {
namespace {

Mesh mesh_of(const Machine& machine) {
  if (const auto* mesh = std::get_if<Mesh>(&machine)) return *mesh;
  const int dimensions = std::get<Hypercube>(machine).dimensions;
  return Mesh{.sides_log2 = std::vector<int>(static_cast<std::size_t>(dimensions), 1),
              .links = Mesh::Links::all};
}

class LinkLists : public ListProof {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;

 private:
  bool in_range(const Move& m);
  void spell_out(const Rule& rule);
  void take(const Move& m);
  void perform(const Move& m);
  void use_port(Word processor, Word other);
  std::optional<std::size_t> link(Word from, Word to) const;

  std::optional<MeshGeometry> geometry_;
  bool cube_ = false;
  int ports_ = 0;                    // that count: fewer than links, else 0
  std::vector<std::uint32_t> used_;  // by link: the last step that used it, counted from 1
  struct Crossing {
    std::uint32_t step = 0;
    Word dimensions = 0;
  };
  std::vector<Crossing> crossing_;  // by processor, where ports count
  bool remote_ = false;
  bool whole_ = false;  // nothing was wrong before this step
};

void LinkLists::begin(const ScheduleHeader& header) {
  geometry_.emplace(mesh_of(header.machine));
  if (const auto* cube = std::get_if<Hypercube>(&header.machine)) {
    cube_ = true;
    if (cube->ports != Hypercube::Ports::all) ports_ = ports_of(*cube);
  }
  ListProof::begin(header);
  if (geometry_->wrap() == Mesh::Wrap::propagating)
    breach("machine", {}, "all links at once is a machine without propagating wraparound");
  if (!tracking()) return;
  used_.assign(
      static_cast<std::size_t>(processors_) * 2 * static_cast<std::size_t>(geometry_->dimensions()),
      0);
  if (ports_ > 0) crossing_.assign(static_cast<std::size_t>(processors_), {});
}

// The number of the directed link that joins two processors; nothing where none does.
std::optional<std::size_t> LinkLists::link(Word from, Word to) const {
  const auto dimensions = static_cast<std::size_t>(geometry_->dimensions());
  const int d = geometry_->dimension_of(highest_bit(from ^ to));
  const int low = geometry_->low(d);
  const Word mask = low_mask(geometry_->side_log2(d));
  if (((from ^ to) & ~(mask << low)) != 0) return {};
  const Word x = from >> low & mask;
  const Word y = to >> low & mask;
  const bool ring = geometry_->wrap() == Mesh::Wrap::orthogonal;
  const bool up = ring ? ((x + 1) & mask) == y : x + 1 == y;
  const bool down = ring ? ((y + 1) & mask) == x : y + 1 == x;
  // A ring of two has one link each way: it counts as the one up.
  if (!up && !down) return {};
  return (static_cast<std::size_t>(from) * dimensions + static_cast<std::size_t>(d)) * 2 +
         (up ? 1U : 0U);
}

// The dimensions that a processor has used in this step are kept as bits.
void LinkLists::use_port(Word processor, Word other) {
  Crossing& crossing = crossing_[static_cast<std::size_t>(processor)];
  if (crossing.step != step_ + 1) crossing = {static_cast<std::uint32_t>(step_ + 1), 0};
  crossing.dimensions |= processor ^ other;
  if (std::popcount(crossing.dimensions) > ports_)
    breach(ports_ == 1 ? "one-port" : "ports",
           {.processor = processor, .dimension = highest_bit(processor ^ other)},
           "processor {} uses {} dimensions", processor, std::popcount(crossing.dimensions));
}

bool LinkLists::in_range(const Move& m) {
  if (std::max(m.from_processor, m.to_processor) >= processors_)
    return refuse("proc-range", {}, "there is no processor {}",
                  std::max(m.from_processor, m.to_processor));
  if (std::max(m.from_slot, m.to_slot) >= header_.slots)
    return refuse("slot-range", {.processor = m.from_processor, .to = m.to_processor},
                  "there is no slot {}", std::max(m.from_slot, m.to_slot));
  return true;
}

void LinkLists::perform(const Move& m) {
  Violation::Place at{.processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot};
  if (m.from_processor != m.to_processor) {
    const auto used = link(m.from_processor, m.to_processor);
    const auto now = static_cast<std::uint32_t>(step_ + 1);
    if (!used)
      breach("not-a-link", at, "no link joins {} and {}", m.from_processor, m.to_processor);
    else
      at.dimension = geometry_->dimension_of(highest_bit(m.from_processor ^ m.to_processor));
    if (used && std::exchange(used_[*used], now) == now)
      breach("link-twice", at, "two elements go from {} to {}", m.from_processor, m.to_processor);
    if (ports_ > 0 && used) {
      use_port(m.from_processor, m.to_processor);
      use_port(m.to_processor, m.from_processor);
    }
  }
  const Place from = place(m.from_processor, m.from_slot);
  const Place to = place(m.to_processor, m.to_slot);
  if (!trace_.holds(from)) {
    breach("reads-empty", at, "{} is read and holds nothing", words(from));
  } else if (!trace_.move(from, to)) {
    at.slot = m.to_slot;
    breach("two-writes", at, "{} is written twice", words(to));
  }
}

void LinkLists::take(const Move& m) {
  if (!in_range(m)) return;
  if (m.from_processor != m.to_processor) {
    if (cube_ && !is_power_of_two(m.from_processor ^ m.to_processor))
      return breach("not-a-link",
                    {.processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot},
                    "no link joins {} and {}", m.from_processor, m.to_processor);
    remote_ = true;
    ++verdict_.cost.remote_moves;
  }
  if (!whole_) return;
  if (trace_.moves() >> limits::proof_listed_moves_log2_max != 0)
    give_up_lists();
  else
    perform(m);
  whole_ = whole_ && verdict_.answer != Verdict::Answer::unprovable;
}

void LinkLists::spell_out(const Rule& rule) {
  still_working();
  const Word across = rule.across == inside ? 0 : bit(rule.across);
  AffineSpace::where(geometry_->bits(), rule.where).for_each([&](Word p) {
    take({p, rule.from, p ^ across, rule.to});
  });
}

void LinkLists::step(const CubeStep& step) {
  if (!step.butterflies.empty() || !step.butterfly_rules.empty())
    breach(cube_ ? "butterfly" : "rules", {},
           "a computation in a schedule whose goal only moves data");
  if (!step.rules.empty() && !cube_)
    breach("rules", {}, "only listed moves are known on this machine");
  whole_ = tracking();
  remote_ = false;
  bool performed = true;
  if (cube_)
    each_of("rules", step.rules, [&](const Rule& rule) {
      performed = well_formed(rule, geometry_->bits(), *this) && performed;
    });
  if (performed) {
    if (cube_) each_of("rules", step.rules, [this](const Rule& rule) { spell_out(rule); });
    each_of("moves", step.moves, [this](const Move& m) { take(m); });
  }
  if (whole_) trace_.end_step();
  if (remote_) ++verdict_.cost.steps;
  ++step_;
}

}  // namespace

std::unique_ptr<Verifier> list_proof() {
  return std::make_unique<LinkLists>();
}

}  // namespace faro::inline v1
