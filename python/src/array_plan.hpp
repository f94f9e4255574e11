// A map, a shape and options, ready to move arrays by the engine's plan.
#pragma once

#include "faro/engine/permute_plan.hpp"
#include "module.hpp"

namespace faro::python {

// Calls that move no more hold the interpreter's lock and hear of no signal: they are over before.
inline constexpr std::uint64_t small_bytes_max = 8192;

enum class Where { out_of_place, in_place };

class ArrayPlan {
 public:
  ArrayPlan(NamedMap map, const PermuteShape& shape, Where where, int threads);

  const NamedMap& map() const { return map_; }
  const PermuteShape& shape() const { return shape_; }
  Where where() const { return where_; }
  int threads_asked() const { return threads_; }
  std::uint64_t bytes() const { return plan_.data_bytes(); }
  const PermutePlan& plan() const { return plan_; }
  void set_plan(PermutePlan plan) { plan_ = std::move(plan); }

  // `to` is nullptr in place. With the interpreter's lock held.
  void run(std::byte* from, std::byte* to, PyObject* progress) const {
    const std::uint64_t count = bytes();
    if (count > small_bytes_max || (progress != nullptr && progress != Py_None))
      run_planned(from, to, progress);
    else if (to == nullptr)
      plan_.execute_in_place({from, count});
    else
      plan_.execute({from, count}, {to, count});
  }

 private:
  void run_planned(std::byte* from, std::byte* to, PyObject* progress) const;

  NamedMap map_;
  PermuteShape shape_;
  Where where_;
  int threads_;
  PermutePlan plan_;
};

}  // namespace faro::python
