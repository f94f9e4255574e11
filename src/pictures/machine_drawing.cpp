#include "pictures/machine_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1::pictures {
namespace {

constexpr double cell = 44;
constexpr double border = 20;

MachineDrawing of_cube(const Hypercube& cube) {
  const int n = cube.dimensions;
  // Bits 0, 1, 2 make one little cube; the others alternate between columns and rows of them.
  const double across = n >= 3 ? 2.75 * cell : (n >= 1 ? 2 * cell : cell);
  const double down = n >= 3 ? 2.6 * cell : 1.8 * cell;
  MachineDrawing drawing;
  for (Word p = 0; p < bit(n); ++p) {
    double x = border + (has_bit(p, 0) ? cell * 1.4 : 0) + (has_bit(p, 2) ? cell * 0.6 : 0);
    double y =
        border + (has_bit(p, 1) ? cell * 1.4 : 0) + (n >= 3 && !has_bit(p, 2) ? cell * 0.5 : 0);
    double column = 1;
    double row = 1;
    for (int b = 3; b < n; ++b) {
      double& step = b % 2 == 1 ? column : row;
      if (has_bit(p, b)) (b % 2 == 1 ? x : y) += step * (b % 2 == 1 ? across : down);
      step *= 2;
    }
    drawing.senders.push_back({x, y});
  }
  for (Word p = 0; p < bit(n); ++p)
    for (int d = 0; d < n; ++d)
      if (!has_bit(p, d))
        drawing.links.emplace_back(drawing.senders[p], drawing.senders[p | bit(d)]);
  return drawing;
}

MachineDrawing of_mesh(const Mesh& mesh) {
  const MeshGeometry geometry(mesh);
  MachineDrawing drawing;
  for (Word p = 0; p < geometry.processors(); ++p) {
    double x = border;
    double y = border;
    double column = 1;
    double row = 1;
    for (int d = 0; d < geometry.dimensions(); ++d) {
      const auto at = static_cast<double>(geometry.coordinate(p, d));
      double& step = d % 2 == 0 ? column : row;
      (d % 2 == 0 ? x : y) += cell * step * at;
      step = step * static_cast<double>(geometry.side(d)) + 0.6;
    }
    drawing.senders.push_back({x, y});
  }
  for (Word p = 0; p < geometry.processors(); ++p)
    for (const Word q : geometry.neighbours(p)) {
      // Ways around a ring would cross all the others: a stub at either end.
      const Point a = drawing.senders[p];
      const Point b = drawing.senders[q];
      const double length = std::hypot(b.x - a.x, b.y - a.y);
      bool next = false;
      for (int d = 0; d < geometry.dimensions(); ++d)
        next |= std::abs(geometry.coordinate(p, d) - geometry.coordinate(q, d)) == 1;
      if (next) {
        if (p < q) drawing.links.emplace_back(a, b);
      } else {
        const double stub = cell * 0.4 / length;
        drawing.links.emplace_back(a, Point{a.x - (b.x - a.x) * stub, a.y - (b.y - a.y) * stub});
      }
    }
  return drawing;
}

MachineDrawing of_pops(const Pops& pops) {
  MachineDrawing drawing;
  const double gap = 12;
  const std::uint64_t count = pops.group_size * pops.groups;
  const double height = static_cast<double>(count) * 26 + static_cast<double>(pops.groups) * gap;
  const auto couplers = static_cast<double>(pops.groups * pops.groups);
  const double middle = border + 6 * cell;
  for (std::uint64_t p = 0; p < count; ++p) {
    const double y =
        border + static_cast<double>(p) * 26 + static_cast<double>(p / pops.group_size) * gap;
    drawing.senders.push_back({border, y});
    drawing.receivers.push_back({border + 12 * cell, y});
  }
  for (std::uint64_t to = 0; to < pops.groups; ++to)
    for (std::uint64_t from = 0; from < pops.groups; ++from)
      drawing.couplers.push_back(
          {middle, border +
                       (static_cast<double>(to * pops.groups + from) + 0.5) * height / couplers -
                       gap});
  return drawing;
}

MachineDrawing of_switch(const Crossbar& machine) {
  MachineDrawing drawing;
  const auto count = static_cast<double>(bit(machine.bits));
  const double radius = std::max(cell, count * 28 / (2 * std::numbers::pi));
  for (Word p = 0; p < bit(machine.bits); ++p) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(p) / count;
    drawing.senders.push_back(
        {border + radius + radius * std::sin(angle), border + radius - radius * std::cos(angle)});
  }
  return drawing;
}

}  // namespace

MachineDrawing machine_drawing(const Machine& machine, std::uint64_t processors_max) {
  if (processors(machine) > processors_max)
    throw Error(ErrorCode::limit,
                fmt::format("{} has {} processors; up to {} are drawn. The use of its links can be "
                            "drawn instead.",
                            to_string(machine), to_string(processors(machine)), processors_max));
  MachineDrawing drawing;
  if (const auto* cube = std::get_if<Hypercube>(&machine)) drawing = of_cube(*cube);
  if (const auto* mesh = std::get_if<Mesh>(&machine)) drawing = of_mesh(*mesh);
  if (const auto* pops = std::get_if<Pops>(&machine)) drawing = of_pops(*pops);
  if (const auto* ranks = std::get_if<Crossbar>(&machine)) drawing = of_switch(*ranks);
  if (drawing.receivers.empty()) drawing.receivers = drawing.senders;
  for (const auto* points : {&drawing.senders, &drawing.receivers})
    for (const Point& point : *points) {
      drawing.width = std::max(drawing.width, point.x + border);
      drawing.height = std::max(drawing.height, point.y + border);
    }
  return drawing;
}

}  // namespace faro::inline v1::pictures
