#include "array_plan.hpp"

#include "watch.hpp"

namespace faro::python {

ArrayPlan::ArrayPlan(NamedMap map, const PermuteShape& shape, Where where, int threads)
    : map_(std::move(map)), shape_(shape), where_(where), threads_(threads) {
  if (shape.element_bytes == 0) throw Error(ErrorCode::usage, "elements of no bytes");
  const bool plain = shape.outer == 1 && shape.inner == 1 && map_.map.width() <= small_width_max;
  if (plain && shape.element_bytes <= (small_bytes_max >> map_.map.width()))
    small_.emplace(map_.map, shape.element_bytes);
}

const PermutePlan& ArrayPlan::plan() const {
  if (!plan_)
    plan_ = std::make_unique<PermutePlan>(
        where_ == Where::in_place
            ? PermutePlan::in_place(map_.map, shape_, {.threads = threads_})
            : PermutePlan::out_of_place(map_.map, shape_, {.threads = threads_}));
  return *plan_;
}

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
