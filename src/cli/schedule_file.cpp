#include "cli/schedule_file.hpp"

#include <optional>

#include "base/buffered_sink.hpp"
#include "faro/files/array_file.hpp"
#include "faro/schedules/json.hpp"
#include "schedules/expand.hpp"

namespace faro::cli {

struct ScheduleFile::Parts {
  Parts(const std::string& path, Rules rules, Output& out)
      : file(path == "-" ? nullptr : std::make_unique<Replacement>(path)),
        bytes([this, &out](std::string_view text) {
          if (file)
            file->write(text);
          else
            out.write(text);
        }),
        writer(bytes) {
    if (rules == Rules::expanded) expanding.emplace(writer);
    if (rules == Rules::unrolled) unrolling.emplace(writer);
  }

  std::unique_ptr<Replacement> file;
  BufferedSink bytes;
  JsonWriter writer;
  std::optional<ExpandingSink> expanding;
  std::optional<UnrollingSink> unrolling;
};

ScheduleFile::ScheduleFile(const std::string& path, Rules rules, Output& out)
    : parts_(std::make_unique<Parts>(path, rules, out)) {}

ScheduleFile::~ScheduleFile() = default;

ScheduleSink& ScheduleFile::sink() {
  if (parts_->expanding) return *parts_->expanding;
  if (parts_->unrolling) return *parts_->unrolling;
  return parts_->writer;
}

void ScheduleFile::commit() {
  parts_->bytes.flush();
  if (parts_->file) parts_->file->commit();
}

}  // namespace faro::cli
