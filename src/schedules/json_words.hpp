// The words of schedule files, shared by the writer and the reader.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/check.hpp"
#include "faro/schedules/schedule.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1::json_words {

template <class Value, std::size_t count>
struct Words {
  struct Entry {
    Value value;
    const char* text;
  };
  std::array<Entry, count> entries;

  const char* text(Value value) const {
    for (const Entry& e : entries)
      if (e.value == value) return e.text;
    FARO_CHECK(false);
    return "";
  }
  std::optional<Value> value(std::string_view text) const {
    for (const Entry& e : entries)
      if (text == e.text) return e.value;
    return {};
  }
};

inline constexpr Words<MachineKind::Steps, 3> steps{{{{MachineKind::Steps::cube, "steps"},
                                                      {MachineKind::Steps::program, "program"},
                                                      {MachineKind::Steps::slots, "slots_list"}}}};
inline constexpr Words<Hypercube::Ports, 2> ports{
    {{{Hypercube::Ports::all, "all"}, {Hypercube::Ports::one, "one"}}}};
inline constexpr Words<Mesh::Wrap, 3> wraps{{{{Mesh::Wrap::none, "none"},
                                              {Mesh::Wrap::orthogonal, "orthogonal"},
                                              {Mesh::Wrap::propagating, "propagating"}}}};
inline constexpr Words<MeshRegister, 3> registers{
    {{{MeshRegister::r, "Rr"}, {MeshRegister::s, "Rs"}, {MeshRegister::t, "Rt"}}}};
inline constexpr Words<Allocation, 2> allocations{
    {{{Allocation::consecutive, "consecutive"}, {Allocation::cyclic, "cyclic"}}}};
inline constexpr Words<Encoding, 4> encodings{{{{Encoding::binary, "binary"},
                                                {Encoding::gray, "gray"},
                                                {Encoding::gray_gray, "gray_gray"},
                                                {Encoding::binary_gray, "binary_gray"}}}};
inline constexpr Words<ButterflyGoal::Computation, 2> computations{
    {{{ButterflyGoal::Computation::network, "butterfly"},
      {ButterflyGoal::Computation::sort, "sort"}}}};
inline constexpr Words<ButterflyGoal::Order, 2> orders{
    {{{ButterflyGoal::Order::most_significant_first, "msb"},
      {ButterflyGoal::Order::least_significant_first, "lsb"}}}};
inline constexpr Words<ButterflyRule::Result, 2> results{
    {{{ButterflyRule::Result::top, "top"}, {ButterflyRule::Result::bottom, "bottom"}}}};
inline constexpr Words<PopsOperation::Kind, 5> operations{
    {{{PopsOperation::Kind::multiply, "mul"},
      {PopsOperation::Kind::multiply_add, "fma"},
      {PopsOperation::Kind::add, "add"},
      {PopsOperation::Kind::copy, "copy"},
      {PopsOperation::Kind::zero, "zero"}}}};

// How many registers an operation reads besides its own.
constexpr int operands(PopsOperation::Kind kind) {
  if (kind == PopsOperation::Kind::zero) return 0;
  return kind == PopsOperation::Kind::copy ? 1 : 2;
}

}  // namespace faro::inline v1::json_words
