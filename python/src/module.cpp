// faro._core: what the Python package is made of.
#include "module.hpp"

NB_MODULE(_core, m) {
  using namespace faro::python;
  m.attr("__version__") = FARO_VERSION;
  // The cache of plans lives as long as the process, and the maps that it knows with it.
  nb::set_leak_warnings(false);
  bind_errors(m);
  bind_maps(m);
  bind_arrays(m);
  bind_layouts(m);
  bind_tensors(m);
  bind_schedules(m);
  bind_transforms(m);
  bind_files(m);
  bind_stored(m);
  bind_jobs(m);
  bind_outside(m);
  bind_ranks(m);
  bind_registers(m);
  bind_places(m);
  bind_checkpoints(m);
  bind_xla_call(m);
  bind_gpu(m);
}
