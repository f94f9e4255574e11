// The table of commands. A new one is its own file and its two lines here.
#include <array>

#include "cli/command.hpp"

namespace faro::cli {

extern const Command permute_command;
extern const Command rechunk_command;
extern const Command reshard_command;
extern const Command digest_command;
extern const Command check_command;
extern const Command explain_command;
extern const Command maps_command;
extern const Command export_command;
extern const Command emit_command;
extern const Command gpu_command;
extern const Command plan_command;
extern const Command simulate_command;
extern const Command verify_command;
extern const Command convert_command;
extern const Command explorer_command;
extern const Command algorithms_command;
extern const Command paper_command;
extern const Command transform_command;
extern const Command matmul_command;
extern const Command broadcast_command;
extern const Command bench_command;
extern const Command tune_command;
extern const Command completions_command;

std::span<const Command* const> commands() {
  static const std::array table{
      // One command a line, in the order of the help.
      &permute_command, &rechunk_command,   &reshard_command,     &digest_command,
      &check_command,   &explain_command,   &maps_command,        &export_command,
      &emit_command,    &gpu_command,       &plan_command,        &simulate_command,
      &verify_command,  &convert_command,   &explorer_command,    &algorithms_command,
      &paper_command,   &transform_command, &matmul_command,      &broadcast_command,
      &bench_command,   &tune_command,      &completions_command,
  };
  return table;
}

}  // namespace faro::cli
