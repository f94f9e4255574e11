#include "pictures.hpp"

#include <fmt/format.h>

#include <map>

#include "faro/base/error.hpp"
#include "faro/exports/export.hpp"
#include "faro/files/array_file.hpp"
#include "pictures/map_figure.hpp"
#include "pictures/schedule_figure.hpp"

namespace faro::python {
namespace {

template <class Kind>
Kind named(const std::map<std::string, Kind>& kinds, const std::string& name, const char* what) {
  const auto found = kinds.find(name);
  if (found != kinds.end()) return found->second;
  std::string names;
  for (const auto& [known, kind] : kinds)
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", known);
  throw Error(ErrorCode::usage, fmt::format("'{}' is no {}: {}", name, what, names));
}

std::string written(const Figure& figure, const std::string& format) {
  static const std::map<std::string, std::string (*)(const Figure&)> formats = {{"svg", to_svg},
                                                                                {"tikz", to_tikz}};
  return named(formats, format, "format of pictures")(figure);
}

class FileSink : public ByteSink {
 public:
  explicit FileSink(const std::string& path) : file_(path) {}
  void write(std::string_view bytes) override { file_.write(bytes); }
  void commit() { file_.commit(); }

 private:
  Replacement file_;
};

}  // namespace

std::string map_picture(const Notation& notation, const std::string& what,
                        const std::string& format) {
  static const std::map<std::string, MapPicture> pictures = {{"standard", MapPicture::standard},
                                                             {"strands", MapPicture::strands},
                                                             {"matrix", MapPicture::matrix},
                                                             {"array", MapPicture::array},
                                                             {"all", MapPicture::all}};
  return written(map_figure(notation, named(pictures, what, "picture of a map")), format);
}

std::string schedule_picture(const MachinePlan& plan, const std::string& what, std::uint64_t step,
                             const std::string& format) {
  static const std::map<std::string, SchedulePicture> pictures = {
      {"links", SchedulePicture::links},
      {"steps", SchedulePicture::steps},
      {"machine", SchedulePicture::machine}};
  const SchedulePictureOptions options{named(pictures, what, "picture of a schedule"), step};
  return written(schedule_figure([&](ScheduleSink& sink) { plan.push(sink); }, options), format);
}

void save_schedule(const MachinePlan& plan, const std::string& path, const std::string& format) {
  if (format == "faro") {
    plan.write(path);
    return;
  }
  FileSink file(path);
  export_schedule([&](ScheduleSink& sink) { plan.push(sink); }, format, file);
  file.commit();
}

}  // namespace faro::python
