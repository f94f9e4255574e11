// Preloaded into a program, makes its k-th call of the file system fail, or kills it there.
//
//   FARO_FAULT_AT=3 FARO_FAULT=fail LD_PRELOAD=libfaro_fault_shim.so victim ...
//
//   FARO_FAULT         fail (with the errno FARO_FAULT_ERRNO), fail-from (this call and all after),
//                      kill (before the call), kill-after, term, int and stop (the signal, then the
//                      call), short (half of a read or write)
//   FARO_FAULT_NO_TMPFILE=1   files without a name are refused always, as old file systems do
//   FARO_FAULT_CALLS   count these calls only, "pwrite fdatasync", and from the beginning;
//                      "memory": malloc and its like, from main() on
//   FARO_FAULT_COUNT   a file that gets the number of calls when the program ends
//
// Without FARO_FAULT_CALLS calls are counted from the first one after the program's own start,
// which the victim marks by calling access("/faro-fault-begin", 0). Any thread may make the call.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

std::atomic<long> calls{-1};  // not counting yet

long number_from(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

bool mode_is(const char* mode) {
  const char* text = std::getenv("FARO_FAULT");
  return text != nullptr && std::strcmp(text, mode) == 0;
}

// True if `list` is not given or has the word.
bool is_listed(const char* list, const char* word) {
  if (list == nullptr) return word[0] != '-';
  const std::size_t size = std::strlen(word);
  for (const char* at = std::strstr(list, word); at != nullptr; at = std::strstr(at + 1, word))
    if ((at == list || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0')) return true;
  return false;
}

// True if this call is the one.
bool is_the_one(const char* name) {
  const char* list = std::getenv("FARO_FAULT_CALLS");
  long before = -1;
  if (list != nullptr) calls.compare_exchange_strong(before, 0);
  if (calls < 0 || !is_listed(list, name)) return false;
  const long at = number_from("FARO_FAULT_AT", -1);
  const long call = calls++;
  return call == at || (mode_is("fail-from") && at >= 0 && call > at);
}

template <class Call>
auto with_fault(const char* name, Call&& call) {
  if (!is_the_one(name) || mode_is("short")) return call();
  if (mode_is("kill")) raise(SIGKILL);
  for (const auto& [mode, signal] :
       {std::pair{"term", SIGTERM}, {"int", SIGINT}, {"stop", SIGSTOP}})
    if (mode_is(mode)) {
      kill(getpid(), signal);
      return call();
    }
  if (mode_is("kill-after")) {
    call();
    raise(SIGKILL);
  }
  errno = static_cast<int>(number_from("FARO_FAULT_ERRNO", EIO));
  using Result = decltype(call());
  return (Result)-1;  // NOLINT: -1 as a number, or as the pointer that mmap fails with
}

// Likewise, for calls that may do a part of what was asked.
template <class Call>
ssize_t with_fault(const char* name, std::size_t size, Call&& call) {
  if (!mode_is("short")) return with_fault(name, [&] { return call(size); });
  return call(is_the_one(name) ? (size + 1) / 2 : size);
}

// Of calls that count only where FARO_FAULT_CALLS names them.
template <class... Arguments>
auto with_fault_of_list(const char* name, Arguments&&... arguments) {
  const bool listed = std::getenv("FARO_FAULT_CALLS") != nullptr;
  return with_fault(listed ? name : "-", std::forward<Arguments>(arguments)...);
}

struct CountAtEnd {
  ~CountAtEnd() {
    const char* name = std::getenv("FARO_FAULT_COUNT");
    std::FILE* file = name == nullptr ? nullptr : std::fopen(name, "w");
    if (file == nullptr) return;
    std::fprintf(file, "%ld\n", calls.load());
    std::fclose(file);
  }
} count_at_end;

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Memory that cannot be had. Before main() nothing fails: that is the C library's affair.
int (*real_main)(int, char**, char**) = nullptr;
std::atomic<bool> in_main{false};

int marked_main(int count, char** words, char** environment) {
  in_main = std::getenv("FARO_FAULT_CALLS") != nullptr;
  const int code = real_main(count, words, environment);
  in_main = false;
  return code;
}

template <class Call>
void* memory(Call&& call) {
  if (in_main && is_the_one("memory")) {
    errno = ENOMEM;
    return nullptr;
  }
  return call();
}

}  // namespace

extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

// NOLINTNEXTLINE: the name is the C library's
int __libc_start_main(int (*main)(int, char**, char**), int count, char** words, void (*init)(),
                      void (*fini)(), void (*loader_fini)(), void* stack_end) {
  real_main = main;
  using Start =
      int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(marked_main, count, words, init, fini, loader_fini,
                                          stack_end);
}

void* malloc(size_t size) noexcept {
  return memory([&] { return __libc_malloc(size); });
}
void* calloc(size_t count, size_t size) noexcept {
  return memory([&] { return __libc_calloc(count, size); });
}
void* realloc(void* old, size_t size) noexcept {
  return memory([&] { return __libc_realloc(old, size); });
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return memory([&] { return __libc_memalign(alignment, size); });
}
int posix_memalign(void** to, size_t alignment, size_t size) noexcept {
  void* const found = memory([&] { return __libc_memalign(alignment, size); });
  if (found == nullptr) return ENOMEM;
  *to = found;
  return 0;
}

int access(const char* path, int mode) {
  if (std::strcmp(path, "/faro-fault-begin") == 0) {
    calls = 0;
    return 0;
  }
  return with_fault("access", [&] { return next<int(const char*, int)>("access")(path, mode); });
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  if ((flags & O_TMPFILE) == O_TMPFILE && std::getenv("FARO_FAULT_NO_TMPFILE") != nullptr) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return with_fault("open",
                    [&] { return next<int(const char*, int, ...)>("open")(path, flags, mode); });
}

int mkostemp(char* name, int flags) {
  return with_fault("mkostemp", [&] { return next<int(char*, int)>("mkostemp")(name, flags); });
}

int faccessat(int at, const char* path, int mode, int flags) noexcept {
  return with_fault("faccessat", [&] {
    return next<int(int, const char*, int, int)>("faccessat")(at, path, mode, flags);
  });
}

int lstat(const char* path, struct stat* status) noexcept {
  return with_fault("lstat",
                    [&] { return next<int(const char*, struct stat*)>("lstat")(path, status); });
}

int fstat(int file, struct stat* status) noexcept {
  return with_fault("fstat", [&] { return next<int(int, struct stat*)>("fstat")(file, status); });
}

ssize_t readlink(const char* path, char* text, size_t size) noexcept {
  return with_fault("readlink", [&] {
    return next<ssize_t(const char*, char*, size_t)>("readlink")(path, text, size);
  });
}

ssize_t read(int file, void* into, size_t size) {
  return with_fault("read",
                    [&] { return next<ssize_t(int, void*, size_t)>("read")(file, into, size); });
}

ssize_t write(int file, const void* from, size_t size) {
  return with_fault(
      "write", [&] { return next<ssize_t(int, const void*, size_t)>("write")(file, from, size); });
}

int posix_fallocate(int file, off_t offset, off_t size) {
  int result = with_fault("posix_fallocate", [&] {
    return next<int(int, off_t, off_t)>("posix_fallocate")(file, offset, size);
  });
  return result == -1 ? errno : result;
}

void* mmap(void* where, size_t size, int protection, int flags, int file, off_t offset) noexcept {
  const auto real = next<void*(void*, size_t, int, int, int, off_t)>("mmap");
  if (file < 0) return real(where, size, protection, flags, file, offset);
  return with_fault("mmap", [&] { return real(where, size, protection, flags, file, offset); });
}

int fchmod(int file, mode_t mode) noexcept {
  return with_fault("fchmod", [&] { return next<int(int, mode_t)>("fchmod")(file, mode); });
}

int fchown(int file, uid_t owner, gid_t group) noexcept {
  return with_fault("fchown",
                    [&] { return next<int(int, uid_t, gid_t)>("fchown")(file, owner, group); });
}

int fsync(int file) {
  return with_fault("fsync", [&] { return next<int(int)>("fsync")(file); });
}

int linkat(int from_at, const char* from, int to_at, const char* to, int flags) noexcept {
  return with_fault("linkat", [&] {
    return next<int(int, const char*, int, const char*, int)>("linkat")(from_at, from, to_at, to,
                                                                        flags);
  });
}

int rename(const char* from, const char* to) noexcept {
  return with_fault("rename",
                    [&] { return next<int(const char*, const char*)>("rename")(from, to); });
}

int close(int file) {
  return with_fault("close", [&] { return next<int(int)>("close")(file); });
}

ssize_t pread(int file, void* into, size_t size, off_t offset) {
  return with_fault_of_list("pread", size, [&](std::size_t part) {
    return next<ssize_t(int, void*, size_t, off_t)>("pread")(file, into, part, offset);
  });
}

ssize_t pwrite(int file, const void* from, size_t size, off_t offset) {
  return with_fault_of_list("pwrite", size, [&](std::size_t part) {
    return next<ssize_t(int, const void*, size_t, off_t)>("pwrite")(file, from, part, offset);
  });
}

int fdatasync(int file) {
  return with_fault_of_list("fdatasync", [&] { return next<int(int)>("fdatasync")(file); });
}

int fallocate(int file, int mode, off_t offset, off_t size) {
  return with_fault_of_list("fallocate", [&] {
    return next<int(int, int, off_t, off_t)>("fallocate")(file, mode, offset, size);
  });
}

int renameat2(int from_at, const char* from, int to_at, const char* to, unsigned flags) noexcept {
  return with_fault_of_list("renameat2", [&] {
    return next<int(int, const char*, int, const char*, unsigned)>("renameat2")(from_at, from,
                                                                                to_at, to, flags);
  });
}

int ftruncate(int file, off_t size) noexcept {
  return with_fault_of_list("ftruncate",
                            [&] { return next<int(int, off_t)>("ftruncate")(file, size); });
}

int unlink(const char* path) noexcept {
  return with_fault_of_list("unlink", [&] { return next<int(const char*)>("unlink")(path); });
}

int link(const char* from, const char* to) noexcept {
  return with_fault_of_list("link",
                            [&] { return next<int(const char*, const char*)>("link")(from, to); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  return with_fault_of_list("mkdir",
                            [&] { return next<int(const char*, mode_t)>("mkdir")(path, mode); });
}

int rmdir(const char* path) noexcept {
  return with_fault_of_list("rmdir", [&] { return next<int(const char*)>("rmdir")(path); });
}

int flock(int file, int operation) noexcept {
  return with_fault_of_list("flock", [&] { return next<int(int, int)>("flock")(file, operation); });
}

int msync(void* at, size_t size, int flags) {
  return with_fault_of_list(
      "msync", [&] { return next<int(void*, size_t, int)>("msync")(at, size, flags); });
}

off_t lseek(int file, off_t offset, int from) noexcept {
  return with_fault_of_list(
      "lseek", [&] { return next<off_t(int, off_t, int)>("lseek")(file, offset, from); });
}

int stat(const char* path, struct stat* status) noexcept {
  return with_fault_of_list(
      "stat", [&] { return next<int(const char*, struct stat*)>("stat")(path, status); });
}

int statvfs(const char* path, struct statvfs* disk) noexcept {
  return with_fault_of_list(
      "statvfs", [&] { return next<int(const char*, struct statvfs*)>("statvfs")(path, disk); });
}

int fstatvfs(int file, struct statvfs* disk) noexcept {
  return with_fault_of_list(
      "fstatvfs", [&] { return next<int(int, struct statvfs*)>("fstatvfs")(file, disk); });
}

int madvise(void* at, size_t size, int advice) noexcept {
  return with_fault_of_list(
      "madvise", [&] { return next<int(void*, size_t, int)>("madvise")(at, size, advice); });
}

int posix_fadvise(int file, off_t offset, off_t size, int advice) noexcept {
  const int result = with_fault_of_list("posix_fadvise", [&] {
    return next<int(int, off_t, off_t, int)>("posix_fadvise")(file, offset, size, advice);
  });
  return result == -1 ? errno : result;
}

int sync_file_range(int file, off_t offset, off_t size, unsigned flags) {
  return with_fault_of_list("sync_file_range", [&] {
    return next<int(int, off_t, off_t, unsigned)>("sync_file_range")(file, offset, size, flags);
  });
}

int syncfs(int file) noexcept {
  return with_fault_of_list("syncfs", [&] { return next<int(int)>("syncfs")(file); });
}
}
