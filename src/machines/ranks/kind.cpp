// The row of ranks:P in the table of machines.
#include <fmt/format.h>

#include "faro/base/limits.hpp"
#include "machines/by_header.hpp"
#include "machines/kinds.hpp"
#include "machines/pops/performer.hpp"
#include "machines/ranks/bounds.hpp"
#include "machines/ranks/model.hpp"
#include "machines/ranks/verifiers.hpp"
#include "machines/text_reader.hpp"
#include "schedules/json_numbers.hpp"

namespace faro::inline v1 {
namespace {

int bits_of(const Machine& machine) {
  return std::get<Crossbar>(machine).bits;
}

Machine read(MachineText& text) {
  const Crossbar ranks{.bits = text.size_log2("a number of processors that is a power of two")};
  if (!text.done()) text.fail("the end");
  return ranks;
}

Machine from_json(const json::Value& value, const json::Unknown& unknown) {
  json::only(value, {"kind", "processors"}, "machine", unknown);
  const std::uint64_t size =
      json::required(value, "processors", "machine").number("machine.processors", "machine");
  if (!is_power_of_two(size))
    throw json::Breach{"machine", fmt::format("machine.processors: {}, no power of two", size)};
  return Crossbar{.bits = log2_exact(size)};
}

// The star's performer on the star's header.
class RanksPerformer : public Performer {
 public:
  RanksPerformer(std::span<const std::byte> data, std::size_t element_bytes)
      : star_(pops_performer(data, element_bytes)) {}
  void begin(const ScheduleHeader& header) override { star_->begin(ranks::as_star(header)); }
  void step(const PopsSlot& slot) override { star_->step(slot); }
  void finish() override { star_->finish(); }
  std::vector<std::byte> take_result() override { return star_->take_result(); }

 private:
  std::unique_ptr<Performer> star_;
};

constexpr MachineKind::Word words[] = {{"ranks", "ranks:8", read}};
constexpr CostPart cost[] = {cost_part::steps};

template <auto verifier>
std::unique_ptr<Verifier> moving(const Goal& goal) {
  only_moves(goal);
  return verifier();
}

}  // namespace

MachineKind ranks_kind() {
  return {
      .is = [](const Machine& m) { return std::holds_alternative<Crossbar>(m); },
      .processors = [](const Machine& m) { return Count{1} << bits_of(m); },
      .address_bits = [](const Machine& m) { return std::optional(bits_of(m)); },
      .words = words,
      .text = [](const Machine& m) { return "ranks:" + size_text(bit(bits_of(m))); },
      .json_name = "ranks",
      .json = [](const Machine& m) { return ",\"processors\":" + json_number(bit(bits_of(m))); },
      .from_json = from_json,
      .tag = 3,
      .absorb = [](const Machine& m,
                   const MachineKind::Absorb& absorb) { absorb(bit(bits_of(m))); },
      .steps = MachineKind::Steps::slots,
      .cost = cost,
      .sends_inside_cost = false,
      .replay = moving<ranks_replay>,
      .proof = moving<ranks_proof>,
      .performer = [](std::span<const std::byte> data,
                      std::size_t element_bytes) -> std::unique_ptr<Performer> {
        return std::make_unique<RanksPerformer>(data, element_bytes);
      },
      .map_bound =
          [](const Machine& m, const MapGoal& goal, std::uint64_t elements) {
            return ranks::lower_bound(std::get<Crossbar>(m), goal, elements);
          },
      .list_bound =
          [](const Machine& m, std::span<const std::uint64_t> destinations,
             std::uint64_t elements) {
            return ranks::lower_bound(std::get<Crossbar>(m), destinations, elements);
          },
  };
}

}  // namespace faro::inline v1
