// From the command line to an action: the only file that sees CLI11.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/map_text.hpp"
#include "cli/plain_names.hpp"
#include "faro/base/error.hpp"
#include "words/named.hpp"

namespace faro::cli {
namespace {

struct Parsed {
  const Command* command = nullptr;
  Action action;
  Arguments arguments;
  bool json = false;
  bool help = false;
};

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& names) {
  const std::string_view known = nearest(name, names);
  return known.empty() ? "" : fmt::format("; did you mean '{}'?", known);
}

void declare(const Argument& argument, CLI::App& app) {
  if (argument.is_flag()) {
    app.add_flag_callback(argument.name, [&argument] { argument.accept(""); });
    return;
  }
  const auto accept = [&argument](const std::string& value) {
    if (value.empty() && !argument.is_positional())
      throw Error(ErrorCode::usage,
                  fmt::format("{}: its value is empty; leave {} out where nothing is meant",
                              argument.name, argument.name));
    const auto& choices = argument.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end()) {
      const std::vector<std::string_view> names(choices.begin(), choices.end());
      throw Error(ErrorCode::usage,
                  fmt::format("{}: '{}' is none of {}{}", argument.name, value,
                              fmt::join(choices, ", "), did_you_mean(value, names)));
    }
    argument.accept(argument.value == Completes::map ? map_words(value) : value);
  };
  CLI::Option* option = nullptr;
  if (argument.repeats)
    option = app.add_option_function<std::vector<std::string>>(
        argument.name, [accept](const std::vector<std::string>& values) {
          for (const std::string& value : values) accept(value);
        });
  else
    option = app.add_option_function<std::string>(argument.name, accept);
  if (argument.needed) option->required();
  option->allow_extra_args(argument.is_positional() && argument.repeats);
}

const Command* find(const std::string& name) {
  for (const Command* command : commands())
    if (command->name == name) return command;
  return nullptr;
}

std::string suggestion(const std::string& name) {
  std::vector<std::string_view> names;
  if (name.starts_with('-')) return did_you_mean(name, {"--help", "--version"});
  for (const Command* command : commands()) names.emplace_back(command->name);
  return did_you_mean(name, names);
}

// " IN OUT": what stands without the name of an option.
std::string positionals(const Arguments& arguments) {
  std::string text;
  for (const Argument& argument : arguments.list())
    if (argument.is_positional()) text += " " + argument.name;
  return text.empty() ? " options with long names" : text;
}

// The first word that looks like an option and is none.
std::string unknown_option(const Command& command, const Arguments& arguments,
                           const std::vector<std::string>& words) {
  std::vector<std::string_view> names{"--json", "--help"};
  for (const Argument& argument : arguments.list())
    if (!argument.is_positional()) names.emplace_back(argument.name);
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (const std::string& word : words) {
    const bool is_short = word.size() == 2 && word[0] == '-' && letter(word[1]) && word != "-h";
    if (is_short && std::find(names.begin(), names.end(), word) == names.end())
      return fmt::format("'{}' is no option of {}, which takes{}\n", word, command.name,
                         positionals(arguments));
    if (word.size() < 3 || word.rfind("--", 0) != 0) continue;
    const std::string name = word.substr(0, word.find('='));
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return fmt::format("'{}' is no option of {}{}\n", name, command.name,
                       did_you_mean(name, names));
  }
  return {};
}

// A shell takes the > of an arrow for itself, and every word of a map comes alone.
std::string forgotten_quotes(const Arguments& arguments, const std::vector<std::string>& words) {
  const bool takes_map =
      std::any_of(arguments.list().begin(), arguments.list().end(),
                  [](const Argument& argument) { return argument.value == Completes::map; });
  const auto half = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return word == "-" || word == "=" || word == "->" || word == "=>";
  });
  if (!takes_map || half == words.begin() || half == words.end()) return {};
  return "a map is one word: write it in quotes, as in 'r:2 c:2 -> c r'. Without them the shell "
         "takes > for itself, and what was said is in a file now\n";
}

// --chunks 24 5 5
std::string lengths_apart(const std::vector<std::string>& words) {
  const auto is_number = [](const std::string& word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  };
  for (std::size_t k = 0; k + 2 < words.size(); ++k)
    if (words[k].starts_with("--") && is_number(words[k + 1]) && is_number(words[k + 2]))
      return fmt::format("{0} {1} {2}: a list is one word, {0} {1},{2}\n", words[k], words[k + 1],
                         words[k + 2]);
  return {};
}

Parsed parse(const Command& command, const std::vector<std::string>& words) {
  Parsed parsed;
  parsed.command = &command;
  parsed.action = command.declare(parsed.arguments);
  // Help wins over everything else on the line, missing arguments included.
  parsed.help = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--help" || word == "-h";
  });
  if (parsed.help) return parsed;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("--json", parsed.json);
  for (const Argument& argument : parsed.arguments.list()) declare(argument, app);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    std::string unknown = unknown_option(command, parsed.arguments, words);
    if (unknown.empty()) unknown = forgotten_quotes(parsed.arguments, words);
    if (unknown.empty()) unknown = lengths_apart(words);
    throw Error(
        ErrorCode::usage,
        fmt::format("{}faro {} --help shows what it takes",
                    unknown.empty() ? error.what() + std::string("\n") : unknown, command.name));
  }
  return parsed;
}

// What a report of a fault should say.
std::string build_facts() {
#if defined(__clang__)
  std::string text = "compiler         clang " __clang_version__ "\n";
#else
  std::string text = "compiler         g++ " __VERSION__ "\n";
#endif
#if defined(_LIBCPP_VERSION)
  text += fmt::format("library          libc++ {}\n", _LIBCPP_VERSION);
#else
  text += fmt::format("library          libstdc++ {}\n", _GLIBCXX_RELEASE);
#endif
#ifdef NDEBUG
  text += "build            release\n";
#else
  text += "build            debug, with assertions\n";
#endif
  return text +
         "schedule files   faro-schedule/1, faro-schedule/2\njournals         faro-journal/1\n";
}

int dispatch(const std::vector<std::string>& words, Output& out) {
  if (words.empty()) {
    to_stderr(program_help());
    return exit_code(ErrorCode::usage);
  }
  const std::string& first = words.front();
  if (first == "help" && words.size() > 1 && find(words[1]) != nullptr) {
    out.write(command_help(*find(words[1])));
    return 0;
  }
  if (first == "--help" || first == "-h" || first == "help") {
    out.write(program_help());
    return 0;
  }
  if (first == "--version") {
    out.write("faro " FARO_VERSION "\n" + build_facts());
    return 0;
  }
  const Command* command = find(first);
  if (command == nullptr && words::is_named_map(first))
    throw Error(
        ErrorCode::usage,
        fmt::format("'{}' is a map and no command: faro permute IN OUT --map {}", first, first));
  if (command == nullptr)
    throw Error(ErrorCode::usage, fmt::format("'{}' is no command{}\nfaro --help lists them", first,
                                              suggestion(first)));
  const Parsed parsed = parse(*command, {words.begin() + 1, words.end()});
  if (parsed.help) {
    out.write(command_help(*command));
    return 0;
  }
  out.set_form(parsed.json ? Output::Form::json : Output::Form::text);
  return parsed.action(out);
}

int complain(ErrorCode code, const std::string& message) {
  std::fflush(stdout);
  to_stderr(fmt::format("faro: {}\n", message));
  return code == ErrorCode::cancelled ? interrupt_exit_code() : exit_code(code);
}

// The JSON library asks for memory in destructors; without any, std::terminate() comes here.
// A file that is not complete yet has no name that anybody reads.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    constexpr char message[] = "faro: out of memory\n";
    static_cast<void>(!::write(STDERR_FILENO, message, sizeof(message) - 1));
    _exit(exit_code(ErrorCode::environment));
  } catch (...) {
  }
  std::abort();
}

}  // namespace

int run_program(int argc, char** argv) {
  handle_signals();
  std::set_terminate(end_without_memory);
  try {
    Output out;
    const std::vector<std::string> words(argv + 1, argv + argc);
    show_plainly(words);
    const int code = dispatch(words, out);
    out.flush();
    return code;
  } catch (const Error& error) {
    return complain(error.code(),
                    error.code() == ErrorCode::cancelled ? "interrupted" : error.what());
  } catch (const std::bad_alloc&) {
    return complain(ErrorCode::environment, "out of memory");
  } catch (const std::exception& error) {
    return complain(ErrorCode::internal,
                    fmt::format("internal error: {}; please report it", error.what()));
  }
}

}  // namespace faro::cli
