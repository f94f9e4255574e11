// A mesh with one route at a time performed on data.
#include "machines/mesh/performer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1 {
namespace {

using Bytes = std::vector<std::byte>;

void expect_size(std::span<const std::byte> data, std::uint64_t places, std::size_t bytes) {
  if (data.size() != size_product(places, bytes, "the data of the machine"))
    throw Error(ErrorCode::usage, "the data have " + std::to_string(data.size()) +
                                      " bytes; the machine holds " + std::to_string(places) +
                                      " words of " + std::to_string(bytes));
}

class MeshPerformer : public Performer {
 public:
  MeshPerformer(std::span<const std::byte> data, std::size_t element_bytes)
      : data_(data), word_bytes_(element_bytes) {}

  void begin(const ScheduleHeader& header) override {
    geometry_.emplace(std::get<Mesh>(header.machine));
    word_bytes_ = static_cast<std::size_t>(
        size_product(word_bytes_, header.elements, "the elements of a processor"));
    expect_size(data_, geometry_->processors(), word_bytes_);
    of(MeshRegister::s).assign(data_.begin(), data_.end());
    of(MeshRegister::r).resize(data_.size());
    of(MeshRegister::t).resize(data_.size());
  }

  void step(const MeshInstruction& instruction) override {
    if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
      Bytes arrived(of(MeshRegister::r).size());
      for (Word p = 0; p < geometry_->processors(); ++p)
        if (const auto to = geometry_->routed(p, route->dimension, route->by))
          std::memcpy(arrived.data() + *to * word_bytes_, word(MeshRegister::r, p), word_bytes_);
      of(MeshRegister::r) = std::move(arrived);
    } else if (const auto* copy = std::get_if<MeshCopy>(&instruction)) {
      for (Word p = 0; p < geometry_->processors(); ++p)
        if (enabled(p, copy->mask, copy->where))
          std::memcpy(word(copy->to, p), word(copy->from, p), word_bytes_);
    } else {
      const auto& swap = std::get<MeshSwap>(instruction);
      for (Word p = 0; p < geometry_->processors(); ++p)
        if (enabled(p, swap.mask, swap.where))
          std::swap_ranges(word(swap.a, p), word(swap.a, p) + word_bytes_, word(swap.b, p));
    }
  }

  void finish() override {}
  Bytes take_result() override { return std::move(of(MeshRegister::s)); }

 private:
  static bool enabled(Word p, const TernaryMask& mask, const std::vector<Parity>& where) {
    return mask.holds(p) &&
           std::all_of(where.begin(), where.end(), [p](const Parity& c) { return c.holds(p); });
  }
  Bytes& of(MeshRegister reg) { return registers_[static_cast<std::size_t>(reg)]; }
  std::byte* word(MeshRegister reg, Word p) { return of(reg).data() + p * word_bytes_; }

  std::span<const std::byte> data_;
  std::size_t word_bytes_;
  std::optional<MeshGeometry> geometry_;
  std::array<Bytes, 3> registers_;
};

}  // namespace

std::unique_ptr<Performer> mesh_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes) {
  return std::make_unique<MeshPerformer>(data, element_bytes);
}

}  // namespace faro::inline v1
