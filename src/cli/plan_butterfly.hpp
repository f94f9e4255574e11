// `faro plan --butterfly BITS`: the part of the plan command that plans butterfly networks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/output.hpp"
#include "faro/planners/cube/butterfly/planner.hpp"
#include "faro/service/plan.hpp"

namespace faro::cli {

struct ButterflyPlanCommand {
  std::uint64_t index_bits = 0;
  std::string on;
  std::string layout = "cyclic";
  std::string order = "msb";                 // or lsb
  std::string output = "binary";             // or gray, natural
  std::string algorithm = {};                // empty: the cheapest
  std::optional<std::string> schedule = {};  // a file, or -
  VerifyBy verify = VerifyBy::automatic;
};

// "msb", "lsb".
const char* order_word(ButterflyGoal::Order order);
// "cyclic:6|6 binary||gray, most significant bit first".
std::string layout_text(const ButterflyNetwork& request);

// Returns the exit code: 1 where a verifier says no.
int plan_butterfly_command(const ButterflyPlanCommand& command, Output& out);

}  // namespace faro::cli
