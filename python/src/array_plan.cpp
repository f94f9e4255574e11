#include "array_plan.hpp"

#include "watch.hpp"

namespace faro::python {

namespace {

template <class AnyMap, class Shape>
PermutePlan plan_of(const AnyMap& map, const Shape& shape, Where where, int threads) {
  return where == Where::in_place ? PermutePlan::in_place(map, shape, {.threads = threads})
                                  : PermutePlan::out_of_place(map, shape, {.threads = threads});
}

}  // namespace

ArrayPlan::ArrayPlan(const BitMap& map, const PermuteShape& shape, Where where, int threads)
    : element_bytes_(shape.element_bytes),
      any_shape_(true),
      plan_(plan_of(map, shape, where, threads)) {}

ArrayPlan::ArrayPlan(const Map& map, const TensorShape& shape, Where where, int threads)
    : element_bytes_(shape.element_bytes),
      any_shape_(false),
      plan_(plan_of(map, shape, where, threads)) {}

void ArrayPlan::run_planned(std::byte* from, std::byte* to, PyObject* progress) const {
  const PlanFacts& facts = plan_.facts();
  if (facts.data_bytes == 0) return;
  const bool in_place = to == nullptr;
  watched(progress, in_place ? Watch::Interrupt::waits : Watch::Interrupt::stops,
          lock_for(facts.data_bytes), [&](const Progress& hears) {
            if (in_place)
              plan_.execute_in_place({from, facts.from_bytes}, hears);
            else
              plan_.execute({from, facts.from_bytes}, {to, facts.to_bytes}, hears);
          });
}

}  // namespace faro::python
