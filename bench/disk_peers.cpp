#include "disk_peers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "faro/files/array_file.hpp"

namespace faro::bench {
namespace {

// What a peer's process may hold beside the memory that faro has, for Python and its libraries.
constexpr std::uint64_t group_bytes = std::uint64_t{256} << 20U;

std::string output_of(const std::vector<std::string>& command) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return "";
  Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, to.number(), STDOUT_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::pid_t child = 0;
  const int failed = ::posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  to = Descriptor();
  if (failed != 0) return fmt::format("none {}: {}", command.front(), std::strerror(failed));
  std::string text;
  std::array<char, 512> buffer;
  for (ssize_t got = 0; (got = ::read(from.number(), buffer.data(), buffer.size())) != 0;) {
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) break;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return text;
}

}  // namespace

std::optional<PeerTime> time_peer(const PeerRun& run, std::string& why) {
  const char* const chosen = std::getenv("FARO_PYTHON");
  const std::string text = output_of(
      {chosen == nullptr ? "python3" : chosen, FARO_DISK_PEERS, run.peer, run.map, run.in,
       run.folder, std::to_string(run.bits), std::to_string(run.memory_bytes),
       std::to_string(run.memory_bytes + group_bytes), fmt::format("{}", run.seconds_max)});
  const std::string word = text.substr(0, text.find(' '));
  std::string rest = text.size() > word.size() ? text.substr(word.size() + 1) : "";
  while (!rest.empty() && rest.back() == '\n') rest.pop_back();
  if (word == "time" || word == "limit")
    return PeerTime{.seconds = std::strtod(rest.c_str(), nullptr), .finished = word == "time"};
  why = rest.empty() ? "it ended without a word" : rest;
  return std::nullopt;
}

}  // namespace faro::bench
