// `faro completions SHELL`: scripts made from the declarations of every command, so that they
// cannot disagree with what the program takes.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "algebra/notation_named.hpp"
#include "cli/command.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::cli {
namespace {

std::string map_names() {
  std::string names;
  for (const notation::NamedMapEntry& entry : notation::named_maps())
    names += (names.empty() ? "" : " ") + std::string(entry.name);
  return names;
}

// As `cube:`; and what is no machine but plans as one does.
std::string machine_words() {
  std::string words;
  for (const MachineKind& kind : machine_kinds())
    for (const MachineKind::Word& word : kind.words) words += std::string(word.word) + ": ";
  return words + "disk:";
}

// The words a shell offers for a value; empty where it offers files or nothing.
std::string words_for(const Argument& argument) {
  if (!argument.choices.empty()) return fmt::format("{}", fmt::join(argument.choices, " "));
  if (argument.value == Completes::map) return map_names();
  if (argument.value == Completes::machine) return machine_words();
  return "";
}

std::vector<Argument> arguments_of(const Command& command) {
  Arguments arguments;
  const Action keeps_variables = command.declare(arguments);
  std::vector<Argument> list = arguments.list();
  list.push_back({.name = "--json", .placeholder = "", .help = "one JSON object on stdout"});
  list.push_back({.name = "--help", .placeholder = "", .help = "what the command takes"});
  return list;
}

std::string command_names() {
  std::string names;
  for (const Command* command : commands())
    names += (names.empty() ? "" : " ") + std::string(command->name);
  return names;
}

std::string bash_case(const Command& command) {
  std::string options;
  std::string values;
  std::string positional_words;
  for (const Argument& argument : arguments_of(command)) {
    const std::string words = words_for(argument);
    if (argument.is_positional()) {
      positional_words += words.empty() ? "" : " " + words;
      continue;
    }
    options += " " + argument.name;
    if (argument.is_flag()) continue;
    if (argument.value == Completes::file && words.empty())
      values += fmt::format("        {}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n",
                            argument.name);
    else
      values += fmt::format("        {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                            argument.name, words);
  }
  return fmt::format(
      "    {})\n      case \"$previous\" in\n{}      esac\n"
      "      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n"
      "      else COMPREPLY=($(compgen -f -W '{}' -- \"$word\")); fi ;;\n",
      command.name, values, options.substr(1),
      positional_words.empty() ? "" : positional_words.substr(1));
}

std::string bash() {
  std::string cases;
  for (const Command* command : commands()) cases += bash_case(*command);
  return fmt::format(
      "# bash completion for faro: `source <(faro completions bash)`\n"
      "_faro() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\")); return\n  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n}}\n"
      "complete -o filenames -F _faro faro\n",
      command_names(), cases);
}

// Inside single quotes of zsh's _arguments and of fish.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') continue;
    if (c == '[' || c == ']' || c == ':') result += '\\';
    result += c;
  }
  return result;
}

std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c != '\'' && c != '\\') result += c;
  return result;
}

std::string zsh() {
  std::string list;
  std::string cases;
  for (const Command* command : commands()) {
    list += fmt::format("    '{}:{}'\n", command->name, quoted(command->summary));
    cases += fmt::format("    {}) _arguments", command->name);
    for (const Argument& argument : arguments_of(*command)) {
      const std::string words = words_for(argument);
      const std::string what = !words.empty()                         ? "(" + quoted(words) + ")"
                               : argument.value == Completes::nothing ? " "
                                                                      : "_files";
      if (argument.is_positional())
        cases += fmt::format(" \\\n      '{}:{}:{}'",
                             argument.repeats  ? "*"
                             : argument.needed ? ""
                                               : ":",
                             argument.name, what == " " ? "_files" : what);
      else if (argument.is_flag())
        cases += fmt::format(" \\\n      '{}[{}]'", argument.name, quoted(argument.help));
      else
        cases += fmt::format(" \\\n      '{}[{}]:{}:{}'", argument.name, quoted(argument.help),
                             argument.placeholder, what);
    }
    cases += " ;;\n";
  }
  return fmt::format(
      "#compdef faro\n# zsh completion for faro: in a folder of $fpath as _faro\n"
      "_faro() {{\n  local -a names\n  names=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then _describe command names; return; fi\n"
      "  local name=$words[2]\n  shift words; (( CURRENT-- ))\n"
      "  case $name in\n{}  esac\n}}\n"
      "if [ \"$funcstack[1]\" = _faro ]; then _faro \"$@\"; else compdef _faro faro; fi\n",
      list, cases);
}

std::string fish() {
  std::string text =
      "# fish completion for faro: `faro completions fish > ~/.config/fish/completions/faro.fish`\n"
      "complete -c faro -n __fish_use_subcommand -l help -d 'what the program takes'\n"
      "complete -c faro -n __fish_use_subcommand -l version -d 'the version'\n";
  for (const Command* command : commands()) {
    text += fmt::format("complete -c faro -f -n __fish_use_subcommand -a {} -d '{}'\n",
                        command->name, plain(command->summary));
    const std::string when = fmt::format("'__fish_seen_subcommand_from {}'", command->name);
    for (const Argument& argument : arguments_of(*command)) {
      const std::string words = words_for(argument);
      if (argument.is_positional()) {
        if (!words.empty()) text += fmt::format("complete -c faro -n {} -a '{}'\n", when, words);
        continue;
      }
      text +=
          fmt::format("complete -c faro -n {} -l {}{}{} -d '{}'\n", when, argument.name.substr(2),
                      argument.is_flag() ? "" : " -r",
                      words.empty() ? "" : fmt::format(" -f -a '{}'", words), plain(argument.help));
    }
  }
  return text;
}

struct CompletionsArguments {
  std::string shell;
};

int run(const CompletionsArguments& options, Output& out) {
  const std::string script = options.shell == "bash"  ? bash()
                             : options.shell == "zsh" ? zsh()
                                                      : fish();
  Report report{{"format", "faro-completions/1"}, {"shell", options.shell}};
  report.row("script", script, "{}", script);
  out.report(report);
  return 0;
}

}  // namespace

extern const Command completions_command;
const Command completions_command{
    .name = "completions",
    .summary = "a completion script for bash, zsh or fish",
    .details = "",
    .examples = "source <(faro completions bash)",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<CompletionsArguments>();
      arguments.positional("SHELL", options->shell, "the shell").one_of({"bash", "zsh", "fish"});
      return [options](Output& out) { return run(*options, out); };
    }};

}  // namespace faro::cli
