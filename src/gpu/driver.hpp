// What the drivers of GPUs are asked for: one interface, behind which a table of functions is
// filled from a library when it is first wanted. CUDA and HIP name the same calls differently and
// share a table; OpenCL has its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "faro/gpu/device.hpp"
#include "gpu/table.hpp"

namespace faro::inline v1::gpu {

// A shared library, open for as long as the process lives.
class Library {
 public:
  // The first of these names that there is. Throws Error(environment): `purpose` needs them.
  Library(const std::vector<std::string>& names, const std::string& purpose);

  // Null where an optional function is missing; Error(environment) where another is.
  template <class Function>
  void get(Function*& function, const char* name, bool optional = false) const {
    function = reinterpret_cast<Function*>(find(name, optional));
  }

 private:
  void* find(const char* name, bool optional) const;

  std::string name_;
  void* handle_ = nullptr;
};

// A kernel that is loaded: what owns it, and what is launched.
struct Kernel {
  std::shared_ptr<void> module;
  void* function = nullptr;
  std::shared_ptr<std::mutex> arguments;  // where they are set one after another
  std::shared_ptr<Table> table;           // given by value after the arrays
  std::uint64_t shared_bytes = 0;         // of a block, beside what its text declares
};

// Bytes of a device's memory, checked: arrays of one `memory` overlap where begin and end do.
struct Extent {
  const void* memory = nullptr;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// What a kernel is compiled for: a context, and of OpenCL the queue's device in it.
struct Home {
  const void* context = nullptr;
  const void* device = nullptr;
  bool operator==(const Home&) const = default;
};

class Driver {
 public:
  // Throws Error(environment) where its library is not there.
  static Driver& of(Language language);
  virtual ~Driver() = default;

  virtual std::vector<Device> devices() = 0;
  virtual Home home(const Stream& stream) = 0;
  virtual Kernel compile(const std::string& text, const std::string& name,
                         const Stream& stream) = 0;
  // Whether compile() has a compiler. Where not, maps of bits are moved by ready code.
  virtual bool compiles() { return true; }
  virtual Kernel ready(const Plan& plan, const Stream& stream);
  // Throws Error(usage) for an array that the stream's device cannot have. `name` is from, to or
  // data.
  virtual Extent extent(const void* array, std::uint64_t bytes, const char* name,
                        const Stream& stream) = 0;
  virtual void launch(const Kernel& kernel, std::uint64_t blocks, std::uint64_t threads,
                      const std::vector<const void*>& arrays, const Stream& stream) = 0;

  // For those who have no arrays of their own: benchmarks and tests.
  virtual Stream open(int device) = 0;
  virtual void close(const Stream& stream) = 0;
  virtual void* allocate(std::uint64_t bytes, const Stream& stream) = 0;
  virtual void release(void* array, const Stream& stream) = 0;
  virtual void write(void* to, const void* from, std::uint64_t bytes, const Stream& stream) = 0;
  virtual void read(void* to, const void* from, std::uint64_t bytes, const Stream& stream) = 0;
  // Within the device, not waited for.
  virtual void copy(void* to, const void* from, std::uint64_t bytes, const Stream& stream) = 0;
  virtual void finish(const Stream& stream) = 0;
};

std::unique_ptr<Driver> cuda_driver(Language language);
std::unique_ptr<Driver> opencl_driver();

}  // namespace faro::inline v1::gpu
