// Any bytes as the journal of an unfinished run. With checksums that fit, so that what stands
// behind them is reached, it gives back what was put in.
#include "disk/journal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "disk/request.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "fuzz.hpp"

namespace {

using namespace faro;
using namespace faro::disk;

// What can be planned at once; how long plans may take is no matter of this target.
bool small(const JobRequest& request) {
  return request.map.elements() <= bit(20) && request.shape.element_bytes <= 64 &&
         request.shape.outer <= 64 && request.shape.inner <= 64 && request.plan.passes <= 8;
}

void requested(std::string_view line) {
  const JobRequest request = JobRequest::parse(line, "journal");
  static_cast<void>(plan_checksum_in(line));
  if (!small(request)) return;
  const FilePermutePlan plan = request.make_plan();
  const std::string once = request.json(plan);
  const JobRequest again = JobRequest::parse(once, "journal");
  if (again.json(plan) != once || !(again.map == request.map)) std::abort();
}

// A line and records of twelve bytes, with checksums.
void written_and_read(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  MemoryFile file("journal");
  std::optional<Record> last;
  {
    Journal journal(file);
    journal.begin(line);
    for (std::size_t at = line.size() + 1; at + 12 <= text.size() && at < 4096; at += 12) {
      Record record;
      std::uint64_t count = 0;
      std::memcpy(&record.kind, text.data() + at, 2);
      std::memcpy(&record.pass, text.data() + at + 2, 2);
      std::memcpy(&count, text.data() + at + 4, 8);
      record.count = count;
      record.fingerprint = ~count;
      journal.append(record);
      last = record;
    }
  }
  const Journal again(file);
  if (again.header() != line || again.last() != last) std::abort();
}

void check(std::string_view text) {
  if (text.empty()) return;
  const std::string_view rest = text.substr(1);
  switch (text.front()) {
    case 'w':
      return written_and_read(rest);
    case 'r':
      return requested(rest);
    default: {
      const auto bytes = std::as_bytes(std::span(text));
      MemoryFile file("journal", {bytes.begin(), bytes.end()});
      const Journal journal(file);
      if (!journal.is_blank()) requested(journal.header());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::done_or_refused([&] { check(fuzz::text_of(data, size)); });
}
