// Preloaded into a program, makes its k-th call of the file system fail, or kills it there.
//
//   FARO_FAULT_AT=3 FARO_FAULT=fail LD_PRELOAD=libfaro_fault_shim.so victim ...
//
//   FARO_FAULT         fail (with the errno FARO_FAULT_ERRNO), kill (before the call), kill-after
//   FARO_FAULT_NO_TMPFILE=1   files without a name are refused always, as old file systems do
//
// Calls are counted from the first one after the program's own start, which the victim marks by
// calling access("/faro-fault-begin", 0).
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

long calls = -1;  // not counting yet

long number_from(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

bool mode_is(const char* mode) {
  const char* text = std::getenv("FARO_FAULT");
  return text != nullptr && std::strcmp(text, mode) == 0;
}

// True if this call is the one.
bool is_the_one() {
  if (calls < 0) return false;
  return calls++ == number_from("FARO_FAULT_AT", -1);
}

template <class Call>
auto with_fault(Call&& call) {
  if (!is_the_one()) return call();
  if (mode_is("kill")) raise(SIGKILL);
  if (mode_is("kill-after")) {
    call();
    raise(SIGKILL);
  }
  errno = static_cast<int>(number_from("FARO_FAULT_ERRNO", EIO));
  using Result = decltype(call());
  return (Result)-1;  // NOLINT: -1 as a number, or as the pointer that mmap fails with
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int access(const char* path, int mode) {
  if (std::strcmp(path, "/faro-fault-begin") == 0) {
    calls = 0;
    return 0;
  }
  return with_fault([&] { return next<int(const char*, int)>("access")(path, mode); });
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
  return with_fault([&] { return next<int(const char*, int, ...)>("open")(path, flags, mode); });
}

int mkostemp(char* name, int flags) {
  return with_fault([&] { return next<int(char*, int)>("mkostemp")(name, flags); });
}

int faccessat(int at, const char* path, int mode, int flags) noexcept {
  return with_fault(
      [&] { return next<int(int, const char*, int, int)>("faccessat")(at, path, mode, flags); });
}

int lstat(const char* path, struct stat* status) noexcept {
  return with_fault([&] { return next<int(const char*, struct stat*)>("lstat")(path, status); });
}

int fstat(int file, struct stat* status) noexcept {
  return with_fault([&] { return next<int(int, struct stat*)>("fstat")(file, status); });
}

ssize_t readlink(const char* path, char* text, size_t size) noexcept {
  return with_fault(
      [&] { return next<ssize_t(const char*, char*, size_t)>("readlink")(path, text, size); });
}

ssize_t read(int file, void* into, size_t size) {
  return with_fault([&] { return next<ssize_t(int, void*, size_t)>("read")(file, into, size); });
}

ssize_t write(int file, const void* from, size_t size) {
  return with_fault(
      [&] { return next<ssize_t(int, const void*, size_t)>("write")(file, from, size); });
}

int posix_fallocate(int file, off_t offset, off_t size) {
  int result = with_fault(
      [&] { return next<int(int, off_t, off_t)>("posix_fallocate")(file, offset, size); });
  return result == -1 ? errno : result;
}

void* mmap(void* where, size_t size, int protection, int flags, int file, off_t offset) noexcept {
  const auto real = next<void*(void*, size_t, int, int, int, off_t)>("mmap");
  if (file < 0) return real(where, size, protection, flags, file, offset);
  return with_fault([&] { return real(where, size, protection, flags, file, offset); });
}

int fchmod(int file, mode_t mode) noexcept {
  return with_fault([&] { return next<int(int, mode_t)>("fchmod")(file, mode); });
}

int fchown(int file, uid_t owner, gid_t group) noexcept {
  return with_fault([&] { return next<int(int, uid_t, gid_t)>("fchown")(file, owner, group); });
}

int fsync(int file) {
  return with_fault([&] { return next<int(int)>("fsync")(file); });
}

int linkat(int from_at, const char* from, int to_at, const char* to, int flags) noexcept {
  return with_fault([&] {
    return next<int(int, const char*, int, const char*, int)>("linkat")(from_at, from, to_at, to,
                                                                        flags);
  });
}

int rename(const char* from, const char* to) noexcept {
  return with_fault([&] { return next<int(const char*, const char*)>("rename")(from, to); });
}

int close(int file) {
  return with_fault([&] { return next<int(int)>("close")(file); });
}
}
