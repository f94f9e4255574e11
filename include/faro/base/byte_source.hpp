// Bytes from somewhere and to somewhere, for code that must not open files itself.
//
//   TextSource source("{\"format\": ...}");      std::size_t got = source.read(buffer);
//   TextSink sink;  writer.write_to(sink);       sink.text()
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace faro::inline v1 {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Up to into.size() bytes from where the last call ended; 0 only at the end. Requires a buffer
  // that is not empty.
  virtual std::size_t read(std::span<std::byte> into) = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
};

// Reads a text that outlives it.
class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : rest_(text) {}
  std::size_t read(std::span<std::byte> into) override {
    const std::size_t count = rest_.size() < into.size() ? rest_.size() : into.size();
    if (count != 0) std::memcpy(into.data(), rest_.data(), count);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

// Keeps everything in memory.
class TextSink : public ByteSink {
 public:
  void write(std::string_view bytes) override { text_ += bytes; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace faro::inline v1
