#include "cli/schedule_file.hpp"

#include <optional>

#include "faro/base/byte_source.hpp"
#include "faro/files/replacement.hpp"
#include "faro/schedules/expand.hpp"
#include "faro/schedules/json_writer.hpp"

namespace faro::cli {
namespace {

// Collects small writes.
class BufferedSink : public ByteSink {
 public:
  BufferedSink(Replacement* file, Output& out) : file_(file), out_(out) {}

  void write(std::string_view bytes) override {
    buffer_ += bytes;
    if (buffer_.size() >= buffer_bytes) flush();
  }
  void flush() {
    if (file_ != nullptr)
      file_->write(buffer_);
    else
      out_.write(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 18U;
  Replacement* file_;
  Output& out_;
  std::string buffer_;
};

}  // namespace

struct ScheduleFile::Parts {
  Parts(const std::string& path, Rules rules, Output& out)
      : file(path == "-" ? nullptr : std::make_unique<Replacement>(path)),
        bytes(file.get(), out),
        writer(bytes) {
    if (rules == Rules::expanded) expanding.emplace(writer);
  }

  std::unique_ptr<Replacement> file;
  BufferedSink bytes;
  JsonWriter writer;
  std::optional<ExpandingSink> expanding;
};

ScheduleFile::ScheduleFile(const std::string& path, Rules rules, Output& out)
    : parts_(std::make_unique<Parts>(path, rules, out)) {}

ScheduleFile::~ScheduleFile() = default;

ScheduleSink& ScheduleFile::sink() {
  if (parts_->expanding) return *parts_->expanding;
  return parts_->writer;
}

void ScheduleFile::commit() {
  parts_->bytes.flush();
  if (parts_->file) parts_->file->commit();
}

}  // namespace faro::cli
