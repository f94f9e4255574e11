#include "cli/bench_disk_peers.hpp"

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

#include "faro/files/input.hpp"

namespace faro::cli {
namespace {

// What a peer's process may hold beside the memory that faro has, for Python and its libraries.
constexpr std::uint64_t group_bytes = std::uint64_t{256} << 20U;

// Prints "time SECONDS", "limit SECONDS" or "none WHY". The parent makes the group, keeps the clock
// and tidies up; the child is in the group from before it touches the file.
constexpr const char* script = R"(
import os, shutil, signal, subprocess, sys, time
peer, name, source, folder, bits, memory, group_memory, limit = sys.argv[1:]
bits, memory, limit = int(bits), int(memory), float(limit)
half = bits // 2
rows, columns = 1 << half, 1 << (bits - half)
target = os.path.join(folder, "peer")

def none(why):
    print("none", why)
    sys.exit()

try:
    import numpy as np
    if peer == "rechunker": import rechunker, zarr
    if peer == "h5repack": import h5py
except Exception as error:
    none(error)
if peer == "h5repack" and not shutil.which("h5repack"): none("h5repack is not installed")
if peer != "memmap" and name != "transpose": none("it knows boxes alone")
if name not in ("transpose", "bit-reversal", "gray"): none("it has no words for this map")

def forget(path):
    inside = [os.path.join(where, file) for where, _, files in os.walk(path) for file in files]
    for file in inside or [path]:
        opened = os.open(file, os.O_RDONLY)
        os.fsync(opened)
        os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(opened)

def memmap():
    a = np.memmap(source, dtype="<u8", mode="r")
    b = np.memmap(target, dtype="<u8", mode="w+", shape=a.shape)
    if name == "transpose":
        b.reshape(columns, rows)[...] = a.reshape(rows, columns).T
    elif name == "bit-reversal":
        b.reshape((2,) * bits)[...] = a.reshape((2,) * bits).transpose()
    else:
        step = min(len(a), 1 << (memory // 128).bit_length())
        for at in range(0, len(a), step):
            i = np.arange(at, at + step)
            b[i ^ (i >> 1)] = a[at:at + step]
    b.flush()

# Rows of 1 MiB chunks become one chunk for each column: in chunks' order that is the transpose.
def make_zarr():
    a = np.memmap(source, dtype="<u8", mode="r").reshape(rows, columns)
    step = max((1 << 17) // columns, 1)
    z = zarr.open(target + "-in.zarr", mode="w", shape=a.shape, chunks=(step, columns),
                  dtype="<u8", compressor=None)
    for r in range(0, rows, step): z[r:r + step] = a[r:r + step]
    forget(target + "-in.zarr")

def rechunk():
    z = zarr.open(target + "-in.zarr", mode="r")
    rechunker.rechunk(z, (rows, 1), memory, target + ".zarr", temp_store=target + "-between.zarr",
                      target_options={"compressor": None}, executor="python").execute()
    os.sync()

def make_h5():
    with h5py.File(target + "-in.h5", "w") as file:
        file.create_dataset("a", shape=(rows, columns), dtype="<u8",
                            external=[(source, 0, 8 << bits)])

def h5repack():
    subprocess.run(["h5repack", "-l", f"a:CHUNK={rows}x1", target + "-in.h5", target + ".h5"],
                   check=True, stdout=subprocess.DEVNULL)
    os.sync()

def tidy():
    for file in os.listdir(folder):
        path = os.path.join(folder, file)
        if file.startswith("peer"): (shutil.rmtree if os.path.isdir(path) else os.remove)(path)

prepare, work = {"memmap": (None, memmap), "rechunker": (make_zarr, rechunk),
                 "h5repack": (make_h5, h5repack)}[peer]
lines = [line.strip().split(":", 2) for line in open("/proc/self/cgroup")]
lines = {line[1]: line[2] for line in lines}
v1 = "memory" in lines
base = "/sys/fs/cgroup/memory" + lines["memory"] if v1 else "/sys/fs/cgroup" + lines.get("", "/")
group = f"{base}/faro-peer-{os.getpid()}"
try:
    if prepare: prepare()
    forget(source)
    os.mkdir(group)
    with open(group + ("/memory.limit_in_bytes" if v1 else "/memory.max"), "w") as file:
        file.write(group_memory)
except OSError as error:
    tidy()
    none(f"no control group: {error}")
start = time.monotonic()
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with open(group + "/cgroup.procs", "w") as file: file.write(str(os.getpid()))
    try:
        work()
    except BaseException as error:
        print(error, file=sys.stderr)
        os._exit(1)
    os._exit(0)
status = None
while status is None and time.monotonic() - start < limit:
    time.sleep(0.02)
    ended, code = os.waitpid(child, os.WNOHANG)
    if ended: status = os.waitstatus_to_exitcode(code)
taken = time.monotonic() - start
if status is None:
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
tidy()
for _ in range(100):
    try: os.rmdir(group); break
    except OSError: time.sleep(0.1)
if status: none(f"ended with {status}")
print("limit" if status is None else "time", taken)
)";

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
      {chosen == nullptr ? "python3" : chosen, "-c", script, run.peer, run.map, run.in, run.folder,
       std::to_string(run.bits), std::to_string(run.memory_bytes),
       std::to_string(run.memory_bytes + group_bytes), fmt::format("{}", run.seconds_max)});
  const std::string word = text.substr(0, text.find(' '));
  std::string rest = text.size() > word.size() ? text.substr(word.size() + 1) : "";
  while (!rest.empty() && rest.back() == '\n') rest.pop_back();
  if (word == "time" || word == "limit")
    return PeerTime{.seconds = std::strtod(rest.c_str(), nullptr), .finished = word == "time"};
  why = rest.empty() ? "it ended without a word" : rest;
  return std::nullopt;
}

}  // namespace faro::cli
