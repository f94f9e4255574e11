#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "cli/interrupt.hpp"
#include "cli/plain_names.hpp"
#include "faro/base/error.hpp"

namespace faro::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Redrawn at most this often: readable, and nothing beside the work.
constexpr auto redraw_interval = std::chrono::milliseconds(100);
// And in a log, which keeps every line.
constexpr auto log_interval = std::chrono::milliseconds(30'000);

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole >= 3600) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}s", whole);
}

void to_stderr_as_it_is(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  std::fflush(stderr);
}

// Words of the command line with control characters, as names of files may have, and as they are
// shown: a name stays on its line.
std::vector<std::pair<std::string, std::string>> odd_words;

std::string with_plain_names(std::string_view text) {
  std::string plain(text);
  for (const auto& [odd, shown] : odd_words)
    for (std::size_t at = plain.find(odd); at != plain.npos; at = plain.find(odd, at))
      plain.replace(std::exchange(at, at + shown.size()), odd.size(), shown);
  return plain;
}

// A line of progress stands on the terminal; whatever is said next takes its place.
bool progress_is_drawn = false;

void erase_progress() {
  if (std::exchange(progress_is_drawn, false)) to_stderr_as_it_is("\r\x1b[K");
}

}  // namespace

std::string harmless(std::string_view text) {
  std::string clean;
  for (const char c : text) {
    const auto value = static_cast<unsigned char>(c);
    const bool control = (value < 0x20 && c != '\n' && c != '\t') || value == 0x7f;
    clean += control ? fmt::format("\\x{:02x}", value) : std::string(1, c);
  }
  return clean;
}

void show_plainly(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.find_first_of(":>") != word.npos) continue;  // a map, which may have lines
    std::string shown = harmless(word);
    for (const auto& [letter, name] : {std::pair{'\n', "\\n"}, std::pair{'\t', "\\t"}})
      for (std::size_t at = shown.find(letter); at != shown.npos; at = shown.find(letter))
        shown.replace(at, 1, name);
    if (shown != word) odd_words.emplace_back(word, std::move(shown));
  }
}

void to_stderr(std::string_view text) {
  erase_progress();
  to_stderr_as_it_is(harmless(with_plain_names(text)));
}

namespace {

// One line on the terminal: label, share, rate, time left. In a pipe or a log a new line now and
// then, of work that takes its time.
class ProgressLine {
 public:
  ProgressLine(std::string label, Output::Unit unit)
      : label_(std::move(label)), unit_(unit), drawn_(isatty(STDERR_FILENO) == 1) {
    if (!drawn_) last_ = start_;
  }
  ~ProgressLine() { erase_progress(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(std::uint64_t done, std::uint64_t total) {
    const auto now = Clock::now();
    if (now - last_ < (drawn_ ? redraw_interval : log_interval)) return;
    last_ = now;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
    std::string line = label_;
    // Work that cannot say how far it is.
    if (done == 0 && total == 0 && seconds >= 1)
      line += fmt::format("  {}", duration_text(seconds));
    if (total != 0)
      line +=
          fmt::format("  {:3.0f}%", 100.0 * static_cast<double>(done) / static_cast<double>(total));
    if (rate > 0) {
      line += unit_ == Output::Unit::bytes
                  ? fmt::format("  {}/s", bytes_text(static_cast<std::uint64_t>(rate)))
                  : fmt::format("  {:.3g} steps/s", rate);
      if (total > done)
        line += fmt::format("  {} left", duration_text(static_cast<double>(total - done) / rate));
    }
    to_stderr_as_it_is(drawn_ ? "\r\x1b[K" + line : line + "\n");
    progress_is_drawn = drawn_;
  }

 private:
  std::string label_;
  Output::Unit unit_;
  bool drawn_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
  DeferInterrupts defer_;
};

}  // namespace

Output::Output() {
  // https://no-color.org: set to anything but the empty string.
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::strcmp(terminal, "dumb") == 0;
  colour_ = isatty(STDOUT_FILENO) == 1 && !dumb && (no_color == nullptr || *no_color == '\0');
}

void Output::report(const Report& report, Report::Lines lines) {
  write(is_json() ? report.json(lines) + "\n" : with_plain_names(report.words()));
}

void Output::tell(const Report& report, Report::Lines lines) {
  if (is_json()) return this->report(report, lines);
  to_stderr(report.words());
}

void Output::write(std::string_view bytes) {
  erase_progress();
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) flush();
}

void Output::talk(std::string_view line) {
  to_stderr(fmt::format("{}\n", line));
}

void Output::warn(std::string_view line) {
  to_stderr(fmt::format("faro: warning: {}\n", line));
}

std::string Output::styled(Style style, std::string_view text) const {
  if (!colour_) return std::string(text);
  const char* code = "";
  switch (style) {
    case Style::strong:
      code = "1";
      break;
    case Style::good:
      code = "32";
      break;
    case Style::bad:
      code = "31";
      break;
    case Style::faint:
      code = "2";
      break;
    case Style::accent:
      code = "36";
      break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

Progress Output::progress(std::string label, Unit unit) const {
  auto line = std::make_shared<ProgressLine>(std::move(label), unit);
  return [line](std::uint64_t done, std::uint64_t total) {
    line->update(done, total);
    return interrupted() ? Continue::no : Continue::yes;
  };
}

void Output::flush() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  const int reason = errno;
  std::clearerr(stdout);
  throw Error(ErrorCode::environment,
              fmt::format("cannot write to standard output: {}", std::strerror(reason)));
}

std::string plural(Count count, std::string_view what) {
  return fmt::format("{} {}{}", to_string(count), what, count == 1 ? "" : "s");
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", value, units[unit]);
}

}  // namespace faro::cli
