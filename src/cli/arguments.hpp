// What a command takes, declared once: parsing, help, completions and the check of the man page are
// made from it. No command file sees the parser library.
//
//   arguments.positional("MAP", options.map, "what moves where").completes(Completes::map);
//   arguments.option("--axis", "A", options.axis, "permute this axis only");
//   arguments.flag("--verify", options.verify, "check every element");
//
// The variables are written while the command line is parsed; they must live until it has run, so a
// command keeps them in a shared_ptr that its action holds (see command.hpp). What is declared
// `std::optional` may be left out, as may options of other types, which then keep their value;
// positionals of other types must be given. Every command takes --json and --help.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace faro::cli {

// What a shell offers for a value.
enum class Completes { nothing, file, map, machine, planner };

struct Argument {
  std::string name;         // "--axis", or "IN" of a positional
  std::string placeholder;  // "A"; empty for a flag
  std::string help;
  std::vector<std::string> choices = {};
  Completes value = Completes::nothing;
  bool needed = false;
  bool repeats = false;
  std::function<void(const std::string&)> accept = {};  // a flag gets ""

  bool is_positional() const { return name.front() != '-'; }
  bool is_flag() const { return placeholder.empty(); }

  Argument& completes(Completes what);
  Argument& one_of(std::vector<std::string> values);
  Argument& required();  // for options
};

class Arguments {
 public:
  Argument& positional(const std::string& name, std::string& value, const std::string& help);
  Argument& positional(const std::string& name, std::optional<std::string>& value,
                       const std::string& help);
  // One or several; the last positional.
  Argument& positional(const std::string& name, std::vector<std::string>& values,
                       const std::string& help);
  Argument& option(const std::string& name, const std::string& placeholder, std::string& value,
                   const std::string& help);
  Argument& option(const std::string& name, const std::string& placeholder,
                   std::optional<std::string>& value, const std::string& help);
  Argument& option(const std::string& name, const std::string& placeholder,
                   std::optional<std::uint64_t>& value, const std::string& help);
  Argument& option(const std::string& name, const std::string& placeholder,
                   std::optional<std::int64_t>& value, const std::string& help);
  Argument& option(const std::string& name, const std::string& placeholder,
                   std::optional<double>& value, const std::string& help);
  // May be given several times.
  Argument& option(const std::string& name, const std::string& placeholder,
                   std::vector<std::string>& values, const std::string& help);
  Argument& flag(const std::string& name, bool& value, const std::string& help);

  const std::vector<Argument>& list() const { return list_; }

 private:
  Argument& add(Argument argument);
  std::vector<Argument> list_;
};

}  // namespace faro::cli
