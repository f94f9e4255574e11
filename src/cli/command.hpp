// A command of the program: one file a command, one entry in commands.cpp.
//
//   namespace {
//   struct Options { std::string map; };
//
//   int run(const Options& options, Output& out) { ...; return 0; }
//   }  // namespace
//
//   extern const Command explain_command;
//   const Command explain_command{
//       .name = "explain",
//       .summary = "what a map does",
//       .details = "...",
//       .examples = "faro explain 'i:4 -> rev(i)'",
//       .declare = [](Arguments& arguments) -> Action {
//         auto options = std::make_shared<Options>();
//         arguments.positional("MAP", options->map, "the map");
//         return [options](Output& out) { return run(*options, out); };
//       }};
//
// An action returns the exit code: 0, or 1 where a proof or comparison says no. Everything else is
// thrown as faro::Error, whose code is the exit code.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "cli/arguments.hpp"
#include "cli/output.hpp"

namespace faro::cli {

using Action = std::function<int(Output&)>;

struct Command {
  const char* name;
  const char* summary;   // one line, in the list of commands
  const char* details;   // lines of at most 80 columns, in the command's help; may be ""
  const char* examples;  // one command line a line; may be ""
  Action (*declare)(Arguments&);
};

// Every command, in the order in which help lists them.
std::span<const Command* const> commands();

// Parses and runs; returns the exit code. Prints every error.
int run_program(int argc, char** argv);

// What `faro --help` and `faro COMMAND --help` print.
std::string program_help();
std::string command_help(const Command& command);

}  // namespace faro::cli
