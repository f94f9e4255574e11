#include "disk/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "disk/crc32c.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::disk {
namespace {

constexpr std::size_t record_bytes = 32;
constexpr std::uint32_t record_magic = 0x31304a46;  // "FJ01"
constexpr std::string_view checksum_key = "  # crc32c ";
constexpr std::size_t checksum_digits = 8;

using RecordBytes = std::array<std::byte, record_bytes>;

void put(RecordBytes& bytes, std::size_t at, std::size_t size, std::uint64_t value) {
  for (std::size_t i = 0; i < size; ++i, value >>= 8U)
    bytes[at + i] = static_cast<std::byte>(value & 0xffU);
}

std::uint64_t get(const RecordBytes& bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = (value << 8U) | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

RecordBytes encode(const Record& record) {
  RecordBytes bytes{};
  put(bytes, 0, 4, record_magic);
  put(bytes, 4, 2, static_cast<std::uint64_t>(record.kind));
  put(bytes, 6, 2, record.pass);
  put(bytes, 8, 8, record.count);
  put(bytes, 16, 8, record.fingerprint);
  put(bytes, 24, 4, record.slot);
  put(bytes, 28, 4, crc32c(std::span(bytes).first(28)));
  return bytes;
}

std::optional<Record> decode(const RecordBytes& bytes) {
  if (get(bytes, 0, 4) != record_magic || get(bytes, 28, 4) != crc32c(std::span(bytes).first(28)))
    return std::nullopt;
  return Record{.kind = static_cast<Record::Kind>(get(bytes, 4, 2)),
                .pass = static_cast<std::uint16_t>(get(bytes, 6, 2)),
                .count = get(bytes, 8, 8),
                .fingerprint = get(bytes, 16, 8),
                .slot = static_cast<std::uint32_t>(get(bytes, 24, 4))};
}

}  // namespace

Journal::Journal(RandomFile& file) : file_(file) {
  read_header();
  if (!is_blank()) read_records();
}

void Journal::read_header() {
  std::string text(std::min(file_.size_bytes(), limits::journal_header_bytes_max), '\0');
  file_.read(0, std::as_writable_bytes(std::span(text)));
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return;
  const std::size_t tail = checksum_key.size() + checksum_digits;
  if (end < tail || text.compare(end - tail, checksum_key.size(), checksum_key) != 0) return;
  const std::string header = text.substr(0, end - tail);
  if (text.substr(end - checksum_digits, checksum_digits) !=
      fmt::format("{:08x}", crc32c(header))) {
    // A first line that was cut off has nothing behind it.
    if (file_.size_bytes() > end + 1)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: the journal is damaged in its first line", file_.name()));
    return;
  }
  header_ = header;
  end_ = end + 1;
}

void Journal::read_records() {
  const std::uint64_t size = file_.size_bytes();
  std::optional<std::uint64_t> wrong;
  for (std::uint64_t at = end_; at + record_bytes <= size; at += record_bytes) {
    RecordBytes bytes{};
    file_.read(at, bytes);
    const std::optional<Record> record = decode(bytes);
    if (record && wrong)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: the journal is damaged at byte {}: a record that is followed by "
                              "good ones is not what was written",
                              file_.name(), *wrong));
    if (!record) {
      if (!wrong) wrong = at;
      continue;
    }
    last_ = record;
    end_ = at + record_bytes;
  }
}

void Journal::begin(std::string_view header) {
  const std::string line = fmt::format("{}{}{:08x}\n", header, checksum_key, crc32c(header));
  file_.write(0, std::as_bytes(std::span(line)));
  file_.sync();
  header_ = header;
  end_ = line.size();
  last_.reset();
}

void Journal::append(const Record& record) {
  const RecordBytes bytes = encode(record);
  file_.write(end_, bytes);
  file_.sync();
  end_ += record_bytes;
  last_ = record;
}

}  // namespace faro::inline v1::disk
