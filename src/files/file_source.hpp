// A file as a source of bytes that says how far it has been read.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "faro/base/progress.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1 {

class FileSource : public ByteSource {
 public:
  // "-" is standard input. Throws Error(environment).
  explicit FileSource(const std::string& path, Progress progress = {})
      : file_(InputFile::open(path)),
        total_bytes_(file_.is_mappable() ? file_.size_bytes() : 0),
        progress_(std::move(progress)) {}

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t count = file_.read(into);
    done_bytes_ += count;
    report(progress_, done_bytes_, std::max(done_bytes_, total_bytes_));
    return count;
  }

 private:
  InputFile file_;
  std::uint64_t total_bytes_;
  std::uint64_t done_bytes_ = 0;
  Progress progress_;
};

}  // namespace faro::inline v1
