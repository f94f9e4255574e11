// How a command speaks. Results go to stdout: text for people, or with --json exactly one object.
// Talk, warnings and progress go to stderr. Colour and progress appear only on a terminal, colour
// not where NO_COLOR is set to anything.
//
//   out.report(report);                        the result: its words, or with --json its values
//   out.tell(report);                          the same where the words are talk
//   out.talk("verified by proof");             a line on stderr
//   auto progress = out.progress("permuting", Output::Unit::bytes);
//
// Progress and interruption: while a Progress that the output gave is alive, an interrupt (Ctrl-C)
// makes it answer "stop"; otherwise the program ends at once. Both end with exit code 130.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/report.hpp"
#include "faro/base/count.hpp"
#include "faro/base/progress.hpp"

namespace faro::cli {

// Messages are not worth an end: what standard error does not take, closed or full, is dropped.
void to_stderr(std::string_view text);
// Names of files come from anywhere: what a terminal would obey is shown as \x1b.
std::string harmless(std::string_view text);

class Output {
 public:
  enum class Form { text, json };
  enum class Unit { bytes, steps };
  enum class Style { strong, good, bad, faint, accent };

  Output();
  void set_form(Form form) { form_ = form; }
  bool is_json() const { return form_ == Form::json; }

  // The result: its words, or with --json its values as one object.
  void report(const Report& report, Report::Lines lines = Report::Lines::one);
  // Bytes of the result in either form (`-` as the output file).
  void write(std::string_view bytes);

  // A line on stderr.
  void talk(std::string_view line);
  // Of a result that is a file: its words on stderr, or with --json its values on stdout.
  void tell(const Report& report, Report::Lines lines = Report::Lines::one);
  void warn(std::string_view line);

  // `text` with colour on a terminal, else unchanged.
  std::string styled(Style style, std::string_view text) const;

  // To hand to the library: draws a line with rate and time left where stderr is a terminal, and
  // answers "stop" after an interrupt. The last copy's end removes the line.
  Progress progress(std::string label, Unit unit) const;

  // Throws Error(environment) if what was written could not be.
  void flush();

 private:
  Form form_ = Form::text;
  bool colour_ = false;
};

// "3.2 GB", powers of ten, three digits.
std::string bytes_text(std::uint64_t bytes);
// "1 step", "2 steps".
std::string plural(Count count, std::string_view what);

}  // namespace faro::cli
