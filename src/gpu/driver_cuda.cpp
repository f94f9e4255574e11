// NVIDIA's driver with NVRTC, and AMD's with hipRTC: the same calls by other names.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>

#include "base/require.hpp"
#include "gpu/driver.hpp"

namespace faro::inline v1::tables {
extern const std::string_view gpu_kernels;  // PTX, ends with a zero
}

namespace faro::inline v1::gpu {
namespace {

using Handle = void*;

// Of the driver's pointer attributes, the same numbers in both.
constexpr int attribute_memory_type = 2;
constexpr int attribute_is_managed = 8;
constexpr int attribute_device = 9;
constexpr int own_stream_first = 3;  // 0, 1 and 2 are the default streams of whatever is current

struct CudaCalls {
  explicit CudaCalls(Language language)
      : cuda(language == Language::cuda),
        library(cuda ? std::vector<std::string>{"libcuda.so.1"}
                     : std::vector<std::string>{"libamdhip64.so", "libamdhip64.so.7",
                                                "libamdhip64.so.6", "libamdhip64.so.5"},
                cuda ? "an NVIDIA device" : "an AMD device") {
    const auto get = [&](auto*& function, const char* in_cuda, const char* in_hip,
                         bool optional = false) {
      library.get(function, cuda ? in_cuda : in_hip, optional);
    };
    get(init, "cuInit", "hipInit");
    get(version, "cuDriverGetVersion", "hipDriverGetVersion");
    get(device_count, "cuDeviceGetCount", "hipGetDeviceCount");
    get(device_get, "cuDeviceGet", "hipDeviceGet");
    get(device_name, "cuDeviceGetName", "hipDeviceGetName");
    get(device_bytes, "cuDeviceTotalMem_v2", "hipDeviceTotalMem");
    get(capability, "cuDeviceComputeCapability", "hipDeviceComputeCapability");
    get(current, "cuCtxGetCurrent", "hipCtxGetCurrent");
    get(push, "cuCtxPushCurrent_v2", "hipCtxPushCurrent");
    get(pop, "cuCtxPopCurrent_v2", "hipCtxPopCurrent");
    get(current_device, "cuCtxGetDevice", "hipCtxGetDevice");
    get(primary, "cuDevicePrimaryCtxRetain", "hipDevicePrimaryCtxRetain");
    if (cuda) library.get(stream_context, "cuStreamGetCtx");
    get(load, "cuModuleLoadData", "hipModuleLoadData");
    get(unload, "cuModuleUnload", "hipModuleUnload");
    get(function_of, "cuModuleGetFunction", "hipModuleGetFunction");
    get(launch, "cuLaunchKernel", "hipModuleLaunchKernel");
    get(attribute, "cuPointerGetAttribute", "hipPointerGetAttribute");
    get(allocate, "cuMemAlloc_v2", "hipMalloc");
    get(release, "cuMemFree_v2", "hipFree");
    get(write, "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync");
    get(read, "cuMemcpyDtoH_v2", "hipMemcpyDtoH");
    get(copy, "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync");
    get(stream_create, "cuStreamCreate", "hipStreamCreateWithFlags");
    get(stream_destroy, "cuStreamDestroy_v2", "hipStreamDestroy");
    get(finish, "cuStreamSynchronize", "hipStreamSynchronize");
    get(error_name, "cuGetErrorName", "hipDrvGetErrorName", true);
  }

  bool cuda;
  Library library;
  int (*init)(unsigned);
  int (*version)(int*);
  int (*device_count)(int*);
  int (*device_get)(int*, int);
  int (*device_name)(char*, int, int);
  int (*device_bytes)(std::size_t*, int);
  int (*capability)(int*, int*, int);
  int (*current)(Handle*);
  int (*push)(Handle);
  int (*pop)(Handle*);
  int (*current_device)(int*);
  int (*primary)(Handle*, int);
  int (*stream_context)(Handle, Handle*) = nullptr;
  int (*load)(Handle*, const void*);
  int (*unload)(Handle);
  int (*function_of)(Handle*, Handle, const char*);
  int (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                Handle, void**, void**);
  int (*attribute)(void*, int, std::uint64_t);
  int (*allocate)(void**, std::size_t);
  int (*release)(void*);
  int (*write)(void*, const void*, std::size_t, Handle);
  int (*read)(void*, const void*, std::size_t);
  int (*copy)(void*, const void*, std::size_t, Handle);
  int (*stream_create)(Handle*, unsigned);
  int (*stream_destroy)(Handle);
  int (*finish)(Handle);
  int (*error_name)(int, const char**);
};

// The compiler, which only kernels need.
struct Compiler {
  explicit Compiler(const CudaCalls& driver, const std::vector<std::string>& names)
      : cuda(driver.cuda), library(names, "compiling a kernel") {
    const std::string begin = cuda ? "nvrtc" : "hiprtc";
    const auto get = [&](auto*& function, const std::string& name, bool optional = false) {
      library.get(function, (begin + name).c_str(), optional);
    };
    get(create, "CreateProgram");
    get(compile, "CompileProgram");
    get(destroy, "DestroyProgram");
    get(log_bytes, "GetProgramLogSize");
    get(log, "GetProgramLog");
    get(error_text, "GetErrorString");
    get(code_bytes, cuda ? "GetCUBINSize" : "GetCodeSize");
    get(code, cuda ? "GetCUBIN" : "GetCode");
    if (!cuda) return;
    get(text_bytes, "GetPTXSize");
    get(text, "GetPTX");
    get(targets_count, "GetNumSupportedArchs");
    get(targets, "GetSupportedArchs");
  }

  bool cuda;
  Library library;
  int (*create)(Handle*, const char*, const char*, int, const char* const*, const char* const*);
  int (*compile)(Handle, int, const char* const*);
  int (*destroy)(Handle*);
  int (*log_bytes)(Handle, std::size_t*);
  int (*log)(Handle, char*);
  const char* (*error_text)(int);
  int (*code_bytes)(Handle, std::size_t*);
  int (*code)(Handle, char*);
  int (*text_bytes)(Handle, std::size_t*) = nullptr;
  int (*text)(Handle, char*) = nullptr;
  int (*targets_count)(int*) = nullptr;
  int (*targets)(int*) = nullptr;
};

// A compiler of the driver's own release first: what a newer one makes an old driver refuses.
std::vector<std::string> compiler_names(bool cuda, int driver_version) {
  if (const char* named = std::getenv("FARO_NVRTC"); cuda && named != nullptr) return {named};
  if (!cuda) return {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5"};
  std::vector<std::string> names;
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"})
    if (std::stoi(name + std::string("libnvrtc.so.").size()) * 1000 <= driver_version)
      names.emplace_back(name);
  names.emplace_back("libnvrtc.so");
  return names;
}

class CudaDriver final : public Driver {
 public:
  explicit CudaDriver(Language language) : language_(language), call_(language) {
    done(call_.init(0), call_.cuda ? "cuInit" : "hipInit");
  }

  std::vector<Device> devices() override {
    int count = 0;
    done(call_.device_count(&count), "counting devices");
    std::vector<Device> out;
    for (int i = 0; i < count; ++i) {
      const int device = device_at(i);
      std::array<char, 256> name{};
      std::size_t bytes = 0;
      done(call_.device_name(name.data(), static_cast<int>(name.size()) - 1, device),
           "a device's name");
      done(call_.device_bytes(&bytes, device), "a device's memory");
      out.push_back({language_, i, name.data(),
                     fmt::format("{}{}", call_.cuda ? "sm_" : "", target_of(device)), bytes});
    }
    return out;
  }

  Home home(const Stream& stream) override { return {context_of(stream), nullptr}; }

  Kernel compile(const std::string& text, const std::string& name, const Stream& stream) override {
    const Inside inside(*this, stream);
    int device = 0;
    done(call_.current_device(&device), "the context's device");
    return load(compiled_code(text, target_of(device)).data(), name, stream);
  }

  // PTX for sm_70 and later, which the driver translates; of HIP there is none.
  bool compiles() override {
    if (!call_.cuda) return true;
    try {
      compiler();
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  Kernel ready(const Plan& plan, const Stream& stream) override {
    const Inside inside(*this, stream);
    Kernel kernel = load(tables::gpu_kernels.data(), table_kernel_name(plan), stream);
    kernel.table = std::make_shared<Table>(table_of(plan));
    kernel.shared_bytes = plan.shared_bytes();
    return kernel;
  }

  Extent extent(const void* array, std::uint64_t bytes, const char* name,
                const Stream& stream) override {
    const auto address = reinterpret_cast<std::uintptr_t>(array);
    require(array != nullptr, "`{}` is null", name);
    require(address % 16 == 0, "`{}` is at 0x{:x}: wanted a multiple of 16 bytes", name, address);
    const Inside inside(*this, stream);
    unsigned type = 0;
    unsigned managed = 0;
    const bool known = call_.attribute(&type, attribute_memory_type, address) == 0 && type != 0;
    if (known) call_.attribute(&managed, attribute_is_managed, address);
    // CUDA says 1 of the host's memory; HIP said so of a device's before it was 2.
    require(known && (type != 1 || managed != 0 || !call_.cuda),
            "`{}` is in the host's memory, at 0x{:x}: wanted memory of a device", name, address);
    int owner = 0;
    int device = 0;
    done(call_.attribute(&owner, attribute_device, address), "asking whose an array is");
    done(call_.current_device(&device), "the context's device");
    require(owner == device || managed != 0,
            "`{}` is on device {}, the stream on device {}: wanted both on one", name, owner,
            device);
    return {nullptr, address, address + bytes};
  }

  void launch(const Kernel& kernel, std::uint64_t blocks, std::uint64_t threads,
              const std::vector<const void*>& arrays, const Stream& stream) override {
    const Inside inside(*this, stream);
    std::array<const void*, 2> held{};
    std::array<void*, 3> arguments{};
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      held.at(i) = arrays[i];
      arguments.at(i) = &held.at(i);
    }
    arguments.at(arrays.size()) = kernel.table.get();
    done(call_.launch(kernel.function, static_cast<unsigned>(blocks), 1, 1,
                      static_cast<unsigned>(threads), 1, 1,
                      static_cast<unsigned>(kernel.shared_bytes), stream.handle, arguments.data(),
                      nullptr),
         "launching a kernel");
  }

  Stream open(int device) override {
    const Inside inside(*this, Stream{language_, nullptr, device});
    Handle stream = nullptr;
    done(call_.stream_create(&stream, 1), "a stream");  // 1: waits for no default stream
    return {language_, stream, device};
  }
  void close(const Stream& stream) override {
    const Inside inside(*this, stream);
    call_.stream_destroy(stream.handle);
  }
  void* allocate(std::uint64_t bytes, const Stream& stream) override {
    const Inside inside(*this, stream);
    void* array = nullptr;
    done(call_.allocate(&array, bytes), "memory of a device");
    return array;
  }
  void release(void* array, const Stream& stream) override {
    const Inside inside(*this, stream);
    call_.release(array);
  }
  void write(void* to, const void* from, std::uint64_t bytes, const Stream& stream) override {
    const Inside inside(*this, stream);
    // On the stream: what is launched on it next reads these bytes, and what ran before is done.
    done(call_.write(to, from, bytes, stream.handle), "writing to a device");
    done(call_.finish(stream.handle), "waiting for a stream");
  }
  void read(void* to, const void* from, std::uint64_t bytes, const Stream& stream) override {
    const Inside inside(*this, stream);
    done(call_.finish(stream.handle), "waiting for a stream");
    done(call_.read(to, from, bytes), "reading from a device");
  }
  void copy(void* to, const void* from, std::uint64_t bytes, const Stream& stream) override {
    const Inside inside(*this, stream);
    done(call_.copy(to, from, bytes, stream.handle), "a copy");
  }
  void finish(const Stream& stream) override {
    const Inside inside(*this, stream);
    done(call_.finish(stream.handle), "waiting for a stream");
  }

 private:
  // While it lives the stream's context is the thread's.
  class Inside {
   public:
    Inside(CudaDriver& driver, const Stream& stream) : driver_(driver) {
      driver.done(driver.call_.push(driver.context_of(stream)), "entering a context");
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() {
      Handle popped = nullptr;
      driver_.call_.pop(&popped);
    }

   private:
    CudaDriver& driver_;
  };

  // Within the stream's context.
  Kernel load(const void* code, const std::string& name, const Stream& stream) {
    Handle module = nullptr;
    done(call_.load(&module, code), "loading a kernel");
    Kernel kernel;
    const Handle context = context_of(stream);
    kernel.module = std::shared_ptr<void>(module, [this, context](void* loaded) {
      // Of a destructor: what fails here has nobody to be told.
      if (call_.push(context) != 0) return;
      call_.unload(loaded);
      Handle popped = nullptr;
      call_.pop(&popped);
    });
    done(call_.function_of(&kernel.function, module, name.c_str()), "finding a kernel");
    return kernel;
  }

  void done(int status, const char* what) const {
    if (status == 0) return;
    const char* name = nullptr;
    if (call_.error_name != nullptr) call_.error_name(status, &name);
    throw Error(ErrorCode::environment, fmt::format("{}: the driver says {} ({})", what,
                                                    name == nullptr ? "an error" : name, status));
  }

  int device_at(int number) const {
    int device = 0;
    done(call_.device_get(&device, number), "a device");
    return device;
  }

  int target_of(int device) const {
    int major = 0;
    int minor = 0;
    done(call_.capability(&major, &minor, device), "a device's capability");
    return 10 * major + minor;
  }

  Handle context_of(const Stream& stream) {
    Handle context = nullptr;
    if (call_.stream_context != nullptr &&
        reinterpret_cast<std::uintptr_t>(stream.handle) >= own_stream_first) {
      done(call_.stream_context(stream.handle, &context), "the context of a stream");
      return context;
    }
    done(call_.current(&context), "the current context");
    if (stream.device < 0) {
      require(context != nullptr,
              "no context is current on this thread: say the device of the stream, or make one "
              "current, as cudaSetDevice and cudaFree(0) do");
      return context;
    }
    int device = -1;
    if (context != nullptr) done(call_.current_device(&device), "the context's device");
    return device == device_at(stream.device) ? context : primary_of(stream.device);
  }

  // Of a device, held from the first time on, as the runtimes do.
  Handle primary_of(int number) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [place, first] = primaries_.try_emplace(number, nullptr);
    if (place->second == nullptr)
      done(call_.primary(&place->second, device_at(number)), "a device's context");
    return place->second;
  }

  const Compiler& compiler() {
    int version = 0;
    done(call_.version(&version), "the driver's version");
    const std::vector<std::string> names = compiler_names(call_.cuda, version);
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<Compiler>& named = compilers_[names];
    if (!named) named = std::make_unique<Compiler>(call_, names);
    return *named;
  }

  std::vector<char> compiled_code(const std::string& text, int target) {
    const Compiler& rtc = compiler();
    const auto made = [&](int status, const char* what) {
      if (status != 0)
        throw Error(ErrorCode::environment,
                    fmt::format("{}: the compiler says {}", what, rtc.error_text(status)));
    };
    std::vector<std::string> options;
    bool exact = true;
    if (rtc.cuda) {
      // The device's own code; of a device that is newer than the compiler the newest text it
      // knows, which the driver translates.
      int count = 0;
      made(rtc.targets_count(&count), "targets");
      std::vector<int> known(static_cast<std::size_t>(count));
      made(rtc.targets(known.data()), "targets");
      int best = 0;
      for (const int one : known)
        if (one <= target) best = std::max(best, one);
      exact = best == target;
      options.push_back(fmt::format("--gpu-architecture={}_{}", exact ? "sm" : "compute", best));
    }
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    Handle program = nullptr;
    made(rtc.create(&program, text.c_str(), "faro.cu", 0, nullptr, nullptr), "a kernel's text");
    const std::shared_ptr<void> held(program, [&rtc](void* old) { rtc.destroy(&old); });
    if (rtc.compile(program, static_cast<int>(words.size()), words.data()) != 0) {
      std::size_t bytes = 0;
      std::string log;
      if (rtc.log_bytes(program, &bytes) == 0) {
        log.resize(bytes);
        rtc.log(program, log.data());
      }
      throw Error(ErrorCode::environment, "the compiler refused a kernel: " + log);
    }
    std::size_t bytes = 0;
    made((exact ? rtc.code_bytes : rtc.text_bytes)(program, &bytes), "a kernel's size");
    std::vector<char> code(bytes);
    made((exact ? rtc.code : rtc.text)(program, code.data()), "a kernel");
    return code;
  }

  Language language_;
  CudaCalls call_;
  std::mutex mutex_;
  std::map<std::vector<std::string>, std::unique_ptr<Compiler>> compilers_;
  std::map<int, Handle> primaries_;
};

}  // namespace

std::unique_ptr<Driver> cuda_driver(Language language) {
  return std::make_unique<CudaDriver>(language);
}

}  // namespace faro::inline v1::gpu
