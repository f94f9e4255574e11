// A map, a shape and options, ready to move arrays: by a table of places where the data fit the first
// cache, by the engine's plan else.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "faro/engine/permute_plan.hpp"
#include "module.hpp"

namespace faro::python {

// Below this many bytes a table of places is faster than any plan.
inline constexpr std::uint64_t small_bytes_max = 8192;
inline constexpr int small_width_max = 10;

template <class T>
void move_by_table(const std::uint16_t* places, std::size_t count, const void* from, void* to) {
  const T* in = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  for (std::size_t i = 0; i < count; ++i) out[places[i]] = in[i];
}

struct Sixteen {
  std::uint64_t parts[2];
};

// Data is moved by copying whole elements: unaligned buffers are copied byte by byte.
class Small {
 public:
  Small(const BitMap& map, std::uint64_t element_bytes) : element_bytes_(element_bytes) {
    for (Word i = 0; i < bit(map.width()); ++i)
      places_.push_back(static_cast<std::uint16_t>(map(i)));
  }
  std::uint64_t bytes() const { return places_.size() * element_bytes_; }

  void move(const void* from, void* to) const {
    const auto address =
        reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
    const std::uint64_t align = std::min<std::uint64_t>(element_bytes_, 8);
    if ((address & (align - 1)) == 0) {
      switch (element_bytes_) {
        case 1:
          return move_by_table<std::uint8_t>(places_.data(), places_.size(), from, to);
        case 2:
          return move_by_table<std::uint16_t>(places_.data(), places_.size(), from, to);
        case 4:
          return move_by_table<std::uint32_t>(places_.data(), places_.size(), from, to);
        case 8:
          return move_by_table<std::uint64_t>(places_.data(), places_.size(), from, to);
        case 16:
          return move_by_table<Sixteen>(places_.data(), places_.size(), from, to);
        default:
          break;
      }
    }
    const auto* in = static_cast<const std::byte*>(from);
    auto* out = static_cast<std::byte*>(to);
    for (std::size_t i = 0; i < places_.size(); ++i)
      std::memcpy(out + places_[i] * element_bytes_, in + i * element_bytes_, element_bytes_);
  }
  void move_in_place(void* data) const {
    alignas(64) std::array<std::byte, small_bytes_max> copy;
    std::memcpy(copy.data(), data, bytes());
    move(copy.data(), data);
  }

 private:
  std::vector<std::uint16_t> places_;
  std::uint64_t element_bytes_;
};

enum class Where { out_of_place, in_place };

class ArrayPlan {
 public:
  ArrayPlan(NamedMap map, const PermuteShape& shape, Where where, int threads);

  const NamedMap& map() const { return map_; }
  const PermuteShape& shape() const { return shape_; }
  Where where() const { return where_; }
  int threads_asked() const { return threads_; }
  std::uint64_t bytes() const { return small_ ? small_->bytes() : plan().data_bytes(); }
  const Small* small() const { return small_ ? &*small_ : nullptr; }

  // Made when it is first needed: small data goes without.
  const PermutePlan& plan() const;
  void set_plan(PermutePlan plan) { plan_ = std::make_unique<PermutePlan>(std::move(plan)); }

  // `to` is nullptr in place. With the interpreter's lock held.
  void run(std::byte* from, std::byte* to, PyObject* progress) const {
    if (small_ && (progress == nullptr || progress == Py_None))
      to == nullptr ? small_->move_in_place(from) : small_->move(from, to);
    else
      run_planned(from, to, progress);
  }

 private:
  void run_planned(std::byte* from, std::byte* to, PyObject* progress) const;

  NamedMap map_;
  PermuteShape shape_;
  Where where_;
  int threads_;
  std::optional<Small> small_;
  mutable std::unique_ptr<PermutePlan> plan_;
};

}  // namespace faro::python
