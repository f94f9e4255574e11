// A plan of the engine for arrays in memory, and how it is run: with the interpreter's lock or without.
#pragma once

#include "faro/engine/permute_plan.hpp"
#include "module.hpp"

namespace faro::python {

// Calls that move no more hold the interpreter's lock and hear of no signal: they are over before.
inline constexpr std::uint64_t small_bytes_max = 8192;

enum class Where { out_of_place, in_place };

class ArrayPlan {
 public:
  // Of a map of bits, on arrays without gaps.
  ArrayPlan(const BitMap& map, const PermuteShape& shape, Where where, int threads);
  // Of any map, on arrays of any strides.
  ArrayPlan(const Map& map, const TensorShape& shape, Where where, int threads);

  std::uint64_t element_bytes() const { return element_bytes_; }
  // Whether it takes every array of so many elements.
  bool any_shape() const { return any_shape_; }
  Where where() const { return plan_.facts().in_place ? Where::in_place : Where::out_of_place; }
  const PermutePlan& plan() const { return plan_; }
  void set_plan(PermutePlan plan) { plan_ = std::move(plan); }

  // `to` is nullptr in place; the plan's from_bytes and to_bytes lie there. With the interpreter's
  // lock held.
  void run(std::byte* from, std::byte* to, PyObject* progress) const {
    const PlanFacts& facts = plan_.facts();
    if (facts.data_bytes > small_bytes_max || (progress != nullptr && progress != Py_None))
      run_planned(from, to, progress);
    else if (to == nullptr)
      plan_.execute_in_place({from, facts.from_bytes});
    else
      plan_.execute({from, facts.from_bytes}, {to, facts.to_bytes});
  }

 private:
  void run_planned(std::byte* from, std::byte* to, PyObject* progress) const;

  std::uint64_t element_bytes_;
  bool any_shape_;
  PermutePlan plan_;
};

}  // namespace faro::python
