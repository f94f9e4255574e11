#include "cli/rendering.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/exports/export.hpp"
#include "faro/files/array_file.hpp"
#include "pictures/map_figure.hpp"
#include "pictures/schedule_figure.hpp"

namespace faro::cli {
namespace {

constexpr const char* map_figures = "strands, matrix, array or all; both of the first if left out";
constexpr const char* schedule_figures =
    "links, steps, places, machine, or machine@STEP for one step, counted from 0; links if left "
    "out";

// Standard output, or a file that appears when it is complete.
class Target : public ByteSink {
 public:
  Target(const std::string& path, Output& out)
      : out_(out), file_(path == "-" ? nullptr : std::make_unique<Replacement>(path)) {}
  void write(std::string_view bytes) override {
    still_working();
    if (file_)
      file_->write(bytes);
    else
      out_.write(bytes);
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  Output& out_;
  std::unique_ptr<Replacement> file_;
};

bool is_picture(const std::string& format) {
  return format == "svg" || format == "tikz";
}

std::string format_of(const RenderingText& text, const std::string& formats) {
  if (text.format) return *text.format;
  if (text.file->ends_with(".svg")) return "svg";
  if (text.file->ends_with(".tex") || text.file->ends_with(".tikz")) return "tikz";
  for (const ExportFormat& format : export_formats())
    if (text.file->ends_with(format.ending)) return std::string(format.name);
  throw Error(ErrorCode::usage,
              fmt::format("{}: no format has this ending; say it with --to, one of {}", *text.file,
                          formats));
}

std::string in_format(const Figure& figure, const std::string& format) {
  return format == "svg" ? to_svg(figure) : to_tikz(figure);
}

MapPicture map_picture(const RenderingText& text) {
  if (!text.figure) return MapPicture::standard;
  if (*text.figure == "strands") return MapPicture::strands;
  if (*text.figure == "matrix") return MapPicture::matrix;
  if (*text.figure == "array") return MapPicture::array;
  if (*text.figure == "all") return MapPicture::all;
  throw Error(ErrorCode::usage,
              fmt::format("'{}' is no figure of a map: {}", *text.figure, map_figures));
}

SchedulePictureOptions schedule_picture(const RenderingText& text) {
  const std::string figure = text.figure.value_or("links");
  if (figure == "links") return {};
  if (figure == "steps") return {.what = SchedulePicture::steps};
  if (figure == "places") return {.what = SchedulePicture::places};
  if (figure == "machine") return {.what = SchedulePicture::machine};
  SchedulePictureOptions options{.what = SchedulePicture::machine};
  constexpr std::string_view prefix = "machine@";
  const char* const end = figure.data() + figure.size();
  if (figure.starts_with(prefix)) {
    const auto [rest, error] = std::from_chars(figure.data() + prefix.size(), end, options.step);
    if (error == std::errc{} && rest == end) return options;
  }
  throw Error(ErrorCode::usage,
              fmt::format("'{}' is no figure of a schedule: {}", figure, schedule_figures));
}

void declare(Arguments& arguments, RenderingText& text, const char* file, const char* to,
             const std::string& figure) {
  arguments.option("--export", "FILE", text.file, file).completes(Completes::file);
  arguments.option("--to", "FORMAT", text.format, to);
  arguments.option("--figure", "WHAT", text.figure, figure);
}

// Throws where a picture or format is described and no file is named for it.
void refuse_without_file(const RenderingText& text) {
  if (text.file || !(text.figure || text.format)) return;
  throw Error(ErrorCode::usage,
              text.figure ? fmt::format("--figure {} needs a file for the picture: add --export "
                                        "FILE.svg, or FILE.tex for TikZ",
                                        *text.figure)
                          : fmt::format("--to {} needs a file: add --export FILE", *text.format));
}

}  // namespace

std::string rendering_formats() {
  std::string names;
  for (const ExportFormat& format : export_formats()) names += std::string(format.name) + ", ";
  return names + "svg, tikz";
}

void declare_map_rendering(Arguments& arguments, RenderingText& text) {
  declare(arguments, text, "a picture, instead of the report: .svg, or .tex for TikZ",
          "svg or tikz, whatever the file's name", map_figures);
}

void declare_schedule_rendering(Arguments& arguments, RenderingText& text) {
  declare(arguments, text, "also write the schedule for another tool, or a picture of it",
          "the format, whatever the file's name: see `faro convert`",
          std::string("of a picture: ") + schedule_figures);
}

void check_map_rendering(const RenderingText& text) {
  refuse_without_file(text);
  map_picture(text);
}

void check_schedule_rendering(const RenderingText& text) {
  refuse_without_file(text);
  if (!text.file) return;
  const std::string format = format_of(text, rendering_formats());
  if (is_picture(format)) {
    schedule_picture(text);
    return;
  }
  if (text.figure)
    throw Error(ErrorCode::usage, fmt::format("--figure is for svg and tikz, not for {}", format));
  for (const ExportFormat& known : export_formats())
    if (known.name == format) return;
  throw Error(ErrorCode::usage,
              fmt::format("'{}' is no format of schedules: {}", format, rendering_formats()));
}

void refuse_what_is_too_long(const std::function<void(ScheduleSink&)>& push,
                             const RenderingText& text) {
  if (!is_picture(format_of(text, rendering_formats()))) return;
  try {
    static_cast<void>(schedule_figure(push, schedule_picture(text)));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::limit) throw;  // what else is wrong is for the verifiers to say
  }
}

void render_map(const Notation& notation, const RenderingText& text, Output& out) {
  const std::string format = format_of(text, "svg, tikz");
  if (!is_picture(format))
    throw Error(ErrorCode::usage,
                fmt::format("'{}' is no format of maps: svg or tikz; `faro export` writes a map in "
                            "the words of another system",
                            format));
  Target target(*text.file, out);
  target.write(in_format(map_figure(notation, map_picture(text)), format));
  target.commit();
}

void render_schedule(const std::function<void(ScheduleSink&)>& push, const RenderingText& text,
                     Output& out) {
  check_schedule_rendering(text);
  const std::string format = format_of(text, rendering_formats());
  Target target(*text.file, out);
  if (is_picture(format))
    target.write(in_format(schedule_figure(push, schedule_picture(text)), format));
  else
    export_schedule(push, format, target);
  target.commit();
}

}  // namespace faro::cli
