// OpenCL, through the loader libOpenCL.so.1. An array is a cl_mem, a stream a command queue.
#include <fmt/format.h>

#include <map>

#include "base/require.hpp"
#include "gpu/driver.hpp"

namespace faro::inline v1::gpu {
namespace {

using Object = void*;
using Unsigned = std::uint32_t;

// Numbers of the OpenCL specification, 1.2.
constexpr std::uint64_t all_devices = 0xFFFFFFFF;
constexpr Unsigned device_name = 0x102B, device_version = 0x102F, device_bytes = 0x101F;
constexpr Unsigned queue_context = 0x1090, queue_device = 0x1091;
constexpr Unsigned build_log = 0x1183;
constexpr Unsigned memory_size = 0x1102, memory_context = 0x1106;
constexpr Unsigned memory_parent = 0x1107, memory_offset = 0x1108;
constexpr std::uint64_t read_write = 1;
constexpr int no_platform = -1001;

struct OpenclCalls {
  OpenclCalls() : library({"libOpenCL.so.1"}, "an OpenCL device") {
    library.get(platforms, "clGetPlatformIDs");
    library.get(devices, "clGetDeviceIDs");
    library.get(device_info, "clGetDeviceInfo");
    library.get(create_context, "clCreateContext");
    library.get(release_context, "clReleaseContext");
    library.get(create_queue, "clCreateCommandQueue");
    library.get(release_queue, "clReleaseCommandQueue");
    library.get(queue_info, "clGetCommandQueueInfo");
    library.get(create_program, "clCreateProgramWithSource");
    library.get(build, "clBuildProgram");
    library.get(build_info, "clGetProgramBuildInfo");
    library.get(release_program, "clReleaseProgram");
    library.get(create_kernel, "clCreateKernel");
    library.get(release_kernel, "clReleaseKernel");
    library.get(set_argument, "clSetKernelArg");
    library.get(launch, "clEnqueueNDRangeKernel");
    library.get(create_buffer, "clCreateBuffer");
    library.get(release_buffer, "clReleaseMemObject");
    library.get(buffer_info, "clGetMemObjectInfo");
    library.get(write, "clEnqueueWriteBuffer");
    library.get(read, "clEnqueueReadBuffer");
    library.get(copy, "clEnqueueCopyBuffer");
    library.get(finish, "clFinish");
  }

  Library library;
  int (*platforms)(Unsigned, Object*, Unsigned*);
  int (*devices)(Object, std::uint64_t, Unsigned, Object*, Unsigned*);
  int (*device_info)(Object, Unsigned, std::size_t, void*, std::size_t*);
  Object (*create_context)(const void*, Unsigned, const Object*, void*, void*, int*);
  int (*release_context)(Object);
  Object (*create_queue)(Object, Object, std::uint64_t, int*);
  int (*release_queue)(Object);
  int (*queue_info)(Object, Unsigned, std::size_t, void*, std::size_t*);
  Object (*create_program)(Object, Unsigned, const char**, const std::size_t*, int*);
  int (*build)(Object, Unsigned, const Object*, const char*, void*, void*);
  int (*build_info)(Object, Object, Unsigned, std::size_t, void*, std::size_t*);
  int (*release_program)(Object);
  Object (*create_kernel)(Object, const char*, int*);
  int (*release_kernel)(Object);
  int (*set_argument)(Object, Unsigned, std::size_t, const void*);
  int (*launch)(Object, Object, Unsigned, const std::size_t*, const std::size_t*,
                const std::size_t*, Unsigned, const Object*, Object*);
  Object (*create_buffer)(Object, std::uint64_t, std::size_t, void*, int*);
  int (*release_buffer)(Object);
  int (*buffer_info)(Object, Unsigned, std::size_t, void*, std::size_t*);
  int (*write)(Object, Object, Unsigned, std::size_t, std::size_t, const void*, Unsigned,
               const Object*, Object*);
  int (*read)(Object, Object, Unsigned, std::size_t, std::size_t, void*, Unsigned, const Object*,
              Object*);
  int (*copy)(Object, Object, Object, std::size_t, std::size_t, std::size_t, Unsigned,
              const Object*, Object*);
  int (*finish)(Object);
};

class OpenclDriver final : public Driver {
 public:
  std::vector<Device> devices() override {
    std::vector<Device> out;
    for (const Object id : device_ids())
      out.push_back({Language::opencl, static_cast<int>(out.size()), text_of(id, device_name),
                     text_of(id, device_version), number_of(id)});
    return out;
  }

  Home home(const Stream& stream) override {
    return {of_queue(stream, queue_context), of_queue(stream, queue_device)};
  }

  Kernel compile(const std::string& text, const std::string& name, const Stream& stream) override {
    const Object context = of_queue(stream, queue_context);
    const Object device = of_queue(stream, queue_device);
    const char* begin = text.c_str();
    int status = 0;
    const Object program = call_.create_program(context, 1, &begin, nullptr, &status);
    worked(status, "a kernel's text");
    const std::shared_ptr<void> held(program, [this](void* old) { call_.release_program(old); });
    if (call_.build(program, 1, &device, "-cl-std=CL1.2", nullptr, nullptr) != 0) {
      std::size_t bytes = 0;
      std::string log;
      if (call_.build_info(program, device, build_log, 0, nullptr, &bytes) == 0) {
        log.resize(bytes);
        call_.build_info(program, device, build_log, bytes, log.data(), nullptr);
      }
      throw Error(ErrorCode::environment, "the OpenCL compiler refused a kernel: " + log);
    }
    Kernel kernel;
    kernel.function = call_.create_kernel(program, name.c_str(), &status);
    worked(status, "a kernel");
    kernel.module = std::shared_ptr<void>(kernel.function,
                                          [this, held](void* old) { call_.release_kernel(old); });
    kernel.arguments = std::make_shared<std::mutex>();
    const Object buffer = new_buffer(context, 16);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      first_words_[context] = first_word(buffer);
    }
    call_.release_buffer(buffer);
    return kernel;
  }

  Extent extent(const void* array, std::uint64_t bytes, const char* name,
                const Stream& stream) override {
    require(array != nullptr, "`{}` is null", name);
    const Object context = of_queue(stream, queue_context);
    const auto buffer = const_cast<Object>(array);
    require(is_buffer(buffer, context),
            "`{}` is no buffer of the queue's platform: wanted a cl_mem", name);
    Object owner = nullptr;
    Object parent = nullptr;
    std::size_t size = 0;
    std::size_t offset = 0;
    worked(call_.buffer_info(buffer, memory_context, sizeof owner, static_cast<void*>(&owner),
                             nullptr),
           "the context of a buffer");
    require(owner == context, "`{}` is a buffer of another context than the queue", name);
    worked(call_.buffer_info(buffer, memory_size, sizeof size, &size, nullptr),
           "the size of a buffer");
    require(size >= bytes, "`{}` has {} bytes: wanted {}", name, size, bytes);
    worked(call_.buffer_info(buffer, memory_parent, sizeof parent, static_cast<void*>(&parent),
                             nullptr),
           "the parent of a buffer");
    if (parent == nullptr) return {array, 0, bytes};
    worked(call_.buffer_info(buffer, memory_offset, sizeof offset, &offset, nullptr),
           "the offset of a buffer");
    require(offset % 16 == 0, "`{}` begins at byte {} of its buffer: wanted a multiple of 16", name,
            offset);
    return {parent, offset, offset + bytes};
  }

  void launch(const Kernel& kernel, std::uint64_t blocks, std::uint64_t threads,
              const std::vector<const void*>& arrays, const Stream& stream) override {
    const std::lock_guard<std::mutex> lock(*kernel.arguments);
    for (Unsigned i = 0; i < arrays.size(); ++i)
      worked(call_.set_argument(kernel.function, i, sizeof(Object),
                                static_cast<const void*>(&arrays[i])),
             "an argument of a kernel");
    const std::size_t local = threads;
    const std::size_t global = blocks * threads;
    worked(call_.launch(stream.handle, kernel.function, 1, nullptr, &global, &local, 0, nullptr,
                        nullptr),
           "launching a kernel");
  }

  Stream open(int device) override {
    const std::vector<Object> ids = device_ids();
    require(device >= 0 && device < std::ssize(ids), "there is no OpenCL device {}", device);
    const Object id = ids[static_cast<std::size_t>(device)];
    int status = 0;
    const Object context = call_.create_context(nullptr, 1, &id, nullptr, nullptr, &status);
    worked(status, "a context");
    const Object queue = call_.create_queue(context, id, 0, &status);
    call_.release_context(context);  // the queue holds it
    worked(status, "a queue");
    return Stream::opencl(queue);
  }
  void close(const Stream& stream) override { call_.release_queue(stream.handle); }
  void* allocate(std::uint64_t bytes, const Stream& stream) override {
    return new_buffer(of_queue(stream, queue_context), bytes);
  }
  void release(void* array, const Stream& /*stream*/) override { call_.release_buffer(array); }
  void write(void* to, const void* from, std::uint64_t bytes, const Stream& stream) override {
    worked(call_.write(stream.handle, to, 1, 0, bytes, from, 0, nullptr, nullptr),
           "writing to a device");
  }
  void read(void* to, const void* from, std::uint64_t bytes, const Stream& stream) override {
    worked(
        call_.read(stream.handle, const_cast<Object>(from), 1, 0, bytes, to, 0, nullptr, nullptr),
        "reading from a device");
  }
  void copy(void* to, const void* from, std::uint64_t bytes, const Stream& stream) override {
    worked(
        call_.copy(stream.handle, const_cast<Object>(from), to, 0, 0, bytes, 0, nullptr, nullptr),
        "a copy");
  }
  void finish(const Stream& stream) override {
    worked(call_.finish(stream.handle), "waiting for a queue");
  }

 private:
  static void worked(int status, const char* what) {
    if (status != 0)
      throw Error(ErrorCode::environment, fmt::format("{}: OpenCL says error {}", what, status));
  }

  std::vector<Object> device_ids() const {
    Unsigned count = 0;
    const int status = call_.platforms(0, nullptr, &count);
    if (status == no_platform) return {};
    worked(status, "counting platforms");
    std::vector<Object> platforms(count);
    worked(call_.platforms(count, platforms.data(), nullptr), "the platforms");
    std::vector<Object> out;
    for (const Object platform : platforms) {
      if (call_.devices(platform, all_devices, 0, nullptr, &count) != 0) continue;  // has none
      std::vector<Object> ids(count);
      worked(call_.devices(platform, all_devices, count, ids.data(), nullptr), "the devices");
      out.insert(out.end(), ids.begin(), ids.end());
    }
    return out;
  }

  std::string text_of(Object device, Unsigned what) const {
    std::size_t bytes = 0;
    worked(call_.device_info(device, what, 0, nullptr, &bytes), "a device");
    std::string text(bytes, '\0');
    worked(call_.device_info(device, what, bytes, text.data(), nullptr), "a device");
    return text.substr(0, text.find('\0'));
  }
  std::uint64_t number_of(Object device) const {
    std::uint64_t bytes = 0;
    worked(call_.device_info(device, device_bytes, sizeof bytes, &bytes, nullptr), "a device");
    return bytes;
  }

  Object of_queue(const Stream& stream, Unsigned what) const {
    require(stream.handle != nullptr, "the OpenCL queue is null");
    Object out = nullptr;
    worked(call_.queue_info(stream.handle, what, sizeof out, static_cast<void*>(&out), nullptr),
           "a queue");
    return out;
  }

  Object new_buffer(Object context, std::uint64_t bytes) const {
    int status = 0;
    const Object buffer = call_.create_buffer(context, read_write, bytes, nullptr, &status);
    worked(status, "memory of a device");
    return buffer;
  }

  // Buffers of a platform begin with its table of functions, which tells them from other pointers:
  // to call the loader with one of those would end the process.
  static const void* first_word(Object object) { return *static_cast<void**>(object); }
  bool is_buffer(Object object, Object context) {
    if (reinterpret_cast<std::uintptr_t>(object) % alignof(Object) != 0) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    return first_word(object) == first_words_[context];
  }

  OpenclCalls call_;
  std::mutex mutex_;
  std::map<Object, const void*> first_words_;  // of a buffer in each context with a kernel
};

}  // namespace

std::unique_ptr<Driver> opencl_driver() {
  return std::make_unique<OpenclDriver>();
}

}  // namespace faro::inline v1::gpu
