// Arrays in the memory of a GPU, moved by the kernels of plan.hpp.
//
//   gpu::permute(map, from, to, {.element_bytes = 8}, gpu::Stream::cuda(stream));
//
//   const gpu::Executable run(gpu::plan(map, {.element_bytes = 8}), gpu::Stream::cuda(stream));
//   run(from, to);                       nothing is compiled, allocated or waited for any more
//
// The map's element at index i of `from` goes to index map(i) of `to`. A call puts one kernel on
// the caller's stream and returns; whoever reads the result waits for the stream, as ever.
//
// Nothing of a vendor is needed to build this. The driver and its compiler are opened when they are
// first asked for: libcuda.so.1 and libnvrtc.so, libamdhip64.so and libhiprtc.so, libOpenCL.so.1.
// With CUDA maps of bits need no compiler: where NVRTC is not, ready code takes them as a table.
// Where they are not, where a pointer is the host's or another device's, where arrays overlap, an
// Error says so in words. Error(environment): a library is missing or a driver failed;
// Error(usage): the arguments.
//
// Arrays are device pointers aligned to 16 bytes; with OpenCL they are cl_mem, which tell their
// size. A kernel that a CUDA graph has captured belongs to its Executable, which must live as long.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "faro/algebra/map.hpp"
#include "faro/gpu/plan.hpp"

namespace faro::inline v1::gpu {

// Where kernels are put. CUDA and HIP know it by a handle, of which null is the legacy stream, in
// the context that is current on the calling thread; if none is, in the device's own. An OpenCL
// queue is of one device.
struct Stream {
  Language language = Language::cuda;
  void* handle = nullptr;
  int device = -1;  // with CUDA and HIP; -1: that of the current context

  static Stream cuda(void* stream = nullptr, int device = -1) {
    return {Language::cuda, stream, device};
  }
  static Stream hip(void* stream = nullptr, int device = -1) {
    return {Language::hip, stream, device};
  }
  static Stream opencl(void* queue) { return {Language::opencl, queue, -1}; }
};

struct Device {
  Language language = Language::cuda;
  int number = 0;  // among those of its language
  std::string name;
  std::string target;  // what kernels are compiled for: sm_90; an OpenCL device's version
  std::uint64_t memory_bytes = 0;
};

// Those of one language. Throws Error(environment) where its library is not there or fails.
std::vector<Device> devices(Language language);

// A plan whose kernel is compiled, or taken ready, and loaded for a stream's device. Copies share
// the kernel. Any number of threads may call one at once.
class Executable {
 public:
  Executable(const Plan& plan, const Stream& stream);

  void operator()(const void* from, void* to) const;
  // Of a plan in place.
  void operator()(void* data) const;
  // The same kernel on another stream of the same context and device.
  Executable on(const Stream& stream) const;
  // True where no compiler is: the kernel is ready code, which takes the map as a table.
  bool from_table() const;

 private:
  friend Executable compiled(const Map& map, const Options& options, const Stream& stream);
  struct State;
  std::shared_ptr<const State> state_;
  Stream stream_;
};

// Planned and compiled at the first call for a map, its options and a context, with OpenCL also a
// device; the last 64 are kept.
Executable compiled(const Map& map, const Options& options, const Stream& stream);
void permute(const Map& map, const void* from, void* to, const Options& options,
             const Stream& stream);
void permute_in_place(const Map& map, void* data, Options options, const Stream& stream);

}  // namespace faro::inline v1::gpu
