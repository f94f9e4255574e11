// The meshes performed on data.
#include "machines/mesh/performer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.hpp"
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

class LinksPerformer : public Performer {
 public:
  LinksPerformer(std::span<const std::byte> data, std::size_t element_bytes)
      : data_(data), element_bytes_(element_bytes) {}

  void begin(const ScheduleHeader& header) override {
    const MeshGeometry geometry(std::get<Mesh>(header.machine));
    processors_ = geometry.processors();
    elements_ = header.elements;
    slots_ = header.slots;
    expect_size(data_, size_product(processors_, elements_, "the elements of the machine"),
                element_bytes_);
    memory_.resize(static_cast<std::size_t>(
        size_product(size_product(processors_, slots_, "the slots of the machine"), element_bytes_,
                     "the slots of the machine")));
    for (Word p = 0; p < processors_; ++p)
      std::memcpy(slot(p, 0), data_.data() + p * elements_ * element_bytes_,
                  elements_ * element_bytes_);
  }

  void step(const CubeStep& step) override {
    Bytes carried(step.moves.size() * element_bytes_);
    for (std::size_t i = 0; i < step.moves.size(); ++i)
      std::memcpy(carried.data() + i * element_bytes_,
                  slot(step.moves[i].from_processor, step.moves[i].from_slot), element_bytes_);
    for (std::size_t i = 0; i < step.moves.size(); ++i)
      std::memcpy(slot(step.moves[i].to_processor, step.moves[i].to_slot),
                  carried.data() + i * element_bytes_, element_bytes_);
  }

  void finish() override {}

  Bytes take_result() override {
    Bytes result(data_.size());
    for (Word p = 0; p < processors_; ++p)
      std::memcpy(result.data() + p * elements_ * element_bytes_, slot(p, 0),
                  elements_ * element_bytes_);
    return result;
  }

 private:
  std::byte* slot(Word processor, std::uint64_t number) {
    FARO_CHECK(processor < processors_ && number < slots_);
    return memory_.data() + (processor * slots_ + number) * element_bytes_;
  }

  std::span<const std::byte> data_;
  std::size_t element_bytes_;
  Word processors_ = 0;
  std::uint64_t elements_ = 1;
  std::uint64_t slots_ = 1;
  Bytes memory_;
};

}  // namespace

std::unique_ptr<Performer> mesh_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes) {
  return std::make_unique<MeshPerformer>(data, element_bytes);
}

std::unique_ptr<Performer> links_performer(std::span<const std::byte> data,
                                           std::size_t element_bytes) {
  return std::make_unique<LinksPerformer>(data, element_bytes);
}

}  // namespace faro::inline v1
