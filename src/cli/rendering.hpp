// Maps and schedules written as pictures, and schedules in the formats of other tools.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::cli {

struct RenderingText {
  std::optional<std::string> file;    // "-": standard output
  std::optional<std::string> format;  // by the file's ending if left out
  std::optional<std::string> figure;  // of pictures

  bool takes_stdout() const { return file == "-"; }
};

// "csv, perfetto, ..., svg, tikz".
std::string rendering_formats();

// --export, --to and --figure.
void declare_map_rendering(Arguments& arguments, RenderingText& text);
void declare_schedule_rendering(Arguments& arguments, RenderingText& text);

// Throws Error(usage) for a format or figure that there is not, or without a file, before anything
// is planned or read.
void check_map_rendering(const RenderingText& text);
void check_schedule_rendering(const RenderingText& text);

// Throws Error(limit) for a picture of a schedule that has too many steps to be drawn.
void refuse_what_is_too_long(const std::function<void(ScheduleSink&)>& push,
                             const RenderingText& text);

void render_map(const Notation& notation, const RenderingText& text, Output& out);
void render_schedule(const std::function<void(ScheduleSink&)>& push, const RenderingText& text,
                     Output& out);

}  // namespace faro::cli
