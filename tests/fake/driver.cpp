// A driver without a device: NVIDIA's or, with FAKE_HIP, AMD's. It gives out addresses that nothing
// lies at, knows its contexts, streams, modules and arrays, refuses what a real driver refuses, and
// writes every call down: fake_said() is the log, fake_forget() empties it, fake_failing() makes
// the next loads and launches fail. Of ready code, PTX, fake_table() are the bytes of the last
// launch's third argument.
//
// Two devices, each with one context. Fails with 1 (invalid value), 201 (invalid context), 400
// (invalid handle), 2 (out of memory).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#ifdef FAKE_HIP
#define NAME(cuda, hip) hip
#else
#define NAME(cuda, hip) cuda
#endif

namespace {

constexpr std::uintptr_t contexts_at = 0x100000;  // + device
constexpr std::uintptr_t streams_at = 0x200000;   // + device
constexpr std::uintptr_t arrays_at = 0x7000000000;
constexpr std::uint64_t array_bytes_max = std::uint64_t{1} << 32;
constexpr int devices = 2;

struct Module {
  int device;
  std::string text;
  std::string name;  // of the function that was asked for
  bool ready() const { return text.find(".version ") != std::string::npos; }
};

std::string said;
std::string table;
std::vector<void*> stack = {nullptr};
std::map<std::uintptr_t, std::pair<int, std::size_t>> arrays;  // device and bytes
std::map<void*, Module> modules;
int failing = 0;

int device_of(void* context) {
  const auto at = reinterpret_cast<std::uintptr_t>(context);
  return at >= contexts_at && at < contexts_at + devices ? static_cast<int>(at - contexts_at) : -1;
}

void* pointer(std::uintptr_t at) {
  return reinterpret_cast<void*>(at);
}

void say(const std::string& line) {
  said += line + "\n";
}

// The array that an address is in; null where there is none.
const std::pair<const std::uintptr_t, std::pair<int, std::size_t>>* array_at(std::uintptr_t at) {
  auto after = arrays.upper_bound(at);
  if (after == arrays.begin()) return nullptr;
  --after;
  return at < after->first + after->second.second ? &*after : nullptr;
}

}  // namespace

extern "C" {

const char* fake_said() {
  return said.c_str();
}
void fake_forget() {
  said.clear();
}
void fake_failing(int status) {
  failing = status;
}
void fake_current(int device) {
  stack.back() = device < 0 ? nullptr : pointer(contexts_at + static_cast<unsigned>(device));
}
const std::string* fake_table() {
  return &table;
}
std::size_t fake_modules() {
  return modules.size();
}
void* fake_stream(int device) {
  return pointer(streams_at + static_cast<unsigned>(device));
}

int NAME(cuInit, hipInit)(unsigned flags) {
  return flags == 0 ? 0 : 1;
}
int NAME(cuDriverGetVersion, hipDriverGetVersion)(int* version) {
  *version = 13000;
  return 0;
}
int NAME(cuDeviceGetCount, hipGetDeviceCount)(int* count) {
  *count = devices;
  return 0;
}
int NAME(cuDeviceGet, hipDeviceGet)(int* device, int number) {
  *device = number;
  return number >= 0 && number < devices ? 0 : 101;
}
int NAME(cuDeviceGetName, hipDeviceGetName)(char* name, int bytes, int device) {
  std::snprintf(name, static_cast<std::size_t>(bytes), "fake %d", device);
  return 0;
}
int NAME(cuDeviceTotalMem_v2, hipDeviceTotalMem)(std::size_t* bytes, int /*device*/) {
  *bytes = std::size_t{1} << 34;
  return 0;
}
int NAME(cuDeviceComputeCapability, hipDeviceComputeCapability)(int* major, int* minor,
                                                                int device) {
  *major = device == 0 ? 9 : 99;  // newer than the compiler knows
  *minor = 0;
  return 0;
}
int NAME(cuCtxGetCurrent, hipCtxGetCurrent)(void** context) {
  *context = stack.back();
  return 0;
}
int NAME(cuCtxPushCurrent_v2, hipCtxPushCurrent)(void* context) {
  if (device_of(context) < 0) return 201;
  stack.push_back(context);
  return 0;
}
int NAME(cuCtxPopCurrent_v2, hipCtxPopCurrent)(void** context) {
  if (stack.size() == 1) return 201;
  *context = stack.back();
  stack.pop_back();
  return 0;
}
int NAME(cuCtxGetDevice, hipCtxGetDevice)(int* device) {
  *device = device_of(stack.back());
  return *device < 0 ? 201 : 0;
}
int NAME(cuDevicePrimaryCtxRetain, hipDevicePrimaryCtxRetain)(void** context, int device) {
  *context = pointer(contexts_at + static_cast<unsigned>(device));
  say("retain " + std::to_string(device));
  return 0;
}
#ifndef FAKE_HIP
int cuStreamGetCtx(void* stream, void** context) {
  const auto at = reinterpret_cast<std::uintptr_t>(stream);
  if (at < streams_at || at >= streams_at + devices) return 400;
  *context = pointer(contexts_at + (at - streams_at));
  return 0;
}
#endif
int NAME(cuModuleLoadData, hipModuleLoadData)(void** module, const void* code) {
  const std::string text = static_cast<const char*>(code);
  const int device = device_of(stack.back());
  if (device < 0) return 201;
  if (failing != 0) return failing;
  *module = new char;
  modules[*module] = {device, text, {}};
  say("load " + (modules[*module].ready() ? "ready code" : text.substr(0, text.find('\n'))));
  return 0;
}
int NAME(cuModuleUnload, hipModuleUnload)(void* module) {
  if (modules.at(module).device != device_of(stack.back())) return 201;
  modules.erase(module);
  delete static_cast<char*>(module);
  return 0;
}
int NAME(cuModuleGetFunction, hipModuleGetFunction)(void** function, void* module,
                                                    const char* name) {
  *function = module;
  Module& held = modules.at(module);
  held.name = name;
  const std::string before = held.ready() ? ".entry " : ") ";
  return held.text.find(before + name + "(") == std::string::npos ? 500 : 0;
}
}  // extern "C"

namespace {

struct Launch {
  int arrays = 2;
  unsigned long long bytes = 1;  // of each
};

// The launch that a kernel's own first lines ask for.
bool as_asked(const std::string& text, unsigned blocks, unsigned threads, Launch& out) {
  unsigned long long global = 0;
  unsigned long long local = 0;
  const std::size_t line = text.find("// launch: ");
  if (line == std::string::npos ||
      std::sscanf(text.c_str() + line, "// launch: global %llu, local %llu", &global, &local) != 2)
    return false;
  const std::size_t call = text.find("), ", text.find("// call: "));
  out.arrays = text.find("(data)") == std::string::npos ? 2 : 1;
  return local == threads && global == static_cast<unsigned long long>(blocks) * threads &&
         std::sscanf(text.c_str() + call, "), %llu bytes", &out.bytes) == 1;
}

// Of ready code: as many threads as it says, and as many bytes by value as its third argument has.
bool as_declared(const Module& module, unsigned threads, void** arguments) {
  const std::string last = module.name + "_param_2[";
  const std::size_t declared = module.text.find(last);
  unsigned threads_max = 0;
  if (declared == std::string::npos ||
      std::sscanf(module.text.c_str() + module.text.find(".maxntid", declared), ".maxntid %u",
                  &threads_max) != 1)
    return false;
  table.assign(static_cast<const char*>(arguments[2]),
               std::stoul(module.text.substr(declared + last.size())));
  return threads == threads_max;
}

}  // namespace

extern "C" {
// Of arrays that are this device's.
int NAME(cuLaunchKernel, hipModuleLaunchKernel)(void* function, unsigned x, unsigned y, unsigned z,
                                                unsigned threads, unsigned threads_y,
                                                unsigned threads_z, unsigned shared, void* stream,
                                                void** arguments, void** extra) {
  if (failing != 0) return failing;
  const int device = device_of(stack.back());
  const auto found = modules.find(function);
  if (found == modules.end() || found->second.device != device) return 400;
  if (y != 1 || z != 1 || threads_y != 1 || threads_z != 1 || extra != nullptr) return 1;
  const auto on = reinterpret_cast<std::uintptr_t>(stream);
  if (on > 2 && on != streams_at + static_cast<unsigned>(device)) return 400;
  Launch launch;
  if (found->second.ready() ? shared > 49152 || !as_declared(found->second, threads, arguments)
                            : shared != 0 || !as_asked(found->second.text, x, threads, launch))
    return 1;
  std::string words = "launch device " + std::to_string(device) + " stream " + std::to_string(on) +
                      " blocks " + std::to_string(x) + " threads " + std::to_string(threads);
  if (shared != 0) words += " shared " + std::to_string(shared);
  for (int i = 0; i < launch.arrays; ++i) {
    std::uintptr_t at = 0;
    std::memcpy(&at, arguments[i], sizeof at);
    const auto* array = array_at(at);
    if (array == nullptr || array->second.first != device) return 700;
    if (at + launch.bytes > array->first + array->second.second) return 700;
    words += " array " + std::to_string(at - arrays_at);
  }
  say(words);
  return 0;
}
int NAME(cuPointerGetAttribute, hipPointerGetAttribute)(void* value, int attribute,
                                                        std::uint64_t address) {
  const auto* array = array_at(address);
  if (array == nullptr) return 1;
  if (attribute == 2) {
    const unsigned device = 2;
    std::memcpy(value, &device, sizeof device);
  }
  if (attribute == 8) std::memset(value, 0, 4);
  if (attribute == 9) std::memcpy(value, &array->second.first, sizeof(int));
  return 0;
}
int NAME(cuMemAlloc_v2, hipMalloc)(void** array, std::size_t bytes) {
  const int device = device_of(stack.back());
  if (device < 0) return 201;
  if (bytes > array_bytes_max) return 2;
  const std::uintptr_t at = arrays.empty() ? arrays_at : arrays.rbegin()->first + array_bytes_max;
  arrays[at] = {device, bytes};
  *array = pointer(at);
  return 0;
}
int NAME(cuMemFree_v2, hipFree)(void* array) {
  return arrays.erase(reinterpret_cast<std::uintptr_t>(array)) == 1 ? 0 : 1;
}
int NAME(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync)(void* /*to*/, const void* /*from*/,
                                                   std::size_t /*bytes*/, void* stream) {
  say("write stream " + std::to_string(reinterpret_cast<std::uintptr_t>(stream)));
  return 0;
}
int NAME(cuMemcpyDtoH_v2, hipMemcpyDtoH)(void* to, const void* /*from*/, std::size_t bytes) {
  std::memset(to, 0, bytes);
  return 0;
}
int NAME(cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync)(void* /*to*/, const void* /*from*/,
                                                   std::size_t /*bytes*/, void* /*stream*/) {
  return 0;
}
int NAME(cuStreamCreate, hipStreamCreateWithFlags)(void** stream, unsigned /*flags*/) {
  *stream = fake_stream(device_of(stack.back()));
  return 0;
}
int NAME(cuStreamDestroy_v2, hipStreamDestroy)(void* /*stream*/) {
  return 0;
}
int NAME(cuStreamSynchronize, hipStreamSynchronize)(void* /*stream*/) {
  say("finish");
  return 0;
}
int NAME(cuGetErrorName, hipDrvGetErrorName)(int status, const char** name) {
  *name = status == 700 ? "FAKE_ILLEGAL_ADDRESS" : "FAKE_ERROR";
  return 0;
}

}  // extern "C"
