// The C API of arrays on GPUs.
#include "faro/c/gpu.h"

#include "c/handles.hpp"
#include "faro/gpu/device.hpp"

struct faro_gpu_plan {
  faro::gpu::Executable run;
  faro::gpu::Stream stream;  // of which calls take another handle
};

namespace {

using faro::c::guarded;
using faro::c::need;

faro::gpu::Executable on(const faro_gpu_plan& plan, void* handle) {
  if (handle == plan.stream.handle) return plan.run;
  faro::gpu::Stream stream = plan.stream;
  stream.handle = handle;
  return plan.run.on(stream);
}

}  // namespace

faro_status faro_gpu_plan_create(const faro_map* map, const faro_gpu_options* options, void* stream,
                                 faro_gpu_plan** plan) {
  return guarded([&] {
    need("faro_gpu_plan_create", "map plan", map, plan);
    const faro_gpu_options defaults = FARO_GPU_OPTIONS;
    const faro_gpu_options all = options == nullptr ? defaults : faro::c::taken(*options, defaults);
    if (all.api < FARO_GPU_CUDA || all.api > FARO_GPU_OPENCL)
      throw faro::Error(faro::ErrorCode::usage,
                        "api is one of faro_gpu_api, not " + std::to_string(all.api));
    faro::gpu::Options asked;
    asked.element_bytes = all.element_bytes;
    asked.in_place = faro::c::flag("in_place", all.in_place);
    asked.only = {all.only_mask, all.only_value};
    const faro::gpu::Stream where{static_cast<faro::gpu::Language>(all.api), stream, all.device};
    *plan = new faro_gpu_plan{{faro::gpu::plan(map->map, asked), where}, where};
  });
}

faro_status faro_gpu_execute(const faro_gpu_plan* plan, const void* from, void* to, void* stream) {
  return guarded([&] {
    need("faro_gpu_execute", "plan", plan);
    on(*plan, stream)(from, to);
  });
}

faro_status faro_gpu_execute_in_place(const faro_gpu_plan* plan, void* data, void* stream) {
  return guarded([&] {
    need("faro_gpu_execute_in_place", "plan", plan);
    on(*plan, stream)(data);
  });
}

void faro_gpu_plan_free(faro_gpu_plan* plan) {
  delete plan;
}
