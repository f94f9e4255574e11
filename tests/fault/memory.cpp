// Memory that cannot be had, at the k-th request of a call, for every k, in one process.
//
//   memory [--every] [--cold] [CALL...]     --every: each k, not fifty
//                                           --cold: each in a process that has done nothing before
//
// A call that is refused memory throws Error(environment) or std::bad_alloc, or does without and
// gives its result; it keeps nothing that it took, and called again it gives the result of before.
// Calls run in a child, so that one which ends the process is counted and the others go on.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "faro/base/error.hpp"
#include "fault/calls.hpp"

namespace {

std::atomic<long> requests{0};
std::atomic<long> refused_at{-1};
std::atomic<long> held{0};  // requests that were met and not given back

void* memory(std::size_t bytes, std::size_t alignment) noexcept {
  if (requests++ == refused_at) return nullptr;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const found = alignment <= alignof(std::max_align_t)
                          ? std::malloc(bytes == 0 ? 1 : bytes)
                          : std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
  if (found != nullptr) ++held;
  return found;
}
void* memory_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const found = memory(bytes, alignment);
  if (found == nullptr) throw std::bad_alloc();
  return found;
}
void give_back(void* what) noexcept {
  if (what == nullptr) return;
  --held;
  std::free(what);
}
constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t n) {
  return memory_or_throw(n, usual);
}
void* operator new[](std::size_t n) {
  return memory_or_throw(n, usual);
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return memory(n, usual);
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
  return memory(n, usual);
}
void* operator new(std::size_t n, std::align_val_t a) {
  return memory_or_throw(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return memory_or_throw(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept {
  give_back(p);
}
void operator delete[](void* p) noexcept {
  give_back(p);
}
void operator delete(void* p, std::size_t) noexcept {
  give_back(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  give_back(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept {
  give_back(p);
}
void operator delete[](void* p, const std::nothrow_t&) noexcept {
  give_back(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  give_back(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
  give_back(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  give_back(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  give_back(p);
}

// Buffers on pages; free() gives them back, uncounted.
extern "C" int posix_memalign(void** to, std::size_t alignment, std::size_t bytes) noexcept {
  if (requests++ == refused_at) return ENOMEM;
  void* const found =
      std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (found == nullptr) return ENOMEM;
  *to = found;
  return 0;
}

namespace {

using faro::testing::Call;

// What parent and child both see.
struct Seen {
  long at = 0;  // the request that is refused
  long requests = 0;
  long errors = 0;
  long without = 0;  // did without
  long kept = 0;     // kept what they took
  long ended = 0;    // ended the process
  long first_end = 0;
  long faults = 0;
  char first[400] = {};  // what the first fault was
};

void fault(Seen& seen, const std::string& what) {
  if (seen.faults++ == 0)
    std::snprintf(seen.first, sizeof seen.first, "request %ld: %s", seen.at, what.c_str());
}

// One call with the k-th request refused, and one without.
void refuse_one(const Call& call, const std::string& wanted, Seen& seen) {
  const long before = held;
  {
    std::string result;
    std::string wrong;
    requests = 0;
    refused_at = seen.at;
    try {
      result = call.run();
      refused_at = -1;
      ++seen.without;
      if (result != wanted) wrong = "another result without a word";
    } catch (const faro::Error& error) {
      refused_at = -1;
      ++seen.errors;
      if (error.code() != faro::ErrorCode::environment) wrong = error.what();
    } catch (const std::bad_alloc&) {
      refused_at = -1;
      ++seen.errors;
    } catch (const std::exception& error) {
      refused_at = -1;
      wrong = error.what();
    }
    if (!wrong.empty()) fault(seen, wrong);
  }
  if (held != before) ++seen.kept;
  if (call.run() != wanted) fault(seen, "another result afterwards");
}

// What a call that has done nothing yet does when the request seen.at is refused, and afterwards.
void refuse_first(const Call& call, Seen& seen) {
  std::string first;
  std::string wrong;
  requests = 0;
  refused_at = seen.at;
  try {
    first = call.run();
    ++seen.without;
  } catch (const faro::Error& error) {
    ++seen.errors;
    if (error.code() != faro::ErrorCode::environment) wrong = error.what();
  } catch (const std::bad_alloc&) {
    ++seen.errors;
  }
  refused_at = -1;
  if (!wrong.empty()) fault(seen, wrong);
  const std::string second = call.run();
  if (!first.empty() && first != second) fault(seen, "another result without a word");
  if (second != call.run()) fault(seen, "another result afterwards");
}

// Runs `work` in a process of its own; whether that ended as it should.
template <class Work>
bool apart(Work&& work) {
  const pid_t one = fork();
  if (one == 0) {
    std::set_terminate([] { _exit(77); });
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(one, &status, 0);
  return one > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct How {
  bool every = false;
  bool cold = false;
};

// Refuses requests of the call, all or some fifty of them.
void judge(const Call& call, Seen& seen, How how) {
  const bool counted = apart([&] {
    for (int warm = how.cold ? 2 : 0; warm < 2; ++warm) call.run();
    requests = 0;
    call.run();
    seen.requests = requests;
  });
  if (!counted) return fault(seen, "fails without a fault");
  const long stride = how.every ? 1 : std::max(1L, seen.requests / 50);
  while (seen.at < seen.requests) {
    const bool went = apart([&] {
      if (how.cold) return refuse_first(call, seen);
      std::string wanted = call.run();
      wanted = call.run();
      for (; seen.at < seen.requests; seen.at += stride) refuse_one(call, wanted, seen);
    });
    if (!went && seen.ended++ == 0) seen.first_end = seen.at;
    if (!went || how.cold) seen.at += stride;
  }
}

}  // namespace

int main(int count, char** words) {
  How how;
  std::vector<std::string> wanted;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--every")
      how.every = true;
    else if (word == "--cold")
      how.cold = true;
    else
      wanted.push_back(word);
  }
  std::string folder = std::filesystem::temp_directory_path() / "faro-memory-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr || chdir(folder.c_str()) != 0) return 2;
  auto* const seen = static_cast<Seen*>(
      mmap(nullptr, sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (seen == MAP_FAILED) return 2;
  long all = 0;
  long faults = 0;
  for (const Call& call : faro::testing::calls()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), call.name) == wanted.end())
      continue;
    *seen = Seen{};
    judge(call, *seen, how);
    const long refused = seen->errors + seen->without + seen->ended;
    std::printf("%-26s %6ld requests, refused %6ld: errors %6ld, done without %4ld",
                call.name.c_str(), seen->requests, refused, seen->errors, seen->without);
    if (seen->ended > 0)
      std::printf("; ended the process %ld times, first at %ld", seen->ended, seen->first_end);
    if (seen->kept > 0) std::printf("; kept memory %ld times", seen->kept);
    if (seen->faults > 0) std::printf("; FAULTS %ld, the first: %s", seen->faults, seen->first);
    std::printf("\n");
    std::fflush(stdout);
    all += refused;
    faults += seen->faults + (call.json ? 0 : seen->ended + seen->kept);
  }
  std::filesystem::current_path("/");
  std::filesystem::remove_all(folder);
  std::printf("%ld requests refused, %ld faults\n", all, faults);
  return faults == 0 && all > 0 ? 0 : 1;
}
