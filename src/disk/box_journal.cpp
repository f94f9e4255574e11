#include "disk/box_journal.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>

#include "base/count_format.hpp"
#include "disk/crc32c.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::disk {
namespace {

constexpr std::string_view line_checksum_key = "  # crc32c ";
constexpr std::size_t line_checksum_digits = 8;

// The line without its checksum; empty where that is wrong.
std::string checked_line(const std::string& line) {
  const std::size_t tail = line_checksum_key.size() + line_checksum_digits;
  if (line.size() <= tail) return "";
  const std::string text = line.substr(0, line.size() - tail);
  if (line.substr(text.size()) != fmt::format("{}{:08x}", line_checksum_key, crc32c(text)))
    return "";
  return text;
}

std::string digest_words(const Digest& digest) {
  return fmt::format("{} {}", digest.hex(), digest.bytes());
}

bool read_digest(std::istream& words, Digest& to) {
  std::string hex;
  std::string bytes;
  if (!(words >> hex >> bytes) || hex.size() != 32) return false;
  const auto count = count_from(bytes);
  if (!count || hex.find_first_not_of("0123456789abcdef") != std::string::npos) return false;
  to = Digest::from(
      {std::stoull(hex.substr(0, 16), nullptr, 16), std::stoull(hex.substr(16), nullptr, 16)},
      *count);
  return true;
}

std::string with_checksum(const std::string& text) {
  return fmt::format("{}{}{:08x}\n", text, line_checksum_key, crc32c(text));
}

// "" for none.
std::string line_of(std::span<const std::pair<BoxJournal::JobId, BoxShare>> jobs) {
  std::string line;
  for (const auto& [job, share] : jobs)
    line += fmt::format("{}job {} {} {} {} {}", line.empty() ? "" : " ", job.first, job.second,
                        digest_words(share.read), digest_words(share.written), share.files);
  return line.empty() ? "" : with_checksum(line);
}

}  // namespace

void BoxShare::add(const BoxShare& other) {
  read.add(other.read);
  written.add(other.written);
  files += other.files;
}

BoxShare sum_of(const BoxJournal::Jobs& jobs) {
  BoxShare all;
  for (const auto& [job, share] : jobs) all.add(share);
  return all;
}

BoxJournal::BoxJournal(RandomFile& file) : file_(file) {
  const std::uint64_t size = file_.size_bytes();
  if (size > limits::rechunk_journal_bytes_max)
    throw Error(ErrorCode::limit, fmt::format("{}: a journal of more than {} bytes", file_.name(),
                                              limits::rechunk_journal_bytes_max));
  std::string text(size, '\0');
  file_.read(0, std::as_writable_bytes(std::span(text)));
  std::size_t wrong = 0;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const bool whole = end != std::string::npos;
    const std::string line = whole ? checked_line(text.substr(at, end - at)) : "";
    ++number;
    at = whole ? end + 1 : text.size();
    if (line.empty() || !take(line)) {
      if (wrong == 0) wrong = number;
      continue;
    }
    if (wrong != 0)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: the journal is damaged in line {}, which good ones follow",
                              file_.name(), wrong));
    end_ = at;
  }
}

bool BoxJournal::take(const std::string& line) {
  if (header_.empty()) {
    header_ = line;
    return true;
  }
  if (line == "complete") return complete_ = true;
  std::istringstream words(line);
  std::map<JobId, BoxShare> found;
  for (std::string word; words >> word;) {
    JobId job;
    BoxShare share;
    if (word != "job" || !(words >> job.first >> job.second) || !read_digest(words, share.read) ||
        !read_digest(words, share.written) || !(words >> share.files))
      return false;
    found.insert_or_assign(job, share);
  }
  for (const auto& [job, share] : found) done_.insert_or_assign(job, share);
  return !found.empty();
}

void BoxJournal::append(const std::string& lines) {
  file_.write(end_, std::as_bytes(std::span(lines)));
  file_.sync();
  end_ += lines.size();
}

void BoxJournal::begin(const std::string& header,
                       std::span<const std::pair<JobId, BoxShare>> jobs) {
  append(with_checksum(header) + line_of(jobs));
  header_ = header;
  done_.insert(jobs.begin(), jobs.end());
}

void BoxJournal::note(const JobId& job, const BoxShare& share) {
  note(std::array{std::pair{job, share}});
}

void BoxJournal::note(std::span<const std::pair<JobId, BoxShare>> jobs) {
  if (jobs.empty()) return;
  append(line_of(jobs));
  for (const auto& [job, share] : jobs) done_.insert_or_assign(job, share);
}

void BoxJournal::note_complete() {
  append(with_checksum("complete"));
  complete_ = true;
}

}  // namespace faro::inline v1::disk
