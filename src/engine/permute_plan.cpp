#include "faro/engine/permute_plan.hpp"

#include <fmt/format.h>

#include <cstring>

#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "passes.hpp"

namespace faro {

struct PermutePlan::State {
  BitMap map;
  PermuteShape shape;
  PermuteOptions options;
  PlanFacts facts;
  engine::Passes passes;
};

namespace {

std::uint64_t bytes_of(const BitMap& map, const PermuteShape& shape) {
  if (shape.element_bytes == 0) {
    throw Error(ErrorCode::usage,
                "permute: elements of 0 bytes; the shape needs element_bytes >= 1");
  }
  if (map.width() > 48) {
    throw Error(
        ErrorCode::limit,
        fmt::format("permute: a map of {} bits; memory holds at most 2^48 elements", map.width()));
  }
  const std::uint64_t block = size_product(shape.inner, shape.element_bytes, "bytes per index");
  return size_product(size_product(shape.outer, bit(map.width()), "elements"), block, "bytes");
}

void check_sizes(std::uint64_t wanted, std::uint64_t from_bytes, std::uint64_t to_bytes) {
  if (from_bytes != wanted || to_bytes != wanted) {
    throw Error(ErrorCode::usage,
                fmt::format("permute: buffers of {} and {} bytes; the plan moves {} bytes",
                            from_bytes, to_bytes, wanted));
  }
}

void check_apart(std::span<const std::byte> from, std::span<const std::byte> to) {
  const auto a = reinterpret_cast<std::uintptr_t>(from.data());
  const auto b = reinterpret_cast<std::uintptr_t>(to.data());
  if (a < b + to.size() && b < a + from.size()) {
    throw Error(ErrorCode::usage,
                "permute: the buffers overlap; use two that do not, or a plan in place");
  }
}

}  // namespace

PermutePlan PermutePlan::out_of_place(const BitMap& map, const PermuteShape& shape,
                                      const PermuteOptions& options) {
  auto state = std::make_shared<State>();
  state->map = map;
  state->shape = shape;
  state->options = options;
  state->facts.data_bytes = bytes_of(map, shape);
  state->passes = engine::plan_passes(map, shape, options);
  return PermutePlan(std::move(state));
}

PermutePlan PermutePlan::in_place(const BitMap& map, const PermuteShape& shape,
                                  const PermuteOptions& options) {
  auto plan = out_of_place(map, shape, options);
  return plan;
}

PermutePlan PermutePlan::measured(const BitMap& map, const PermuteShape& shape,
                                  std::span<const std::byte> from, std::span<std::byte> to,
                                  const PermuteOptions& options) {
  auto plan = out_of_place(map, shape, options);
  plan.execute(from, to);
  return plan;
}

PermutePlan::PermutePlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
PermutePlan::PermutePlan(const PermutePlan&) = default;
PermutePlan& PermutePlan::operator=(const PermutePlan&) = default;
PermutePlan::PermutePlan(PermutePlan&&) noexcept = default;
PermutePlan& PermutePlan::operator=(PermutePlan&&) noexcept = default;
PermutePlan::~PermutePlan() = default;

const BitMap& PermutePlan::map() const {
  return state_->map;
}
const PermuteShape& PermutePlan::shape() const {
  return state_->shape;
}
std::uint64_t PermutePlan::data_bytes() const {
  return state_->facts.data_bytes;
}
const PlanFacts& PermutePlan::facts() const {
  return state_->facts;
}
std::string PermutePlan::describe() const {
  return fmt::format("{} bytes, {} passes\n", data_bytes(), facts().passes.size());
}

void PermutePlan::execute(std::span<const std::byte> from, std::span<std::byte> to,
                          const Progress& progress) const {
  check_sizes(data_bytes(), from.size(), to.size());
  check_apart(from, to);
  if (data_bytes() != 0) engine::run_passes(state_->passes, from.data(), to.data(), progress);
}

void PermutePlan::execute_in_place(std::span<std::byte> data, const Progress& progress) const {
  std::vector<std::byte> copy(data.size());
  execute(data, copy, progress);
  if (!copy.empty()) std::memcpy(data.data(), copy.data(), copy.size());
}

void PermutePlan::execute_in_place(std::span<std::byte> data, std::span<std::byte> scratch) const {
  execute(data, scratch);
  if (!data.empty()) std::memcpy(data.data(), scratch.data(), data.size());
}

}  // namespace faro
