// Collects small writes; whoever needs them complete calls flush().
//
//   BufferedSink bytes([&file](std::string_view text) { file.write(text); });
//   ... bytes.write("{"); ...
//   bytes.flush();
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "faro/base/progress.hpp"

namespace faro::inline v1 {

class BufferedSink : public ByteSink {
 public:
  explicit BufferedSink(std::function<void(std::string_view)> to) : to_(std::move(to)) {}

  void write(std::string_view bytes) override {
    buffer_ += bytes;
    if (buffer_.size() >= buffer_bytes) flush();
  }
  void flush() {
    to_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 18U;
  std::function<void(std::string_view)> to_;
  std::string buffer_;
};

}  // namespace faro::inline v1
