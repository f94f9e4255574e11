// `faro plan MAP --on disk:memory=2GiB,run=1MiB`: passes over a file that is nowhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/output.hpp"
#include "faro/base/bits.hpp"
#include "faro/service/plan.hpp"

namespace faro::cli {

inline bool is_disk(std::string_view machine) {
  return machine == "disk" || machine.starts_with("disk:");
}

struct DiskPlanCommand {
  std::string map;
  std::optional<std::vector<Word>> shape = {};  // of the array
  std::string on;  // disk:memory=SIZE[,run=SIZE][,passes=K][,device=NAME]
  std::uint64_t element_bytes = 8;
  VerifyBy verify = VerifyBy::automatic;
};
int plan_disk(const DiskPlanCommand& command, Output& out);

}  // namespace faro::cli
