// Any bytes as what an unfinished rechunking left: a plan, which is refused or moves every element
// within its memory, the journal of its jobs, and the request that began it.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "disk/box_journal.hpp"
#include "disk/box_judge.hpp"
#include "disk/box_problem.hpp"
#include "disk/rechunk_request.hpp"
#include "faro/files/array_file.hpp"
#include "fuzz.hpp"

namespace {

using namespace faro;
using namespace faro::disk;

void planned(std::uint64_t seed, const std::string& text) {
  Random random(seed);
  const BoxProblem problem = faro::testing::random_problem(random);
  const BoxPlan plan = BoxPlan::from_json(problem, text);
  fuzz::check(plan.facts().peak_bytes() <= problem.memory_bytes);
  fuzz::check(faro::testing::BoxJudge(plan).wrong().empty());
  fuzz::check(BoxPlan::from_json(problem, plan.json()).json() == plan.json());
}

// What is noted after it is there when the file is read again, beside what was there before.
void journalled(std::string_view text) {
  const auto given = std::as_bytes(std::span(text));
  std::vector<std::byte> bytes(given.begin(), given.end());
  bytes.resize(bytes.size() + 256);  // memory does not grow where it is written
  MemoryFile file("journal", bytes);
  BoxJournal journal(file);
  if (journal.is_blank()) return;
  const BoxJournal::JobId job{60000, 7};
  journal.note(job, {});
  const BoxJournal again(file);
  fuzz::check(again.header() == journal.header() && again.done().contains(job));
  for (const auto& [done, share] : journal.done()) fuzz::check(again.done().contains(done));
}

void requested(const std::string& text) {
  const std::string once = RechunkRequest::parse(text, "journal").json();
  fuzz::check(RechunkRequest::parse(once, "journal").json() == once);
}

void check(std::string_view text) {
  if (text.size() < 2) return;
  switch (text[0]) {
    case 'p':
      return planned(static_cast<unsigned char>(text[1]), std::string(text.substr(2)));
    case 'q':
      return requested(std::string(text.substr(1)));
    default:
      return journalled(text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::done_or_refused([&] { check(fuzz::text_of(data, size)); });
}
