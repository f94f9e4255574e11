// Help texts, made from the declarations.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cli/command.hpp"

namespace faro::cli {
namespace {

// Texts start in this column.
constexpr std::size_t text_column = 24;

std::string label_of(const Argument& argument) {
  if (argument.is_positional() || argument.is_flag()) return argument.name;
  return argument.name + " " + argument.placeholder;
}

// "  --axis A              permute this axis only", the text wrapped at 80 columns.
std::string row(const std::string& label, const std::string& text) {
  std::string line = "  " + label;
  if (line.size() + 2 > text_column) line += "\n" + std::string(text_column, ' ');
  std::size_t column = line.size() < text_column ? line.size() : text_column;
  line.append(text_column - column, ' ');
  column = text_column;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column + (end - at) > 79 && column > text_column) {
      line.pop_back();  // the blank before the word that does not fit
      line += "\n" + std::string(text_column, ' ');
      column = text_column;
    }
    line += text.substr(at, end - at);
    column += end - at;
    if (end < text.size()) {
      line += ' ';
      ++column;
    }
    at = end + 1;
  }
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string indented(const std::string& text) {
  std::string result = "  ";
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result + "\n";
}

}  // namespace

std::string program_help() {
  std::string text =
      "faro moves data between layouts: it plans the movement, proves the plan, and performs\n"
      "it in memory or on a simulated machine.\n\n"
      "Usage: faro COMMAND ...\n\nCommands:\n";
  for (const Command* command : commands()) text += row(command->name, command->summary);
  text += "\nOptions:\n";
  text += row("-h, --help", "this text; after a command, that command's");
  text += row("--version", "the program's version");
  text +=
      "\nExit codes: 0 done; 1 the proof or comparison says no; 2 usage or notation;\n"
      "3 environment (file, disk, memory); 4 impossible or beyond a limit; 5 internal error;\n"
      "130 interrupted.\n";
  return text;
}

std::string command_help(const Command& command) {
  Arguments arguments;
  const Action keeps_variables = command.declare(arguments);
  std::string usage = fmt::format("Usage: faro {}", command.name);
  std::string positionals;
  std::string options;
  for (const Argument& argument : arguments.list()) {
    const std::string label = label_of(argument);
    if (argument.is_positional() || argument.needed)
      usage += (argument.needed ? " " + label : " [" + label + "]") +
               (argument.is_positional() && argument.repeats ? ".." : "");
    std::string help = argument.help;
    if (!argument.choices.empty()) help += fmt::format(" ({})", fmt::join(argument.choices, ", "));
    (argument.is_positional() ? positionals : options) += row(label, help);
  }
  options += row("--json", "one JSON object on stdout instead of text");
  options += row("-h, --help", "this text");
  std::string text =
      fmt::format("faro {}: {}\n\n{} [OPTIONS]\n", command.name, command.summary, usage);
  if (*command.details != '\0') text += fmt::format("\n{}\n", command.details);
  if (!positionals.empty()) text += "\n" + positionals;
  text += "\nOptions:\n" + options;
  if (*command.examples != '\0') text += "\nExamples:\n" + indented(command.examples);
  return text;
}

}  // namespace faro::cli
