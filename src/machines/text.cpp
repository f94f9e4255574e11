// Machines as a user types them: the row of each kind reads its own options.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"
#include "machines/text_reader.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {
namespace {

using InWords = std::string (*)(const MachineKind::Word&);

// "cube:4, mesh:8x8 or pops:8,4": what `write` makes of every word of the table.
std::string alternatives(InWords write) {
  std::vector<std::string> parts;
  for (const MachineKind& kind : machine_kinds())
    for (const MachineKind::Word& word : kind.words) {
      std::string part = write(word);
      if (std::find(parts.begin(), parts.end(), part) == parts.end())
        parts.push_back(std::move(part));
    }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ") + parts[i];
  return text;
}

// "; did you mean 'cube:'?" where a quoted word among those wanted is near what was written, or the
// end of it; else the full stop.
std::string meant_of(std::string_view written, std::string_view wanted) {
  const std::size_t end = written.find_first_of(":,", 1);
  const std::string_view name = written.substr(0, end);
  std::vector<std::string_view> words;
  for (std::size_t open = wanted.find('\''); open != wanted.npos;) {
    const std::size_t close = wanted.find('\'', open + 1);
    if (close == wanted.npos) break;
    words.push_back(wanted.substr(open + 1, close - open - 1));
    open = wanted.find('\'', close + 1);
  }
  const auto letters = [](std::string_view word) {
    while (!word.empty() && (word.front() == ',' || word.back() == ':'))
      word = word.front() == ',' ? word.substr(1) : word.substr(0, word.size() - 1);
    return word;
  };
  std::vector<std::string_view> known;
  for (const std::string_view word : words) known.push_back(letters(word));
  const std::string_view bare = letters(name);
  std::string_view meant = nearest(bare, known);
  for (const std::string_view word : known)  // hypercube
    if (word.size() > 2 && bare.ends_with(word)) meant = word;
  for (std::size_t i = 0; i < known.size() && !meant.empty(); ++i)
    if (known[i] == meant) return fmt::format("; did you mean '{}'?", words[i]);
  return ".";
}

}  // namespace

void MachineText::fail(std::string_view wanted) const {
  throw Error(
      ErrorCode::usage,
      fmt::format("machine '{}', column {}: {} wanted{} Machines are written {}; sizes may be "
                  "powers, 2^30.",
                  text_, at_ + 1, wanted, meant_of(text_.substr(at_), wanted),
                  alternatives([](const auto& word) { return std::string(word.example); })));
}

void MachineText::too_large() const {
  throw Error(ErrorCode::limit,
              fmt::format("machine '{}' has more than 2^{} processors, the most there may be",
                          text_, limits::machine_bits_max));
}

bool MachineText::take(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

std::uint64_t MachineText::number() {
  std::uint64_t value = 0;
  const char* begin = text_.data() + at_;
  const char* end = text_.data() + text_.size();
  const auto [next, error] = std::from_chars(begin, end, value);
  if (error != std::errc{}) fail("a number below 2^64");
  if (*begin == '0' && next - begin > 1) fail("a number without leading zeros");
  at_ += static_cast<std::size_t>(next - begin);
  return value;
}

std::uint64_t MachineText::size() {
  const std::size_t start = at_;
  const std::uint64_t value = number();
  if (!take("^")) return value;
  if (value != 2) {
    at_ = start;
    fail("a power of two, 2^k,");
  }
  const std::uint64_t exponent = number();
  if (exponent > static_cast<std::uint64_t>(limits::machine_bits_max)) too_large();
  return bit(static_cast<int>(exponent));
}

int MachineText::size_log2(std::string_view what) {
  const std::size_t start = at_;
  const std::uint64_t value = size();
  if (is_power_of_two(value)) return log2_exact(value);
  at_ = start;
  fail(what);
}

std::string size_text(std::uint64_t size) {
  if (size > 65536 && is_power_of_two(size)) return fmt::format("2^{}", log2_exact(size));
  return fmt::format("{}", size);
}

Machine machine_from(std::string_view text) {
  // Blanks around it and large letters are no other machine.
  std::string plain(text);
  plain.erase(0, std::min(plain.find_first_not_of(' '), plain.size()));
  plain.erase(plain.find_last_not_of(' ') + 1);
  for (char& c : plain)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  MachineText reader(plain);
  for (const MachineKind& kind : machine_kinds())
    for (const MachineKind::Word& word : kind.words)
      if (reader.take(std::string(word.word) + ':')) return word.read(reader);
  reader.fail(alternatives([](const auto& word) { return fmt::format("'{}:'", word.word); }) +
              ", or for a plan of data in memory or in files 'memory' or 'disk:',");
}

std::string to_string(const Machine& machine) {
  return kind_of(machine).text(machine);
}

}  // namespace faro::inline v1
