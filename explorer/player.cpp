#include "player.hpp"

#include <fmt/format.h>

#include "exports/transfers.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"
#include "pictures/machine_drawing.hpp"

namespace faro::explorer {
namespace {

using json = nlohmann::ordered_json;

constexpr std::uint32_t unknown = ~std::uint32_t{0};

const char* kind_of(const Machine& machine) {
  if (std::holds_alternative<Hypercube>(machine)) return "cube";
  if (std::holds_alternative<Mesh>(machine)) return "mesh";
  return std::holds_alternative<Pops>(machine) ? "pops" : "ranks";
}

json layout_of(const Machine& machine) {
  const pictures::MachineDrawing drawing =
      pictures::machine_drawing(machine, limits::player_processors_max);
  const auto points = [](const std::vector<pictures::Point>& list) {
    json out = json::array();
    for (const pictures::Point& p : list) out.push_back({p.x, p.y});
    return out;
  };
  json links = json::array();
  for (const auto& [a, b] : drawing.links) links.push_back({a.x, a.y, b.x, b.y});
  return {{"width", drawing.width},
          {"height", drawing.height},
          {"radius", pictures::disc_radius},
          {"senders", points(drawing.senders)},
          {"receivers", drawing.couplers.empty() ? json() : points(drawing.receivers)},
          {"couplers", points(drawing.couplers)},
          {"links", links}};
}

class Reader : public TransferSink {
 public:
  explicit Reader(std::vector<std::uint32_t>& moves) : moves_(moves) {}

  void begin(const ScheduleHeader& header) override {
    const Count count = processors(header.machine);
    if (count > limits::player_processors_max)
      throw Error(
          ErrorCode::limit,
          fmt::format("{} has {} processors; up to {} are shown one by one",
                      to_string(header.machine), to_string(count), limits::player_processors_max));
    const auto* mesh = std::get_if<Mesh>(&header.machine);
    const bool program = mesh != nullptr && mesh->links == Mesh::Links::one_route;
    found["machine"] = to_string(header.machine);
    found["kind"] = kind_of(header.machine);
    found["map"] = header.map_text;
    found["processors"] = static_cast<std::uint64_t>(count);
    found["slots"] = program ? 3 : std::max<std::uint64_t>(header.slots, header.elements);
    found["elements"] = header.elements;
    found["program"] = program;
    found["moves"] = std::holds_alternative<MapGoal>(header.goal) ||
                     std::holds_alternative<MovesGoal>(header.goal);
    found["steps"] = json::array();
    found["channels"] = json::array();
    const std::uint64_t channels = channel_count(header.machine);
    for (std::uint64_t c = 0; c < channels && channels <= limits::player_channels_max; ++c)
      found["channels"].push_back(channel_name(header.machine, c));
    found["layout"] = layout_of(header.machine);
  }

  void step(const TransferStep& step) override {
    if (moves_.size() / 7 + step.transfers.size() > limits::player_moves_max)
      throw Error(ErrorCode::limit,
                  fmt::format("there are more than {} moves; those before step {} are shown",
                              limits::player_moves_max, step.number));
    found["steps"].push_back({step.number, step.start, step.length, step.transfers.size()});
    const auto word = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    for (const Transfer& t : step.transfers)
      moves_.insert(moves_.end(), {word(t.from), word(t.from_slot), word(t.to), word(t.to_slot),
                                   word(t.channel), t.home ? word(t.home->processor) : unknown,
                                   t.home ? word(t.home->slot) : unknown});
  }

  void finish() override {}

  json found = json::object();

 private:
  std::vector<std::uint32_t>& moves_;
};

}  // namespace

json Player::read(const std::function<void(ScheduleSink&)>& push) {
  moves_.clear();
  Reader reader(moves_);
  const auto sink = transfers_into(reader);
  try {
    push(*sink);
  } catch (const Error& error) {
    // A wrong schedule is shown as far as it goes.
    if (!reader.found.contains("layout")) throw;
    reader.found["cut"] = error.what();
  }
  if (!reader.found.contains("layout"))
    throw Error(ErrorCode::refused, "the file's header says no machine that could be shown");
  return std::move(reader.found);
}

}  // namespace faro::explorer
