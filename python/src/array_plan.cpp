#include "array_plan.hpp"

#include "watch.hpp"

namespace faro::python {

namespace {

PermutePlan plan_of(const BitMap& map, const PermuteShape& shape, Where where, int threads) {
  return where == Where::in_place ? PermutePlan::in_place(map, shape, {.threads = threads})
                                  : PermutePlan::out_of_place(map, shape, {.threads = threads});
}

}  // namespace

ArrayPlan::ArrayPlan(NamedMap map, const PermuteShape& shape, Where where, int threads)
    : map_(std::move(map)),
      shape_(shape),
      where_(where),
      threads_(threads),
      plan_(plan_of(map_.map, shape, where, threads)) {}

void ArrayPlan::run_planned(std::byte* from, std::byte* to, PyObject* progress) const {
  const PermutePlan& p = plan();
  const std::uint64_t count = p.data_bytes();
  if (count == 0) return;
  const bool in_place = to == nullptr;
  watched(progress, in_place ? Watch::Interrupt::waits : Watch::Interrupt::stops, lock_for(count),
          [&](const Progress& hears) {
            if (in_place)
              p.execute_in_place({from, count}, hears);
            else
              p.execute({from, count}, {to, count}, hears);
          });
}

}  // namespace faro::python
