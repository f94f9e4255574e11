// Progress and cancellation: long work calls back now and then; the caller may show it and may ask
// to stop, and then gets Error(cancelled).
//
//   const Progress progress = [&](std::uint64_t done, std::uint64_t total) {
//     bar.show(done, total);
//     return stop_button.pressed() ? Continue::no : Continue::yes;
//   };
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace faro::inline v1 {

enum class Continue { yes, no };

// done of total units of work, in bytes for data and in steps for schedules. Called from one thread
// at a time.
using Progress = std::function<Continue(std::uint64_t done, std::uint64_t total)>;

// Calls `progress` if there is one; throws Error(cancelled) if it asks to stop.
void report(const Progress& progress, std::uint64_t done, std::uint64_t total);

// Bytes from somewhere and to somewhere, for code that must not open files itself.
//
//   TextSource source("{\"format\": ...}");      std::size_t got = source.read(buffer);
//   TextSink sink;  writer.write_to(sink);       sink.text()

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
