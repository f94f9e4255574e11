// One request, any place. What moves where is said in words; a place is where the data lies:
//
//   memory                        an array of this process
//   disk:memory=2GiB,run=1MiB     files, within a memory cap
//   ranks:12                      processes that hold an array together
//   cube:6, torus:8x8, ...        a machine of processors, in steps
//
//   const PlacedPlan p = plan(MoveRequest{.words = "r c -> c r", .shape = {{721, 1440}},
//                                         .element_bytes = 4}, "disk:memory=1GiB");
//   p.cost(), p.bound(), p.unit(), p.reason()       1, 1, "passes", why no plan takes fewer
//   p.made_of(), p.report(), p.json()
//   p.ok()                                          judged, and right
//   std::get<FilePermutePlan>(p.plan()).execute(..) what the place performs or pushes
//
// Every place has a row in one table (src/places/placed_plan.cpp). What a place does not know is
// refused by name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "faro/base/progress.hpp"
#include "faro/disk/permute_file.hpp"
#include "faro/distributed/exchange_plan.hpp"
#include "faro/distributed/grid_move.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/service/plan.hpp"

namespace faro::inline v1 {

struct MoveRequest {
  std::string words;                                     // of any system
  std::optional<std::vector<std::uint64_t>> shape = {};  // of the array
  std::optional<std::uint64_t> elements = {};            // of each processor or rank
  // On ranks it asks for the exchange of an array, in place of a schedule in steps.
  std::optional<std::uint64_t> element_bytes = {};
};

// What is left out is the place's own choice; what a place does not know it refuses.
struct PlaceOptions {
  std::string algorithm = {};                      // machines: this planner
  VerifyBy verify = VerifyBy::automatic;           // machines and disks
  bool in_place = false;                           // memory and ranks
  bool relabel = false;                            // ranks: results where most data is
  std::optional<std::uint64_t> nodes = {};         // of how many nodes the ranks are
  std::optional<std::uint64_t> buffer_bytes = {};  // what a rank takes to send and receive
  std::optional<double> startup_seconds = {};      // of a message between ranks
  std::optional<double> byte_seconds = {};
  Progress progress = {};
};

class PlacedPlan {
 public:
  using Plan = std::variant<PermutePlan, FilePermutePlan, ExchangePlan, GridMove, MachinePlan>;

  const Plan& plan() const;
  // memory, disk, exchange, placements, machine: the row of the table.
  std::string_view place() const;
  Count cost() const;
  Count bound() const;  // no plan costs less ...
  const std::string& reason() const;
  const std::string& unit() const;  // "passes", "bytes moved", "steps", ...
  const std::string& made_of() const;
  // Who was asked to judge it found nothing wrong. A plan that nobody judged is not ok.
  bool ok() const;
  bool judged() const;
  // As `faro plan` prints it, and as it writes it with --json.
  const std::string& report() const;
  std::string json() const;

  struct Content;
  explicit PlacedPlan(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  const Content& content() const { return *content_; }

 private:
  std::shared_ptr<const Content> content_;
};

// Throws Error: usage for a place that there is not and for what it does not know, impossible where
// the place cannot do it, and what the place's own plan throws.
PlacedPlan plan(const MoveRequest& request, std::string_view place,
                const PlaceOptions& options = {});

}  // namespace faro::inline v1
